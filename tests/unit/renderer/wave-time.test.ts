import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { measure } from '../../../renderer/src/screens/node/signals/recording/measure.ts';
import { clocksAt } from '../../../renderer/src/screens/node/signals/recording/samples.ts';
import { sampleOfClocks, timeMarks } from '../../../renderer/src/screens/node/signals/recording/time-text.ts';
import { Traces } from '../../../renderer/src/screens/node/signals/recording/trace.ts';
import {
  sampleAtTime,
  timeOfSample,
} from '../../../renderer/src/screens/node/signals/recording/wall-time.ts';
import { withMarker } from '../../../renderer/src/screens/node/signals/waves/Markers.tsx';
import { captureOf } from '../../support/renderer/capture.ts';

const zeros = (samples: number) => ({ a: { width: 1, values: new Array<number>(samples).fill(0) } });

describe('the time axis', () => {
  const marks = (perPixel: number, more: Parameters<typeof captureOf>[1] = {}, from = 0) =>
    timeMarks(captureOf(zeros(2000), more).view, { from, perPixel }, 500, 100).map(({ text }) => text);

  test('marks are round times in one unit, counted from the trigger', () => {
    expect(marks(4)).toEqual(['0', '50 µs', '100 µs', '150 µs']);
    expect(marks(1 / 32)).toEqual(['0', '0.5 µs', '1.0 µs']);
    expect(marks(1, { trigger_sample: 240 })).toEqual(['−20 µs', '−10 µs', '0', '10 µs', '20 µs']);
    expect(marks(4, { every: 12_000 })).toEqual(['0', '0.5 s', '1.0 s', '1.5 s', '2.0 s']);
  });

  test('a mark is at the sample of its time', () => {
    const { view } = captureOf(zeros(2000), { trigger_sample: 240 });
    for (const { sample, text } of timeMarks(view, { from: 0, perPixel: 1 }, 500, 100))
      expect(clocksAt(view, sample) / 12).toBeCloseTo(Number.parseFloat(text.replace('−', '-')), 6);
  });

  test('clocks and samples convert both ways, also around a trigger between samples', () =>
    fc.assert(
      fc.property(
        fc.nat(200),
        fc.integer({ min: 1, max: 50 }),
        fc.nat(49),
        fc.nat(199),
        (trigger, every, lag, sample) => {
          const { view } = captureOf(zeros(200), {
            ...{ trigger_sample: trigger, every, lag: 1 + (lag % every) },
          });
          expect(sampleOfClocks(view, clocksAt(view, sample))).toBeCloseTo(sample, 6);
        },
      ),
    ));

  test('a sample has the time of the day at which it was taken, and is found by it', () => {
    // 2 s at 1 kHz, and its end.
    const { view } = captureOf(zeros(2001), { every: 12_000, lag: 12_000, trigger_sample: 500 });
    expect([0, 500, 2000].map((sample) => timeOfSample(view, sample, 1000))).toEqual([998, 998.5, 1000]);
    expect([997.9, 998, 999.25, 1000, 1000.1].map((time) => sampleAtTime(view, time, 1000))).toEqual([
      ...[undefined, 0, 1250, 2000, undefined],
    ]);
  });
});

describe('measurements between two samples', () => {
  const traces = new Traces(
    captureOf({
      // Three periods of 8 samples, high for 2.
      clock: {
        width: 1,
        values: Array.from({ length: 30 }, (_, at) => (at % 8 === 3 || at % 8 === 4 ? 1 : 0)),
      },
      word: { width: 8, values: Array.from({ length: 30 }, (_, at) => at >> 2) },
    }),
  );
  const { view } = traces.samples;

  test('edges, frequency and duty of a bit, in either order', () => {
    expect(measure(view, traces.of('clock')!, 3, 27)).toEqual({ edges: 6, frequency: 1.5e6, duty: 0.25 });
    expect(measure(view, traces.of('clock')!, 27, 3)).toEqual({ edges: 6, frequency: 1.5e6, duty: 0.25 });
    expect(measure(view, traces.of('clock')!, 4, 5)).toEqual({ edges: 1, frequency: null, duty: 1 });
    expect(measure(view, traces.of('clock')!, 4, 4)).toEqual({ edges: 0, frequency: null, duty: null });
  });

  test('changes of a word', () => {
    expect(measure(view, traces.of('word')!, 0, 29)).toEqual({ edges: 7, frequency: null, duty: null });
  });
});

test('a marker gets the first free name, sorted by time', () => {
  const one = withMarker([], 5);
  expect(withMarker(one, -3)).toEqual([
    { name: 'M2', clocks: -3 },
    { name: 'M1', clocks: 5 },
  ]);
  expect(withMarker(one, 5)).toEqual(one);
});
