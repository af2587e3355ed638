import { EventEmitter } from 'node:events';
import type { BoardView, Job, NodeView } from '../nodes/model.ts';

/** What GET /events streams. Events announce state; they do not steer it. */
export type BenchEvent =
  | { type: 'node'; node: NodeView }
  | { type: 'job'; job: Job }
  | { type: 'job_removed'; fpga_id: number; job_id: string }
  /** New text of a job's log; `offset` is the byte offset of its first character in the log file. */
  | { type: 'log'; fpga_id: number; job_id: string; offset: number; text: string }
  | { type: 'board'; board: BoardView }
  /** Anything else that a status line shows: build slots, store health, LAN sharing, clients. */
  | { type: 'status'; status: Record<string, unknown> };

export type BenchEventType = BenchEvent['type'];

/** The one event stream of a bench. Listeners must not throw; one that does is reported and skipped. */
export class EventHub {
  readonly #emitter = new EventEmitter();
  readonly #onListenerError: (error: unknown) => void;

  constructor(onListenerError: (error: unknown) => void = () => {}) {
    this.#onListenerError = onListenerError;
    this.#emitter.setMaxListeners(0);
  }

  publish(event: BenchEvent): void {
    for (const listener of this.#emitter.listeners('event')) {
      try {
        (listener as (event: BenchEvent) => void)(event);
      } catch (error) {
        this.#onListenerError(error);
      }
    }
  }

  /** Returns the function that ends the subscription. */
  subscribe(listener: (event: BenchEvent) => void): () => void {
    this.#emitter.on('event', listener);
    return () => this.#emitter.off('event', listener);
  }

  get listenerCount(): number {
    return this.#emitter.listenerCount('event');
  }
}
