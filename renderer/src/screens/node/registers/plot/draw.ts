import { formatClock } from '../../../../format/time.ts';
import { formatField, type NumberFormat } from '../../../../format/words.ts';
import type { Extent, Series } from '../../../../state/samples/series.ts';
import { type BitField, fieldOf, widthOf } from '../map/register-map.ts';
import type { Limits } from './crossings.ts';
import { marks, onAxis, onScale, timeMarks, withRoom } from './scale.ts';

/** A register over time. */
export interface Curve {
  address: number;
  name: string;
  series: Series;
  /** It is polled: its last value is still valid. */
  live: boolean;
  /** What it should not leave, and when it did, seconds since 1970. */
  limits?: Limits | undefined;
  alerts?: readonly number[];
}

/** A bit field over time, drawn like a logic analyser's lane. */
export interface Lane extends Curve {
  field: BitField;
}

/** Times are seconds since 1970. */
export interface Picture {
  from: number;
  to: number;
  now: number;
  curves: readonly Curve[];
  lanes: readonly Lane[];
  /** Times of writes. */
  writes: readonly number[];
  markers: readonly number[];
  cursor: number | undefined;
  /** The range of a drag. */
  selection: readonly [number, number] | undefined;
  /** Each curve has its own scale; the axes belong to the first two. */
  separate: boolean;
  format: NumberFormat;
}

/** Colours of the theme by token. */
export type Colours = (token: string) => string;

/** Dashes distinguish curves without colour. */
const DASHES: number[][] = [[], [8, 4], [2, 3], [10, 3, 2, 3], [14, 4], [4, 4]];
/** Number of curve colours in the theme, plot-1 to plot-6. */
const COLOURS = 6;

/** Colour of a curve. No two curves have the same colour and the same dashes. */
export const colourOf = (index: number): string => `plot-${(index % COLOURS) + 1}`;
export const dashOf = (index: number): number[] =>
  DASHES[(index + Math.floor(index / COLOURS)) % DASHES.length] ?? [];

const LEFT = 92;
const RIGHT = 16;
const TOP = 10;
const BOTTOM = 26;
const LANE = 24;
const FONT = '11px ui-monospace, "DejaVu Sans Mono", monospace';
/** Maximum width of a character, pixels. */
const CHARACTER = 6.7;
const MARKER_NAMES = ['A', 'B'];

/** The area of the curves, pixels. */
interface Area {
  left: number;
  right: number;
  top: number;
  bottom: number;
  /** Top of the lanes; they end at the time axis. */
  lanes: number;
  axis: number;
}

export function areaOf(
  width: number,
  height: number,
  { curves, lanes, separate }: Pick<Picture, 'curves' | 'lanes' | 'separate'>,
): Area {
  const axis = height - BOTTOM;
  const high = curves.length === 0 ? axis - TOP : Math.min(lanes.length * LANE, (axis - TOP) * 0.6);
  const lanesTop = axis - high;
  return {
    left: LEFT,
    right: width - (separate && curves.length > 1 ? LEFT : RIGHT),
    top: TOP,
    bottom: lanesTop - (lanes.length > 0 ? 6 : 0),
    lanes: lanesTop,
    axis,
  };
}

export const timeAt = (
  x: number,
  { left, right }: Area,
  { from, to }: Pick<Picture, 'from' | 'to'>,
): number => from + ((x - left) / (right - left)) * (to - from);

/** Indexes of the visible samples: from the one valid at the left edge to the last before the right edge. */
const inSight = (series: Series, { from, to }: Picture): [number, number] => [
  Math.max(0, series.indexAt(from)),
  series.indexAt(to) + 1,
];

/** Minimum and maximum of the visible values, as displayed. */
const extentOf = (series: Series, picture: Picture): Extent =>
  series.extent(...inSight(series, picture), picture.format === 'signed');

const joined = (extents: readonly Extent[]): Extent => ({
  low: Math.min(...extents.map(({ low }) => low)),
  high: Math.max(...extents.map(({ high }) => high)),
});

/** Maximum length of a dashed curve per pixel of the plot's width: dashes of a longer one are invisible. */
const MAX_DASHED_PIXELS = 12;
/** Line width of a curve, pixels. */
const STROKE = 2;

/**
 * Draws a curve of steps. With more than two samples per pixel each column is a bar from minimum to maximum: a path
 * through all samples takes the browser many times as long.
 */
