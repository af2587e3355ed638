import { describe, expect, test } from 'vitest';
import { EMPTY_FORM, formFor, requestOf } from '../../../renderer/src/screens/node/signals/capture-form.ts';
import { scopesOf } from '../../../renderer/src/screens/node/signals/hierarchy.ts';
import { namesFromMap } from '../../../renderer/src/screens/node/signals/map-names.ts';
import { frequencyText, timeText } from '../../../renderer/src/screens/node/signals/recording/time-text.ts';
import {
  recordingBy,
  VIRTUAL_BOARD_RECORDER,
} from '../../../renderer/src/screens/node/signals/recording-by.ts';
import {
  lanesOf,
  liveValue,
  movedRow,
  sampleNameOf,
} from '../../../renderer/src/screens/node/signals/waves/lanes.ts';
import {
  parseNames,
  parseValue,
  shortText,
  valueText,
} from '../../../renderer/src/screens/node/signals/waves/value-text.ts';
import type { WaveRow } from '../../../server/contract/signals/waves.ts';
import { signalInfo as info, knownOf } from '../../support/renderer/signals.ts';

const noNames = () => ({});

describe('values', () => {
  test.each([
    [0xdeadbeef, 32, 'hex', '0xDEAD_BEEF'],
    [200, 8, 'signed', '−56'],
    [5, 3, 'binary', '0b101'],
    [1234567, 32, 'decimal', '1_234_567'],
    [1, 1, 'hex', '1'],
    [2n ** 39n + 1n, 40, 'hex', '0x80_0000_0001'],
    [2n ** 40n - 2n, 40, 'signed', '−2'],
    [2n ** 39n, 40, 'decimal', '549_755_813_888'],
    [2, 2, 'names', 'stop'],
    [3, 2, 'names', '0x3'],
  ] as const)('%s of %i bits as %s is %s', (value, width, format, shown) => {
    expect(valueText(value, width, format, { 2: 'stop' })).toBe(shown);
  });

  test('digits that a lost bit is in are x', () => {
    expect(valueText(0x1234, 16, 'hex', {}, 0x0f10n)).toBe('0x1xx4');
    expect(valueText(0x2, 2, 'names', { 2: 'stop' }, 1n)).toBe('0xx');
    expect(valueText(0b100, 3, 'binary', {}, 0b10n)).toBe('0b1x0');
    expect(valueText(0, 1, 'hex', {}, 1n)).toBe('x');
    expect(valueText(200, 8, 'decimal', {}, 0x80n)).toBe('0xx8');
    expect(shortText(0x1234_5678, 32, 'hex', {}, 4, 0xf0n)).toBe('…6x8');
  });

  test.each([
    [0x12345678, 32, 'hex', 11, '0x1234_5678'],
    [0x12345678, 32, 'hex', 8, '12345678'],
    [0x12345678, 32, 'hex', 4, '…678'],
    [0x78, 32, 'hex', 4, '78'],
    [0, 32, 'hex', 3, '0'],
    [-56 & 0xff, 8, 'signed', 2, '…6'],
    [1234567, 32, 'decimal', 7, '1234567'],
    [2, 2, 'names', 2, 'stop'],
  ] as const)('%s of %i bits as %s in %i characters is %s', (value, width, format, room, shown) => {
    expect(shortText(value, width, format, { 2: 'stop' }, room)).toBe(shown);
  });

  test.each([
    ['42', 8, 42n],
    ['0xff', 8, 255n],
    ['0b1_01', 8, 5n],
    ['-1', 8, 255n],
    ['−128', 8, 128n],
    ['Stop', 8, 2n],
    ['256', 8, null],
    ['-129', 8, null],
    ['', 8, null],
    ['9x', 8, null],
  ])('“%s” for %i bits is read as %s', (text, width, value) => {
    expect(parseValue(text, width, { 2: 'stop' })).toBe(value);
  });

  test('value names are parsed from lines, and an invalid line is rejected', () => {
    expect(parseNames('0 idle\n0x1=run, 2: stop now')).toEqual({ 0: 'idle', 1: 'run', 2: 'stop now' });
    expect(parseNames('')).toEqual({});
    expect(parseNames('idle 0')).toBeNull();
  });

  test('names come from the register map’s field of the same name as the signal', () => {
    const map = {
      name: 'm',
      registers: [
        {
          ...{ name: 'CTRL', address: 0, access: 'rw' as const },
          fields: [{ name: 'STATE', msb: 1, lsb: 0, values: { 0: 'idle', 1: 'run' } }],
        },
      ],
    };
    expect(namesFromMap(map, 'core.state', 2)).toEqual({ 0: 'idle', 1: 'run' });
    expect(namesFromMap(map, 'ctrl', 2)).toEqual({ 0: 'idle', 1: 'run' });
    expect(namesFromMap(map, 'core.state', 3)).toEqual({});
  });

  test.each([
    [1, '83.33 ns'],
    [19, '1.583 µs'],
    [-12, '−1 µs'],
    [1200, '100 µs'],
    [12e6, '1 s'],
    [0, '0 s'],
  ])('%i clocks of 12 MHz are %s', (clocks, shown) => {
    expect(timeText(clocks, 12e6)).toBe(shown);
  });
});

