import type { Duplex } from 'node:stream';
import type { Clock } from '../clock.ts';
import { assertNever, BenchError } from '../errors/bench-error.ts';
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

/** How the port takes part in changes of the line rate. */
export interface PortRates {
  /** Whether it can keep a rate, bits a second. */
  can(rate: number): boolean;
  /** Resolves when what is sent and received from now on goes at the rate. */
  set(rate: number): Promise<void>;
}

/** Answers that may be on their way at once: enough to keep the line busy, little enough to cancel quickly. */
const MAX_EXPECTED_BYTES = 4 * 1032;

export interface UartboneLinkOptions {
  /** Line rate at which contact begins, bits a second: the port is at it. */
  baud: number;
  /** Absent where the port's rate cannot be changed. */
  portRates?: PortRates;
  clock: Clock;
  /** Added to every deadline, milliseconds: USB, operating system, a busy host, a virtual board that is not in real time. */
  slackMs?: number;
  /** The board may be in the middle of a frame (its last host ended abruptly): be silent first, for 125 ms. */
  midFrame?: boolean;
}

/**
 * Opens the Wishbone link over a port that is open already, and takes the port over: `close()` closes it, and so
 * does a failure to open.
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

/**
 * `lost` is recoverable: the next transfer makes contact anew, after silence. `closed` is not.
 */
type State = 'contacting' | 'ready' | 'clearing' | 'lost' | 'closed';

/** A change of the line rate that somebody waits for. */
interface RateChange {
  rate: number;
  resolve(): void;
  reject(reason: unknown): void;
}

class UartboneLink implements WishboneLink {
  readonly #line: UartLine;
  readonly #clock: Clock;
  readonly #port: Duplex;
  /** Not settled, in the order of the calls. */
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
  /** Asked for, in order; a link that waits for one sends nothing. */
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

  get lineRate(): number {
    // A lost board is looked for at the first rate.
    return this.#state === 'lost' ? this.#baseRate : this.#line.timing.baud;
  }

  get lineRates(): readonly number[] {
    const can = this.#portRates && ((rate: number) => this.#portRates?.can(rate) ?? false);
    return this.#identity ? offeredRates(this.#baseRate, this.#identity, can) : [this.#baseRate];
  }

  async setLineRate(rate: number): Promise<void> {
    if (this.#state === 'closed') throw this.#line.closed ?? wishboneError('link_closed');
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

  /** Finds the board and where it stands; transfers that wait for it go on afterwards or fail with it. */
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

  /** Learns who is there and where both sides stand. */
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

  /** Has the port send and receive at a rate; what comes meanwhile belongs to nobody. */
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
   * Has the board go to a rate, and follows. The change is sent behind a read of the whole identity block: by the
   * time its 64 bytes are here, the 10 bytes of the change have long left the port.
   */
  async #leaveFor(rate: number): Promise<void> {
    const { clockHz } = this.#identity ?? { clockHz: 0 };
    const change = composeExchange([BLOCK_READ, changeRate(clocksPerBit(clockHz, rate))]);
    if (!(await sendAside(this.#line, this.#clock, change)))
      throw this.#line.closed ?? wishboneError('link_silent');
    await this.#tune(rate);
  }

  /** Nothing is on its way. Where the new rate does not work, contact is made at the first one. */
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
    if (this.#state === 'closed') throw this.#line.closed ?? wishboneError('link_closed');
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

  /** Sends as many bursts as the board's FIFO holds and the answers may take. */
  #pump(): void {
    if (this.#state !== 'ready' || !this.#identity) return;
    const { fifoBytes } = this.#identity;
    if (this.#rateChanges.length > 0) {
      const change = this.#line.idle ? this.#rateChanges.shift() : undefined;
      if (change) void this.#changeRate(change);
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
   * Nothing else is sent until the board has confirmed that the fault is cleared; its transfer ends with that.
   * @param fault as it must be by what the board has counted
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
      const byteAddress = read.data[0]?.[0] ?? 0;
      if (byteAddress !== fault.byteAddress) {
        this.#lose(wrongFault(fault.byteAddress, byteAddress));
        return;
      }
      transfer.settle({ ok: false, fault });
      this.#state = 'ready';
      this.#pump();
    });
  }

  /** The words of an exchange, its status, and how many transfers the design has acknowledged in it. */
  #check(
    exchange: Exchange,
    answer: Uint8Array,
  ): { data: Uint32Array[]; status: Status; transfers: number } | null {
    const data = verifyAnswer(exchange, answer, { version: this.#identity?.version ?? 0 });
    const statusWords = data?.at(-1);
    if (!data || !statusWords) {
      this.#lose(wishboneError('link_corrupted'));
      return null;
    }
    const status = parseStatus(statusWords);
    const transfers = (status.transfers - this.#counted) & 0xffff;
    this.#counted = status.transfers;
    return { data, status, transfers };
  }

  /** The line cannot be believed: nothing is sent again by itself, because the design may have seen it already. */
  #lose(error: BenchError): void {
    switch (this.#state) {
      case 'closed':
      case 'lost':
        return;
      case 'contacting':
      case 'ready':
      case 'clearing':
        this.#line.abandon();
        this.#state = this.#line.closed ? 'closed' : 'lost';
        for (const transfer of this.#transfers) transfer.fail(error);
        this.#transfers.clear();
        for (const change of this.#rateChanges.splice(0)) change.reject(error);
        return;
      default:
        assertNever(this.#state);
    }
  }

  /** Leaves the board at the rate at which the next one begins. One that is lost finds back by itself. */
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
    message: `The board counted ${counted} transfers where ${expected} were asked for.`,
  });

const wrongFault = (expected: number, told: number): BenchError =>
  wishboneError('link_corrupted', {
    message: `The board told of a fault at ${addressText(told)} where one at ${addressText(expected)} was counted.`,
  });
