import type { Clock } from '../../../server/clock.ts';
import type { Bus } from '../../../server/scripts/bus.ts';
import type { DoneTransaction } from '../../../server/scripts/done-transaction.ts';

/** The end of the memory: no address from here on acknowledges. */
export const HOLE = 0x1000;

/** A clock whose time passes while a caller waits for it. */
export class PassingClock implements Clock {
  #now = Date.parse('2026-11-01T10:00:00.000Z');

  now = () => this.#now;
  monotonic = () => this.#now;

  after(ms: number, callback: () => void): () => void {
    let cancelled = false;
    queueMicrotask(() => {
      if (cancelled) return;
      this.#now += ms;
      callback();
    });
    return () => {
      cancelled = true;
    };
  }
}

/** A memory on a bus, which records its requests. */
export class MemoryBus {
  readonly words = new Map<number, number>();
  readonly done: DoneTransaction[] = [];
  /** Called with every request before it is executed. */
  onRequest: (request: Parameters<Bus>[0]) => void = () => {};

  readonly bus: Bus = async (request) => {
    this.onRequest(request);
    const { op, address, count, data, fixed } = request;
    const last = fixed ? address : address + 4 * (count - 1);
    const fault = last >= HOLE;
    const at = (index: number) => (fixed ? address : address + 4 * index);
    const words =
      op === 'write'
        ? data
        : Uint32Array.from({ length: count }, (_, index) => this.words.get(at(index)) ?? 0);
    this.done.push({
      op,
      address,
      count,
      fixed,
      fault,
      data: fault && op === 'read' ? null : words.slice(),
      at: this.done.length,
    });
    if (fault) return { ok: false, error: { code: 'bus_timeout', message: 'No acknowledge.' } };
    if (op === 'write') for (const [index, word] of data.entries()) this.words.set(at(index), word);
    return { ok: true, data: words };
  };
}
