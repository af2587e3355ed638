import type {
  Board,
  BoardPool,
  DiscoveryProblem,
  KnownBoard,
  ProgramContext,
} from '../../server/boards/board.ts';
import type { BoardDefinition } from '../../server/boards/definition.ts';
import type { BoardView } from '../../server/contract/boards/boards.ts';
import { NODE_COUNT } from '../../server/contract/boards/node-count.ts';
import { BenchError } from '../../server/errors/bench-error.ts';
import { boardsError } from '../../server/errors/boards.ts';
import { GATEWARE_VERSION } from '../../server/toolchain/build/gateware.ts';
import type { Identity, TransferOptions, TransferResult, WishboneLink } from '../../server/wishbone/link.ts';
import { PINS_BASE } from '../../server/wishbone/pin-block.ts';
import type { FakePortBlock } from './fake-port-block.ts';

/** The board that the fakes claim to be; same figures as the virtual one. */
export const fakeDefinition: BoardDefinition = {
  id: 'virtual-hx8k',
  name: 'Virtual HX8K',
  vendor: 'Wishbench',
  fpga: { family: 'ice40', part: 'hx8k', package: 'ct256' },
  clock: { hz: 12_000_000, pin: 'J3' },
  serial: { baud: 3_000_000, rx: 'B10', tx: 'B12' },
  leds: { pins: [], activeLow: false },
  programmer: { kind: 'virtual' },
  constraints: 'virtual-hx8k.pcf',
  remarks: [],
  sources: [],
  testedOnHardware: false,
};

/** Words of memory of the fake slave; it repeats through the user region below FAKE_HOLE. */
export const FAKE_WORDS = 16_384;
/** Byte address from which the fake slave never acknowledges. */
export const FAKE_HOLE = 0x8000_0000;

const gone = (what: string) =>
  new BenchError(
    'fake_board_gone',
    { status: 503, message: what, remedy: 'Plug the board in again and reset the node.' },
    {},
  );

/** Contents of a fake bitstream: its build id, for the identity block. */
export function fakeBitstream(buildId: string, size = 2048): Uint8Array {
  const bytes = new Uint8Array(size);
  bytes.set(new TextEncoder().encode(`FAKE${buildId.padEnd(64, '0')}`));
  return bytes;
}

/** Faults that a test can switch on; each lasts until it is cleared, `fail*` ones for one operation. */
export interface FakeBoardFaults {
  /** Programming rejects with this sentence. */
  failProgram?: string;
  /** The next link operation rejects with this sentence. */
  failLink?: string;
  /** The identity block shows another build. */
  wrongIdentity?: boolean;
  /** Programming or transfers never end (except when programming is aborted). */
  hangProgram?: boolean;
  hangLink?: boolean;
  /** Programming that is aborted ends when it is open. */
  endsLate?: Promise<void>;
  /** Programming and transfers wait until it is open. */
  gate?: Promise<void>;
  /** Milliseconds that programming and each transfer take. */
  programMs?: number;
  transferMs?: number;
}

/**
 * A board without a fabric, for tests of the layers above boards: it remembers the programmed build and behaves as a
 * slave with a memory. The real virtual board is in server/boards/virtual.
 */
export class FakeBoard implements Board {
  definition = fakeDefinition;
  /** A fake of the kind `usb` counts as a real board. */
  kind: BoardView['kind'] = 'virtual';
  readonly slot: number;
  faults: FakeBoardFaults = {};
  present = true;
  /** Keeps its configuration while it is unplugged. */
  selfPowered = false;
  /** Id in the view; another id means another board in the same slot. */
  id: string;
  /** How many times it was programmed, and with which builds. */
  readonly programmed: string[] = [];
  /** Every written word, in order: reveals a run that was executed twice. */
  readonly writes: { address: number; word: number }[] = [];
  /** Called with every word before it is written. */
  onWrite: ((address: number, word: number) => void) | null = null;
  readonly memory = new Uint32Array(FAKE_WORDS);
  /** Ports of the design outside its bus, if a test sets some. */
  portBlock: FakePortBlock | null = null;
  /** Number of requested reads. */
  reads = 0;
  #configured: string | null = null;
  #links = new Set<FakeLink>();
  #programming = false;
  /** Rejects running operations when the plug is pulled. */
  #pulled = new Set<(error: Error) => void>();

