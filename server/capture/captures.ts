import type { Clock } from '../clock.ts';
import type { Failure } from '../contract/diagnostics.ts';
import type { CaptureEvent } from '../contract/events/events.ts';
import {
  type CaptureRequest,
  type CaptureView,
  MAX_CAPTURED_BITS,
  MAX_TRIGGER_BITS,
} from '../contract/signals/signals.ts';
import type { BenchError } from '../errors/bench-error.ts';
import { signalsError } from '../errors/signals.ts';
import type { EventHub } from '../events/events.ts';
import type { RunningDesigns } from './inside.ts';
import { lostMask, omitUnknown, type RequestedSignal, requestedSignals } from './requested-signals.ts';
import type { Samples } from './samples.ts';
import type { Recorded, SampleSource } from './source.ts';
import { sampleTests, triggerTests } from './triggers.ts';

export interface CapturesOptions {
  designs: RunningDesigns;
  events: EventHub;
  clock: Clock;
  /** A new UUID. */
  newId: () => string;
}

interface Capture {
  view: CaptureView;
  readonly source: SampleSource;
  data: Int32Array;
  /** Removes the deadline and the listener for its end. */
  settle: () => void;
  /** Callbacks for its end, each called once. */
  waiting: Set<() => void>;
}

const failureOf = ({ code, message, remedy }: BenchError): Failure => ({ error: code, message, remedy });

/** Defaults of a request. */
const DEFAULTS = { depth: 1024, position: 0, every: 1, deadline_seconds: 60, pause: false } as const;

/** The captures of all nodes: one at a time on each; the last one stays in memory. */
export class Captures {
  readonly #options: CapturesOptions;
  readonly #captures = new Map<number, Capture>();
  /** Nodes on which one is about to begin. */
  readonly #beginning = new Set<number>();
  readonly #unsubscribe: () => void;

