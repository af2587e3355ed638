import type { CaptureView } from '../../../../../../server/contract/signals/signals.ts';
import type { WaveMarker } from '../../../../../../server/contract/signals/waves.ts';
import type { FrameTrace } from '../decoders/frames.ts';
import type { Comparison } from '../recording/differences.ts';
import { type ColumnListener, reduceTrace, type Span } from '../recording/reduce.ts';
import { sampleOfClocks, timeMarks } from '../recording/time-text.ts';
import type { Trace, Traces } from '../recording/trace.ts';
import { paintCurve } from './curve.ts';
import type { Lane } from './lanes.ts';
import { AXIS, rowAt, topsOf } from './layout.ts';
import type { Glyphs, Pixel, Surface } from './surface.ts';
import { shortText } from './value-text.ts';

/** Minimum distance of marks on the time axis, pixels. */
const MARKS_APART = 100;

/** Colours of the picture. */
export interface Paint {
  paper: Pixel;
  stripe: Pixel;
  line: Pixel;
  ink: Pixel;
  faint: Pixel;
  wave: Pixel;
  busy: Pixel;
  failed: Pixel;
  soft: Pixel;
  /** Background of a difference, and the other recording. */
  differs: Pixel;
  other: Pixel;
  trigger: Pixel;
  cursors: readonly [Pixel, Pixel];
}

export interface WavePicture {
  view: CaptureView;
  traces: Traces;
  /** Another recording, drawn behind, with its differences. */
  comparison?: Comparison | undefined;
  /** The decoded frames of rows, by key. */
  frames: ReadonlyMap<string, FrameTrace>;
  lanes: readonly Lane[];
  span: Span;
  /** Scroll offset of the rows, CSS pixels. */
  top: number;
  /** The selected lane. */
  selected: string | undefined;
  /** Samples of the cursors. */
  cursors: readonly [number | undefined, number | undefined];
  markers: readonly WaveMarker[];
}

const CURSOR_NAMES = ['A', 'B'] as const;

/** Draws on a surface with `ratio` pixels per CSS pixel. */
class Painter {
  readonly #surface: Surface;
  readonly #glyphs: Glyphs;
  readonly #paint: Paint;
  readonly #picture: WavePicture;
  readonly #ratio: number;
  /** Width of a thin line. */
  readonly #thin: number;

  constructor(surface: Surface, glyphs: Glyphs, paint: Paint, picture: WavePicture, ratio: number) {
    this.#surface = surface;
    this.#glyphs = glyphs;
    this.#paint = paint;
    this.#ratio = ratio;
    this.#thin = Math.max(1, Math.round(ratio));
    // Columns are device pixels from here on.
    const { from, perPixel } = picture.span;
    this.#picture = { ...picture, span: { from, perPixel: perPixel / ratio } };
  }

  #px(css: number): number {
    return Math.round(css * this.#ratio);
  }

