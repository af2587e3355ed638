import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isBetter } from '../../../renderer/src/screens/node/Difference.tsx';
import { pathRows } from '../../../renderer/src/screens/node/path-rows.ts';
import type { ComparedFigure } from '../../../server/contract/client/compare-reports.ts';

const step = (type: string, delay_ns: number) => ({ from: 'count', to: 'count', delay_ns, type });
const carries = (count: number) =>
  Array.from({ length: count }, (_, at) => [
    step('logic', 0.126),
    step('routing', at % 8 === 7 ? 0.196 : 0),
  ]).flat();

test('a carry chain becomes one row with its steps, and the rows around it stay', () => {
  const path = [step('clk-to-q', 0.54), step('routing', 0.9), step('logic', 0.259), step('routing', 0)];
  const rows = pathRows([...path, ...carries(25), step('logic', 0.315), step('setup', 0.335)]);
  expect(rows.map(({ kind }) => kind)).toEqual([
    ...['step', 'step', 'step', 'step', 'chain', 'step', 'step', 'step'],
  ]);
  const chain = rows[4];
  if (chain?.kind !== 'chain') throw new Error('no chain');
  expect(chain.steps).toHaveLength(49);
  expect(chain.steps.at(-1)?.at).toBeCloseTo(1.699 + 25 * 0.126 + 3 * 0.196);
});

test('three carries, and gates with long wires, form no chain', () => {
  const gates = Array.from({ length: 8 }, () => [step('logic', 0.315), step('routing', 0.59)]).flat();
  expect(pathRows([...carries(3), step('setup', 0.3), ...gates]).every(({ kind }) => kind === 'step')).toBe(
    true,
  );
});

test('rows contain every step of a path once, in order', () => {
  const steps = fc.array(
    fc.record({
      type: fc.constantFrom('logic', 'routing', 'setup'),
      delay_ns: fc.constantFrom(0, 0.126, 0.2, 1),
      from: fc.constant('a'),
      to: fc.constant('a'),
    }),
  );
  fc.assert(
    fc.property(steps, (path) => {
      const all = pathRows(path).flatMap((row) => (row.kind === 'step' ? [row.step] : row.steps));
      expect(all.map(({ index }) => index)).toEqual(path.map((_, index) => index));
    }),
  );
});

test.each([
  ['timing', 1.3, true],
  ['timing', -1.3, false],
  ['resource', -4, true],
  ['resource', 4, false],
  ['stage', 0.05, undefined],
  ['stage', 2, false],
  ['resource', 0, undefined],
] as const)('a difference in %s of %f is better: %s', (group, difference, better) => {
  const figure: ComparedFigure = { group, name: 'x', unit: '', before: 1, now: 1 + difference, difference };
  expect(isBetter(figure)).toBe(better);
});
