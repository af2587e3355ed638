import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  arranged,
  isChanged,
  moved,
  placeAt,
  withCard,
} from '../../../renderer/src/screens/node/panel/arrangement.ts';

const names = fc.uniqueArray(fc.constantFrom<string[]>('a', 'b', 'c', 'd', 'e'), { maxLength: 5 });

test('an arrangement contains every port once, in the chosen order', () => {
  fc.assert(
    fc.property(names, fc.array(fc.constantFrom<string[]>('a', 'b', 'c', 'x')), (ports, order) => {
      const shown = arranged(ports, order);
      expect([...shown].sort()).toEqual([...ports].sort());
      const placed = shown.filter((name) => order.includes(name));
      expect(placed).toEqual([...new Set(order)].filter((name) => ports.includes(name)));
    }),
  );
  expect(arranged(['a', 'b', 'c'], undefined)).toEqual(['a', 'b', 'c']);
});

test('a moved card takes the new position, and the others retain their order', () => {
  fc.assert(
    fc.property(names, fc.integer({ min: -2, max: 7 }), (ports, place) => {
      const [name] = ports;
      if (name === undefined) return;
      const next = moved(ports, name, place);
      expect(next.filter((one) => one !== name)).toEqual(ports.slice(1));
      expect(next.indexOf(name)).toBe(Math.max(0, Math.min(ports.length - 1, place)));
    }),
  );
});

test('the drop position is before a card or, beyond its middle, after it', () => {
  const boxes = [0, 1, 2].map((at) => ({ left: at * 100, top: 0, width: 100, height: 50 }));
  expect([110, 190, 210, 290, 50].map((x) => placeAt(boxes, 0, x, 10))).toEqual([0, 1, 1, 2, null]);
  expect([10, 90, 110].map((x) => placeAt(boxes, 2, x, 10))).toEqual([0, 1, 1]);
  expect(placeAt(boxes, 0, 110, 60)).toBeNull();
});

test('a card without changes is not stored', () => {
  const panel = { ports: {}, cards: { a: { label: 'A' }, b: { width: 3 } } };
  expect(withCard(panel, 'a', { size: 'large' }).cards?.['a']).toEqual({ label: 'A', size: 'large' });
  expect(withCard(panel, 'a', { label: '' }).cards).toEqual({ b: { width: 3 } });
  const none = withCard({ ports: {}, cards: { b: { width: 3 } } }, 'b', { width: undefined });
  expect([isChanged(none), isChanged(panel), isChanged({ ports: {}, order: [] })]).toEqual([
    false,
    true,
    true,
  ]);
});
