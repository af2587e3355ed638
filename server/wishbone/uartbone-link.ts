import type { Duplex } from 'node:stream';
import type { Clock } from '../clock.ts';
import { BenchError } from '../errors/bench-error.ts';
import { wishboneError } from '../errors/wishbone.ts';
import { closePort } from './close-port.ts';
import { composeExchange, type Exchange, verifyAnswer } from './exchange.ts';
import { addressText, type Fault } from './fault.ts';
import { makeContact, sendAside } from './handshake.ts';
import {
  BLOCK_BASE,
  BLOCK_READ,
  type BlockIdentity,
  changeRate,
  FAULT_ADDRESS_READ,
  IDENTITY_READ,
  MAGIC,
  parseIdentity,
  parseStatus,
  STATUS_READ,
  type Status,
  takeHold,
} from './identity-block.ts';
import { clocksPerBit, offeredRates } from './line-rate.ts';
import type { Identity, TransferOptions, TransferResult, WishboneLink } from './link.ts';
import { confirm, faultAfter, nextParts, type Part, sendAgain, wordsInDesign } from './parts.ts';
import { Transfer } from './transfer.ts';
import { UartLine } from './uart-line.ts';
import { frameWords } from './uartbone.ts';

/** The port's part in changes of the line rate. */
export interface PortRates {
  /** Whether it supports a rate, bits a second. */
  can(rate: number): boolean;
  /** Resolves when the port sends and receives at the rate. */
  set(rate: number): Promise<void>;
}

/** Maximum bytes of outstanding answers: enough to keep the line busy, few enough to cancel quickly. */
const MAX_EXPECTED_BYTES = 4 * 1032;

export interface UartboneLinkOptions {
  /** Line rate at which contact begins, and the port's present rate, bits a second. */
  baud: number;
  /** Absent where the port's rate is fixed. */
  portRates?: PortRates;
  clock: Clock;
  /**
   * Added to every deadline, milliseconds: USB, operating system, a busy host, a virtual board slower than real time.
   */
  slackMs?: number;
  /** The board may be in the middle of a frame, because its last host ended abruptly: stay silent for 125 ms first. */
  midFrame?: boolean;
}

/**
 * Opens the Wishbone link over an open port and takes the port over: `close()` closes it, and so does a failure to
 * open.
 *
 * @throws BenchError link_silent, link_corrupted, link_closed, not_wishbench
 */
export async function openUartboneLink(port: Duplex, options: UartboneLinkOptions): Promise<WishboneLink> {
  const link = new UartboneLink(port, options);
  try {
    await link.contact(options.midFrame ?? false);
  } catch (error) {
    await link.close();
    throw error;
  }
  return link;
}

/** `lost` is recoverable: the next transfer makes contact again, after silence. `closed` is final. */
type State = 'contacting' | 'ready' | 'clearing' | 'lost' | 'closed';

/** A requested change of the line rate. */
interface RateChange {
  rate: number;
  resolve(): void;
  reject(reason: unknown): void;
}

class UartboneLink implements WishboneLink {
  readonly #line: UartLine;
  readonly #clock: Clock;
  readonly #port: Duplex;
  /** Unsettled transfers, in the order of the calls. */
  readonly #transfers = new Set<Transfer>();
  #state: State = 'lost';
  #identity: BlockIdentity | null = null;
  /** The board's count of acknowledged transfers, as of the last answer. */
  #counted = 0;
  #mark = 0;
  #pumping = false;
  #closing: Promise<void> | null = null;
  readonly #baseRate: number;
  readonly #portRates: PortRates | null;
  /** Requested changes in order; the link sends nothing while one waits. */
  readonly #rateChanges: RateChange[] = [];

  constructor(port: Duplex, options: UartboneLinkOptions) {
    this.#clock = options.clock;
    this.#port = port;
    this.#baseRate = options.baud;
    this.#portRates = options.portRates ?? null;
    const timing = { baud: options.baud, watchdogMs: 10, slackMs: options.slackMs ?? 500 };
    this.#line = new UartLine(port, timing, this.#clock, (error) => this.#lose(error));
  }

  read(byteAddress: number, count: number, options: TransferOptions = {}): Promise<TransferResult> {
    return this.#start('read', byteAddress, () => new Uint32Array(count), options);
  }

  write(byteAddress: number, words: Uint32Array, options: TransferOptions = {}): Promise<TransferResult> {
    return this.#start('write', byteAddress, () => words, options);
  }

  async identity(): Promise<Identity> {
    const result = await this.read(BLOCK_BASE, frameWords(IDENTITY_READ));
    if (!result.ok) throw wishboneError('link_corrupted');
    const { magic, version, clockHz, buildId } = parseIdentity(result.data);
    if (magic !== MAGIC) throw wishboneError('not_wishbench');
    return { version, clockHz, buildId };
  }