  constructor(options: CapturesOptions) {
    this.#options = options;
    this.#unsubscribe = options.events.subscribe((event) => {
      if (event.type !== 'node') return;
      const { fpga_id: fpgaId, state, resetting, design } = event.node;
      const gone = state !== 'reserved' || resetting;
      if (gone) options.designs.forget(fpgaId);
      const capture = this.#captures.get(fpgaId);
      if (capture && (gone || design?.build_id !== capture.view.build_id)) this.#lose(capture);
    });
  }

  /** The last capture of a node. */
  list(fpgaId: number): CaptureView[] {
    const capture = this.#captures.get(fpgaId);
    return capture ? [capture.view] : [];
  }

  /** @throws capture_not_found */
  view(fpgaId: number, captureId: string): CaptureView {
    return this.#capture(fpgaId, captureId).view;
  }

  /** @throws capture_not_found, capture_not_ended, no_samples */
  samples(fpgaId: number, captureId: string): Samples {
    const { view, data } = this.#capture(fpgaId, captureId);
    if (view.state === 'running') throw signalsError('capture_not_ended');
    if (view.samples === 0) throw signalsError('no_samples');
    return { view, data };
  }

  /**
   * Begins a capture.
   * @throws capture_running, capture_too_wide, capture_trigger, signal_unknown, signal_lost, and what RunningDesigns
   * throws
   */
  start(fpgaId: number, request: CaptureRequest, owner: string): Promise<CaptureView> {
    return this.#options.designs.inSession(fpgaId, () => this.#start(fpgaId, request, owner));
  }

  async #start(fpgaId: number, request: CaptureRequest, owner: string): Promise<CaptureView> {
    const { designs } = this.#options;
    const node = designs.node(fpgaId);
    if (this.#beginning.has(fpgaId) || this.#captures.get(fpgaId)?.view.state === 'running')
      throw signalsError('capture_running');
    this.#beginning.add(fpgaId);
    try {
      const source = await designs.source(node, request);
      const asked = requestedSignals(source.table, [...new Set(request.signals)]);
      const trigger = request.trigger ?? { kind: 'now' };
      const tests = triggerTests(trigger, source.table);
      const missing = await source.missing(placesOf([...asked, ...(tests?.signals ?? [])]));
      const signals = omitUnknown(asked, missing);
      if (tests) omitUnknown(tests.signals, missing);
      const bits = signals.flatMap(({ places }) => places);
      const sample = sampleTests(bits, tests ?? { now: [], before: [] });
      if (bits.length > MAX_CAPTURED_BITS)
        throw signalsError('capture_too_wide', {
          message: `These signals have ${bits.length} bits together; a capture has at most ${MAX_CAPTURED_BITS}.`,
        });
      if (sample.places.length - bits.length > MAX_TRIGGER_BITS)
        throw signalsError('capture_too_wide', {
          message: `The trigger looks at more than ${MAX_TRIGGER_BITS} bits that are not recorded.`,
        });
      // The design may have changed while its names were loaded.
      if (!designs.isStill(node)) throw signalsError('capture_ended');
      const settings = {
        ...DEFAULTS,
        depth: Math.min(DEFAULTS.depth, source.depth),
        ...definedOf(request),
      };
      const { depth, every, pause } = settings;
      const position = trigger.kind === 'now' ? 0 : Math.min(settings.position, depth - 1);
      const view: CaptureView = {
        ...settings,
        position,
        trigger,
        capture_id: this.#options.newId(),
        fpga_id: fpgaId,
        owner,
        build_id: node.design.build_id,
        using: source.using,
        state: 'running',
        triggered: false,
        started_at: this.#now(),
        ended_at: null,
        failure: null,
        signals: described(signals),
        clock_hz: designs.clockHz(fpgaId),
        samples: 0,
        words: Math.ceil(bits.length / 32),
        trigger_sample: null,
        clock: null,
        lag: every,
      };
      const before = this.#captures.get(fpgaId);
      const capture = this.#begin(source, view);
      try {
        await source.record({
          places: sample.places,
          kept: bits.length,
          depth,
          position,
          every,
          pause,
          trigger: tests && { now: sample.now, before: sample.before },
        });
      } catch (error) {
        // The earlier capture stays the last one.
        capture.settle();
        if (before) this.#captures.set(fpgaId, before);
        else this.#captures.delete(fpgaId);
        throw error;
      }
      // A short capture has ended already and was announced.
      if (capture.view.state === 'running') this.#announce(capture.view);
      return capture.view;
    } catch (error) {
      if (designs.isStill(node)) throw error;
      throw signalsError('capture_ended', { cause: error });
    } finally {
      this.#beginning.delete(fpgaId);
    }
  }

  /**
   * Ends a running capture and drops its samples; removes an ended one.
   * @throws capture_not_found
   */
  async cancel(fpgaId: number, captureId: string): Promise<void> {
    const capture = this.#capture(fpgaId, captureId);
    if (capture.view.state !== 'running') {
      this.#captures.delete(fpgaId);
      this.#announce(capture.view, 'forgotten');
      return;
    }
    this.#end(capture, { state: 'cancelled' });
    await stopRecording(capture);
  }

  /**
   * The capture when it has ended, after so many seconds, or when the signal fires.
   * @throws capture_not_found
   */
  async ended(fpgaId: number, captureId: string, seconds: number, signal: AbortSignal): Promise<CaptureView> {
    const capture = this.#capture(fpgaId, captureId);
    if (capture.view.state === 'running' && !signal.aborted)
      await new Promise<void>((resolve) => {
        const done = () => {
          cancel();
          capture.waiting.delete(done);
          signal.removeEventListener('abort', done);
          resolve();
        };
        const cancel = this.#options.clock.after(seconds * 1000, done);
        capture.waiting.add(done);
        signal.addEventListener('abort', done);
      });
    return capture.view;
  }

  close(): void {
    this.#unsubscribe();
    for (const { settle } of this.#captures.values()) settle();
  }

  #begin(source: SampleSource, view: CaptureView): Capture {
    const endListening = source.onRecorded((recording, failure) => {
      if (recording === null) this.#lose(capture, failure);
      else this.#finish(capture, recording);
    });
    const endTrigger = source.onTriggered?.(() => {
      if (capture.view.state !== 'running' || capture.view.triggered) return;
      capture.view = { ...capture.view, triggered: true };
      this.#announce(capture.view);
    });
    const cancelDeadline = this.#options.clock.after(view.deadline_seconds * 1000, () => {
      void stopRecording(capture);
    });
    const capture: Capture = {
      view,
      source,
      data: new Int32Array(),
      settle() {
        endTrigger?.();
        endListening();
        cancelDeadline();
      },
      waiting: new Set(),
    };
    this.#captures.set(view.fpga_id, capture);
    return capture;
  }

  #finish(capture: Capture, { samples, count, trigger, clock, lag }: Recorded): void {
    capture.data = samples;
    const { depth, position } = capture.view;
    const complete = trigger >= 0 && count >= trigger + depth - position;
    this.#end(capture, {
      state: complete ? 'complete' : 'timed_out',
      failure: complete ? null : failureOf(signalsError('capture_timed_out')),
      triggered: trigger >= 0,
      samples: count,
      trigger_sample: trigger < 0 ? null : trigger,
      clock: count === 0 ? null : clock,
      lag,
    });
  }

  #lose(capture: Capture, reason = signalsError('capture_ended')): void {
    this.#end(capture, { state: 'ended', failure: failureOf(reason) });
  }

  #end(capture: Capture, change: Partial<CaptureView>): void {
    if (capture.view.state !== 'running') return;
    capture.settle();
    capture.view = { ...capture.view, ...change, ended_at: this.#now() };
    for (const done of [...capture.waiting]) done();
    this.#announce(capture.view);
  }

  #announce(
    { fpga_id, capture_id, state, triggered, samples }: CaptureView,
    now: CaptureEvent['state'] = state,
  ): void {
    this.#options.events.publish({ type: 'capture', fpga_id, capture_id, state: now, triggered, samples });
  }

  #capture(fpgaId: number, captureId: string): Capture {
    const capture = this.#captures.get(fpgaId);
    if (capture?.view.capture_id !== captureId.toLowerCase()) throw signalsError('capture_not_found');
    return capture;
  }

  #now(): string {
    return new Date(this.#options.clock.now()).toISOString();
  }
}

/** Its samples arrive as a recording; a missing design has none. */
async function stopRecording({ source }: Capture): Promise<void> {
  await source.end().catch(() => {});
}

/** Places of signals, without lost bits. */
const placesOf = (signals: readonly RequestedSignal[]): string[] =>
  signals.flatMap(({ places }) => places.filter((place) => place !== null));

/** Signals with their places in a sample. */
function described(signals: readonly RequestedSignal[]): CaptureView['signals'] {
  let offset = 0;
  return signals.map(({ name, places, file, line }) => {
    const lost = lostMask(places);
    const field = {
      name,
      width: places.length,
      offset,
      ...(lost === undefined ? {} : { lost }),
      ...(file === undefined ? {} : { file }),
      ...(line === undefined ? {} : { line }),
    };
    offset += places.length;
    return field;
  });
}

/** The settings that are present. */
function definedOf({ depth, position, every, deadline_seconds: seconds, pause }: CaptureRequest) {
  return {
    ...(depth === undefined ? {} : { depth }),
    ...(position === undefined ? {} : { position }),
    ...(every === undefined ? {} : { every }),
    ...(seconds === undefined ? {} : { deadline_seconds: seconds }),
    ...(pause === undefined ? {} : { pause }),
  };
}