  #x(sample: number): number {
    const { from, perPixel } = this.#picture.span;
    return Math.floor((sample - from) / perPixel);
  }

  draw(): void {
    const { width, height } = this.#surface;
    const { lanes, top, selected } = this.#picture;
    const paint = this.#paint;
    this.#surface.rect(0, 0, width, height, paint.paper);
    const tops = topsOf(lanes);
    for (let row = rowAt(tops, top); row < lanes.length; row++) {
      const lane = lanes[row];
      const y = this.#px(AXIS + (tops[row] ?? 0) - top);
      const bottom = this.#px(AXIS + (tops[row + 1] ?? 0) - top);
      if (!lane || y > height) break;
      if (lane.key === selected) this.#surface.rect(0, y, width, bottom - y, paint.stripe);
      this.#surface.rect(0, bottom - this.#thin, width, this.#thin, paint.line);
      this.#lane(lane, y, bottom);
    }
    this.#axis();
    const { view, markers } = this.#picture;
    for (const { name, clocks } of markers) this.#marker(sampleOfClocks(view, clocks), paint.faint, name);
    this.#marker(view.trigger_sample ?? undefined, paint.trigger, 'T');
    CURSOR_NAMES.forEach((name, index) => {
      this.#marker(this.#picture.cursors[index], paint.cursors[index] ?? paint.ink, name);
    });
  }

  #lane(lane: Lane, y: number, bottom: number): void {
    const pad = this.#px(4);
    const { traces, frames } = this.#picture;
    const framed = frames.get(lane.key);
    if (framed) this.#frames(framed, y + pad, bottom - pad);
    if (lane.kind !== 'signal') return;
    const trace = traces.of(lane.name);
    if (!trace) return;
    const { width } = trace.field;
    this.#differences(lane.name, width, y, bottom);
    // A lost bit is neither high nor low.
    if (width === 1 && trace.lost !== 0n) {
      const middle = y + Math.round((bottom - y) / 2);
      this.#reduce(trace, {
        steady: (_piece, left, right) =>
          this.#surface.rect(left, middle, right - left, this.#thin, this.#paint.faint),
        change: () => {},
      });
    } else if (width === 1) this.#bit(trace, (piece) => trace.value(piece) === 1, y + pad, bottom - pad);
    else if (lane.curve)
      paintCurve(this.#surface, trace, this.#picture.span, lane, {
        ...{ y: y + pad, bottom: bottom - pad, thin: this.#thin, glyphs: this.#glyphs },
        ...{ wave: this.#paint.wave, ink: this.#paint.ink },
      });
    else
      this.#bus(trace, y + pad, bottom - pad, (piece, room) =>
        shortText(trace.value(piece), width, lane.format, lane.names, room, trace.lost),
      );
  }

  /** Marks where a signal differs from the other recording, of which it draws single bits. */
  #differences(name: string, width: number, y: number, bottom: number): void {
    const { comparison, span } = this.#picture;
    const differences = comparison?.of(name);
    const other = comparison?.traces.of(name);
    if (!comparison || !differences || !other) return;
    const { differs, failed } = this.#paint;
    const surface = this.#surface;
    const mark = (left: number, right: number) => {
      surface.rect(left, y, right - left, bottom - y - this.#thin, differs);
      surface.rect(left, bottom - 3 * this.#thin, right - left, 2 * this.#thin, failed);
    };
    reduceTrace(differences, span, surface.width, {
      steady: (piece, left, right) => {
        if (differences.differs(piece)) mark(left, right);
      },
      // Pieces alternate: where several begin in a column, one of them differs.
      change: (x) => mark(x, x + 1),
    });
    if (width > 1) return;
    const [top, low] = [y + this.#px(4), bottom - this.#px(4)];
    const shifted = { ...span, from: span.from - comparison.shift };
    reduceTrace(other, shifted, surface.width, {
      steady: (piece, left, right) =>
        surface.rect(
          left,
          other.value(piece) === 1 ? top : low - this.#thin,
          right - left,
          this.#thin,
          this.#paint.other,
        ),
      change: (x) => surface.rect(x, top, 1, low - top, this.#paint.other),
    });
  }

  #reduce(trace: Trace, listener: ColumnListener): void {
    reduceTrace(trace, this.#picture.span, this.#surface.width, listener);
  }

  #bit(trace: Trace, isHigh: (piece: number) => boolean, y: number, bottom: number): void {
    const { wave } = this.#paint;
    const surface = this.#surface;
    const thin = this.#thin;
    this.#reduce(trace, {
      steady: (piece, left, right) =>
        surface.rect(left, isHigh(piece) ? y : bottom - thin, right - left, thin, wave),
      change: (x) => surface.rect(x, y, 1, bottom - y, wave),
    });
  }

  #bus(trace: Trace, y: number, bottom: number, textOf: (piece: number, room: number) => string): void {
    const { wave, ink } = this.#paint;
    const surface = this.#surface;
    const thin = this.#thin;
    const pad = this.#px(4);
    const middle = y + Math.round((bottom - y - this.#glyphs.height) / 2);
    this.#reduce(trace, {
      steady: (piece, left, right) => {
        surface.rect(left, y, right - left, thin, wave);
        surface.rect(left, bottom - thin, right - left, thin, wave);
        const room = Math.floor((right - left - pad) / this.#glyphs.width);
        if (room >= 2) surface.text(textOf(piece, room), left + pad, middle, right, ink, this.#glyphs);
      },
      change: (x) => surface.rect(x, y, thin, bottom - y, wave),
    });
  }

  /** Each frame is as wide as it lasts; its text may extend to the next one. */
  #frames(trace: FrameTrace, y: number, bottom: number): void {
    const { busy, failed, soft, ink, faint } = this.#paint;
    const surface = this.#surface;
    const thin = this.#thin;
    const pad = this.#px(4);
    const middle = y + Math.round((bottom - y - this.#glyphs.height) / 2);
    const said = (piece: number, left: number) => {
      const frame = trace.frame(piece);
      if (!frame) return;
      const after = trace.frame(piece + 1) ? piece + 1 : piece + 2;
      const right = Math.min(surface.width, this.#x(trace.starts[after] ?? trace.end));
      if (right - left > pad + 4 * this.#glyphs.width)
        surface.text(frame.text, left + pad, middle, right, ink, this.#glyphs);
    };
    const colourOf = (piece: number): Pixel => (trace.frame(piece)?.error ? failed : busy);
    const labels: [piece: number, left: number][] = [];
    this.#reduce(trace, {
      steady: (piece, left, right) => {
        if (trace.frame(piece)) {
          surface.rect(left, y, right - left, bottom - y, soft);
          surface.rect(left, y, right - left, thin, colourOf(piece));
          surface.rect(left, bottom - thin, right - left, thin, colourOf(piece));
          // If it began before the left edge, its text is at the edge.
          if (left === 0) labels.push([piece, left]);
        } else surface.rect(left, bottom - thin, right - left, thin, faint);
      },
      change: (x, last) => {
        // It may have begun and ended within the column.
        const piece = trace.frame(last) ? last : last - 1;
        surface.rect(x, y, thin, bottom - y, colourOf(piece));
        labels.push([piece, x]);
      },
    });
    let before = -1;
    for (const [piece, left] of labels) {
      if (piece !== before) said(piece, left);
      before = piece;
    }
  }

  #axis(): void {
    const { view, span } = this.#picture;
    const { paper, line, faint } = this.#paint;
    const surface = this.#surface;
    const height = this.#px(AXIS);
    surface.rect(0, 0, surface.width, height, paper);
    surface.rect(0, height - this.#thin, surface.width, this.#thin, line);
    for (const { sample, text } of timeMarks(view, span, surface.width, this.#px(MARKS_APART))) {
      const x = this.#x(sample);
      surface.rect(x, height - this.#px(6), this.#thin, this.#px(6), faint);
      // The trigger's own mark is there.
      if (sample === view.trigger_sample) continue;
      surface.text(text, x + this.#px(3), this.#px(4), surface.width, faint, this.#glyphs);
    }
  }

  #marker(sample: number | undefined, colour: Pixel, name: string): void {
    if (sample === undefined) return;
    const x = this.#x(sample);
    const surface = this.#surface;
    surface.rect(x, 0, this.#thin, surface.height, colour);
    const { width, height } = this.#glyphs;
    const pad = this.#px(3);
    const top = this.#px(AXIS) - height - this.#px(2);
    const room = width * name.length;
    surface.rect(x, top, room + 2 * pad, height, colour);
    surface.text(name, x + pad, top, x + 2 * pad + room, this.#paint.paper, this.#glyphs);
  }
}

/** Draws the visible part of a capture. @param ratio device pixels per CSS pixel */
export function paintWaves(
  surface: Surface,
  picture: WavePicture,
  { glyphs, paint, ratio }: { glyphs: Glyphs; paint: Paint; ratio: number },
): void {
  new Painter(surface, glyphs, paint, picture, ratio).draw();
}
