import type { Duplex } from 'node:stream';
import { type Clock, watchdog } from '../clock.ts';
import { BenchError } from '../errors/bench-error.ts';
import { wishboneError } from '../errors/wishbone.ts';
import type { Exchange } from './exchange.ts';

/** A deadline that has passed is looked at once more after this: a busy process may not have read the port yet. */
const SECOND_LOOK_MS = 20;

interface LineTiming {
  /** Bits a second. */
  baud: number;
  /** Longest time that the design may take for one word, milliseconds. */
  watchdogMs: number;
  /** Added to every deadline: USB, operating system, a busy host. */
  slackMs: number;
}

/** Sent, not answered yet. */
interface Pending {
  exchange: Exchange;
  answer: Uint8Array;
  received: number;
  onAnswer(answer: Uint8Array): void;
}

/**
 * The byte line to the board: sends exchanges, hands their answers back in order, watches the time, and says once
 * when it is over. It knows lengths, not meanings.
 */
export class UartLine {
  readonly timing: LineTiming;
  /** Bytes sent in exchanges that are not answered: they may all be waiting in the board's FIFO. */
  pendingBytes = 0;
  /** Bytes that are still to come. */
  expectedBytes = 0;
  readonly #port: Duplex;
  readonly #clock: Clock;
  readonly #onLost: (error: BenchError) => void;
  readonly #pending: Pending[] = [];
  #unsent: Uint8Array[] = [];
  #flushing = false;
  /** When the last byte that was sent will have left, if the port passes them on at the line rate. */
  #busyUntil = 0;
  #cancelDeadline: (() => void) | null = null;
  #listener: ((bytes: Uint8Array) => void) | null = null;
  #closed: BenchError | null = null;

  /** @param onLost called on every failure: answer overdue, bytes nobody asked for, port closed */
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

  /** Why nothing can be sent any more, if so. */
  get closed(): BenchError | null {
    return this.#closed;
  }

  get idle(): boolean {
    return this.#pending.length === 0;
  }

  /** Milliseconds that so many bytes take on the wire: start bit, eight data bits, stop bit. */
  wireMs(bytes: number): number {
    return (bytes * 10_000) / this.timing.baud;
  }

  /** Milliseconds until what was sent has left. */
  get busyMs(): number {
    return Math.max(0, this.#busyUntil - this.#clock.monotonic());
  }

  /** Sends after what was sent before; `onAnswer` is called unless the line is lost first. */
  send(exchange: Exchange, onAnswer: (answer: Uint8Array) => void): void {
    this.#pending.push({ exchange, answer: new Uint8Array(exchange.answerLength), received: 0, onAnswer });
    this.pendingBytes += exchange.request.length;
    this.expectedBytes += exchange.answerLength;
    if (this.#pending.length === 1) this.#watch();
    this.#write(exchange.request);
  }

  /** Takes everything that comes, outside of exchanges, until the returned function is called. */
  listen(listener: (bytes: Uint8Array) => void): () => void {
    this.#listener = listener;
    return () => {
      if (this.#listener === listener) this.#listener = null;
    };
  }

  /** Sends bytes outside of exchanges. */
  sendRaw(bytes: Uint8Array): void {
    this.#write(bytes);
  }

  /** Forgets what is pending: its answers will not come, or not be believed. */
  abandon(): void {
    this.#pending.length = 0;
    this.#unsent = [];
    this.pendingBytes = 0;
    this.expectedBytes = 0;
    this.#stopWatching();
  }

  /** Ends the line: no listener and no timer stays behind. The port itself is left as it is. */
  close(reason: BenchError): void {
    if (this.#closed) return;
    this.#closed = reason;
    this.abandon();
    this.#listener = null;
    this.#port.off('data', this.#onData);
    this.#port.off('close', this.#onClose);
    this.#port.off('end', this.#onClose);
    // An error that comes late must not end the process: its listener stays.
  }

  /** What is sent in one turn of the event loop goes out in one write: one USB transfer instead of several. */
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
        this.#onLost(
          wishboneError('link_corrupted', { message: 'The board sent bytes that nobody had asked for.' }),
        );
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

  /** The time of the exchange at the head, if there is one, runs from when the one before it was answered. */
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
    const [head] = this.#pending;
    if (!head) return;
    const { received, answer } = head;
    this.#onLost(
      received === 0
        ? wishboneError('link_silent', { message: `The board did not answer within ${allowed} ms.` })
        : wishboneError('link_corrupted', {
            message: `Only ${received} of ${answer.length} bytes came back within ${allowed} ms.`,
          }),
    );
  }

  #stopWatching(): void {
    this.#cancelDeadline?.();
    this.#cancelDeadline = null;
  }
}
