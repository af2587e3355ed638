import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EMPTY_FORM, requestOf } from '../../../renderer/src/screens/node/signals/capture-form.ts';
import { Extremes } from '../../../renderer/src/screens/node/signals/recording/extremes.ts';
import { Traces } from '../../../renderer/src/screens/node/signals/recording/trace.ts';
import { VIRTUAL_BOARD_RECORDER } from '../../../renderer/src/screens/node/signals/recording-by.ts';
import { EMPTY_STEP, type StepForm } from '../../../renderer/src/screens/node/signals/trigger-form.ts';
import type { Lane } from '../../../renderer/src/screens/node/signals/waves/lanes.ts';
import { lanesOf } from '../../../renderer/src/screens/node/signals/waves/lanes.ts';
import { rowAt, topsOf } from '../../../renderer/src/screens/node/signals/waves/layout.ts';
import type { WaveRow } from '../../../server/contract/signals/waves.ts';
import { captureOf } from '../../support/renderer/capture.ts';
import { signalInfo as info, knownOf } from '../../support/renderer/signals.ts';

const known = knownOf(info('a', 1), info('word', 8), info('bus.cyc', 1));
const rows: WaveRow[] = [{ kind: 'signal', name: 'word' }];
const form = (...steps: Partial<StepForm>[]) => ({
  ...EMPTY_FORM,
  kind: 'sequence' as const,
  steps: steps.map((step) => ({ ...EMPTY_STEP, ...step })),
});
const asked = (one: ReturnType<typeof form>, by = VIRTUAL_BOARD_RECORDER) =>
  requestOf(one, rows, known, () => ({}), by);

describe('a trigger of several steps', () => {
  test('becomes the request, without default values', () => {
    const made = asked(
      form(
        { signal: 'a', within: '5' },
        { kind: 'range', signal: 'word', value: '0x10', max: '31', count: '3', within: '1_000' },
        { kind: 'change', signal: 'word' },
        { kind: 'access', address: '0x4', direction: 'write' },
      ),
    );
    expect('request' in made && made.request.trigger).toEqual({
      kind: 'sequence',
      steps: [
        { kind: 'rising', signal: 'a' },
        { kind: 'range', signal: 'word', min: 16, max: 31, count: 3, within: 1000 },
        { kind: 'change', signal: 'word' },
        { kind: 'access', address: 4, direction: 'write' },
      ],
    });
  });

  test.each([
    [{ signal: 'nothing' }, { signal: expect.any(String) }],
    [{ signal: 'word' }, { signal: expect.any(String) }],
    [{ kind: 'range', signal: 'word', value: '9', max: '3' }, { max: expect.any(String) }],
    [{ kind: 'value', signal: 'word', value: '256' }, { value: expect.any(String) }],
    [{ signal: 'a', count: '0' }, { count: expect.any(String) }],
    [{ signal: 'a', within: 'soon' }, { within: expect.any(String) }],
  ] as const)('%o reports its errors', (step, problems) => {
    const made = asked(form({ signal: 'a' }, step));
    expect('problems' in made && made.problems.steps).toEqual([{}, problems]);
  });

  test('is refused for a capture core', () => {
    const made = asked(form({ signal: 'a' }), { ...VIRTUAL_BOARD_RECORDER, using: 'core' });
    expect('problems' in made && made.problems.kind).toContain('capture core');
  });
});

test('a recording re-arms on request, unless the clock stops', () => {
  const made = (again: boolean, after: 'run' | 'pause') =>
    requestOf({ ...EMPTY_FORM, again, after }, rows, known, () => ({}));
  const rearm = (one: ReturnType<typeof made>) => 'request' in one && one.request.rearm;
  expect([rearm(made(true, 'run')), rearm(made(false, 'run')), rearm(made(true, 'pause'))]).toEqual([
    10_000,
    undefined,
    undefined,
  ]);
});

test('signals of decoders are recorded too, once', () => {
  const decoder: WaveRow = { kind: 'decoder', protocol: 'i2c', scl: 'a', sda: 'word[0]' };
  const made = requestOf(EMPTY_FORM, [{ kind: 'signal', name: 'a' }, decoder], known, () => ({}));
  expect('request' in made && made.request.signals).toEqual(['a', 'word[0]']);
});

test('the least and the greatest value of any pieces, plain and signed', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(255), { minLength: 1, maxLength: 400 }),
      fc.nat(399),
      fc.nat(399),
      fc.boolean(),
      (values, one, other, signed) => {
        const trace = new Traces(captureOf({ a: { width: 8, values } })).of('a')!;
        const pieces = Array.from(trace.starts, (start) => values[start]!).map((value) =>
          signed && value > 127 ? value - 256 : value,
        );
        const [first, last] = [one, other].map((at) => at % pieces.length).sort((a, b) => a - b);
        const part = pieces.slice(first, last! + 1);
        expect(new Extremes(trace, signed).of(first!, last!)).toEqual([Math.min(...part), Math.max(...part)]);
      },
    ),
  );
});

test('a curve is three rows high, and the lanes below move down', () => {
  const lanes: Lane[] = lanesOf(
    [
      { kind: 'signal', name: 'a', curve: 'step' },
      { kind: 'signal', name: 'word', curve: 'linear' },
      { kind: 'signal', name: 'a' },
    ],
    known,
    () => ({}),
    false,
  );
  const tops = topsOf(lanes);
  expect(tops).toEqual([0, 24, 96, 120]);
  expect([0, 23, 24, 95, 96, 119, 500].map((y) => rowAt(tops, y))).toEqual([0, 0, 1, 1, 2, 2, 2]);
  expect(rowAt([0], 10)).toBe(0);
});