  /** Known since the first contact, before which nobody has the link. */
  get #board(): BlockIdentity {
    return this.#identity as BlockIdentity;
  }

  get lineRate(): number {
    // The link looks for a lost board at the first rate.
    return this.#state === 'lost' ? this.#baseRate : this.#line.timing.baud;
  }

  get lineRates(): readonly number[] {
    const port = this.#portRates;
    return offeredRates(this.#baseRate, this.#board, port && ((rate) => port.can(rate)));
  }

  async setLineRate(rate: number): Promise<void> {
    if (this.#line.closed) throw this.#line.closed;
    if (!this.lineRates.includes(rate)) throw new RangeError(`The line cannot run at ${rate} baud.`);
    const changed = new Promise<void>((resolve, reject) => {
      this.#rateChanges.push({ rate, resolve, reject });
    });
    if (this.#state === 'lost') this.contact(true).catch(() => {}); // the change carries the error
    this.#schedule();
    return changed;
  }

  close(): Promise<void> {
    this.#closing ??= this.#end(wishboneError('link_closed', { message: 'The link was closed.' }));
    return this.#closing;
  }

  /** Finds the board and its state; waiting transfers then continue or fail. */
  async contact(waitFirst: boolean): Promise<void> {
    this.#state = 'contacting';
    try {
      await this.#tune(this.#baseRate);
      await this.#meet({ waitFirst, wake: waitFirst && this.#portRates !== null });
      this.#state = 'ready';
      this.#pump();
    } catch (error) {
      this.#lose(error instanceof BenchError ? error : wishboneError('link_closed', { cause: error }));
      throw error;
    }
  }

  /** Learns the board's identity and the state of both sides. */
  async #meet(approach: { waitFirst: boolean; wake?: boolean; attempts?: number }): Promise<void> {
    const mark = () => ++this.#mark & 0xff_ffff;
    const { identity, transfers } = await makeContact(this.#line, this.#clock, mark, {
      ...approach,
      known: this.#identity !== null,
    });
    this.#identity = identity;
    this.#counted = transfers;
    this.#line.timing.watchdogMs = (identity.watchdogClocks * 1000) / identity.clockHz;
  }

  /** Changes the port's rate; bytes received meanwhile are dropped. */
  async #tune(rate: number): Promise<void> {
    if (this.#line.timing.baud === rate || !this.#portRates) return;
    const stopListening = this.#line.listen(() => {});
    try {
      await this.#portRates.set(rate);
      this.#line.timing.baud = rate;
    } finally {
      stopListening();
    }
    if (this.#line.closed) throw this.#line.closed;
  }

  /**
   * Changes the board's rate, then the port's. A read of the whole identity block goes before the change. When its 64
   * bytes are here, the 10 bytes of the change have long left the port.
   */
  async #leaveFor(rate: number): Promise<void> {
    const change = composeExchange([BLOCK_READ, changeRate(clocksPerBit(this.#board.clockHz, rate))]);
    if (!(await sendAside(this.#line, this.#clock, change)))
      throw this.#line.closed ?? wishboneError('link_silent');
    await this.#tune(rate);
  }

  /** Called with nothing in flight. If the new rate fails, the link makes contact at the first one. */
  async #changeRate({ rate, resolve, reject }: RateChange): Promise<void> {
    this.#state = 'contacting';
    try {
      if (rate !== this.lineRate) {
        await this.#leaveFor(rate);
        await this.#meet({ waitFirst: false, attempts: 1 });
      }
    } catch (error) {
      await this.contact(true).catch(() => {}); // the transfers that wait carry the error
      reject(error);
      return;
    }
    this.#state = 'ready';
    resolve();
    this.#pump();
  }

  async #start(
    kind: 'read' | 'write',
    byteAddress: number,
    words: () => Uint32Array,
    options: TransferOptions,
  ): Promise<TransferResult> {
    if (this.#line.closed) throw this.#line.closed;
    const transfer = new Transfer(kind, byteAddress, words(), options);
    if (transfer.count === 0) transfer.settle({ ok: true, data: new Uint32Array(0) });
    else this.#transfers.add(transfer);
    if (this.#state === 'lost') this.contact(true).catch(() => {}); // the transfers that wait carry the error
    this.#schedule();
    try {
      return await transfer.result;
    } finally {
      this.#transfers.delete(transfer);
    }
  }

  /** Calls of one turn of the event loop go out together. */
  #schedule(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    queueMicrotask(() => {
      this.#pumping = false;
      this.#pump();
    });
  }

  /** Sends as many bursts as the board's FIFO and the limit on answers allow. */
  #pump(): void {
    if (this.#state !== 'ready') return;
    const { fifoBytes } = this.#board;
    const [change] = this.#rateChanges;
    if (change) {
      if (!this.#line.idle) return;
      this.#rateChanges.shift();
      void this.#changeRate(change);
      return;
    }
    for (let parts = nextParts(this.#transfers); parts.length > 0; parts = nextParts(this.#transfers)) {
      const exchange = composeExchange([...parts.map(({ burst }) => burst), STATUS_READ]);
      const bytes = this.#line.pendingBytes + exchange.request.length;
      const answers = this.#line.expectedBytes + exchange.answerLength;
      if (!this.#line.idle && (bytes > fifoBytes || answers > MAX_EXPECTED_BYTES)) return;
      for (const { transfer, burst } of parts) transfer.sent += frameWords(burst);
      this.#line.send(exchange, (answer) => this.#onParts(parts, exchange, answer));
    }
  }

  #onParts(parts: readonly Part[], exchange: Exchange, answer: Uint8Array): void {
    const read = this.#check(exchange, answer);
    if (!read) return;
    const { data, status, transfers } = read;
    const { fault } = status;
    if (!fault && transfers === wordsInDesign(parts)) {
      confirm(parts, data);
      this.#pump();
      return;
    }
    if (fault && this.#state === 'clearing' && transfers === 0) {
      sendAgain(parts);
      return;
    }
    const failed = this.#state === 'ready' ? faultAfter(parts, transfers) : null;
    if (!fault || !failed) {
      this.#lose(wrongCount(wordsInDesign(parts), transfers));
      return;
    }
    confirm(parts.slice(0, failed.at), data);
    sendAgain(parts.slice(failed.at + 1));
    this.#clearFault(failed.transfer, { kind: fault, byteAddress: failed.byteAddress });
  }

  /**
   * Clears a fault and then ends its transfer; nothing else is sent before the board confirms.
   * @param fault as derived from the board's count
   */
  #clearFault(transfer: Transfer, fault: Fault): void {
    this.#state = 'clearing';
    const exchange = composeExchange([FAULT_ADDRESS_READ, takeHold(), STATUS_READ]);
    this.#line.send(exchange, (answer) => {
      const read = this.#check(exchange, answer);
      if (!read) return;
      if (read.status.fault || read.transfers !== 0) {
        this.#lose(wrongCount(0, read.transfers));
        return;
      }
      const byteAddress = read.data[0]?.[0] as number;
      if (byteAddress !== fault.byteAddress) {
        this.#lose(wrongFault(fault.byteAddress, byteAddress));
        return;
      }
      transfer.settle({ ok: false, fault });
      this.#state = 'ready';
      this.#pump();
    });
  }

  /** Checks an exchange: its words, its status, and the number of transfers that the design acknowledged. */
  #check(
    exchange: Exchange,
    answer: Uint8Array,
  ): { data: Uint32Array[]; status: Status; transfers: number } | null {
    const data = verifyAnswer(exchange, answer, this.#board);
    if (!data) {
      this.#lose(wishboneError('link_corrupted'));
      return null;
    }
    const status = parseStatus(data.at(-1) as Uint32Array);
    const transfers = (status.transfers - this.#counted) & 0xffff;
    this.#counted = status.transfers;
    return { data, status, transfers };
  }

  /** The line can't be trusted. Nothing is repeated automatically, because the design may have seen it. */
  #lose(error: BenchError): void {
    if (this.#state === 'closed' || this.#state === 'lost') return;
    this.#line.abandon();
    this.#state = this.#line.closed ? 'closed' : 'lost';
    for (const transfer of this.#transfers) transfer.fail(error);
    this.#transfers.clear();
    for (const change of this.#rateChanges.splice(0)) change.reject(error);
  }

  /** Sets the board to the rate at which the next link begins. A lost board returns to it by itself. */
  async #farewell(): Promise<void> {
    if (this.#state !== 'ready' || !this.#line.idle || this.lineRate === this.#baseRate) return;
    this.#state = 'contacting';
    await this.#leaveFor(this.#baseRate).catch(() => {});
  }

  async #end(reason: BenchError): Promise<void> {
    await this.#farewell();
    this.#line.close(reason);
    this.#lose(reason);
    this.#state = 'closed';
    await closePort(this.#port);
  }
}

const wrongCount = (expected: number, counted: number): BenchError =>
  wishboneError('link_corrupted', {
    message: `The board counted ${counted} transfers instead of ${expected}.`,
  });

const wrongFault = (expected: number, reported: number): BenchError =>
  wishboneError('link_corrupted', {
    message: `The board reported a fault at ${addressText(reported)} instead of ${addressText(expected)}.`,
  });
