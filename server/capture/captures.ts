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

/** A capture and those that begin by themselves after it. */
interface Series {
  /** No other one begins. */
  over: boolean;
}

interface Capture {
  view: CaptureView;
  readonly request: CaptureRequest;
  readonly series: Series;
  readonly source: SampleSource;
  data: Int32Array;
  /** Removes the deadline and the listener for its end. */
  settle: () => void;
  /** Callbacks for its end, each called once. */
  waiting: Set<() => void>;
}

const failureOf = ({ code, message, remedy }: BenchError): Failure => ({ error: code, message, remedy });

/** Earlier captures that stay in memory for each node: as many, and as many bytes of samples. */
const MAX_EARLIER = 9;
const MAX_EARLIER_BYTES = 8 << 20;
/** From the end of a capture until it begins again, ms: what nobody waits for leaves room for other work. */
const REARM_MS = 100;

/** Defaults of a request. */
const DEFAULTS = { depth: 1024, position: 0, every: 1, deadline_seconds: 60, pause: false } as const;

/** The captures of all nodes: one at a time on each; the last ones of a design stay in memory. */
export class Captures {
  readonly #options: CapturesOptions;
  readonly #captures = new Map<number, Capture>();
  /** The ended captures before the last one, newest first. */
  readonly #earlier = new Map<number, Capture[]>();
  /** Captures that are about to begin again; the function stops that. */
  readonly #rearming = new Map<number, () => void>();
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

  /** The captures of a node, newest first. */
  list(fpgaId: number): CaptureView[] {
    return this.#all(fpgaId).map(({ view }) => view);
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
    return this.#startOf({ over: false }, fpgaId, request, owner);
  }

  #startOf(series: Series, fpgaId: number, request: CaptureRequest, owner: string): Promise<CaptureView> {
    return this.#options.designs.inSession(fpgaId, () => this.#start(series, fpgaId, request, owner));
  }

  async #start(series: Series, fpgaId: number, request: CaptureRequest, owner: string): Promise<CaptureView> {
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
      const sample = sampleTests(bits, tests?.steps ?? []);
      if (bits.length > MAX_CAPTURED_BITS)
        throw signalsError('capture_too_wide', {
          message: `These signals have ${bits.length} bits together; a capture has at most ${MAX_CAPTURED_BITS}.`,
        });
      if (sample.places.length - bits.length > MAX_TRIGGER_BITS)
        throw signalsError('capture_too_wide', {
          message: `The trigger looks at more than ${MAX_TRIGGER_BITS} bits that are not recorded.`,
        });
      // The design may have changed while its names were loaded, or the series may have been ended.
      if (!designs.isStill(node) || series.over) throw signalsError('capture_ended');
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
        ...(node.design.design_id === null ? {} : { design_id: node.design.design_id }),
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
      this.#rearming.get(fpgaId)?.();
      const before = this.#captures.get(fpgaId);
      const capture = this.#begin(source, view, request, series);
      try {
        await source.record({
          places: sample.places,
          kept: bits.length,
          depth,
          position,
          every,
          pause,
          trigger: sample.steps[0]?.any[0] ?? null,
          ...(trigger.kind === 'sequence' && { sequence: sample.steps }),
        });
      } catch (error) {
        // The earlier capture stays the last one.
        capture.settle();
        if (before) this.#captures.set(fpgaId, before);
        else this.#captures.delete(fpgaId);
        throw error;
      }
      this.#remember(fpgaId, before, view);
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
   * Ends a running capture and drops its samples; removes an ended one. Of captures that begin again it ends the last:
   * the caller may have seen an earlier one.
   * @throws capture_not_found
   */
  async cancel(fpgaId: number, captureId: string): Promise<void> {
    const capture = this.#capture(fpgaId, captureId);
    const last = this.#captures.get(fpgaId);
    if (last?.series !== capture.series || capture.series.over) {
      const [next, ...others] = this.#all(fpgaId).filter((one) => one !== capture);
      if (next) this.#captures.set(fpgaId, next);
      else this.#captures.delete(fpgaId);
      this.#earlier.set(fpgaId, others);
      this.#announce(capture.view, 'forgotten');
      return;
    }
    last.series.over = true;
    if (last.view.state === 'running') {
      this.#end(last, { state: 'cancelled' });
      await stopRecording(last);
      return;
    }
    this.#rearming.get(fpgaId)?.();
    last.view = { ...last.view, rearm: 0 };
    this.#announce(last.view);
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
    for (const stop of [...this.#rearming.values()]) stop();
    for (const { settle } of this.#captures.values()) settle();
  }

  /** All captures of a node, newest first. */
  #all(fpgaId: number): Capture[] {
    const last = this.#captures.get(fpgaId);
    return last ? [last, ...(this.#earlier.get(fpgaId) ?? [])] : [];
  }

  /** Moves the capture before a new one to the earlier ones, of which those of the same design stay. */
  #remember(fpgaId: number, before: Capture | undefined, { build_id }: CaptureView): void {
    let bytes = 0;
    const all = [...(before ? [before] : []), ...(this.#earlier.get(fpgaId) ?? [])].filter(
      ({ view, data }) => {
        if (view.build_id !== build_id || view.samples === 0) return false;
        bytes += data.byteLength;
        return bytes <= MAX_EARLIER_BYTES;
      },
    );
    this.#earlier.set(fpgaId, all.slice(0, MAX_EARLIER));
  }

  /** Begins a complete capture again, after a while. */
  #rearm({ view, request, series }: Capture): void {
    const { fpga_id: fpgaId, owner, rearm = 0 } = view;
    if (rearm === 0) return;
    const forget = () => this.#rearming.delete(fpgaId);
    const cancel = this.#options.clock.after(REARM_MS, () => {
      forget();
      // Without its design or its session it ends here: the last capture is there.
      this.#startOf(series, fpgaId, { ...request, rearm: rearm - 1 }, owner).catch(() => {
        series.over = true;
      });
    });
    this.#rearming.set(fpgaId, () => {
      forget();
      cancel();
      series.over = true;
    });
  }

  #begin(source: SampleSource, view: CaptureView, request: CaptureRequest, series: Series): Capture {
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
      request,
      series,
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
    if (complete) this.#rearm(capture);
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
    this.#rearming.get(capture.view.fpga_id)?.();
    this.#end(capture, { state: 'ended', failure: failureOf(reason) });
  }

  #end(capture: Capture, change: Partial<CaptureView>): void {
    if (capture.view.state !== 'running') return;
    capture.settle();
    capture.series.over = !this.#rearming.has(capture.view.fpga_id);
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
    const capture = this.#all(fpgaId).find(({ view }) => view.capture_id === captureId.toLowerCase());
    if (!capture) throw signalsError('capture_not_found');
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
function definedOf({ depth, position, every, deadline_seconds: seconds, pause, rearm }: CaptureRequest) {
  return {
    ...(depth === undefined ? {} : { depth }),
    ...(position === undefined ? {} : { position }),
    ...(every === undefined ? {} : { every }),
    ...(seconds === undefined ? {} : { deadline_seconds: seconds }),
    ...(pause === undefined ? {} : { pause }),
    ...(rearm === undefined ? {} : { rearm }),
  };
}
