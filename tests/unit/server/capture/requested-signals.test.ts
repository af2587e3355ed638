import { expect, test } from 'vitest';
import {
  omitUnknown,
  requestedSignals,
  triggerSignals,
} from '../../../../server/capture/requested-signals.ts';
import { SymbolTable } from '../../../../server/symbols/symbols.ts';

const signal = (name: string, places: (string | null)[]) => ({
  name,
  kind: 'register' as const,
  low: 0,
  ascending: false,
  places,
});

const table = new SymbolTable({
  version: 1,
  signals: [
    signal('count', ['x1y1/lc0', 'x1y1/lc1', null, null]),
    signal('gone', [null, null]),
    signal('state', ['x2y2/lc0']),
  ],
  bus: [],
  omitted: 0,
});
const places = (names: string[]) => requestedSignals(table, names).map((one) => one.places);
const refused = expect.objectContaining({ code: 'signal_lost' });

test('a lost part of an existing signal is recorded as unknown', () => {
  expect(places(['count[3:2]', 'state'])).toEqual([[null, null], ['x2y2/lc0']]);
  expect(places(['count[2:1]'])).toEqual([['x1y1/lc1', null]]);
});

test('an error suggests the nearest name with bits that remain', () => {
  const near = new SymbolTable({
    version: 1,
    signals: [signal('sum', [null]), signal('sum_q', ['x1y1/lc0']), signal('sum_d', [null])],
    bus: [],
    omitted: 0,
  });
  expect(() => requestedSignals(near, ['sum'])).toThrow(/Nothing is left of sum .* Did you mean sum_q\?/);
  expect(() => requestedSignals(near, ['sun_d'])).toThrow(/no signal sun_d.* Did you mean sum_q\?/);
});

test('refuses a lost signal by name, and a recording without any bit', () => {
  expect(() => requestedSignals(table, ['state', 'gone'])).toThrow(/Nothing is left of gone /);
  expect(() => requestedSignals(table, ['count[3]', 'count[2]'])).toThrow(/count\[3\], count\[2\]/);
});

test('signals unknown to the board count as lost; a trigger on one is refused', () => {
  const unknown = new Set(['x1y1/lc0', 'x1y1/lc1']);
  const asked = requestedSignals(table, ['count', 'state']);
  expect(() => omitUnknown(asked, unknown)).toThrow(expect.objectContaining({ code: 'signal_lost' }));
  expect(omitUnknown(asked, new Set(['x1y1/lc0']))[0]?.places).toEqual([null, 'x1y1/lc1', null, null]);
  expect(() => triggerSignals(table, ['count[3]'])).toThrow(refused);
  const [trigger] = triggerSignals(table, ['count[1:0]']);
  expect(() => omitUnknown(trigger ? [trigger] : [], unknown)).toThrow(refused);
});
