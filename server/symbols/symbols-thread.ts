import type { Worker } from 'node:worker_threads';
import { untilAborted } from '../abort.ts';
import { checkOf } from '../contract/check.ts';
import { distPath } from '../paths.ts';
import { ownCopy, WorkerPool } from '../process/worker-pool.ts';
import { DesignUtilisation } from './floorplan/design-utilisation.ts';
import type {
  AnsweredPlacement,
  PlacedFiles,
  Placement,
  PlacementQuery,
  SynthesisedDesign,
} from './placement.ts';

/** Maximum total bytes of the files; a design that fills an HX8K has a third of it. */
const MAX_INPUT_BYTES = 128 * 1024 * 1024;
/**
 * A larger netlist is read after placement. Its data in memory have about five times as many bytes, and its placement
 * takes long.
 */
const MAX_EARLY_SCAN_BYTES = 8 * 1024 * 1024;
/** Heap of the thread, MiB. */
const HEAP = 1024;

const threads = new WorkerPool(distPath('server', 'symbols-worker.js'), HEAP);

const ENDED = new Error('The thread that reads the netlists ended without a result.');

const isOwnShare = checkOf(DesignUtilisation);
const isBytesOrNull = (value: unknown): value is Uint8Array | null =>
  value === null || value instanceof Uint8Array;
const isPlacement = (value: unknown): value is Placement =>
  typeof value === 'object' &&
  value !== null &&
  'symbols' in value &&
  isBytesOrNull(value.symbols) &&
  'floorplan' in value &&
  isBytesOrNull(value.floorplan) &&
  'own' in value &&
  isOwnShare(value.own);

const isAnswer = (value: unknown): value is AnsweredPlacement =>
  typeof value === 'object' &&
  value !== null &&
  'kind' in value &&
  ((value.kind === 'estimated' &&
    'megahertz' in value &&
    (value.megahertz === null || typeof value.megahertz === 'number')) ||
    (value.kind === 'placement' &&
      'placement' in value &&
      (value.placement === null || isPlacement(value.placement))));

/**
 * Extracts symbols and floorplan of a build in a thread (see readSynthesised). It reads the synthesised netlist during
 * placement. Close it in every case. A thread that has read a small design is reused.
 */
export class PlacementThread {
  readonly #design: SynthesisedDesign;
  #worker: Worker | null = null;
  /** Why the thread ended before a request. */
  #failed: unknown = null;
  /** It is idle and has not grown much. */
  #reusable = false;
  readonly #onEstimate: (megahertz: number | null) => void;
  #onPlacement: (placement: Placement | null) => void = () => {};

  /** @param onEstimate called once with the estimated clock, MHz; null without an estimate */
  constructor(design: SynthesisedDesign, onEstimate: (megahertz: number | null) => void) {
    this.#design = design;
    this.#onEstimate = onEstimate;
    if (this.#small) this.#worker = this.#start();
    else onEstimate(null);
  }

  /** @returns null where the netlists are invalid or too large. Rejects where the thread fails or the signal fires. */
  async read(files: PlacedFiles, signal?: AbortSignal): Promise<Placement | null> {
    const { placed, delays } = files;
    if (this.#design.netlist.length + (placed?.length ?? 0) + (delays?.length ?? 0) > MAX_INPUT_BYTES)
      return null;
    signal?.throwIfAborted();
    if (this.#failed) throw this.#failed;
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const reading = new Promise<Placement | null>((resolve, reject) => {
      this.#onPlacement = (placement) => {
        this.#reusable = this.#small;
        resolve(placement);
      };
      worker.once('error', reject);
      worker.once('exit', () => reject(ENDED));
      const [sentPlaced, sentDelays] = [placed && ownCopy(placed), delays && ownCopy(delays)];
      this.#ask(
        worker,
        { kind: 'placed', files: { ...files, placed: sentPlaced, delays: sentDelays } },
        [sentPlaced, sentDelays].flatMap((sent) => (sent === null ? [] : [sent.buffer])),
      );
    });
    return await untilAborted(reading, signal);
  }

  close(): void {
    const worker = this.#worker;
    this.#failed ??= ENDED;
    this.#worker = null;
    if (worker && this.#reusable) threads.giveBack(worker);
    else void worker?.terminate();
  }

  get #small(): boolean {
    return this.#design.netlist.length <= MAX_EARLY_SCAN_BYTES;
  }

  #ask(worker: Worker, asked: PlacementQuery, transferred: ArrayBuffer[]): void {
    worker.postMessage(asked, transferred);
  }

  #start(): Worker {
    const worker = threads.take();
    const netlist = ownCopy(this.#design.netlist);
    const inverters = this.#design.inverters && ownCopy(this.#design.inverters);
    this.#ask(worker, { kind: 'synthesised', design: { ...this.#design, netlist, inverters } }, [
      netlist.buffer,
      ...(inverters ? [inverters.buffer] : []),
    ]);
    worker.on('message', (answer: unknown) => {
      if (this.#worker !== worker) return;
      if (!isAnswer(answer)) this.#onPlacement(null);
      else if (answer.kind === 'placement') this.#onPlacement(answer.placement);
      else if (this.#small) this.#onEstimate(answer.megahertz);
    });
    worker.on('error', (error) => {
      this.#failed ??= error;
    });
    worker.on('exit', () => {
      this.#failed ??= ENDED;
    });
    return worker;
  }
}
