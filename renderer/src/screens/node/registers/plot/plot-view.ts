import { type Colours, type Curve, drawPicture, type Picture } from './draw.ts';

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

/** The picture as a PNG, with its curves' names above, at twice the resolution. */
export async function toPng(
  picture: Picture,
  [width, height]: readonly [number, number],
  colour: Colours,
  nameColour: (index: number) => string,
): Promise<Uint8Array> {
  const canvas = document.createElement('canvas');
  const top = 8 + LEGEND_LINE * picture.curves.length;
  canvas.width = 2 * width;
  canvas.height = 2 * (height + top);
  const context = canvas.getContext('2d') as CanvasRenderingContext2D;
  context.setTransform(2, 0, 0, 2, 0, 2 * top);
  drawPicture(context, width, height, { ...picture, cursor: undefined }, colour);
  context.setTransform(2, 0, 0, 2, 0, 0);
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  picture.curves.forEach(({ name }, index) => {
    context.fillStyle = colour(nameColour(index));
    context.fillText(name, 12, 8 + LEGEND_LINE * (index + 0.5));
  });
  // The background of the theme, below everything.
  context.globalCompositeOperation = 'destination-over';
  context.fillStyle = colour('panel');
  context.fillRect(0, 0, width, height + top);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  return new Uint8Array((await blob?.arrayBuffer()) ?? new ArrayBuffer(0));
}
