import type { BoardInside } from '../boards/board.ts';
import type { Recording, RecordingRequest } from '../boards/virtual/observation.ts';
import type { CaptureUsing } from '../contract/signals/signals.ts';
import type { BenchError } from '../errors/bench-error.ts';
import type { SymbolTable } from '../symbols/symbols.ts';

/** A finished recording; a capture core does not know the number of the trigger's clock. */
export type Recorded = Omit<Recording, 'clock' | 'paused'> & { clock: number | null };

/** Called at the end of a recording: with null when the design has ended, or with the failure. */
export type RecordedListener = (recording: Recorded | null, failure?: BenchError) => void;

/** A source of recordings of the running design: the inside of a virtual board, or the build's capture core. */
export interface SampleSource {
  readonly using: CaptureUsing;
  /** The names that it knows. */
  readonly table: SymbolTable;
  /** Maximum samples. */
  readonly depth: number;
  /** The places that it does not know. */
  missing(places: readonly string[]): Promise<ReadonlySet<string>>;
  onRecorded(listener: RecordedListener): () => void;
  /** Calls back on the trigger, where it is known before the end; returns the function that ends it. */
  onTriggered?(listener: () => void): () => void;
  /** Begins to record. */
  record(request: RecordingRequest): Promise<void>;
  /** Ends a recording early; its samples go to the listener, if there is one. */
  end(): Promise<void>;
}

/** Maximum samples of one capture from the inside of a board. */
const MAX_SAMPLES = 65_536;

/** The inside of a virtual board. */
export const virtualBoardSource = (inside: BoardInside, table: SymbolTable): SampleSource => ({
  using: 'inside',
  table,
  depth: MAX_SAMPLES,
  async missing(places) {
    const { unknown } = await inside.observe({ kind: 'observe', places: [...places] });
    return new Set(unknown.map((index) => places[index] ?? ''));
  },
  onRecorded: (listener) => inside.onRecorded((recording) => listener(recording)),
  onTriggered: (listener) => inside.onTriggered?.(listener) ?? (() => {}),
  async record(recording) {
    await inside.observe({ kind: 'record', recording });
  },
  async end() {
    await inside.observe({ kind: 'end-recording' });
  },
});
