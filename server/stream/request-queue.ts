import { apiError } from '../errors/api.ts';
import type { NodeStream } from './streams.ts';

/** Maximum characters of requests that wait for a running one. */
const MAX_WAITING = 4 << 20;

/**
 * Runs requests that need several accesses, or other data first, in order with the others. Earlier requests are
 * answered first, and later ones wait until they are done.
 */
export class RequestQueue {
  readonly #stream: NodeStream;
  readonly #take: (line: string) => void;
  #busy = false;
  readonly #waiting: string[] = [];
  #characters = 0;

  /** @param take gets the lines that waited */
  constructor(stream: NodeStream, take: (line: string) => void) {
    this.#stream = stream;
    this.#take = take;
  }

  /** Queues a line that must wait; false for one that need not. */
  keeps(line: string): boolean {
    if (!this.#busy) return false;
    this.#waiting.push(line);
    this.#characters += line.length;
    if (this.#characters > MAX_WAITING) this.#stream.end(apiError('too_busy'));
    return true;
  }

  /** @param work answers the request in any case, and never rejects */
  begin(work: () => Promise<void>): void {
    this.#busy = true;
    this.#stream.settled({ ok: true, data: new Uint32Array(0), ms: 0 }, () => void this.#do(work));
  }

  async #do(work: () => Promise<void>): Promise<void> {
    await work();
    this.#busy = false;
    for (let line = this.#next(); line !== undefined; line = this.#next()) this.#take(line);
  }

  #next(): string | undefined {
    const line = this.#busy ? undefined : this.#waiting.shift();
    this.#characters -= line?.length ?? 0;
    return line;
  }
}
