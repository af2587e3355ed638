import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Register, RegisterMap } from '../../../renderer/src/screens/node/registers/map/register-map.ts';
import {
  asciiOf,
  compared,
  dumpBytes,
  dumpText,
} from '../../../renderer/src/screens/node/registers/memory/memory.ts';
import { samplesToCsv } from '../../../renderer/src/screens/node/registers/plot/samples-file.ts';
import { parseCommand } from '../../../renderer/src/screens/node/registers/transactions/command.ts';
import { toJson } from '../../../renderer/src/screens/node/registers/transactions/history-files.ts';
import { watchRows } from '../../../renderer/src/screens/node/registers/watch/watch-rows.ts';
import { toBursts } from '../../../renderer/src/state/page/bursts.ts';
import {
  beginBuild,
  isLive,
  lastValuesOf,
  markStale,
  recordChange,
  recordWords,
  seriesOf,
  setLive,
} from '../../../renderer/src/state/samples/samples.ts';
import { MAX_SAMPLES, Series } from '../../../renderer/src/state/samples/series.ts';

const map: RegisterMap = {
  name: 'm',
  registers: [
    {
      name: 'CTRL',
      address: 0,
      access: 'rw',
      fields: [{ name: 'MODE', msb: 2, lsb: 1, values: { 0: 'off', 3: 'full speed' } }],
    },
    { name: 'STATUS', address: 4, access: 'ro', fields: [] },
    { name: 'PUSH', address: 8, access: 'wo', fields: [] },
  ],
};

test.each([
  ['ctrl', { op: 2, address: 0, count: 1 }],
  ['CTRL x3', { op: 2, address: 0, count: 3 }],
  ['CTRL=0b101', { op: 1, address: 0, data: [5] }],
  ['CTRL.MODE', { op: 2, address: 0, count: 1 }],
  ['ctrl.mode=3', { op: 'field', register: map.registers[0], field: map.registers[0]?.fields[0], value: 3 }],
  [
    'CTRL.MODE= Full Speed',
    { op: 'field', register: map.registers[0], field: map.registers[0]?.fields[0], value: 3 },
  ],
  ['CTRL.MODE=-1', { op: 'field', register: map.registers[0], field: map.registers[0]?.fields[0], value: 3 }],
  ['CTRL.MODE=-3', { problem: 'field' }],
  ['CTRL.MODE=half', { problem: 'field' }],
  ['CTRL.MODE=1,2', { problem: 'field' }],
  ['CTRL.MODE=4', { problem: 'field' }],
  ['CTRL.NONE', { problem: 'address' }],
  ['STATUS=1', { problem: 'readOnly' }],
  ['PUSH', { problem: 'writeOnly' }],
  ['PUSH=1,2,3 fixed', { op: 1, address: 8, data: [1, 2, 3], fixed_address: true }],
  ['0x20 x4 fixed', { op: 2, address: 32, count: 4, fixed_address: true }],
  ['0xFFFFFFFC x4 fixed', { op: 2, address: 0xffff_fffc, count: 4, fixed_address: true }],
  ['0xFFFFFFFC x4', { problem: 'range' }],
])('%s is understood with a map', (typed, expected) => {
  expect(parseCommand(typed, 100, map)).toEqual(expected);
});

test('bursts read every address once, join neighbours and stay within the limit', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 60 })), fc.integer({ min: 1, max: 8 }), (words, most) => {
      const bursts = toBursts(
        words.map((word) => 4 * word),
        most,
      );
      const read = bursts.flatMap(({ address, count }) =>
        Array.from({ length: count }, (_, i) => address + 4 * i),
      );
      expect(read).toEqual([...new Set(words)].sort((a, b) => a - b).map((word) => 4 * word));
      for (const { count } of bursts) expect(count).toBeLessThanOrEqual(most);
    }),
  );
});

test('a changed value is marked until the next read', () => {
  recordWords(1, 16, [5], false, 1000);
  expect(lastValuesOf(1).get(16)).toEqual({
    ...{ value: 5, previous: undefined, at: 1000 },
    ...{ changed: false, stale: false, written: false },
  });
  recordWords(1, 16, [6], false, 2000);
  expect(lastValuesOf(1).get(16)).toEqual({
    ...{ value: 6, previous: 5, at: 2000 },
    ...{ changed: true, stale: false, written: false },
  });
  recordWords(1, 16, [6], false, 3000);
  expect(lastValuesOf(1).get(16)?.changed).toBe(false);
  expect(samplesOf(seriesOf(1, 16))).toEqual([
    [1, 5],
    [2, 6],
    [3, 6],
  ]);
});

