import type { Recording, RecordingRequest } from '../observation.ts';
import type { Machine, Sampler } from './machine.ts';
import { TriggerSequence } from './trigger-sequence.ts';

/**
 * Runs a machine clock by clock and records a sample of each: the registers and nets between two rising edges of the
 * board's clock. Memory use is that of `depth` samples, however long the trigger takes.
 */
export class Recorder {
  readonly #machine: Pick<Machine, 'run' | 'output' | 'laborious' | 'resting'>;
  readonly #sampler: Sampler;
  readonly #request: RecordingRequest;
  /** Words of a sample that are recorded. */
  readonly #kept: number;
  readonly #ring: Int32Array;
  readonly #before: Int32Array;
  readonly #sequence: TriggerSequence;
  /** Samples written so far; the next one goes to that index modulo depth. */
  #written = 0;
  /** Clocks that were tested. */
  #seen = 0;
  /** Clocks since the last written sample. */
  #since = 0;
  #trigger: { written: number; clock: number; lag: number } | null = null;
  #lastClock = 0;
  #halt = false;

  constructor(
    machine: Pick<Machine, 'run' | 'output' | 'laborious' | 'resting' | 'sampler'>,
    request: RecordingRequest,
  ) {
    this.#machine = machine;
    this.#request = request;
    this.#sampler = machine.sampler(request.places);
    this.#kept = Math.ceil(request.kept / 32);
    this.#ring = new Int32Array(request.depth * this.#kept);
    this.#before = new Int32Array(this.#sampler.words.length);
    const condition = request.trigger ?? { now: [], before: [] };
    this.#sequence = new TriggerSequence(request.sequence ?? [{ any: [condition], count: 1, within: null }]);
  }

  get triggered(): boolean {
    return this.#trigger !== null;
  }

  /** All samples are complete. */
  get finished(): boolean {
    const { depth, position } = this.#request;
    return this.#trigger !== null && this.#written - this.#trigger.written >= depth - position;
  }

  /** The board's clock must stop here; reported once. */
  takeHalt(): boolean {
    const halt = this.#halt;
    this.#halt = false;
    return halt;
  }

  /** While the machine rests, no new sample can differ from the last. */
  get idle(): boolean {
    return this.#trigger === null && this.#machine.resting && this.#steady;
  }

  /**
   * Runs up to so many board clocks from `clock` on, and records them. Ends early as a run of the machine does, with
   * the last sample, and where the clock must stop. Returns the elapsed clocks.
   */
  run(clock: number, cycles: number): number {
    const machine = this.#machine;
    const level = machine.output(0);
    let done = 0;
    while (done < cycles && !this.finished) {
      if (machine.resting && this.#steady) {
        done += this.#repeat(clock + done, cycles - done);
        continue;
      }
      machine.run(1);
      done++;
      this.#look(clock + done);
      if (machine.output(0) !== level || machine.laborious || this.#halt) return done;
    }
    if (done === 0) return machine.run(cycles);
    return done;
  }

  /** Counts so many unchanged clocks, from `clock` on. */
  pass(clock: number, cycles: number): void {
    if (this.#steady) this.#repeat(clock, cycles);
  }

  /** Another clock like the last one can't trigger. */
  get #steady(): boolean {
    if (this.#seen === 0) return false;
    return this.#trigger !== null || !this.#sequence.mayFire(this.#before);
  }

  /** The recording so far. */
  result(): Recording {
    const { depth } = this.#request;
    const trigger = this.#trigger;
    const earlier = trigger ? Math.min(this.#request.position, trigger.written) : 0;
    const first = trigger ? trigger.written - earlier : Math.max(0, this.#written - depth);
    const count = this.#written - first;
    const samples = new Int32Array(count * this.#kept);
    for (let k = 0; k < count; k++) {
      const from = ((first + k) % depth) * this.#kept;
      samples.set(this.#ring.subarray(from, from + this.#kept), k * this.#kept);
    }
    return {
      samples,
      words: this.#kept,
      count,
      trigger: trigger ? earlier : -1,
      clock: trigger?.clock ?? this.#lastClock,
      lag: trigger?.lag ?? this.#request.every,
      paused: this.#request.pause && this.finished,
    };
  }

  /** Tests and records the clock that has just passed. */
  #look(clock: number): void {
    this.#sampler.sample();
    const { words } = this.#sampler;
    const { every, pause } = this.#request;
    this.#since++;
    if (this.#trigger === null && this.#sequence.look(words, this.#seen === 0 ? null : this.#before)) {
      this.#trigger = { written: this.#written, clock, lag: this.#since };
      this.#write(clock);
    } else if (this.#written === 0 || this.#since === every) this.#write(clock);
    this.#before.set(words);
    this.#seen++;
    if (pause && this.finished) this.#halt = true;
  }

  #write(clock: number): void {
    const { words } = this.#sampler;
    const at = (this.#written % this.#request.depth) * this.#kept;
    for (let k = 0; k < this.#kept; k++) this.#ring[at + k] = words[k] ?? 0;
    this.#written++;
    this.#since = 0;
    this.#lastClock = clock;
  }

  /** Counts clocks that are equal to the one before. Returns how many it took. */
  #repeat(clock: number, cycles: number): number {
    const { every, depth, position, pause } = this.#request;
    const wanted = this.#trigger
      ? depth - position - (this.#written - this.#trigger.written)
      : Number.POSITIVE_INFINITY;
    const possible = Math.floor((this.#since + cycles) / every);
    const count = Math.min(wanted, possible);
    const taken = count === wanted ? count * every - this.#since : cycles;
    if (this.#trigger === null) this.#sequence.rest(this.#before, taken);
    // Samples that would be overwritten are only counted.
    const skipped = Math.max(0, count - depth);
    this.#written += skipped;
    const since = this.#since;
    for (let k = skipped; k < count; k++) this.#write(clock + (k + 1) * every - since);
    this.#since = count === wanted ? 0 : since + cycles - count * every;
    this.#seen += taken;
    if (pause && this.finished) this.#halt = true;
    return taken;
  }
}
