import { boardsError } from '../../errors/boards.ts';
import type { FabricOptions, VirtualFabric } from './fabric.ts';
import { type FabricThread, joinThread, leaveThread } from './fabric-threads.ts';
import type { FabricRequest, FabricStatus, Refusal } from './protocol.ts';

/** A virtual iCE40: see `virtualFabric`. */
export async function createFabric(options: FabricOptions): Promise<VirtualFabric> {
  return virtualFabric(options);
}

/**
 * A virtual iCE40. It takes no resources until something is asked of it; then it lives in one of a few threads
 * that all fabrics of the process share.
 */
export function virtualFabric(options: FabricOptions): VirtualFabric {
  return new ThreadedFabric(options);
}

class ThreadedFabric implements VirtualFabric {
  private place: { thread: FabricThread; fabric: number } | null = null;
  private lost: Refusal | null = null;
  private listener: ((bytes: Uint8Array) => void) | null = null;
  private readonly stopListeners = new Set<(refusal: Refusal) => void>();
  private closed = false;

  constructor(private readonly options: FabricOptions) {}

  async reset(): Promise<void> {
    this.lost = null;
    // What was never configured needs no thread to be reset.
    if (this.place) await this.ask({ op: 'reset' });
  }

  async configure(bytes: Uint8Array): Promise<void> {
    await this.ask({ op: 'configure', bytes });
  }

  async cdone(): Promise<boolean> {
    return (await this.status()).cdone;
  }

  async refusal(): Promise<Refusal | null> {
    return (await this.status()).refusal;
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.place) await this.ask({ op: 'write', bytes });
  }

  async drain(): Promise<void> {
    if (this.place) await this.ask({ op: 'drain' });
  }

  hold(held: boolean): void {
    this.place?.thread.hold(this.place.fabric, held);
  }

  onData(listener: (bytes: Uint8Array) => void): void {
    this.listener = listener;
  }

  onStop(listener: (refusal: Refusal) => void): () => void {
    this.stopListeners.add(listener);
    return () => this.stopListeners.delete(listener);
  }

  async setBaud(baud: number): Promise<void> {
    await this.ask({ op: 'baud', baud });
  }

  async close(): Promise<void> {
    this.closed = true;
    const { place } = this;
    if (!place) return;
    await this.ask({ op: 'close' }).catch(() => {}); // a thread that is gone has nothing to close
    this.place = null;
    leaveThread(place.thread, place.fabric);
  }

  private async status(): Promise<FabricStatus> {
    if (this.lost) return { cdone: false, refusal: this.lost };
    if (!this.place) return { cdone: false, refusal: null };
    return (await this.ask({ op: 'status' })) ?? { cdone: false, refusal: null };
  }

  private async ask(request: FabricRequest): Promise<FabricStatus | undefined> {
    if (this.closed && request.op !== 'close')
      throw boardsError('fabric_stopped', { message: 'The virtual board was closed.' });
    if (this.lost) throw boardsError('fabric_stopped', { message: this.lost.message });
    this.place ??= this.open();
    try {
      return await this.place.thread.ask(this.place.fabric, request);
    } catch (error) {
      throw boardsError('fabric_stopped', { cause: error });
    }
  }

  private open() {
    const place = joinThread({
      data: (bytes) => this.listener?.(bytes),
      stopped: (refusal) => this.stop(refusal),
      lost: () => {
        this.place = null;
        this.lost = { code: 'fabric_stopped', message: 'The thread that ran the virtual board has ended.' };
        this.stop(this.lost);
      },
    });
    // Requests are answered in order: what makes this one fail makes the one behind it fail too.
    place.thread.ask(place.fabric, { op: 'open', options: this.options }).catch(() => {});
    return place;
  }

  private stop(refusal: Refusal): void {
    for (const listener of [...this.stopListeners]) listener(refusal);
  }
}
