import { boardsError } from '../../errors/boards.ts';
import type { FabricOptions, VirtualFabric } from './fabric.ts';
import { type FabricThread, joinThread, leaveThread } from './fabric-threads.ts';
import type { FabricRequest, FabricStatus } from './protocol.ts';
import type { Refusal } from './refusal.ts';

/**
 * A virtual iCE40. It takes no resources until something is asked of it; then it lives in one of a few threads
 * that all fabrics of the process share.
 */
export function createFabric(options: FabricOptions): VirtualFabric {
  return new ThreadedFabric(options);
}

const UNCONFIGURED: FabricStatus = { cdone: false, refusal: null };

class ThreadedFabric implements VirtualFabric {
  readonly #options: FabricOptions;
  readonly #stopListeners = new Set<(refusal: Refusal) => void>();
  /** The thread that it lives in, and its number there. */
  #home: { thread: FabricThread; fabric: number } | null = null;
  #lost: Refusal | null = null;
  #listener: ((bytes: Uint8Array) => void) | null = null;
  #closed = false;

  constructor(options: FabricOptions) {
    this.#options = options;
  }

  async reset(): Promise<void> {
    this.#lost = null;
    // What was never configured needs no thread to be reset.
    if (this.#home) await this.#ask({ kind: 'reset' });
  }

  async configure(bytes: Uint8Array): Promise<void> {
    await this.#ask({ kind: 'configure', bytes });
  }

  async cdone(): Promise<boolean> {
    return (await this.#status()).cdone;
  }

  async refusal(): Promise<Refusal | null> {
    return (await this.#status()).refusal;
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#home) await this.#ask({ kind: 'write', bytes });
  }

  async drain(): Promise<void> {
    if (this.#home) await this.#ask({ kind: 'drain' });
  }

  hold(held: boolean): void {
    this.#home?.thread.hold(this.#home.fabric, held);
  }

  onData(listener: (bytes: Uint8Array) => void): void {
    this.#listener = listener;
  }

  onStop(listener: (refusal: Refusal) => void): () => void {
    this.#stopListeners.add(listener);
    return () => this.#stopListeners.delete(listener);
  }

  async setBaud(baud: number): Promise<void> {
    await this.#ask({ kind: 'baud', baud });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const home = this.#home;
    if (!home) return;
    await this.#ask({ kind: 'close' }).catch(() => {}); // a thread that is gone has nothing to close
    this.#home = null;
    leaveThread(home.thread, home.fabric);
  }

  async #status(): Promise<FabricStatus> {
    if (this.#lost) return { cdone: false, refusal: this.#lost };
    if (!this.#home) return UNCONFIGURED;
    return (await this.#ask({ kind: 'status' })) ?? UNCONFIGURED;
  }

  async #ask(request: FabricRequest): Promise<FabricStatus | null> {
    if (this.#closed && request.kind !== 'close')
      throw boardsError('fabric_stopped', { message: 'The virtual board was closed.' });
    if (this.#lost) throw boardsError('fabric_stopped', { message: this.#lost.message });
    this.#home ??= this.#open();
    try {
      return await this.#home.thread.ask(this.#home.fabric, request);
    } catch (error) {
      throw boardsError('fabric_stopped', { cause: error });
    }
  }

  #open() {
    const home = joinThread({
      data: (bytes) => this.#listener?.(bytes),
      stopped: (refusal) => this.#stop(refusal),
      lost: () => {
        this.#home = null;
        this.#lost = { code: 'fabric_stopped', message: 'The thread that ran the virtual board has ended.' };
        this.#stop(this.#lost);
      },
    });
    // Requests are answered in order: what makes this one fail makes the one behind it fail too.
    home.thread.ask(home.fabric, { kind: 'open', options: this.#options }).catch(() => {});
    return home;
  }

  #stop(refusal: Refusal): void {
    for (const listener of [...this.#stopListeners]) listener(refusal);
  }
}
