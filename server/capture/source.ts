import type { BoardInside } from '../boards/board.ts';
import type { Recording, RecordingRequest } from '../boards/virtual/observation.ts';
import type { CaptureUsing } from '../contract/signals/signals.ts';
import type { BenchError } from '../errors/bench-error.ts';
import type { SymbolTable } from '../symbols/symbols.ts';

/** What was recorded; a capture core knows no number of the trigger's clock. */
export type Recorded = Omit<Recording, 'clock' | 'paused'> & { clock: number | null };

/** Told of the end of a recording: null when what ran has gone, or what failed on the way to it. */
export type RecordedListener = (recording: Recorded | null, failure?: BenchError) => void;

/** What records signals of the design that runs: the inside of a virtual board, or the capture core in the design's build. */
export interface SampleSource {
  readonly using: CaptureUsing;
  /** The names that it knows. */
  readonly table: SymbolTable;
  /** Samples that it holds at most. */
  readonly depth: number;
  /** Which of these places it knows nothing of. */
  missing(places: readonly string[]): Promise<ReadonlySet<string>>;
  onRecorded(listener: RecordedListener): () => void;
  /** Tells when the trigger has come, where it is told before the end; answers with what ends it. */
  onTriggered?(listener: () => void): () => void;
  /** Begins to record. */
  record(request: RecordingRequest): Promise<void>;
  /** Ends a recording before its time: what it has comes as its end, if anybody listens for it. */
  end(): Promise<void>;
}

/** Samples of one capture of a board that shows its inside. */
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