  constructor(slot: number) {
    this.slot = slot;
    this.id = `virtual:${slot}`;
  }

  get view(): BoardView {
    const base = {
      slot: this.slot,
      id: this.id,
      kind: this.kind,
      definition: this.definition.id,
      name: this.definition.name,
      present: this.present,
    };
    return this.present ? base : { ...base, reason: 'The board was unplugged.' };
  }

  get buildId(): string | null {
    return this.#configured;
  }

  get openLinks(): number {
    return this.#links.size;
  }

  /** Programming or a transfer is running. */
  get busy(): boolean {
    return this.#pulled.size > 0;
  }

  /** Runs `work` unless the plug is pulled first. */
  async guarded<T>(work: (pulled: Promise<never>) => Promise<T>): Promise<T> {
    if (!this.present) throw gone('The board is not attached.');
    let pull: (error: Error) => void = () => {};
    const pulled = new Promise<never>((_, reject) => {
      pull = reject;
    });
    pulled.catch(() => {});
    this.#pulled.add(pull);
    try {
      return await Promise.race([work(pulled), pulled]);
    } finally {
      this.#pulled.delete(pull);
    }
  }

  async program(bitstream: Uint8Array, context: ProgramContext): Promise<void> {
    if (this.#programming) throw boardsError('board_in_use');
    this.#programming = true;
    const { endsLate } = this.faults;
    try {
      await this.#program(bitstream, context);
    } finally {
      if (context.signal?.aborted) await endsLate;
      this.#programming = false;
    }
  }

  async #program(bitstream: Uint8Array, context: ProgramContext): Promise<void> {
    for (const link of [...this.#links]) await link.close();
    await this.guarded(async () => {
      const { failProgram, hangProgram, programMs = 0, gate } = this.faults;
      this.#configured = null;
      this.memory.fill(0);
      context.progress(0.5);
      if (hangProgram) await new Promise<never>((_, reject) => rejectOnAbort(context.signal, reject));
      if (gate) await passed(gate, context.signal);
      if (programMs > 0) await delay(programMs, context.signal);
      if (failProgram !== undefined) {
        delete this.faults.failProgram;
        throw new BenchError('fake_cdone_low', {
          status: 502,
          message: failProgram,
          remedy: 'Reset the node.',
        });
      }
      const text = new TextDecoder().decode(bitstream.subarray(0, 68));
      if (!text.startsWith('FAKE')) throw new Error('this is no fake bitstream');
      this.#configured = text.slice(4);
      this.programmed.push(this.#configured);
      context.log(`${bitstream.length} bytes configured`);
      context.progress(1);
    });
  }

  async openLink(): Promise<WishboneLink> {
    if (!this.present) throw gone('The board is not attached.');
    const link = new FakeLink(this, () => this.#links.delete(link));
    this.#links.add(link);
    return link;
  }

  /** Pulls the plug: running operations reject, the configuration is lost. */
  unplug(): void {
    this.present = false;
    if (!this.selfPowered) this.#configured = null;
    for (const pull of this.#pulled) pull(gone('The board was unplugged.'));
  }

  plug(): void {
    this.present = true;
  }

  async close(): Promise<void> {
    for (const link of [...this.#links]) await link.close();
  }
}

class FakeLink implements WishboneLink {
  readonly #board: FakeBoard;
  readonly #onClose: () => void;
  #closed = false;

  constructor(board: FakeBoard, onClose: () => void) {
    this.#board = board;
    this.#onClose = onClose;
  }

  async #operate<T>(work: () => T, signal?: AbortSignal): Promise<T> {
    if (this.#closed) throw gone('The link is closed.');
    return await this.#board.guarded(async () => {
      const { failLink, hangLink, transferMs = 0, gate } = this.#board.faults;
      if (hangLink) await new Promise<never>((_, reject) => rejectOnAbort(signal, reject));
      if (gate) await passed(gate, signal);
      if (transferMs > 0) await delay(transferMs, signal);
      signal?.throwIfAborted();
      if (failLink !== undefined) {
        delete this.#board.faults.failLink;
        throw new BenchError('fake_link_silent', {
          status: 502,
          message: failLink,
          remedy: 'Reset the node.',
        });
      }
      if (this.#board.buildId === null) throw gone('The board does not answer: it is not configured.');
      return work();
    });
  }

  read(address: number, count: number, options: TransferOptions = {}): Promise<TransferResult> {
    this.#board.reads++;
    return this.#operate((): TransferResult => {
      if (address === PINS_BASE && this.#board.portBlock)
        return { ok: true, data: this.#board.portBlock.read(count) };
      const data = new Uint32Array(count);
      for (let i = 0; i < count; i++) {
        const at = options.fixed ? address : address + 4 * i;
        if (at >= FAKE_HOLE) return { ok: false, fault: { kind: 'timeout', byteAddress: at } };
        data[i] = this.#board.memory[(at / 4) % FAKE_WORDS] ?? 0;
      }
      options.onProgress?.(count);
      return { ok: true, data };
    }, options.signal);
  }

  write(address: number, words: Uint32Array, options: TransferOptions = {}): Promise<TransferResult> {
    return this.#operate((): TransferResult => {
      if (options.portBlock && this.#board.portBlock) {
        this.#board.portBlock.write(words);
        return { ok: true, data: new Uint32Array(0) };
      }
      for (const [i, word] of words.entries()) {
        const at = options.fixed ? address : address + 4 * i;
        if (at >= FAKE_HOLE) return { ok: false, fault: { kind: 'timeout', byteAddress: at } };
        this.#board.onWrite?.(at, word);
        this.#board.memory[(at / 4) % FAKE_WORDS] = word;
        this.#board.writes.push({ address: at, word });
      }
      options.onProgress?.(words.length);
      return { ok: true, data: new Uint32Array(0) };
    }, options.signal);
  }

  readonly lineRate = 3_000_000;
  readonly lineRates = [3_000_000];

  async setLineRate(): Promise<void> {}

  identity(): Promise<Identity> {
    return this.#operate(() => ({
      version: GATEWARE_VERSION,
      clockHz: fakeDefinition.clock.hz,
      buildId: this.#board.faults.wrongIdentity ? 'f'.repeat(16) : (this.#board.buildId ?? '').slice(-16),
    }));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#onClose();
  }
}

/** Ten fake boards; `unplug` and `plug` notify the listeners, as hotplug would. */
export class FakeBoardPool implements BoardPool {
  readonly boards: FakeBoard[] = Array.from({ length: NODE_COUNT }, (_, slot) => new FakeBoard(slot));
  readonly #listeners = new Set<(view: BoardView) => void>();

