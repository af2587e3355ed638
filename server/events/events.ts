import { EventEmitter } from 'node:events';
import type { BenchEvent } from '../contract/events/events.ts';

/** The event stream of a bench. Listeners must not throw; one that does is reported and skipped. */
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
