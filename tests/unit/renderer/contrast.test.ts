import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const css = readFileSync(path.join(import.meta.dirname, '../../../renderer/src/styles/tokens.css'), 'utf8');

/** The custom properties of a block that are plain colours. */
function colours(selector: string): Record<string, string> {
  const from = css.indexOf(`${selector} {`);
  const block = css.slice(from, css.indexOf('}', from));
  return Object.fromEntries(
    [...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map((match) => [match[1], match[2]]),
  );
}

type Rgb = [number, number, number];

const channels = (hex: string): Rgb => {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
};
const linear = (c: number): number => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const luminance = ([r, g, b]: Rgb): number => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);

/** Contrast as WCAG 2.2 defines it. */
function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(channels(a)), luminance(channels(b))].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

const SURFACES = ['ground', 'panel', 'raised'];
const STATES = ['idle', 'busy', 'reserved', 'error', 'warn'];

describe.each([
  ['light', colours(':root')],
  ['dark', { ...colours(':root'), ...colours(':root[data-theme="dark"]') }],
])('%s theme', (_, theme) => {
  const of = (name: string): string => {
    const colour = theme[name];
    if (!colour) throw new Error(`no colour ${name}`);
    return colour;
  };
  const pairs = (texts: string[], surfaces: string[]) =>
    texts.flatMap((text) =>
      surfaces.map((surface) => [text, surface, contrast(of(text), of(surface))] as const),
    );

  test('text is readable on every surface (AA, 4.5 : 1)', () => {
    const faint = [
      ...pairs(['ink', 'ink-2', 'ink-3', 'accent', ...STATES], SURFACES),
      ...pairs(['ink', 'ink-2', 'ink-3'], ['sunken', 'hover']),
      ...STATES.map((state) => [state, `${state}-soft`, contrast(of(state), of(`${state}-soft`))] as const),
      ...pairs(['accent', 'ink'], ['accent-soft']),
      ...pairs(['on-accent'], ['accent', 'accent-hover']),
      // The number of a node on the colour of its state.
      ...pairs(['on-state'], ['busy', 'reserved', 'error']),
      ...pairs(['ink'], ['error-soft', 'warn-soft', 'mark', 'mark-now']),
      ...pairs(
        ['code-keyword', 'code-type', 'code-number', 'code-string', 'code-comment', 'code-meta'],
        ['panel'],
      ),
    ].filter(([, , ratio]) => ratio < 4.5);
    expect(faint).toEqual([]);
  });

  test('edges of controls, focus and plots stand out (3 : 1)', () => {
    const faint = [
      ...pairs(['edge', 'focus'], SURFACES),
      ...pairs(['plot-1', 'plot-2', 'plot-3', 'plot-4', 'plot-5', 'plot-6'], ['panel']),
    ].filter(([, , ratio]) => ratio < 3);
    expect(faint).toEqual([]);
  });
});
