import type { RecordingRequest } from '../boards/virtual/observation.ts';
import type { Clock } from '../clock.ts';
import type { CaptureCore } from '../contract/designs/uploads.ts';
import { BenchError } from '../errors/bench-error.ts';
import { signalsError } from '../errors/signals.ts';
import type { SymbolTable } from '../symbols/symbols.ts';
import {
  armCore,
  type CoreStatus,
  type CoreTrigger,
  readSamples,
  readStatus,
  stopCore,
} from '../wishbone/capture-core.ts';
import type { WishboneLink } from '../wishbone/link.ts';
import { bitOfPlace, probedTable } from './probed.ts';
import type { Recorded, RecordedListener, SampleSource } from './source.ts';

/** First and longest interval of polls of the core, ms. */
const FIRST_LOOK_MS = 5;
const MAX_RECHECK_MS = 100;

type CoreLink = Pick<WishboneLink, 'read' | 'write'>;

interface CoreSourceOptions {
  core: CaptureCore;
  clock: Clock;
  /** A turn at the link to the board, between runs, for the session that holds the node. */
  overLink<T>(work: (link: CoreLink) => Promise<T>): Promise<T>;
}

/** The capture core of the running design, over the link: equal on real and virtual boards. */
export class CoreSource implements SampleSource {
  readonly using = 'core';
  readonly table: SymbolTable;
  readonly #options: CoreSourceOptions;
  readonly #listeners = new Set<RecordedListener>();
  /** The present recording; null when there is none, or no caller waits for it. */
  #request: RecordingRequest | null = null;
  #cancelLook: () => void = () => {};

  constructor(options: CoreSourceOptions) {
    this.#options = options;
    this.table = probedTable(options.core);
  }

  get depth(): number {
    return this.#options.core.depth;
  }

  async missing(): Promise<ReadonlySet<string>> {
    return new Set();
  }

  onRecorded(listener: RecordedListener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#settle();
    };
  }

  async record(request: RecordingRequest): Promise<void> {
    const { core, overLink } = this.#options;
    await overLink((link) => armCore(link, core, triggerOf(request)));
    this.#request = request;
    this.#lookIn(FIRST_LOOK_MS);
  }

  async end(): Promise<void> {
    this.#cancelLook();
    await this.#look(true);
  }

  #lookIn(ms: number): void {
    this.#cancelLook = this.#options.clock.after(ms, () => {
      void this.#look(false).then((again) => {
        if (again && this.#request) this.#lookIn(Math.min(2 * ms, MAX_RECHECK_MS));
      });
    });
  }

  /** Reads the core and reports its state. Resolves with whether to poll again. */
  async #look(stop: boolean): Promise<boolean> {
    const { core, overLink } = this.#options;
    const request = this.#request;
    let reading = false;
    try {
      const recorded = await overLink(async (link) => {
        if (stop) await stopCore(link);
        // Reported while this waited for its turn, or no caller waits.
        if (request === null || this.#request !== request) return null;
        const status = await readStatus(link, core);
        if (!status) return null;
        reading = true;
        return await recordingOf(link, core, request, status);
      });
      if (recorded) this.#finish(request, recorded);
      return recorded === null;
    } catch (error) {
      const failure = error instanceof BenchError ? error : signalsError('capture_ended', { cause: error });
      // The clock of a virtual board is paused, and the core with it. A partly read recording can't be read again.
      if (failure.code === 'board_paused' && !stop && !reading) return true;
      // The design ended with its session, which is explanation enough.
      this.#finish(request, null, failure.code === 'fpga_not_reserved' ? undefined : failure);
      return false;
    }
  }

  #finish(request: RecordingRequest | null, recorded: Recorded | null, failure?: BenchError): void {
    if (request === null || this.#request !== request) return;
    this.#settle();
    for (const listener of [...this.#listeners]) listener(recorded, failure);
  }

  #settle(): void {
    this.#cancelLook();
    this.#request = null;
  }
}

/** The tests of a recording as the core makes them; unprobed bits are not compared. */
function triggerOf({ places, trigger, depth, position, every }: RecordingRequest): CoreTrigger {
  let value = 0n;
  let mask = 0n;
  for (const test of trigger?.now ?? []) {
    const bit = bitOfPlace(places[test.bit] ?? '');
    if (bit === null) continue;
    mask |= 1n << BigInt(bit);
    value |= BigInt(test.value) << BigInt(bit);
  }
  // The clock before matters in every trigger only as a new condition: an edge, the beginning of an access.
  const onlyEdge = (trigger?.before.length ?? 0) > 0;
  return { value, mask, onlyEdge, after: depth - position, every };
}

/** Reads a stopped core and extracts the wanted bits. */
async function recordingOf(
  link: CoreLink,
  core: CaptureCore,
  { places, kept, depth, position, every }: RecordingRequest,
  { samples: there, after, lag }: CoreStatus,
): Promise<Recorded> {
  const earlier = after === null ? 0 : Math.min(position, there - after);
  const count = after === null ? Math.min(depth, there) : earlier + after;
  const { samples: raw, words: rawWords } = await readSamples(link, core, count);
  const bits = places.slice(0, kept).map(bitOfPlace);
  const words = Math.ceil(kept / 32);
  const samples = new Int32Array(count * words);
  for (let sample = 0; sample < count; sample++)
    bits.forEach((bit, k) => {
      if (bit === null) return;
      const value = ((raw[sample * rawWords + (bit >> 5)] ?? 0) >>> (bit & 31)) & 1;
      const at = sample * words + (k >> 5);
      samples[at] = (samples[at] ?? 0) | (value << (k & 31));
    });
  return {
    samples,
    words,
    count,
    trigger: after === null ? -1 : earlier,
    clock: null,
    lag: after === null ? every : lag,
  };
}