test.each([
  [12e6, '12 MHz'],
  [1e6 / 3, '333.3 kHz'],
  [999_999, '1 MHz'],
  [0.5, '0.5 Hz'],
])('%f Hz are %s', (hz, shown) => {
  expect(frequencyText(hz)).toBe(shown);
});

describe('rows', () => {
  const rows: WaveRow[] = [
    { kind: 'signal' as const, name: 'a' },
    { kind: 'group' as const, title: 'G', folded: true },
    { kind: 'signal' as const, name: 'b[3:0]' },
  ];
  const known = knownOf(info('a', 1), info('b', 8));

  test('those of a folded group are hidden, and the group shows their number', () => {
    expect(lanesOf(rows, known, noNames, true).map(({ key }) => key)).toEqual([
      'transfers',
      'signal a',
      'group 1',
    ]);
    const open = lanesOf(rows.with(1, { kind: 'group', title: 'G' }), known, noNames, false);
    expect(open).toMatchObject([
      { name: 'a', inGroup: false },
      { title: 'G', count: 1 },
      { name: 'b[3:0]', width: 4, inGroup: true, info: { name: 'b' } },
    ]);
  });

  test('the value of a slice with lost bits is taken from the whole, which marks the loss', () => {
    const some = knownOf({ ...info('b', 8, 3), low: 8 }, info('c', 8));
    const wanted: WaveRow[] = ['b[11:8]', 'b[13:12]', 'b[8]', 'c[1]'].map((name) => ({
      kind: 'signal',
      name,
    }));
    const lanes = lanesOf(wanted, some, noNames, false).flatMap((lane) =>
      lane.kind === 'signal' ? lane : [],
    );
    expect(lanes.map(sampleNameOf)).toEqual(['b', 'b', 'b', 'c[1]']);
    const live = new Map([
      ['b', { name: 'b', width: 8, value: 0x36, lost: '0x31' }],
      ['c[1]', { name: 'c[1]', width: 1, value: 1 }],
    ]);
    expect(lanes.map((lane) => liveValue(lane, live))).toEqual([6, 'lost', 'lost', 1]);
    expect(lanes.map((lane) => liveValue(lane, new Map()))).toEqual(new Array(4).fill(undefined));
  });

  test('move by one position, within the ends', () => {
    expect(movedRow(rows, 2, -1)).toEqual([rows[0], rows[2], rows[1]]);
    expect(movedRow(rows, 0, -1)).toEqual(rows);
    expect(movedRow(rows, 2, 1)).toEqual(rows);
  });

  test('signals are grouped by instance, the top module first, then the bus', () => {
    const scopes = scopesOf(['u.b', 'bus.cyc', 'u[10].x', 'u[2].x', 'a'].map((name) => info(name, 1)));
    expect(scopes.map(({ path }) => path)).toEqual(['', 'bus', 'u', 'u[2]', 'u[10]']);
  });
});

