import { type Colours, type Curve, colourOf, drawPicture, type Picture } from './draw.ts';
import { SvgContext } from './svg-context.ts';

/** The visible time: it follows the present, or stays where the person has zoomed to. */
export type PlotView =
  /** Seconds up to the present; 0 for all. */
  | { kind: 'follow'; seconds: number }
  /** Seconds since 1970, and the earlier views for "back", the latest first. */
  | { kind: 'held'; from: number; to: number; before: readonly PlotView[] };

/** Maximum earlier views. */
const MAX_VIEW_HISTORY = 20;
/** Minimum visible time, s. */
const SHORTEST = 0.002;

/** The times of the edges, seconds since 1970. */
export function spanOf(view: PlotView, curves: readonly Curve[], now: number): [number, number] {
  switch (view.kind) {
    case 'held':
      return [view.from, view.to];
    case 'follow': {
      const ends = curves.flatMap(({ series, live }) =>
        series.length === 0 ? [] : [live ? now : series.time(series.length - 1)],
      );
      const end = ends.length === 0 ? now : Math.max(...ends);
      if (view.seconds > 0) return [end - view.seconds, end];
      const begins = curves.flatMap(({ series }) => (series.length === 0 ? [] : [series.time(0)]));
      return [Math.min(end - 1, ...begins), end];
    }
  }
}

export function zoomed(view: PlotView, from: number, to: number): PlotView {
  const before = [view, ...(view.kind === 'held' ? view.before : [])].slice(0, MAX_VIEW_HISTORY);
  const middle = (from + to) / 2;
  const half = Math.max(SHORTEST, to - from) / 2;
  return { kind: 'held', from: middle - half, to: middle + half, before };
}

/** The view before the last zoom. */
export const zoomedBack = (view: PlotView): PlotView =>
  view.kind === 'held' ? (view.before[0] ?? { kind: 'follow', seconds: 60 }) : view;

/** The markers after a click: it sets the first, then the second, then moves the nearer one. */
export function marked(markers: readonly number[], time: number, which?: 0 | 1): readonly number[] {
  const [a, b] = markers;
  if (a === undefined) return [time];
  if (which === 0) return b === undefined ? [time] : [time, b];
  if (which === 1 || b === undefined) return [a, time];
  return Math.abs(time - a) <= Math.abs(time - b) ? [time, b] : [a, time];
}

/** The colours of an element's theme. */
export function colours(element: Element): Colours {
  const style = getComputedStyle(element);
  const known = new Map<string, string>();
  return (token) => {
    let value = known.get(token);
    if (value === undefined) {
      value = style.getPropertyValue(`--${token}`).trim();
      known.set(token, value);
    }
    return value;
  };
}

const LEGEND_LINE = 18;

/** A canvas, or what writes SVG, on which the plot and its legend are drawn. */
type Surface = Parameters<typeof drawPicture>[0];

/** Draws the names of the curves in lines above the picture. */
function drawNames(context: Surface, { curves }: Picture, colour: Colours): void {
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  curves.forEach(({ name }, index) => {
    context.fillStyle = colour(colourOf(index));
    context.fillText(name, 12, 8 + LEGEND_LINE * (index + 0.5));
  });
}

const heightOfNames = ({ curves }: Picture): number => 8 + LEGEND_LINE * curves.length;

/** The picture as a PNG, with its curves' names above, at twice the resolution. */
export async function toPng(
  picture: Picture,
  [width, height]: readonly [number, number],
  colour: Colours,
): Promise<Uint8Array> {
  const canvas = document.createElement('canvas');
  const top = heightOfNames(picture);
  canvas.width = 2 * width;
  canvas.height = 2 * (height + top);
  const context = canvas.getContext('2d') as CanvasRenderingContext2D;
  context.setTransform(2, 0, 0, 2, 0, 2 * top);
  drawPicture(context, width, height, { ...picture, cursor: undefined }, colour);
  context.setTransform(2, 0, 0, 2, 0, 0);
  drawNames(context, picture, colour);
  // The background of the theme, below everything.
  context.globalCompositeOperation = 'destination-over';
  context.fillStyle = colour('panel');
  context.fillRect(0, 0, width, height + top);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  return new Uint8Array((await blob?.arrayBuffer()) ?? new ArrayBuffer(0));
}

/** The picture as an SVG, with its curves' names above. */
export function toSvg(picture: Picture, [width, height]: readonly [number, number], colour: Colours): string {
  const top = heightOfNames(picture);
  const svg = new SvgContext();
  // It implements the part of a canvas that drawing uses.
  const context = svg as unknown as Surface;
  drawNames(context, picture, colour);
  svg.move(top);
  drawPicture(context, width, height, { ...picture, cursor: undefined }, colour);
  svg.move(0);
  return svg.toSvg(width, height + top, colour('panel'));
}
