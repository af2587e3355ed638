import { type KeyboardEvent, type PointerEvent, useEffect, useRef } from 'react';
import { samplesVersion } from '../../../../state/samples/samples.ts';
import { text } from '../../../../text/text.ts';
import { areaOf, type Curve, drawPicture, type Lane, type Picture, timeAt } from './draw.ts';
import type { PlotView } from './plot-view.ts';
import { colours, spanOf } from './plot-view.ts';

const t = text.registers.plotting;
/** Maximum movement of the pointer in a click, pixels. */
const CLICK = 4;
/** Redraw interval without changes, ms: time goes on. */
const REDRAW_MS = 100;
const STEPS: Record<string, number> = { ArrowLeft: -0.01, ArrowRight: 0.01 };

interface Props {
  node: number;
  curves: readonly Curve[];
  lanes: readonly Lane[];
  writes: readonly number[];
  view: PlotView;
  markers: readonly number[];
  cursor: number | undefined;
  separate: boolean;
  format: Picture['format'];
  onCursor(time: number | undefined): void;
  /** A chosen range, or a chosen place. Seconds since 1970. */
  onZoom(from: number, to: number): void;
  onBack(): void;
  onMark(time: number, marker?: 0 | 1): void;
}

/**
 * Curves of registers on a canvas, drawn at most once per frame. A word holds until the next sample: lines are steps.
 */
export function Plot(props: Props) {
  const host = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const latest = useRef(props);
  latest.current = props;
  /** Start and current place of a drag, seconds. */
  const drag = useRef<{ x: number; from: number; to: number } | undefined>(undefined);
  const redraw = useRef(() => {});

  const picture = useRef((): Picture => {
    const { curves, lanes, writes, view, markers, cursor, separate, format } = latest.current;
    const now = Date.now() / 1000;
    const [from, to] = spanOf(view, curves, now);
    const selection = drag.current && ([drag.current.from, drag.current.to] as const);
    return { from, to, now, curves, lanes, writes, markers, cursor, selection, separate, format };
  }).current;

  useEffect(() => {
    const element = host.current;
    const surface = canvas.current;
    const context = surface?.getContext('2d');
    if (!element || !surface || !context) return;
    let frame = 0;
    let ends = false;
    const draw = () => {
      frame = 0;
      if (ends) return;
      const ratio = window.devicePixelRatio || 1;
      const [width, height] = [element.clientWidth, element.clientHeight];
      if (surface.width !== Math.round(width * ratio) || surface.height !== Math.round(height * ratio)) {
        surface.width = Math.round(width * ratio);
        surface.height = Math.round(height * ratio);
      }
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      drawPicture(context, width, height, picture(), colour);
    };
    let colour = colours(element);
    const soon = () => {
      frame ||= requestAnimationFrame(draw);
    };
    redraw.current = soon;
    const endSamples = samplesVersion.subscribe((now, before) => {
      if (now[latest.current.node] !== before[latest.current.node]) soon();
    });
    const timer = setInterval(() => {
      if (latest.current.view.kind === 'follow' && latest.current.curves.some(({ live }) => live)) soon();
    }, REDRAW_MS);
    const sizes = new ResizeObserver(soon);
    sizes.observe(element);
    // The canvas takes its colours from the theme: draw again after a change of theme.
    const recolour = () => {
      colour = colours(element);
      soon();
    };
    const themes = new MutationObserver(recolour);
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    const scheme = window.matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', recolour);
    soon();
    return () => {
      ends = true;
      cancelAnimationFrame(frame);
      clearInterval(timer);
      endSamples();
      sizes.disconnect();
      themes.disconnect();
      scheme.removeEventListener('change', recolour);
    };
  }, [picture]);
  // Draw again after every render.
  useEffect(() => redraw.current());

  const at = (event: PointerEvent): { x: number; time: number } => {
    const element = host.current as HTMLDivElement;
    const x = event.clientX - element.getBoundingClientRect().left;
    const now = picture();
    const area = areaOf(element.clientWidth, element.clientHeight, now);
    const inside = Math.min(area.right, Math.max(area.left, x));
    return { x, time: timeAt(inside, area, now) };
  };
  const onPointerMove = (event: PointerEvent) => {
    const { time } = at(event);
    if (drag.current) drag.current.to = time;
    props.onCursor(time);
  };
  const onPointerUp = (event: PointerEvent) => {
    const began = drag.current;
    if (!began) return;
    drag.current = undefined;
    const { x, time } = at(event);
    if (Math.abs(x - began.x) > CLICK) props.onZoom(Math.min(began.from, time), Math.max(began.from, time));
    else props.onMark(time);
    redraw.current();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const now = picture();
    const { from, to } = now;
    const cursor = Math.min(to, Math.max(from, props.cursor ?? (from + to) / 2));
    const step = STEPS[event.key];
    const zoom = (factor: number) =>
      props.onZoom(cursor - (cursor - from) * factor, cursor + (to - cursor) * factor);
    if (step !== undefined)
      props.onCursor(Math.min(to, Math.max(from, cursor + step * (event.shiftKey ? 10 : 1) * (to - from))));
    else if (event.key === 'a' || event.key === 'b') props.onMark(cursor, event.key === 'a' ? 0 : 1);
    else if (event.key === '+') zoom(0.5);
    else if (event.key === '-') zoom(2);
    else if (event.key === 'Backspace') props.onBack();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const names = [...props.curves, ...props.lanes].map(({ name }) => name).join(', ');
  return (
    <div
      ref={host}
      className="plot"
      role="application"
      aria-label={t.curves(names)}
      aria-describedby="plot-keys"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: cursor, markers and zoom are moved with keys
      tabIndex={0}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        const { x, time } = at(event);
        drag.current = { x, from: time, to: time };
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={() => (drag.current = undefined)}
      onPointerLeave={() => props.onCursor(undefined)}
      onDoubleClick={props.onBack}
    >
      <canvas ref={canvas} />
      <p id="plot-keys" className="sr-only">
        {t.keys}
      </p>
    </div>
  );
}
