import type { Redis } from 'ioredis';
import type { Clock } from '../../clock.ts';
import type { Stage } from '../../contract/jobs.ts';
import { runScript } from './connection.ts';
import type { Telling } from './messages.ts';

/** Lines are collected for so long, ms. */
const COLLECT_MS = 50;
/** Lines that wait while Redis is away; the oldest are left out then. */
const MOST_LINES = 20_000;
/** Between attempts, ms. */
const RETRY_MS = 1000;

/** Tells those who wait for a build how it goes: in order, and each thing once. */
export class Teller {
  readonly #redis: Redis;
  readonly #ticket: string;
  readonly #token: string;
  readonly #clock: Clock;
  readonly #entries: number;
  readonly #onLost: () => void;
  #lines: [Stage, string][] = [];
  #left = 0;
  #progress: [Stage, number] | null = null;
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
    if (this.#lines.length >= MOST_LINES) {
      this.#lines.shift();
      this.#left++;
    }
    this.#lines.push([stage, line]);
    this.#send();
  }

  progress(stage: Stage, fraction: number): void {
    this.#progress = [stage, fraction];
    this.#send();
  }

  /** Ends it: what is on its way is waited for, tried once more when Redis is away. @returns what is left to be told */
  async close(): Promise<Telling | null> {
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
    for (let telling = this.#next(); telling && !this.#lost; telling = this.#next()) {
      const number = ++this.#number;
      const text = JSON.stringify(telling);
      for (;;) {
        try {
          const args = [this.#ticket, this.#token, number, text, this.#entries];
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

  #next(): Telling | null {
    if (this.#lines.length === 0 && this.#progress === null) return null;
    const lines = this.#lines;
    const [stage] = lines[0] ?? ['scan' as const];
    if (this.#left > 0) lines.unshift([stage, `${this.#left} lines were left out: the queue was away`]);
    const progress = this.#progress;
    this.#lines = [];
    this.#left = 0;
    this.#progress = null;
    return { kind: 'lines', lines, ...(progress && { progress }) };
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
