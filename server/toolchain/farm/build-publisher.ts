import type { Redis } from 'ioredis';
import type { Clock } from '../../clock.ts';
import type { Stage } from '../../contract/jobs/jobs.ts';
import type { BuildEstimate } from '../../contract/jobs/utilisation.ts';
import { plural } from '../../text.ts';
import { runScript } from './connection.ts';
import type { BuildMessage } from './messages.ts';
import { packMessage } from './packing.ts';

/** Lines are collected for this long before they are sent, ms. */
const COLLECT_MS = 50;
/** Limits of the lines that wait while Redis is away, and of their characters. Over a limit the oldest are dropped. */
const MAX_LINES = 20_000;
const MAX_WAITING = 4 << 20;
/** Limit of a line, as in the log of a job. */
const LINE_CHARACTERS = 4096;
/** Limit of what Redis stores of one try, deflated, bytes. Over it the older half is dropped; benches have read it. */
const MAX_STORED = 1 << 20;
/** Pause between attempts, ms. */
const RETRY_MS = 1000;

/** Publishes the messages of a build to the benches that wait for it: in order, each once. */
export class BuildPublisher {
  readonly #redis: Redis;
  readonly #ticket: string;
  readonly #token: string;
  readonly #clock: Clock;
  readonly #entries: number;
  readonly #onLost: () => void;
  #lines: [Stage, string][] = [];
  #bytes = 0;
  #left = 0;
  #progress: [Stage, number] | null = null;
  #estimate: BuildEstimate | null = null;
  #number = 0;
  #sending: Promise<void> | null = null;
  #closing = false;
  #lost = false;
  #hurry = () => {};

  constructor(
    redis: Redis,
    ticket: string,
    token: string,
    clock: Clock,
    entries: number,
    onLost: () => void,
  ) {
    this.#redis = redis;
    this.#ticket = ticket;
    this.#token = token;
    this.#clock = clock;
    this.#entries = entries;
    this.#onLost = onLost;
  }

  line(stage: Stage, line: string): void {
    const text = line.length > LINE_CHARACTERS ? `${line.slice(0, LINE_CHARACTERS)}…` : line;
    this.#bytes += text.length;
    while (this.#lines.length >= MAX_LINES || (this.#bytes > MAX_WAITING && this.#lines.length > 0)) {
      this.#bytes -= this.#lines.shift()?.[1].length ?? 0;
      this.#left++;
    }
    this.#lines.push([stage, text]);
    this.#send();
  }

  progress(stage: Stage, fraction: number): void {
    this.#progress = [stage, fraction];
    this.#send();
  }

  estimated(estimate: BuildEstimate): void {
    this.#estimate = estimate;
    this.#send();
  }

  /** Ends the publisher. It waits for the message in transit, with one more attempt. @returns the message that remains */
  async close(): Promise<BuildMessage | null> {
    this.#closing = true;
    this.#hurry();
    await this.#sending;
    return this.#lost ? null : this.#next();
  }

  #send(): void {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
    });
  }

  async #sendAll(): Promise<void> {
    await this.#wait(COLLECT_MS);
    if (this.#closing) return;
    for (let message = this.#next(); message && !this.#lost; message = this.#next()) {
      const entry = await packMessage(message);
      for (;;) {
        try {
          const args = [this.#ticket, this.#token, message.number, entry, this.#entries, MAX_STORED];
          this.#lost = (await runScript(this.#redis, 'tell', args)) !== 1;
          if (this.#lost) this.#onLost();
          break;
        } catch {
          if (this.#closing) break;
          await this.#wait(RETRY_MS);
        }
      }
      if (this.#lines.length > 0) await this.#wait(COLLECT_MS);
      if (this.#closing) return;
    }
  }

  #next(): Extract<BuildMessage, { kind: 'lines' }> | null {
    if (this.#lines.length === 0 && this.#progress === null && this.#estimate === null) return null;
    const lines = this.#lines;
    const [stage] = lines[0] ?? ['scan' as const];
    if (this.#left > 0)
      lines.unshift([
        stage,
        `${plural(this.#left, 'line was', 'lines were')} dropped: the queue was unreachable`,
      ]);
    const [progress, estimate] = [this.#progress, this.#estimate];
    this.#lines = [];
    this.#bytes = 0;
    this.#left = 0;
    this.#progress = null;
    this.#estimate = null;
    const number = ++this.#number;
    return { kind: 'lines', number, lines, ...(progress && { progress }), ...(estimate && { estimate }) };
  }

  #wait(milliseconds: number): Promise<void> {
    if (this.#closing) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#clock.after(milliseconds, resolve);
      this.#hurry = () => {
        cancel();
        resolve();
      };
    });
  }
}
