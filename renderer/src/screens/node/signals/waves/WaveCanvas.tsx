import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useRef } from 'react';
import type { StoreApi } from 'zustand/vanilla';
import { text } from '../../../../text/text.ts';
import type { Span } from '../recording/reduce.ts';
import { wholeSpan, within, zoomedAt } from '../recording/span.ts';
import { paintOf } from './colours.ts';
import { CanvasGlyphs } from './glyphs.ts';
import { paintWaves, type WavePicture } from './paint.ts';
import { Surface } from './surface.ts';

const t = text.signals;

/** Maximum movement of the pointer in a click, pixels. */
const CLICK = 4;
/** Zoom factor per notch of a wheel. */
const WHEEL_ZOOM = 1.0015;
const KEY_ZOOM = 1.5;
/** Font size in CSS pixels, and font. */
const FONT_SIZE = 11.5;
const FONT =
  'ui-monospace, "SF Mono", "Cascadia Mono", "Noto Sans Mono", "DejaVu Sans Mono", Consolas, monospace';

/** The contents of the picture, without the canvas's own state. */
type WaveContents = Omit<WavePicture, 'span' | 'top'>;

interface Props {
  contents: WaveContents;
  /** The visible time: the canvas changes it, and other views follow it. */
  span: StoreApi<Span>;
  /** The element that scrolls the rows. */
  scroller: RefObject<HTMLElement | null>;
  onCursor(which: 0 | 1, sample: number): void;
  onKey(event: KeyboardEvent): boolean;
}

