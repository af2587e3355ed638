import { type KeyboardEvent, type PointerEvent, useEffect, useRef } from 'react';
import { text } from '../../../text/text.ts';
import { type Chip, cellAt, cellTowards, middleOf } from './chip.ts';
import { type ChipPicture, type Colours, drawChip } from './draw.ts';
import { fitted, showing, type View, within, zoomed } from './view.ts';

const t = text.floorplan;
/** Maximum movement of the pointer in a click, pixels. */
const CLICK = 4;
const STEP = 1.25;

/** A request of the zoom buttons. */
export type ZoomRequest = 'in' | 'out' | 'fit';

interface Props extends Omit<ChipPicture, 'view'> {
  /** Text for screen readers. */
  label: string;
  describedBy: string;
  /** The view to restore; the whole chip without one. */
  initial: View | undefined;
  /** Receives the function for zoom requests. */
  control: { current: ((request: ZoomRequest) => void) | undefined };
  onView(view: View): void;
  onCell(cell: number | undefined, at: { x: number; y: number } | undefined): void;
  /** A click, or Enter, on a cell. */
  onChoose(cell: number): void;
}

const ARROWS: Readonly<Record<string, readonly [-1 | 0 | 1, -1 | 0 | 1]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** Canvases use the system's colour names if colours are forced. */
const SYSTEM: Readonly<Record<string, string>> = {
  sunken: 'Canvas',
  panel: 'Canvas',
  hover: 'Canvas',
  'accent-soft': 'Canvas',
  'busy-soft': 'Canvas',
  idle: 'GrayText',
  ink: 'CanvasText',
};

/** The colours of the element's theme, or of the system if they are forced. */
function coloursOf(element: Element): Colours {
  if (window.matchMedia('(forced-colors: active)').matches) return (token) => SYSTEM[token] ?? 'LinkText';
  const style = getComputedStyle(element);
  const known = new Map<string, string>();
  return (token) => {
    const value = known.get(token) ?? style.getPropertyValue(`--${token}`).trim();
    known.set(token, value);
    return value;
  };
}

/** The keyboard's first cell: the start of the path, else the first of the design. */
function firstCell({ chip, path }: Pick<Props, 'chip' | 'path'>): number | undefined {
  const own = chip.plan.cells.findIndex(({ module }) => chip.plan.modules[module]?.whose === 'design');
  return path[0] ?? (own < 0 ? (chip.plan.cells.length > 0 ? 0 : undefined) : own);
}

