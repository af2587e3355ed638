// @vitest-environment happy-dom
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RegisterMap } from '../../renderer/src/screens/node/registers/map/register-map.ts';
import {
  asciiOf,
  compared,
  dumpBytes,
  dumpText,
} from '../../renderer/src/screens/node/registers/memory/memory.ts';
import { samplesToCsv } from '../../renderer/src/screens/node/registers/plot/samples-file.ts';
import { parseCommand } from '../../renderer/src/screens/node/registers/transactions/command.ts';
import { toJson } from '../../renderer/src/screens/node/registers/transactions/history-files.ts';
import { watchRows } from '../../renderer/src/screens/node/registers/watch/watch-rows.ts';
import {
  beginBuild,
  knownValues,
  MOST_SAMPLES,
  recordWords,
  seriesOf,
  toBursts,
} from '../../renderer/src/state/samples.ts';

const map: RegisterMap = {
  name: 'm',
  registers: [
    { name: 'CTRL', address: 0, access: 'rw', fields: [{ name: 'MODE', msb: 2, lsb: 1 }] },
    { name: 'STATUS', address: 4, access: 'ro', fields: [] },
    { name: 'PUSH', address: 8, access: 'wo', fields: [] },
  ],
};

test.each([
  ['ctrl', { op: 2, address: 0, count: 1 }],
  ['CTRL x3', { op: 2, address: 0, count: 3 }],
  ['CTRL=0b101', { op: 1, address: 0, data: [5] }],
  ['CTRL.MODE', { op: 2, address: 0, count: 1 }],
  ['ctrl.mode=3', { op: 'field', address: 0, field: map.registers[0]?.fields[0], value: 3 }],
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

test('bursts read every address once, neighbours together, none longer than allowed', () => {
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

test('a value that is another one than at the read before is marked until it is read again', () => {
  recordWords(1, 16, [5], false, 1000);
  expect(knownValues(1).get(16)).toEqual({ value: 5, previous: undefined, at: 1000, changed: false });
  recordWords(1, 16, [6], false, 2000);
  expect(knownValues(1).get(16)).toEqual({ value: 6, previous: 5, at: 2000, changed: true });
  recordWords(1, 16, [6], false, 3000);
  expect(knownValues(1).get(16)?.changed).toBe(false);
  expect(seriesOf(1, 16)).toEqual({ times: [1, 2, 3], values: [5, 6, 6] });
});

test('a burst on one address shows its last word, a long burst fills no rows but renews those there', () => {
  recordWords(2, 0, [1, 2, 3], true, 1000);
  expect([...knownValues(2)].map(([address, { value }]) => [address, value])).toEqual([[0, 3]]);
  recordWords(
    2,
    0,
    Array.from({ length: 100 }, (_, i) => 7 + i),
    false,
    2000,
  );
  expect([...knownValues(2)].map(([address, { value }]) => [address, value])).toEqual([[0, 7]]);
});

test('another design begins without the values of the one before', () => {
  beginBuild(3, 'a');
  recordWords(3, 0, [1], false, 1000);
  beginBuild(3, 'a');
  beginBuild(3, undefined);
  expect(knownValues(3).size).toBe(1);
  beginBuild(3, 'b');
  expect(knownValues(3).size).toBe(0);
});

test('samples stay bounded', () => {
  for (let i = 0; i < MOST_SAMPLES * 1.3; i += 1) recordWords(4, 0, [i], false, i * 1000);
  const { times, values } = seriesOf(4, 0);
  expect(times.length).toBe(values.length);
  expect(times.length).toBeLessThanOrEqual(MOST_SAMPLES * 1.1);
  expect(values.at(-1)).toBe(Math.ceil(MOST_SAMPLES * 1.3) - 1);
});

test('curves are exported as one table over their times', () => {
  expect(
    samplesToCsv([
      { name: 'A', series: { times: [0, 1], values: [1, 2] } },
      { name: 'B', series: { times: [1, 2], values: [0xffff_ffff, 3] } },
    ]),
  ).toBe(
    'time,A,B\r\n1970-01-01T00:00:00.000Z,1,\r\n1970-01-01T00:00:01.000Z,2,4294967295\r\n' +
      '1970-01-01T00:00:02.000Z,,3\r\n',
  );
});

test('the watch has pinned rows on top, then those of the map and those that were read', () => {
  recordWords(5, 0x40, [1], false, 1000);
  const rows = watchRows(map, knownValues(5), [0x80, 4], new Set([0, 4]));
  expect(rows.map((row) => (row.kind === 'field' ? row.field.name : row.address))).toEqual([
    0x80,
    4,
    0,
    'MODE',
    8,
    0x40,
  ]);
});

test('a dump has plain words with their characters, and the bytes of a word lowest first', () => {
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

test('the history as JSON says everything of a transaction', () => {
  const [one] = JSON.parse(
    toJson([
      {
        id: 1,
        at: 0,
        request: { op: 2, address: 16, count: 2, fixed_address: true },
        state: 'failed',
        data: [],
        milliseconds: 1.234,
        failure: { message: 'The bridge is silent.', remedy: 'Reset it.' },
        polled: true,
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
    polled: true,
    failure: 'The bridge is silent.',
  });
});