/** Waveforms on a canvas, drawn pixel by pixel at most once per frame, and only the visible rows and columns. */
export function WaveCanvas({ contents, span, scroller, onCursor, onKey }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const latest = useRef(contents);
  latest.current = contents;
  const redraw = useRef(() => {});
  const drag = useRef<{ x: number; y: number; from: number; top: number; moved: boolean } | undefined>(
    undefined,
  );
  const samples = () => latest.current.view.samples;
  const width = () => host.current?.clientWidth ?? 1;
  const put = (next: Span) => span.setState(within(next, samples(), width()));

  // biome-ignore lint/correctness/useExhaustiveDependencies: it is set up once; what is drawn is looked up when it is
  useEffect(() => {
    const element = host.current;
    const surface = canvas.current;
    const context = surface?.getContext('2d', { alpha: false });
    const rows = scroller.current;
    if (!element || !surface || !context || !rows) return;
    let frame = 0;
    let ends = false;
    let paint = paintOf(element);
    let ratio = 0;
    let glyphs: CanvasGlyphs | undefined;
    let image: ImageData | undefined;
    const draw = () => {
      frame = 0;
      if (ends) return;
      const now = window.devicePixelRatio || 1;
      const size = {
        width: Math.round(element.clientWidth * now),
        height: Math.round(element.clientHeight * now),
      };
      if (size.width < 1 || size.height < 1) return;
      if (!glyphs || now !== ratio) glyphs = new CanvasGlyphs(FONT, FONT_SIZE * now);
      ratio = now;
      if (!image || image.width !== size.width || image.height !== size.height) {
        surface.width = size.width;
        surface.height = size.height;
        image = context.createImageData(size.width, size.height);
        span.setState(within(span.getState(), samples(), element.clientWidth));
      }
      const pixels = new Surface(size.width, size.height, new Uint32Array(image.data.buffer));
      const picture = { ...latest.current, span: span.getState(), top: rows.scrollTop };
      paintWaves(pixels, picture, { glyphs, paint, ratio });
      context.putImageData(image, 0, 0);
    };
    const soon = () => {
      frame ||= requestAnimationFrame(draw);
    };
    redraw.current = soon;
    const onWheel = (event: WheelEvent) => {
      const { from, perPixel } = span.getState();
      // A trackpad's pinch is a wheel event with Ctrl. Other wheel events scroll the rows.
      if (event.ctrlKey || event.metaKey) {
        const x = event.clientX - element.getBoundingClientRect().left;
        put(zoomedAt({ from, perPixel }, x, WHEEL_ZOOM ** event.deltaY));
      } else {
        const by = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
        if (Math.abs(by) <= (event.shiftKey ? 0 : Math.abs(event.deltaY))) return;
        put({ from: from + by * perPixel, perPixel });
      }
      event.preventDefault();
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    rows.addEventListener('scroll', soon, { passive: true });
    const endSpan = span.subscribe(soon);
    const sizes = new ResizeObserver(soon);
    sizes.observe(element);
    // The canvas takes its colours from the theme: draw again after a change of theme.
    const recolour = () => {
      paint = paintOf(element);
      soon();
    };
    const themes = new MutationObserver(recolour);
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    const schemes = ['(prefers-color-scheme: dark)', '(forced-colors: active)'].map((one) =>
      window.matchMedia(one),
    );
    for (const scheme of schemes) scheme.addEventListener('change', recolour);
    soon();
    return () => {
      ends = true;
      cancelAnimationFrame(frame);
      element.removeEventListener('wheel', onWheel);
      rows.removeEventListener('scroll', soon);
      endSpan();
      sizes.disconnect();
      themes.disconnect();
      for (const scheme of schemes) scheme.removeEventListener('change', recolour);
    };
  }, [span, scroller]);
  // Draw again after every render.
  useEffect(() => redraw.current());

  const sampleAt = (clientX: number): number => {
    const { from, perPixel } = span.getState();
    const x = clientX - (host.current?.getBoundingClientRect().left ?? 0);
    return Math.max(0, Math.min(samples() - 1, Math.floor(from + x * perPixel)));
  };
  const onPointerMove = (event: PointerEvent) => {
    const began = drag.current;
    if (!began) return;
    const [byX, byY] = [event.clientX - began.x, event.clientY - began.y];
    began.moved ||= Math.hypot(byX, byY) > CLICK;
    if (!began.moved) return;
    const { perPixel } = span.getState();
    put({ from: began.from - byX * perPixel, perPixel });
    scroller.current?.scrollTo({ top: began.top - byY });
  };
  const onPointerUp = (event: PointerEvent) => {
    const began = drag.current;
    drag.current = undefined;
    if (began && !began.moved) onCursor(event.shiftKey ? 1 : 0, sampleAt(event.clientX));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { from, perPixel } = span.getState();
    const all = wholeSpan(samples(), width());
    const middle = Math.floor(from + (width() / 2) * perPixel);
    const step = width() * perPixel * 0.1;
    const acts: Record<string, () => void> = {
      ArrowLeft: () => put({ from: from - step, perPixel }),
      ArrowRight: () => put({ from: from + step, perPixel }),
      PageUp: () => put({ from: from - 9 * step, perPixel }),
      PageDown: () => put({ from: from + 9 * step, perPixel }),
      Home: () => put({ from: 0, perPixel }),
      End: () => put({ from: samples(), perPixel }),
      '+': () => put(zoomedAt({ from, perPixel }, width() / 2, 1 / KEY_ZOOM)),
      '-': () => put(zoomedAt({ from, perPixel }, width() / 2, KEY_ZOOM)),
      '0': () => put(all),
      a: () => onCursor(0, Math.min(samples() - 1, middle)),
      b: () => onCursor(1, Math.min(samples() - 1, middle)),
    };
    const act = event.shiftKey && event.key.startsWith('Arrow') ? undefined : acts[event.key];
    if (act) act();
    else if (!onKey(event)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={host}
      className="waves-plot"
      data-capture={contents.view.capture_id}
      role="application"
      aria-label={t.waves(contents.view.signals.length)}
      aria-describedby="waves-keys"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled, zoomed and marked with keys
      tabIndex={0}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        const top = scroller.current?.scrollTop ?? 0;
        drag.current = { x: event.clientX, y: event.clientY, from: span.getState().from, top, moved: false };
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={() => (drag.current = undefined)}
      onDoubleClick={(event) => {
        const x = event.clientX - (host.current?.getBoundingClientRect().left ?? 0);
        put(zoomedAt(span.getState(), x, 1 / 4));
      }}
    >
      <canvas ref={canvas} />
      <p id="waves-keys" className="sr-only">
        {t.keys}
      </p>
    </div>
  );
}