function drawCurve(
  context: CanvasRenderingContext2D,
  { series, live }: Curve,
  picture: Picture,
  x: (time: number) => number,
  y: (word: number) => number,
  area: Area,
  dash: number[],
): void {
  const [first, end] = inSight(series, picture);
  const { format, now, to } = picture;
  const read = (index: number) => onScale(series.value(index), format);
  context.beginPath();
  let open = false;
  let [pathX, pathY, length] = [0, 0, 0];
  const go = (px: number, py: number) => {
    if (open) context.lineTo(px, py);
    else context.moveTo(px, py);
    if (open) length += Math.abs(px - pathX) + Math.abs(py - pathY);
    [open, pathX, pathY] = [true, px, py];
  };
  let before = Number.NaN;
  const step = (px: number, value: number) => {
    if (!Number.isNaN(before)) go(px, before);
    open &&= !Number.isNaN(value);
    before = Number.isNaN(value) ? Number.NaN : y(value);
    if (!Number.isNaN(value)) go(px, before);
  };
  if (end - first <= 2 * (area.right - area.left)) {
    for (let index = first; index < end; index += 1)
      step(Math.max(area.left, x(series.time(index))), read(index));
  } else {
    let index = first;
    for (let column = Math.floor(area.left); column <= area.right && index < end; column += 1) {
      const next = Math.min(end, series.indexAt(timeAt(column + 1, area, picture)) + 1);
      if (next <= index) continue;
      if (next === index + 1) {
        step(column, read(index));
      } else {
        if (!Number.isNaN(before)) go(column, before);
        const { low, high } = series.extent(index, next, format === 'signed');
        // Bars begin at the previous value, and neighbours touch.
        const [top, bottom] = [Math.min(y(high), before || y(high)), Math.max(y(low), before || y(low))];
        if (low <= high)
          context.fillRect(column - STROKE / 2, top - STROKE / 2, STROKE, bottom - top + STROKE);
        const last = read(next - 1);
        before = Number.isNaN(last) ? Number.NaN : y(last);
        open = false;
        if (!Number.isNaN(before)) go(column, before);
      }
      index = next;
    }
  }
  if (!Number.isNaN(before) && live) go(Math.min(x(now), x(to)), before);
  context.setLineDash(length > MAX_DASHED_PIXELS * (area.right - area.left) ? [] : dash);
  context.stroke();
  if (live || Number.isNaN(before) || end === first) return;
  // A single read is a point: the value afterwards is unknown.
  context.fillRect(x(series.time(end - 1)) - 2.5, before - 2.5, 5, 5);
}

/** Pixels between the edges of a lane that changes too fast to see. */
const EDGES_APART = 0.5;

/** Draws the value of a field: a bit as high and low, several bits as a bus with its value. */
function drawLane(
  context: CanvasRenderingContext2D,
  { series, live, field }: Lane,
  picture: Picture,
  x: (time: number) => number,
  [top, bottom]: [number, number],
  area: Area,
): void {
  const [first, end] = inSight(series, picture);
  const bits = widthOf(field);
  const last = live ? Math.min(x(picture.now), area.right) : area.right;
  const middle = (top + bottom) / 2;
  let drawnTo = Number.NEGATIVE_INFINITY;
  // One edge per pixel is enough.
  const edge = (at: number) => {
    if (at - drawnTo < EDGES_APART) return;
    context.moveTo(at, top);
    context.lineTo(at, bottom);
    drawnTo = at;
  };
  const span = (from: number, to: number, value: number) => {
    if (to - from < EDGES_APART) {
      if (bits > 1) edge(from);
      return;
    }
    if (bits === 1) {
      const level = value === 1 ? top : bottom;
      context.moveTo(from, level);
      context.lineTo(to, level);
      return;
    }
    const slope = Math.min(3, (to - from) / 2);
    context.moveTo(from, middle);
    for (const [px, py] of [
      [from + slope, top],
      [to - slope, top],
      [to, middle],
      [to - slope, bottom],
      [from + slope, bottom],
      [from, middle],
    ] as const)
      context.lineTo(px, py);
    const label = field.values?.[value] ?? formatField(value, bits, picture.format);
    if (to - from > 8 + CHARACTER * label.length) context.fillText(label, (from + to) / 2, middle);
  };
  context.beginPath();
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  let [began, value] = [Number.NaN, Number.NaN];
  for (let index = first; index < end; index += 1) {
    const word = series.value(index);
    const next = Number.isNaN(word) ? Number.NaN : fieldOf(word, field);
    if (Object.is(next, value)) continue;
    const at = Math.max(area.left, x(series.time(index)));
    if (!Number.isNaN(value)) {
      span(began, at, value);
      if (bits === 1 && !Number.isNaN(next)) edge(at);
    }
    [began, value] = [at, next];
  }
  if (!Number.isNaN(value)) span(began, last, value);
  context.stroke();
}

function drawTimes(
  context: CanvasRenderingContext2D,
  picture: Picture,
  area: Area,
  width: number,
  x: (time: number) => number,
) {
  const { times, step } = timeMarks(picture.from, picture.to, (area.right - area.left) / 96);
  context.textAlign = 'center';
  context.textBaseline = 'top';
  for (const time of times) {
    context.strokeRect(x(time), area.top, 0, area.axis - area.top);
    const label = formatClock(time * 1000).slice(0, step < 1 ? 12 : 8);
    // Move the label of a mark at the edge: all of it must be readable.
    const half = (CHARACTER * label.length) / 2;
    context.fillText(label, Math.min(Math.max(x(time), half), width - half), area.axis + 9);
  }
}

