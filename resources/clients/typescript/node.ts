import type { Client } from '../../../server/contract/client/client.ts';
import { assign, assignmentsOf, placeOf, valueAt } from '../../../server/contract/client/register-names.ts';
import {
  type Followed,
  type FollowFrom,
  openViewer,
  type SocketConstructor,
  type Viewer,
} from '../../../server/contract/client/stream.ts';
import type { TransactionLine } from '../../../server/contract/client/transaction-line.ts';
import { completed } from '../../../server/contract/client/work.ts';
import type { RegisterMap } from '../../../server/contract/designs/register-map.ts';
import type { Job } from '../../../server/contract/jobs/jobs.ts';
import type { Script, ScriptReport } from '../../../server/contract/jobs/scripts.ts';
import type { ActivityEntry } from '../../../server/contract/nodes/activity.ts';
import type { Session } from '../../../server/contract/nodes/nodes.ts';
import type { Pin, PinSettings } from '../../../server/contract/nodes/pins.ts';
import type { TerminalSending, TerminalView } from '../../../server/contract/nodes/terminal.ts';
import type { TransactionPage } from '../../../server/contract/stream/stream.ts';
import { releaseWithProcess } from './surroundings.ts';

// Defines the symbols that TypeScript's helpers need, for engines without them.
for (const name of ['dispose', 'asyncDispose'] as const)
  if (!(name in Symbol)) Object.defineProperty(Symbol, name, { value: Symbol(`Symbol.${name}`) });

/** A polled word did not get its value in time. */
export class PollTimeoutError extends Error {
  override readonly name = 'PollTimeoutError';
  readonly code = 'poll_timeout';
  /** Last value of the word. */
  readonly last: number;

  constructor(address: number, last: number, seconds: number) {
    super(
      `The word at 0x${address.toString(16)} did not get the expected value within ${seconds} s; it is 0x${last.toString(16)}.`,
    );
    this.last = last;
  }
}

/** Options of HeldNode.read. */
export interface AccessOptions {
  /** Every word has the same address, for example that of a FIFO register. */
  fixed?: boolean;
}

/** Options of HeldNode.write. */
export interface WriteOptions extends AccessOptions {
  /** Byte selects of a single word, 1 to 15. */
  select?: number;
}

/** Options of HeldNode.poll. */
export interface PollOptions {
  /** Bits that are compared with a value. Default: all. */
  mask?: number;
  /** Seconds after which the poll fails. Default: 10. */
  timeout?: number;
  /** Seconds between two reads. Default: 0.02. */
  every?: number;
  signal?: AbortSignal;
}

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });

/** A node that the caller holds, with its running design. The session stays when this program ends. */
export class HeldNode {
  readonly fpgaId: number;
  readonly #client: Client;
  readonly #line: TransactionLine;
  readonly #wordsPerRun: number;

  /** @internal */
  constructor(client: Client, line: TransactionLine, fpgaId: number, wordsPerRun: number) {
    this.fpgaId = fpgaId;
    this.#client = client;
    this.#line = line;
    this.#wordsPerRun = wordsPerRun;
  }

