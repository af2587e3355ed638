import fc from 'fast-check';
import { expect, test } from 'vitest';
import { crossings, sideOf } from '../../../renderer/src/screens/node/registers/plot/crossings.ts';
import { drawPicture } from '../../../renderer/src/screens/node/registers/plot/draw.ts';
import { onAxis } from '../../../renderer/src/screens/node/registers/plot/scale.ts';
import { SvgContext } from '../../../renderer/src/screens/node/registers/plot/svg-context.ts';
import { Series } from '../../../renderer/src/state/samples/series.ts';

const seriesOf = (...values: number[]): Series => {
  const series = new Series();
  for (const [index, value] of values.entries()) series.push(index + 1, value);
  return series;
};
const BEGIN = { until: 0, side: undefined };

test('an alert marks the first value outside on each side, ignoring gaps', () => {
  const series = seriesOf(5, 12, 13, Number.NaN, 14, 5, 1, 12);
  const { found, looked } = crossings(series, { below: 2, above: 10 }, BEGIN);
  expect(found.map(({ time, side }) => [time, side])).toEqual([
    [2, 'above'],
    [7, 'below'],
    [8, 'above'],
  ]);
  expect(looked).toEqual({ until: 8, side: 'above' });
  series.push(9, 13);
  expect(crossings(series, { above: 10 }, looked).found).toEqual([]);
});

test('a negative limit compares words as signed', () => {
  expect(sideOf(0xffff_fffe, { below: -1 })).toBe('below');
  expect(sideOf(5, { below: -1 })).toBeUndefined();
  expect(sideOf(0xffff_fffe, { above: 10 })).toBe('above');
});

test('samples give the same alerts however often they are scanned', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20 })), fc.array(fc.nat(30)), (values, looks) => {
      const limits = { below: 3, above: 15 };
      const whole = crossings(seriesOf(...values), limits, BEGIN).found;
      const series = new Series();
      let looked: Parameters<typeof crossings>[2] = BEGIN;
      const found = [];
      for (const [index, value] of values.entries()) {
        series.push(index + 1, value);
        if (!looks.includes(index) && index + 1 < values.length) continue;
        const look = crossings(series, limits, looked);
        found.push(...look.found);
        looked = look.looked;
      }
      expect(found).toEqual(whole);
    }),
  );
});

test('hex on the axis is grouped as words are', () => {
  expect([0, 0xffff, 0x1_0000, 0xcafe_f00d].map((value) => onAxis(value, 'hex'))).toEqual([
    '0x0',
    '0xFFFF',
    '0x1_0000',
    '0xCAFE_F00D',
  ]);
});

test('the plot as SVG is well formed, with its limits, names and marks', () => {
  const svg = new SvgContext();
  const curve = { address: 0, name: 'A<B', series: seriesOf(1, 5, 9), live: true, alerts: [3] };
  drawPicture(
    svg as unknown as CanvasRenderingContext2D,
    600,
    300,
    {
      ...{ from: 0, to: 10, now: 10, curves: [{ ...curve, limits: { above: 7 } }], lanes: [], writes: [2] },
      ...{ markers: [4], cursor: undefined, selection: undefined, separate: false, format: 'hex' },
    },
    (token) => `var(--${token})`,
  );
  const text = svg.toSvg(600, 300, 'white');
  const parsed = new DOMParser().parseFromString(text, 'text/html').querySelector('svg');
  expect(parsed?.getAttribute('viewBox')).toBe('0 0 600 300');
  expect(text.match(/<g/g)).toHaveLength(text.match(/<\/g>/g)?.length ?? 0);
  expect(text).toContain('stroke="var(--error)"');
  expect(text).toContain('fill="var(--error)"');
  expect(text).not.toMatch(/NaN|undefined/);
});
