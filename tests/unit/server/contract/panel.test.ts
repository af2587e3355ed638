import { expect, test } from 'vitest';
import { checkOf } from '../../../../server/contract/check.ts';
import { Panel } from '../../../../server/contract/designs/panel.ts';

const isPanel = checkOf(Panel);

test('accepts a panel of an earlier version and an arranged one', () => {
  expect(isPanel({ ports: { led: { look: 'bar' } } })).toBe(true);
  const cards = { led: { label: 'Speed', width: 12, size: 'large' }, $terminal: {} };
  expect(isPanel({ ports: {}, order: ['$terminal', 'led'], cards })).toBe(true);
});

test.each([
  { cards: { led: { width: 0 } } },
  { cards: { led: { width: 13 } } },
  { cards: { led: { size: 'huge' } } },
  { cards: { led: { label: 'x'.repeat(65) } } },
  { cards: { led: { colour: 'red' } } },
  { order: [''] },
  { order: Array.from({ length: 130 }, (_, at) => `p${at}`) },
])('%j is refused', (part) => {
  expect(isPanel({ ports: {}, ...part })).toBe(false);
});