describe('recording request', () => {
  const known = knownOf(info('a', 1), info('b', 8), info('gone', 4, 4), info('wide', 300));
  const rows = ['a', 'b', 'gone', 'unknown'].map((name) => ({ kind: 'signal' as const, name }));
  const asked = (change: Partial<typeof EMPTY_FORM>, of = rows) =>
    requestOf({ ...EMPTY_FORM, ...change }, of, known, noNames);

  test('has the available signals and the typed trigger', () => {
    expect(asked({})).toEqual({
      request: {
        ...{ signals: ['a', 'b'], trigger: { kind: 'now' }, depth: 1024, position: 0, every: 1 },
        ...{ deadline_seconds: 60, pause: false },
      },
    });
    expect(asked({ kind: 'value', signal: 'b', value: '-1', mask: '0xff', position: '10' })).toMatchObject({
      request: { trigger: { kind: 'value', signal: 'b', value: 255, mask: 255 }, position: 10 },
    });
    expect(asked({ kind: 'access', address: '0x4', direction: 'write', after: 'until' })).toMatchObject({
      request: { trigger: { kind: 'access', address: 4, direction: 'write' }, position: 1023, pause: true },
    });
  });

  test.each([
    [{ kind: 'rising', signal: 'b' }, 'signal'],
    [{ kind: 'rising', signal: 'c' }, 'signal'],
    [{ kind: 'value', signal: 'b', value: '256' }, 'value'],
    [{ kind: 'value', signal: 'b', value: '3', mask: '1' }, 'mask'],
    [{ kind: 'access', address: '3' }, 'address'],
    [{ depth: '65537' }, 'depth'],
    [{ depth: '10', position: '10', kind: 'rising', signal: 'a' }, 'position'],
    [{ every: '0' }, 'every'],
    [{ deadline: '1e9' }, 'deadline'],
  ] as const)('%o is refused for its %s', (change, field) => {
    expect(asked(change)).toMatchObject({ problems: { [field]: expect.any(String) } });
  });

  test('by a build’s core on a virtual board: requests the core within its limits', () => {
    const list = { build_id: 'b', signals: [], total: 0, omitted: 0, recorded_by: 'inside' as const };
    const core = { bits: 9, depth: 512 };
    expect(recordingBy({ ...list, core })).toEqual(VIRTUAL_BOARD_RECORDER);
    expect(recordingBy(list, true)).toEqual(VIRTUAL_BOARD_RECORDER);
    const by = recordingBy({ ...list, core }, true);
    const form = formFor(
      { ...EMPTY_FORM, kind: 'access', position: '600', after: 'until', every: '1000000' },
      by,
    );
    expect(form).toMatchObject({ depth: '512', position: '511', after: 'run', every: '65536' });
    const busy = knownOf(info('a', 1), info('bus.cyc', 1));
    expect(requestOf(form, rows, busy, noNames, by)).toMatchObject({
      request: { using: 'core', depth: 512, pause: false },
    });
    // A real board records by its core anyway.
    const real = recordingBy({ ...list, recorded_by: 'core', core });
    expect(requestOf(form, rows, busy, noNames, real)).not.toHaveProperty('request.using');
  });

  test('refuses no signals, and too many bits', () => {
    expect(asked({}, [])).toMatchObject({ problems: { signals: expect.any(String) } });
    const wide = asked({}, [{ kind: 'signal', name: 'wide' }]);
    expect(wide).toMatchObject({ problems: { signals: expect.stringContaining('300 bits') } });
  });
});
