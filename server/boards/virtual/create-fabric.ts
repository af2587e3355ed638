import { boardsError } from '../../errors/boards.ts';
import type { FabricOptions, VirtualFabric } from './fabric.ts';
import { type FabricThread, type FabricThreads, sharedThreads } from './fabric-threads.ts';
import type { BoardSample, FabricObservation, Recording } from './observation.ts';
import type { FabricRequest, FabricStatus } from './protocol.ts';
import type { Refusal } from './refusal.ts';

/**
 * A virtual iCE40. It takes no resources before its first request; then it runs in one of a few threads that all
 * fabrics of the process share.
 * @param threads in which it runs; tests have their own
 */
export function createFabric(options: FabricOptions, threads = sharedThreads): VirtualFabric {
  return new ThreadedFabric(options, threads);
}

const UNCONFIGURED: FabricStatus = { cdone: false, refusal: null };

class ThreadedFabric implements VirtualFabric {
  readonly #options: FabricOptions;
  readonly #threads: FabricThreads;
  readonly #stopListeners = new Set<(refusal: Refusal) => void>();
  /** Its thread, and its number there. */
  #home: { thread: FabricThread; fabric: number } | null = null;
  #lost: Refusal | null = null;
  #listener: ((bytes: Uint8Array) => void) | null = null;
  #triggeredListener: (() => void) | null = null;
  #recordedListener: ((recording: Recording | null) => void) | null = null;
  #closed = false;

  constructor(options: FabricOptions, threads: FabricThreads) {
    this.#options = options;
    this.#threads = threads;
  }

  open(): void {
    if (!this.#closed && !this.#lost) this.#home ??= this.#join();
  }

  async reset(): Promise<void> {
    this.#lost = null;
    this.#recordedListener?.(null);
    // A fabric that was never configured needs no thread for a reset.
    if (!this.#home) return;
    try {
      await this.#ask({ kind: 'reset' });
    } catch (error) {
      // A thread that ends before it answers loses the configuration as well: the next thread begins without.
      if (!this.#lost) throw error;
      this.#lost = null;
    }
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

  async ready(): Promise<void> {
    if (this.#home) await this.#ask({ kind: 'ready' });
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

  onTriggered(listener: () => void): void {
    this.#triggeredListener = listener;
  }

  onRecorded(listener: (recording: Recording | null) => void): void {
    this.#recordedListener = listener;
  }

  async observe(request: FabricObservation): Promise<BoardSample> {
    const home = this.#home;
    if (!home || this.#closed || this.#lost)
      throw boardsError('fabric_stopped', { message: 'No design is running on the virtual board.' });
    try {
      return await home.thread.observe(home.fabric, request);
    } catch (error) {
      throw boardsError('fabric_stopped', { cause: error });
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const home = this.#home;
    if (!home) return;
    await this.#ask({ kind: 'close' }).catch(() => {}); // a dead thread has nothing to close
    this.#home = null;
    home.thread.leave(home.fabric);
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
    this.#home ??= this.#join();
    try {
      return await this.#home.thread.ask(this.#home.fabric, request);
    } catch (error) {
      throw boardsError('fabric_stopped', { cause: error });
    }
  }

  #join() {
    const home = this.#threads.join({
      data: (bytes) => this.#listener?.(bytes),
      stopped: (refusal) => this.#stop(refusal),
      triggered: () => this.#triggeredListener?.(),
      recorded: (recording) => this.#recordedListener?.(recording),
      lost: ({ message }) => {
        this.#home = null;
        this.#lost = { code: 'fabric_stopped', message };
        this.#stop(this.#lost);
      },
    });
    // Requests are answered in order: a failure of this one also fails the next.
    home.thread.ask(home.fabric, { kind: 'open', options: this.#options }).catch(() => {});
    return home;
  }

  #stop(refusal: Refusal): void {
    this.#recordedListener?.(null);
    for (const listener of [...this.#stopListeners]) listener(refusal);
  }
}
