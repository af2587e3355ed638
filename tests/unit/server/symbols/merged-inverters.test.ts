import { expect, test } from 'vitest';
import { mergedInverters } from '../../../../server/symbols/merged-inverters.ts';
import type { Place } from '../../../../server/symbols/symbols.ts';

const inverter = (input: number, output: number) => ({
  type: '$_NOT_',
  connections: { A: [input], Y: [output] },
});

test('a net after an inverter has the inverse place, under all its names', () => {
  const after: Record<string, Place[]> = { led_A: ['x1y2/lc3'], count: ['x1y2/lc4', null], high: ['1'] };
  const places = mergedInverters(
    {
      cells: { one: inverter(2, 3), two: inverter(3, 4), three: inverter(9, 10), four: inverter(7, 8) },
      netnames: {
        led_A: { bits: [2] },
        led: { bits: [3] },
        'unit.enable': { bits: [3] },
        dark: { bits: [4] },
        count: { bits: [5, 8] },
        count_A: { bits: [7] },
        high: { bits: [9] },
        low: { bits: [10] },
      },
    },
    (net, index) => after[net]?.[index] ?? null,
  );
  expect(Object.fromEntries(places)).toEqual({
    2: 'x1y2/lc3',
    3: '!x1y2/lc3',
    4: 'x1y2/lc3',
    5: 'x1y2/lc4',
    9: '1',
    10: '0',
  });
});
