/** A bit of the sample that has to have a value. */
export interface BitTest {
  /** Index among the recording's places. */
  bit: number;
  value: 0 | 1;
}

/** What to record. */
export interface RecordingRequest {
  /** Where the bits are in the chip, see places.ts; the first `kept` of them are recorded, the others only tested. */
  places: string[];
  kept: number;
  /** Samples. */
  depth: number;
  /** Samples before the one of the trigger. */
  position: number;
  /** Board clocks from one sample to the next. */
  every: number;
  /** The clock in which all these hold, and in the one before it these; null for the first clock. */
  trigger: { now: BitTest[]; before: BitTest[] } | null;
  /** Stop the board's clock with the last sample. */
  pause: boolean;
}

/** What was recorded. */
export interface Recording {
  /** `words` words of 32 bits a sample, oldest first: bit k of a sample is bit k & 31 of its word k >> 5. */
  samples: Int32Array;
  words: number;
  count: number;
  /** Which sample is the trigger's; -1 when it was stopped before. */
  trigger: number;
  /** Board clocks since power-up of the trigger's sample, or of the last one. */
  clock: number;
  /** Board clocks from the sample before the trigger's to that; those of other samples are `every` apart. */
  lag: number;
  /** The board's clock stands at the last sample. */
  paused: boolean;
}

/** What is asked about the inside of a running design; answered with what is seen there. */
export type FabricObservation =
  /** Values at places, see graph/places.ts. */
  | { kind: 'observe'; places: string[] }
  /** Begins to record; nothing is recorded where one of the places is unknown. */
  | { kind: 'record'; recording: RecordingRequest }
  /** Ends a recording before its time. */
  | { kind: 'end-recording' }
  /** Lets the board's clock stand, or go on. */
  | { kind: 'pause'; paused: boolean }
  /** Lets so many clocks pass while it is paused. */
  | { kind: 'step'; clocks: number };

/** What is seen inside a running design, all of one clock. */
export interface BoardSample {
  /** Board clocks since power-up. */
  clock: number;
  paused: boolean;
  /** 0 or 1 for each place that was asked for. */
  values: number[];
  /** Which of the places nothing is at that the observed pins depend on, by their index. */
  unknown: number[];
}