test('a written word is marked until it is read, by any means', () => {
  recordWords(8, 0, [5, 6], false, 1000, true);
  const written = () => [...lastValuesOf(8).values()].map((known) => known.written);
  expect(written()).toEqual([true, true]);
  recordWords(8, 0, [5], false, 2000);
  expect(written()).toEqual([false, true]);
  // The same word as was written: the poll has still read it.
  recordChange(8, 4, [6], 3000);
  expect(written()).toEqual([false, false]);
});

test('a fixed-address burst shows its last word; a long burst adds no rows but updates existing ones', () => {
  recordWords(2, 0, [1, 2, 3], true, 1000);
  expect([...lastValuesOf(2)].map(([address, { value }]) => [address, value])).toEqual([[0, 3]]);
  recordWords(
    2,
    0,
    Array.from({ length: 100 }, (_, i) => 7 + i),
    false,
    2000,
  );
  expect([...lastValuesOf(2)].map(([address, { value }]) => [address, value])).toEqual([[0, 7]]);
});

test('another design starts without earlier values', () => {
  beginBuild(3, 'a');
  recordWords(3, 0, [1], false, 1000);
  beginBuild(3, 'a');
  beginBuild(3, undefined);
  expect(lastValuesOf(3).size).toBe(1);
  beginBuild(3, 'b');
  expect(lastValuesOf(3).size).toBe(0);
});

const samplesOf = (series: Series) =>
  Array.from({ length: series.length }, (_, index) => [series.time(index), series.value(index)]);

test('a polled register is sampled on change, holds while polled, then becomes unknown', () => {
  setLive(6, new Set([8]), 0);
  recordChange(6, 4, [1, 2], 1000);
  recordChange(6, 4, [1, 3], 2000);
  recordChange(6, 4, [1, 3], 3000);
  expect(samplesOf(seriesOf(6, 4))).toEqual([[1, 1]]);
  expect(samplesOf(seriesOf(6, 8))).toEqual([
    [1, 2],
    [2, 3],
  ]);
  expect(lastValuesOf(6).get(8)).toMatchObject({ value: 3, at: 3000, changed: false });
  expect(isLive(6, 8)).toBe(true);
  setLive(6, new Set(), 5000);
  expect(seriesOf(6, 8).valueAt(4.9)).toBe(3);
  expect(seriesOf(6, 8).valueAt(5.1)).toBeUndefined();
  // The same word after a gap is a sample again.
  recordChange(6, 8, [3], 6000);
  expect(seriesOf(6, 8).valueAt(6.1)).toBe(3);
});

test('a word read before a reset is stale until it is read again', () => {
  recordWords(7, 0, [1, 2], false, 1000);
  markStale(7);
  expect([...lastValuesOf(7).values()].map(({ stale }) => stale)).toEqual([true, true]);
  recordChange(7, 0, [1], 2000);
  expect([...lastValuesOf(7).values()].map(({ stale }) => stale)).toEqual([false, true]);
});

test('samples are limited, and the newest remain', () => {
  const series = new Series();
  const count = Math.ceil(MAX_SAMPLES * 2.3);
  for (let i = 0; i < count; i += 1) series.push(i, i);
  expect(series.length).toBe(MAX_SAMPLES);
  expect(series.time(0)).toBe(count - MAX_SAMPLES);
  expect(series.value(series.length - 1)).toBe(count - 1);
  expect(series.valueAt(count - 10.5)).toBe(count - 11);
  expect(series.valueAt(0)).toBeUndefined();
});