  board(slot: number): FakeBoard {
    const board = this.boards[slot];
    if (board === undefined) throw new Error(`no slot ${slot}`);
    return board;
  }

  list(): KnownBoard[] {
    return this.boards.map(({ view }) => ({ ...view, candidates: [view.definition] }));
  }

  problems(): DiscoveryProblem[] {
    return [];
  }

  async assign(slot: number): Promise<BoardView> {
    return this.board(slot).view;
  }

  onChange(listener: (view: BoardView) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onListChange(listener: () => void): () => void {
    return this.onChange(listener);
  }

  unplug(slot: number): void {
    this.board(slot).unplug();
    this.#announce(slot);
  }

  plug(slot: number): void {
    this.board(slot).plug();
    this.#announce(slot);
  }

  /** Another board comes into the slot; the old one is closed. */
  replace(slot: number, id: string): FakeBoard {
    const board = new FakeBoard(slot);
    board.id = id;
    this.boards[slot] = board;
    this.#announce(slot);
    return board;
  }

  #announce(slot: number): void {
    for (const listener of this.#listeners) listener(this.board(slot).view);
  }

  async close(): Promise<void> {
    for (const board of this.boards) await board.close();
  }
}

/** Resolves when the gate is open; rejects when the signal fires before. */
export function passed(gate: Promise<void>, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    rejectOnAbort(signal, reject);
    void gate.then(resolve);
  });
}

function rejectOnAbort(signal: AbortSignal | undefined, reject: (reason: unknown) => void): void {
  if (signal?.aborted) reject(signal.reason);
  signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
}

export function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    rejectOnAbort(signal, (reason) => {
      clearTimeout(timer);
      reject(reason);
    });
  });
}
