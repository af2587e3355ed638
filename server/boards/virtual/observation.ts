/** A bit of the sample and its required value. */
export interface BitTest {
  /** Index among the recording's places. */
  bit: number;
  value: 0 | 1;
}

/** `now` must hold in a clock and `before` in the one before it. */
interface TriggerCondition {
  now: BitTest[];
  before: BitTest[];
}

/** A step of a trigger: one of the conditions holds in `count` clocks after the step before was complete. */
export interface TriggerStep {
  any: TriggerCondition[];
  count: number;
  /** Maximum clocks since the step before was complete; null for any number. */
  within: number | null;
}

/** A recording to make. */
export interface RecordingRequest {
  /** Places of the bits in the chip, see places.ts; the first `kept` of them are recorded, the others only tested. */
  places: string[];
  kept: number;
  /** Samples. */
  depth: number;
  /** Samples before the trigger's sample. */
  position: number;
  /** Board clocks from one sample to the next. */
  every: number;
  /** Null triggers on the first clock. */
  trigger: TriggerCondition | null;
  /** The trigger is the end of these steps instead. */
  sequence?: TriggerStep[];
  /** Stop the board's clock with the last sample. */
  pause: boolean;
}

/** A finished recording. */
export interface Recording {
  /** `words` words of 32 bits a sample, oldest first: bit k of a sample is bit k & 31 of its word k >> 5. */
  samples: Int32Array;
  words: number;
  count: number;
  /** Index of the trigger's sample; -1 when it was stopped before. */
  trigger: number;
  /** Board clocks since power-up of the trigger's sample, or of the last one. */
  clock: number;
  /** Board clocks from the sample before the trigger's to that; other samples are `every` apart. */
  lag: number;
  /** The board's clock is paused at the last sample. */
  paused: boolean;
}

/** A request about the inside of a running design; the answer is a sample. */
export type FabricObservation =
  /** Values at places, see graph/places.ts. */
  | { kind: 'observe'; places: string[] }
  /** Begins a recording; nothing is recorded where a place is unknown. */
  | { kind: 'record'; recording: RecordingRequest }
  /** Ends a recording early. */
  | { kind: 'end-recording' }
  /** Pauses or continues the board's clock. */
  | { kind: 'pause'; paused: boolean }
  /** Steps so many clocks while paused. */
  | { kind: 'step'; clocks: number };

/** Values inside a running design, all of one clock. */
export interface BoardSample {
  /** Board clocks since power-up. */
  clock: number;
  paused: boolean;
  /** 0 or 1 for each requested place. */
  values: number[];
  /** Indices of unknown places: the observed pins depend on nothing there. */
  unknown: number[];
}