test('minimum and maximum of any range match its samples, also after the ring wraps', () => {
  const value = fc.oneof(fc.integer({ min: 0, max: 0xffff_ffff }), fc.constant(Number.NaN));
  fc.assert(
    fc.property(
      fc.array(value, { minLength: 1, maxLength: 700 }),
      fc.nat(700),
      fc.nat(700),
      fc.boolean(),
      (values, a, b, round) => {
        const series = new Series();
        const before = round ? MAX_SAMPLES - 100 : 0;
        for (let i = 0; i < before; i += 1) series.push(i, 7);
        values.forEach((one, i) => {
          series.push(before + i, one);
        });
        const all = samplesOf(series).map(([, one]) => one as number);
        const offset = Math.max(0, all.length - 700);
        const known = all
          .slice(offset + Math.min(a, b), offset + Math.max(a, b))
          .filter((one) => !Number.isNaN(one));
        expect(series.extent(offset + Math.min(a, b), offset + Math.max(a, b))).toEqual({
          low: Math.min(...known),
          high: Math.max(...known),
        });
        // The same words, read as signed ones.
        const signed = known.map((one) => one | 0);
        expect(series.extent(offset + Math.min(a, b), offset + Math.max(a, b), true)).toEqual({
          low: Math.min(...signed),
          high: Math.max(...signed),
        });
      },
    ),
    { numRuns: 40 },
  );
});

const seriesFrom = (...samples: [number, number][]): Series => {
  const series = new Series();
  for (const [time, value] of samples) series.push(time, value);
  return series;
};

test('curves are exported as one table over their times', () => {
  expect(
    samplesToCsv([
      { name: 'A', series: seriesFrom([0, 1], [1, 2], [2, Number.NaN]) },
      { name: 'B', series: seriesFrom([1, 0xffff_ffff], [2, 3]) },
    ]),
  ).toBe(
    'time,A,B\r\n1970-01-01T00:00:00.000Z,1,\r\n1970-01-01T00:00:01.000Z,2,4294967295\r\n' +
      '1970-01-01T00:00:02.000Z,?,3\r\n',
  );
});

test('the watch lists pinned rows first, then those of the map and those read', () => {
  recordWords(5, 0x40, [1], false, 1000);
  const rows = watchRows(map, lastValuesOf(5), [0x80, 4], new Set([0, 4]));
  const shown = rows.map((row) =>
    row.kind === 'field' ? row.field.name : row.kind === 'bits' ? `${row.msb}:${row.lsb}` : row.address,
  );
  expect(shown).toEqual([0x80, 4, '31:16', '15:0', 0, '31:16', '15:0', 'MODE', 8, 0x40]);
  const narrow = {
    ...map,
    registers: [{ ...map.registers[0], name: 'N', address: 0, width: 12 } as Register],
  };
  expect(
    watchRows(narrow, new Map(), [], new Set([0])).flatMap((row) => (row.kind === 'bits' ? [row.msb] : [])),
  ).toEqual([11]);
});

test('a dump has plain words with characters, and little-endian bytes', () => {
  const words = [0x6c6c_6548, 0x6f, 0xffff_ffff];
  expect(asciiOf(words[0] ?? 0)).toBe('Hell');
  expect(dumpText({ address: 0x10, words }, 2)).toBe(
    '0x00000010  6C6C6548 0000006F  |Hello...|\n0x00000018  FFFFFFFF           |....|\n',
  );
  expect([...dumpBytes(words)].slice(0, 5)).toEqual([0x48, 0x65, 0x6c, 0x6c, 0x6f]);
  const image = compared(0x10, [0x6c6c_6548, 0x70], compared(0x10, words, undefined));
  expect([...image.changed]).toEqual([1]);
  expect(compared(0x14, [1], image).changed.size).toBe(0);
});

test('the JSON history contains every property of a transaction', () => {
  const [one] = JSON.parse(
    toJson([
      {
        id: 1,
        at: 0,
        request: { op: 2, address: 16, fixed_address: true },
        count: 2,
        owner: 'ci',
        state: 'failed',
        data: [],
        milliseconds: 1.234,
        failure: { message: 'The bridge is silent.', remedy: 'Reset it.' },
      },
    ]),
  );
  expect(one).toEqual({
    time: '1970-01-01T00:00:00.000Z',
    operation: 'read',
    address: '0x00000010',
    fixed_address: true,
    words: 2,
    result: 'failed',
    round_trip_ms: 1.23,
    data: [],
    owner: 'ci',
    failure: 'The bridge is silent.',
  });
});