  /** Reads the 32-bit word at a byte address, or `count` words from there. @throws JobFailedError, ServiceError. */
  read(address: number, count?: undefined, options?: AccessOptions): Promise<number>;
  read(address: number, count: number, options?: AccessOptions): Promise<number[]>;
  async read(
    address: number,
    count?: number,
    { fixed = false }: AccessOptions = {},
  ): Promise<number | number[]> {
    const words: number[] = [];
    for (let done = 0; done < (count ?? 1); done += this.#wordsPerRun) {
      const size = Math.min(this.#wordsPerRun, (count ?? 1) - done);
      for (const word of await this.#line.read(fixed ? address : address + 4 * done, size, fixed))
        words.push(word);
    }
    return count === undefined ? (words[0] ?? 0) : words;
  }

  /** Writes one or more 32-bit words from a byte address on. @throws JobFailedError, ServiceError. */
  async write(
    address: number,
    words: number | Iterable<number>,
    { fixed = false, select }: WriteOptions = {},
  ): Promise<void> {
    const all = typeof words === 'number' ? [words] : [...words];
    if (select !== undefined) return await this.#line.write(address, all, fixed, select);
    for (let done = 0; done < all.length; done += this.#wordsPerRun)
      await this.#line.write(
        fixed ? address : address + 4 * done,
        all.slice(done, done + this.#wordsPerRun),
        fixed,
      );
  }

  /** Reads a word until it has a value, or a function accepts it; resolves with the word. @throws PollTimeoutError. */
  async poll(
    address: number,
    until: number | ((word: number) => boolean),
    { mask = 0xffff_ffff, timeout = 10, every = 0.02, signal }: PollOptions = {},
  ): Promise<number> {
    // `>>> 0`, because bit operations give signed numbers.
    const wanted =
      typeof until === 'number' ? (word: number) => (word & mask) >>> 0 === (until & mask) >>> 0 : until;
    const deadline = performance.now() + 1000 * timeout;
    for (;;) {
      signal?.throwIfAborted();
      const word = await this.read(address);
      if (wanted(word)) return word;
      if (performance.now() >= deadline) throw new PollTimeoutError(address, word, timeout);
      await pause(1000 * every, signal);
    }
  }

  /** The pins of the design. `rose` and `fell` cover the time since the last request of any caller. */
  async pins(): Promise<Pin[]> {
    return (await this.#client.listPins({ fpga_id: this.fpgaId })).pins;
  }

  /**
   * Sets inputs of the design, with `{ value, mask }` only some bits of one. Either all are set or none. Resolves with all
   * pins after that. @throws ServiceError
   */
  async setPins(pins: PinSettings['pins']): Promise<Pin[]> {
    return (await this.#client.setPins({ fpga_id: this.fpgaId, body: { pins } })).pins;
  }

  /**
   * Text that the design has sent over its serial line, a character a byte; undefined without such a line.
   * @param from bytes that the caller has
   */
  async terminal(from = 0): Promise<TerminalView | undefined> {
    return await this.#client.readTerminal({ fpga_id: this.fpgaId, from });
  }

  /** Sends text to the design over its serial line, and sets the line's rate. @throws ServiceError */
  async sendToTerminal(sending: TerminalSending): Promise<TerminalView> {
    return await this.#client.sendToTerminal({ fpga_id: this.fpgaId, body: sending });
  }

  /** Closes the connection, which otherwise keeps the process alive. The session stays. */
  close(): void {
    this.#line.close();
  }
}

/**
 * A node that this program has programmed and holds. `await using` releases it at the end of its block; `release()` does
 * it earlier. Otherwise it is released when the process ends, also by an exception or Ctrl-C.
 */
export class BenchNode extends HeldNode implements AsyncDisposable, Disposable {
  /** The job that built the design and programmed the node. */
  readonly job: Job;
  readonly #client: Client;
  readonly #forget: () => void;
  readonly #WebSocket: SocketConstructor | undefined;
  #released: Promise<void> | null = null;
  #map: Promise<RegisterMap> | null = null;

  /** @internal */
  constructor(
    client: Client,
    line: TransactionLine,
    job: Job,
    wordsPerRun: number,
    headers: Record<string, string>,
    WebSocket: SocketConstructor | undefined,
  ) {
    super(client, line, job.fpga_id, wordsPerRun);
    this.#WebSocket = WebSocket;
    this.job = job;
    this.#client = client;
    const url = `${client.options.base ?? ''}/fpga/${job.fpga_id}/session/release`;
    this.#forget = releaseWithProcess({
      release: () => this.release(),
      request: () => ({ url, headers }),
    });
  }

  /** The register map of the design; it is requested once. @throws ServiceError `no_register_map` */
  map(): Promise<RegisterMap> {
    this.#map ??= this.#client
      .getDesignMap({ design_id: this.job.design_id ?? '' })
      .catch((error: unknown) => {
        this.#map = null;
        throw error;
      });
    return this.#map;
  }

  /** Reads a register or a field by its name in the map: `CTRL`, `CTRL.EN`. @throws RegisterNameError */
  async get(name: string): Promise<number> {
    const place = placeOf(await this.map(), name);
    return valueAt(place, await this.read(place.register.address));
  }

  /**
   * Writes registers and fields by name. Values are numbers or names: `set('CTRL.EN', 'run')`, `set({ 'CTRL.MODE': 2 })`.
   * Other bits of a register stay. @throws RegisterNameError before anything is written
   */
  set(name: string, value: number | string): Promise<void>;
  set(values: Readonly<Record<string, number | string>>): Promise<void>;
  async set(
    names: string | Readonly<Record<string, number | string>>,
    value: number | string = 0,
  ): Promise<void> {
    const pairs = typeof names === 'string' ? [[names, value] as const] : Object.entries(names);
    await assign(
      assignmentsOf(await this.map(), pairs),
      (address) => this.read(address),
      (address, word) => this.write(address, word),
    );
  }

  /** Activity on the node, newest first: who took, released, reset or handed it over. */
  activity(limit = 20): Promise<ActivityEntry[]> {
    return this.#client.listActivity({ fpga_id: this.fpgaId, limit });
  }

  /** Words that were written and read in this session, newest first. */
  async transactions(limit = 100): Promise<TransactionPage['transactions']> {
    return (await this.#client.listTransactions({ fpga_id: this.fpgaId, limit })).transactions;
  }

  /** Calls `onMessage` for everything that happens on the node, live. There may be many viewers. @throws StreamError */
  view(onMessage: (message: Followed) => void, from: FollowFrom = {}): Promise<Viewer> {
    const socket = this.#WebSocket ? { WebSocket: this.#WebSocket } : {};
    return openViewer(this.#client.options, this.fpgaId, onMessage, { ...socket, ...from });
  }

  /** Extends the session by a whole lifetime, without using the board. */
  extend(): Promise<Session> {
    return this.#client.extendSession({ fpga_id: this.fpgaId });
  }

  /** Hands the session over to another holder, with the design and its registers as they are. */
  async handOver(to: string): Promise<Session> {
    const session = await this.#client.handOverSession({ fpga_id: this.fpgaId, body: { to } });
    this.close();
    this.#forget();
    this.#released = Promise.resolve();
    return session;
  }

  /** Runs a script on the node. Default: the script of the design. */
  runScript(script?: Script): Promise<ScriptReport> {
    const kept = this.job.design_id === undefined ? {} : { design_id: this.job.design_id };
    return this.#client.runScript({ fpga_id: this.fpgaId, body: script ? { script } : kept });
  }

  /** The recorded session as a script. */
  async recordedScript(): Promise<Script> {
    return (await this.#client.getSessionScript({ fpga_id: this.fpgaId })).script;
  }

  /** The whole log of the build. */
  async log(): Promise<string> {
    return new TextDecoder().decode(await this.#client.getJobLog(this.job));
  }

  /** Releases the node and waits until it is idle. Repeated calls change nothing. */
  release(): Promise<void> {
    this.#released ??= this.#release();
    return this.#released;
  }

  async #release(): Promise<void> {
    this.close();
    this.#forget();
    const { fpga_id, job_id } = await this.#client.releaseSession({ fpga_id: this.fpgaId });
    await completed(this.#client, { fpga_id, job_id });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }

  /** `using` cannot wait: the release continues in the background. If it fails, the session expires by itself. */
  [Symbol.dispose](): void {
    void this.release().catch(() => {});
  }
}
