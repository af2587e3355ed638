import type { BoardInside } from '../board.ts';
import type { VirtualFabric } from './fabric.ts';
import type { BoardSample, FabricObservation, Recording } from './observation.ts';

/** The inside of a virtual board: its signals and its clock. */
export class FabricInside implements BoardInside {
  #paused = false;
  readonly #fabric: VirtualFabric;
  readonly #pauseListeners = new Set<() => void>();
  readonly #triggerListeners = new Set<() => void>();
  readonly #recordListeners = new Set<(recording: Recording | null) => void>();

  constructor(fabric: VirtualFabric) {
    this.#fabric = fabric;
    fabric.onTriggered(() => {
      for (const listener of [...this.#triggerListeners]) listener();
    });
    fabric.onRecorded((recording) => {
      if (recording?.paused) this.#set(true);
      for (const listener of [...this.#recordListeners]) listener(recording);
    });
  }

  get paused(): boolean {
    return this.#paused;
  }

  onPaused(listener: () => void): () => void {
    this.#pauseListeners.add(listener);
    return () => this.#pauseListeners.delete(listener);
  }

  onTriggered(listener: () => void): () => void {
    this.#triggerListeners.add(listener);
    return () => this.#triggerListeners.delete(listener);
  }

  onRecorded(listener: (recording: Recording | null) => void): () => void {
    this.#recordListeners.add(listener);
    return () => this.#recordListeners.delete(listener);
  }

  async observe(request: FabricObservation): Promise<BoardSample> {
    const observed = await this.#fabric.observe(request);
    this.#set(observed.paused);
    return observed;
  }

  /** The paused design is gone from the board. */
  designGone(): void {
    this.#paused = false;
  }

  #set(paused: boolean): void {
    const stops = paused && !this.#paused;
    this.#paused = paused;
    if (stops) for (const listener of [...this.#pauseListeners]) listener();
  }
}