/** The chip, drawn at most once per frame: it drags, zooms with the wheel, and arrow keys move from cell to cell. */
export function ChipCanvas(props: Props) {
  const host = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const view = useRef<View | undefined>(props.initial);
  const drag = useRef<{ x: number; y: number; moved: boolean; from: View } | undefined>(undefined);
  const redraw = useRef(() => {});

  const area = useRef(() => ({
    width: host.current?.clientWidth ?? 1,
    height: host.current?.clientHeight ?? 1,
  })).current;
  const shown = useRef((chip: Chip): View => {
    view.current = view.current ? within(view.current, chip, area()) : fitted(chip, area());
    return view.current;
  }).current;
  const look = useRef((next: View) => {
    view.current = next;
    latest.current.onView(next);
    redraw.current();
  }).current;
  const zoom = useRef((factor: number, around?: { x: number; y: number }) => {
    const { chip } = latest.current;
    const { width, height } = area();
    look(zoomed(shown(chip), factor, around ?? { x: width / 2, y: height / 2 }, chip, area()));
  }).current;

  useEffect(() => {
    const element = host.current;
    const surface = canvas.current;
    const context = surface?.getContext('2d', { alpha: false });
    if (!element || !surface || !context) return;
    let frame = 0;
    let colour = coloursOf(element);
    const draw = () => {
      frame = 0;
      const ratio = window.devicePixelRatio || 1;
      const { clientWidth: width, clientHeight: height } = element;
      if (surface.width !== Math.round(width * ratio) || surface.height !== Math.round(height * ratio)) {
        surface.width = Math.round(width * ratio);
        surface.height = Math.round(height * ratio);
      }
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      drawChip(context, width, height, { ...latest.current, view: shown(latest.current.chip) }, colour);
      surface.dataset['drawn'] = String(latest.current.chip.plan.cells.length);
    };
    const soon = () => {
      frame ||= requestAnimationFrame(draw);
    };
    redraw.current = soon;
    const sizes = new ResizeObserver(soon);
    sizes.observe(element);
    const recolour = () => {
      colour = coloursOf(element);
      soon();
    };
    const themes = new MutationObserver(recolour);
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    const queries = ['(prefers-color-scheme: dark)', '(forced-colors: active)'].map((query) =>
      window.matchMedia(query),
    );
    for (const query of queries) query.addEventListener('change', recolour);
    // React's own wheel listener cannot stop the page from scrolling.
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const { left, top } = surface.getBoundingClientRect();
      zoom(Math.exp(-event.deltaY / 400), { x: event.clientX - left, y: event.clientY - top });
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    soon();
    return () => {
      cancelAnimationFrame(frame);
      sizes.disconnect();
      themes.disconnect();
      for (const query of queries) query.removeEventListener('change', recolour);
      element.removeEventListener('wheel', onWheel);
    };
  }, [shown, zoom]);
  // Draw again after every render.
  useEffect(() => redraw.current());

  useEffect(() => {
    const { control } = latest.current;
    control.current = (request) => {
      if (request === 'fit') look(fitted(latest.current.chip, area()));
      else zoom(request === 'in' ? STEP * STEP : 1 / STEP / STEP);
    };
    return () => {
      control.current = undefined;
    };
  }, [look, zoom, area]);

  const at = (event: PointerEvent) => {
    const { left, top } = (canvas.current as HTMLCanvasElement).getBoundingClientRect();
    const pixel = { x: event.clientX - left, y: event.clientY - top };
    const { scale, x, y } = shown(props.chip);
    return { pixel, cell: cellAt(props.chip, (pixel.x - x) / scale, (pixel.y - y) / scale) };
  };
  const onPointerMove = (event: PointerEvent) => {
    const { pixel, cell } = at(event);
    const began = drag.current;
    if (began) {
      const [dx, dy] = [pixel.x - began.x, pixel.y - began.y];
      began.moved ||= Math.hypot(dx, dy) > CLICK;
      if (began.moved) {
        props.onCell(undefined, undefined);
        look(within({ ...began.from, x: began.from.x + dx, y: began.from.y + dy }, props.chip, area()));
        return;
      }
    }
    props.onCell(cell, pixel);
  };
  const onPointerUp = (event: PointerEvent) => {
    const began = drag.current;
    drag.current = undefined;
    if (!began || began.moved) return;
    const { cell, pixel } = at(event);
    props.onCell(cell, pixel);
    // A finger cannot point without a touch: the first touch shows the cell.
    if (cell !== undefined && event.pointerType === 'mouse') props.onChoose(cell);
  };
  /** Position of the keyboard's cell, pixels. */
  const chosenPlace = () => {
    if (props.cell === undefined) return undefined;
    const { scale, x, y } = shown(props.chip);
    const middle = middleOf(props.chip, props.cell);
    return { x: x + middle.x * scale, y: y + middle.y * scale };
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const arrow = ARROWS[event.key];
    const { chip, cell } = props;
    if (arrow && event.shiftKey) {
      const { scale, x, y } = shown(chip);
      look(within({ scale, x: x - 60 * arrow[0], y: y - 60 * arrow[1] }, chip, area()));
    } else if (arrow) {
      const next = cell === undefined ? firstCell(props) : cellTowards(chip, cell, arrow[0], arrow[1]);
      if (next !== undefined) {
        look(showing(shown(chip), middleOf(chip, next), chip, area()));
        props.onCell(next, undefined);
      }
    } else if (event.key === 'Enter' && cell !== undefined) props.onChoose(cell);
    else if (event.key === '+' || event.key === '=') zoom(STEP, chosenPlace());
    else if (event.key === '-') zoom(1 / STEP, chosenPlace());
    else if (event.key === '0') look(fitted(chip, area()));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={host}
      className="chip"
      role="application"
      aria-roledescription={t.chipRole}
      aria-label={props.label}
      aria-describedby={props.describedBy}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys go from cell to cell
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <canvas
        ref={canvas}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          drag.current = { ...at(event).pixel, moved: false, from: shown(props.chip) };
        }}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={() => {
          drag.current = undefined;
        }}
        onPointerLeave={() => {
          if (!drag.current) props.onCell(undefined, undefined);
        }}
      />
    </div>
  );
}