/** Draws the limits of a curve as lines, and a mark at the top wherever it left them. */
function drawLimits(
  context: CanvasRenderingContext2D,
  { limits, alerts = [] }: Curve,
  x: (time: number) => number,
  y: (value: number) => number,
  area: Area,
  colour: Colours,
): void {
  context.strokeStyle = context.fillStyle = colour('error');
  context.lineWidth = 1;
  context.setLineDash([4, 3]);
  for (const limit of [limits?.below, limits?.above]) {
    if (limit === undefined) continue;
    const py = y(limit);
    if (py >= area.top && py <= area.bottom) context.strokeRect(area.left, py, area.right - area.left, 0);
  }
  context.setLineDash([]);
  for (const time of alerts) {
    const px = x(time);
    if (px < area.left || px > area.right) continue;
    context.beginPath();
    context.moveTo(px, area.top + 9);
    context.lineTo(px - 5, area.top);
    context.lineTo(px + 5, area.top);
    context.fill();
  }
}

/** Draws the whole picture and replaces the previous one. Sizes in CSS pixels. */
export function drawPicture(
  context: CanvasRenderingContext2D,
  width: number,
  height: number,
  picture: Picture,
  colour: Colours,
): void {
  const area = areaOf(width, height, picture);
  const { curves, lanes, format, separate, from, to } = picture;
  const x = (time: number) => area.left + ((time - from) / (to - from)) * (area.right - area.left);
  const hex = format === 'hex' || format === 'binary';
  context.clearRect(0, 0, width, height);
  context.font = FONT;
  context.lineWidth = 1;
  context.strokeStyle = colour('line');
  context.fillStyle = colour('ink-2');
  drawTimes(context, picture, area, width, x);

  const extents = curves.map(({ series }) => extentOf(series, picture));
  const common = withRoom(joined(extents));
  const scales = extents.map((extent) => (separate ? withRoom(extent) : common));
  const level = (value: number, { low, high }: Extent) =>
    area.bottom - ((value - low) / (high - low)) * (area.bottom - area.top);
  scales.slice(0, separate ? 2 : 1).forEach((scale, index) => {
    context.textAlign = index === 0 ? 'right' : 'left';
    context.textBaseline = 'middle';
    for (const value of marks(scale, (area.bottom - area.top) / 36, hex)) {
      const py = level(value, scale);
      context.strokeStyle = colour('line');
      if (index === 0) context.strokeRect(area.left, py, area.right - area.left, 0);
      context.fillStyle = colour(separate ? colourOf(index) : 'ink-2');
      context.fillText(onAxis(value, format), index === 0 ? area.left - 6 : area.right + 6, py);
    }
  });

  context.save();
  context.beginPath();
  context.rect(area.left, 0, area.right - area.left, height);
  context.clip();
  curves.forEach((curve, index) => {
    const scale = scales[index] ?? common;
    context.strokeStyle = context.fillStyle = colour(colourOf(index));
    context.lineWidth = STROKE;
    drawCurve(context, curve, picture, x, (value) => level(value, scale), area, dashOf(index));
  });
  for (const [index, curve] of curves.entries())
    drawLimits(context, curve, x, (value) => level(value, scales[index] ?? common), area, colour);
  context.setLineDash([]);
  context.lineWidth = 1.5;
  const each = lanes.length === 0 ? 0 : (area.axis - area.lanes) / lanes.length;
  lanes.forEach((lane, index) => {
    const top = area.lanes + index * each;
    context.strokeStyle = colour('plot-1');
    context.fillStyle = colour('ink');
    drawLane(context, lane, picture, x, [top + 5, top + each - 5], area);
  });
  context.fillStyle = context.strokeStyle = colour('warn');
  context.lineWidth = 1;
  let written = Number.NEGATIVE_INFINITY;
  for (const time of picture.writes) {
    const px = x(time);
    if (px < area.left || px > area.right || px - written < 1) continue;
    written = px;
    context.beginPath();
    context.moveTo(px, area.axis - 1);
    context.lineTo(px - 4, area.axis + 7);
    context.lineTo(px + 4, area.axis + 7);
    context.fill();
  }
  if (picture.selection) {
    const [begin, end] = picture.selection.map(x) as [number, number];
    context.globalAlpha = 0.18;
    context.fillStyle = colour('accent');
    context.fillRect(Math.min(begin, end), area.top, Math.abs(end - begin), area.axis - area.top);
    context.globalAlpha = 1;
  }
  picture.markers.forEach((time, index) => {
    context.strokeStyle = context.fillStyle = colour('accent');
    context.setLineDash([6, 3]);
    context.strokeRect(x(time), 0, 0, area.axis);
    context.setLineDash([]);
    context.textAlign = 'left';
    context.textBaseline = 'top';
    context.fillText(MARKER_NAMES[index] ?? '', x(time) + 4, 0);
  });
  if (picture.cursor !== undefined) {
    context.strokeStyle = colour('ink-2');
    context.strokeRect(x(picture.cursor), area.top, 0, area.axis - area.top);
  }
  context.restore();

  context.textAlign = 'right';
  context.textBaseline = 'middle';
  context.fillStyle = colour('ink-2');
  lanes.forEach(({ name }, index) => {
    const label = name.length > 13 ? `…${name.slice(-12)}` : name;
    context.fillText(label, area.left - 6, area.lanes + (index + 0.5) * each);
  });
}
