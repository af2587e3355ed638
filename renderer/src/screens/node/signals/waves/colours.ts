import type { Paint } from './paint.ts';
import { type Pixel, pixelOf } from './surface.ts';

/** Tokens of the theme, and the system's colours for them if colours are forced. */
const TOKENS: Readonly<Record<Exclude<keyof Paint, 'cursors'> | 'a' | 'b', [token: string, forced: string]>> =
  {
    paper: ['panel', 'Canvas'],
    stripe: ['hover', 'Canvas'],
    line: ['line', 'GrayText'],
    ink: ['ink', 'CanvasText'],
    faint: ['ink-3', 'CanvasText'],
    wave: ['reserved', 'CanvasText'],
    busy: ['busy', 'CanvasText'],
    failed: ['error', 'Highlight'],
    soft: ['busy-soft', 'Canvas'],
    differs: ['error-soft', 'Canvas'],
    other: ['warn', 'GrayText'],
    trigger: ['warn', 'Highlight'],
    a: ['accent', 'Highlight'],
    b: ['plot-6', 'Highlight'],
  };

/** The colours of an element's theme, or of the system, as pixels. */
export function paintOf(element: HTMLElement): Paint {
  const forced = window.matchMedia('(forced-colors: active)').matches;
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const style = getComputedStyle(element);
  const of = (name: keyof typeof TOKENS): Pixel => {
    const [token, system] = TOKENS[name];
    if (!context) return 0;
    context.fillStyle = forced ? system : style.getPropertyValue(`--${token}`).trim();
    context.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
    return pixelOf(red, green, blue);
  };
  return {
    ...{ paper: of('paper'), stripe: of('stripe'), line: of('line'), ink: of('ink'), faint: of('faint') },
    ...{ wave: of('wave'), busy: of('busy'), failed: of('failed'), soft: of('soft') },
    ...{ differs: of('differs'), other: of('other') },
    trigger: of('trigger'),
    cursors: [of('a'), of('b')],
  };
}
