import type { Duplex } from 'node:stream';
import { type Clock, watchdog } from '../clock.ts';
import { BenchError } from '../errors/bench-error.ts';
import { wishboneError } from '../errors/wishbone.ts';
import type { Exchange } from './exchange.ts';

/** Grace after a deadline: a busy process may not have read the port yet. */
const SECOND_LOOK_MS = 20;

interface LineTiming {
  /** Bits a second. */
  baud: number;
  /** Longest time that the design may take for one word, milliseconds. */
  watchdogMs: number;
  /** Added to every deadline: USB, operating system, a busy host. */
  slackMs: number;
}

/** An exchange that waits for its answer. */
interface Pending {
  exchange: Exchange;
  answer: Uint8Array;
  received: number;
  onAnswer(answer: Uint8Array): void;
}

/**
 * The byte line to the board. It sends exchanges, delivers answers in order, enforces deadlines, and reports its end
 * once. It knows lengths and no contents.
 */
export class UartLine {
  readonly timing: LineTiming;
  /** Bytes of unanswered exchanges: all of them may be in the board's FIFO. */
  pendingBytes = 0;
  /** Bytes still to be received. */
  expectedBytes = 0;
  readonly #port: Duplex;
  readonly #clock: Clock;
  readonly #onLost: (error: BenchError) => void;
  readonly #pending: Pending[] = [];
  #unsent: Uint8Array[] = [];
  #flushing = false;
  /** When the last sent byte leaves the port, if the port sends at the line rate. */
  #busyUntil = 0;
  #cancelDeadline: (() => void) | null = null;
  #listener: ((bytes: Uint8Array) => void) | null = null;
  #closed: BenchError | null = null;

  /** @param onLost called on every failure: overdue answer, unexpected bytes, closed port */
  constructor(port: Duplex, timing: LineTiming, clock: Clock, onLost: (error: BenchError) => void) {
    this.#port = port;
    this.timing = timing;
    this.#clock = clock;
    this.#onLost = onLost;
    port.on('data', this.#onData);
    port.on('error', this.#onError);
    port.on('close', this.#onClose);
    port.on('end', this.#onClose);
  }

  /** The reason why the line is closed; null while it is open. */
  get closed(): BenchError | null {
    return this.#closed;
  }

  get idle(): boolean {
    return this.#pending.length === 0;
  }

  /** Milliseconds for so many bytes on the wire: start bit, eight data bits, stop bit. */
  wireMs(bytes: number): number {
    return (bytes * 10_000) / this.timing.baud;
  }

  /** Milliseconds until all sent bytes have left. */
  get busyMs(): number {
    return Math.max(0, this.#busyUntil - this.#clock.monotonic());
  }

  /** Sends after earlier bytes; calls `onAnswer` unless the line is lost first. */
  send(exchange: Exchange, onAnswer: (answer: Uint8Array) => void): void {
    this.#pending.push({ exchange, answer: new Uint8Array(exchange.answerLength), received: 0, onAnswer });
    this.pendingBytes += exchange.request.length;
    this.expectedBytes += exchange.answerLength;
    if (this.#pending.length === 1) this.#watch();
    this.#write(exchange.request);
  }

  /** Takes every received byte, outside exchanges, until the returned function is called. */
  listen(listener: (bytes: Uint8Array) => void): () => void {
    this.#listener = listener;
    return () => {
      if (this.#listener === listener) this.#listener = null;
    };
  }

  /** Sends bytes outside exchanges. */
  sendRaw(bytes: Uint8Array): void {
    this.#write(bytes);
  }

  /** Drops pending exchanges: their answers will not come, or can't be trusted. */
  abandon(): void {
    this.#pending.length = 0;
    this.#unsent = [];
    this.pendingBytes = 0;
    this.expectedBytes = 0;
    this.#stopWatching();
  }

  /** Ends the line and removes its listeners and timers. The port stays open. */
  close(reason: BenchError): void {
    if (this.#closed) return;
    this.#closed = reason;
    this.abandon();
    this.#listener = null;
    this.#port.off('data', this.#onData);
    this.#port.off('close', this.#onClose);
    this.#port.off('end', this.#onClose);
    // A late error must not end the process: its listener stays.
  }

  /** Writes of one turn of the event loop are joined: one USB transfer instead of several. */
  #write(bytes: Uint8Array): void {
    this.#unsent.push(bytes);
    this.#busyUntil = Math.max(this.#busyUntil, this.#clock.monotonic()) + this.wireMs(bytes.length);
    if (this.#flushing) return;
    this.#flushing = true;
    queueMicrotask(() => {
      this.#flushing = false;
      const parts = this.#unsent;
      this.#unsent = [];
      if (parts.length === 0 || this.#closed) return;
      this.#port.write(parts.length === 1 ? parts[0] : Buffer.concat(parts));
    });
  }

  #onData = (chunk: Uint8Array): void => {
    if (this.#listener) {
      this.#listener(chunk);
      return;
    }
    let taken = 0;
    while (taken < chunk.length) {
      const head = this.#pending[0];
      if (!head) {
        this.#onLost(wishboneError('link_corrupted', { message: 'The board sent unexpected bytes.' }));
        return;
      }
      const part = chunk.subarray(taken, taken + head.answer.length - head.received);
      head.answer.set(part, head.received);
      head.received += part.length;
      taken += part.length;
      if (head.received < head.answer.length) return;
      this.#pending.shift();
      this.pendingBytes -= head.exchange.request.length;
      this.expectedBytes -= head.answer.length;
      this.#stopWatching();
      this.#watch();
      head.onAnswer(head.answer);
      if (this.#closed || this.#listener) return;
    }
  };

  #onError = (cause: unknown): void => {
    this.#lose(cause);
  };

  #onClose = (cause?: unknown): void => {
    this.#lose(cause ?? undefined);
  };

  #lose(cause: unknown): void {
    if (this.#closed) return;
    const error = cause instanceof BenchError ? cause : wishboneError('link_closed', { cause });
    this.close(error);
    this.#onLost(error);
  }

  /** The deadline of the first exchange runs from the answer of the one before. */
  #watch(): void {
    const [head] = this.#pending;
    if (!head) return;
    const { exchange } = head;
    const { watchdogMs, slackMs } = this.timing;
    const bytes = exchange.request.length + exchange.answerLength;
    const allowed = Math.ceil(this.wireMs(bytes) + exchange.words * watchdogMs + slackMs);
    this.#cancelDeadline = watchdog(this.#clock, allowed, SECOND_LOOK_MS, () => this.#overdue(allowed));
  }

  #overdue(allowed: number): void {
    this.#cancelDeadline = null;
    const [{ received, answer }] = this.#pending as [Pending];
    this.#onLost(
      received === 0
        ? wishboneError('link_silent', { message: `The board did not answer within ${allowed} ms.` })
        : wishboneError('link_corrupted', {
            message: `Only ${received} of ${answer.length} bytes arrived within ${allowed} ms.`,
          }),
    );
  }

  #stopWatching(): void {
    this.#cancelDeadline?.();
    this.#cancelDeadline = null;
  }
}
