import { describe, expect, test } from 'vitest';
import { reduceTrace } from '../../../renderer/src/screens/node/signals/recording/reduce.ts';
import { clocksAt, valueAt } from '../../../renderer/src/screens/node/signals/recording/samples.ts';
import {
  markStep,
  showing,
  wholeSpan,
  within,
  zoomedAt,
} from '../../../renderer/src/screens/node/signals/recording/span.ts';
import {
  lastBefore,
  pieceAt,
  Traces,
  traceOf,
} from '../../../renderer/src/screens/node/signals/recording/trace.ts';
import { lanesOf } from '../../../renderer/src/screens/node/signals/waves/lanes.ts';
import { AXIS, ROW } from '../../../renderer/src/screens/node/signals/waves/layout.ts';
import { paintWaves } from '../../../renderer/src/screens/node/signals/waves/paint.ts';
import { findSample, type Wanted } from '../../../renderer/src/screens/node/signals/waves/search.ts';
import { pixelOf, Surface } from '../../../renderer/src/screens/node/signals/waves/surface.ts';
import { transfersOf, transferText } from '../../../renderer/src/screens/node/signals/waves/transactions.ts';
import { captureOf as capture } from '../../support/renderer/capture.ts';
import { signalInfo as info, knownOf } from '../../support/renderer/signals.ts';
import { seeded } from '../../support/seeded.ts';

const noNames = () => ({});

/** Values of random signals: some change in every sample, some hardly ever, of 1 to 100 bits. */
function randomCapture(seed: number) {
  const random = seeded(seed);
  const samples = 1 + Math.floor(random() * 400);
  const signals = Object.fromEntries(
    Array.from({ length: 6 }, (_, index) => {
      const width = random() < 0.4 ? 1 : 1 + Math.floor(random() * 100);
      const restless = random() ** 3;
      let value = 0n;
      const values = Array.from({ length: samples }, () => {
        if (random() < restless)
          value = BigInt.asUintN(width, BigInt(Math.floor(random() * 2 ** 50)) * 0x1_0000_0000_0001n);
        return value;
      });
      return [`s${index}`, { width, values }];
    }),
  );
  return { random, samples, signals, decoded: capture(signals) };
}

describe('contents of samples.bin', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])('is decoded bit by bit, with every change (seed %i)', (seed) => {
    const { signals, samples, decoded } = randomCapture(seed);
    for (const field of decoded.view.signals) {
      const { values } = signals[field.name]!;
      const trace = traceOf(decoded, field);
      expect([...trace.starts]).toEqual(
        values.flatMap((value, sample) => (sample === 0 || value !== values[sample - 1] ? [sample] : [])),
      );
      for (let sample = 0; sample < samples; sample++) {
        expect(BigInt(valueAt(decoded, field, sample))).toBe(values[sample]);
        expect(BigInt(trace.value(pieceAt(trace, sample)))).toBe(values[sample]);
      }
    }
  });

  test('clocks count from the trigger, also when it lies between samples', () => {
    const { view } = capture(
      { a: { width: 1, values: [0, 0, 1, 1] } },
      { every: 10, lag: 3, trigger_sample: 2 },
    );
    expect([0, 1, 2, 3].map((sample) => clocksAt(view, sample))).toEqual([-13, -3, 0, 10]);
  });
});

describe('as columns of pixels', () => {
  test.each([11, 12, 13, 14, 15, 16])('each column summarises its samples (seed %i)', (seed) => {
    const { random, samples, decoded } = randomCapture(seed);
    const width = 60;
    for (const field of decoded.view.signals)
      for (let turn = 0; turn < 10; turn++) {
        const perPixel = (1 << Math.floor(random() * 12)) / 64;
        // Multiples of a column, so that edges of columns and of samples are exact.
        const from = Math.floor((random() * samples) / perPixel) * perPixel;
        const trace = traceOf(decoded, field);
        const columns: (string | undefined)[] = new Array(width);
        reduceTrace(trace, { from, perPixel }, width, {
          steady: (piece, left, right) => columns.fill(`${trace.value(piece)}`, left, right),
          change: (x, last) => {
            columns[x] = `to ${trace.value(last)}`;
          },
        });
        for (let x = 0; x < width; x++) {
          const [left, right] = [from + x * perPixel, from + (x + 1) * perPixel];
          const begin = [...trace.starts].filter(
            (start, piece) => start >= left && start < right && (piece > 0 || x > 0),
          );
          const last = Math.min(samples - 1, Math.ceil(right) - 1);
          const value = trace.value(pieceAt(trace, last));
          // An edge at the left border of the picture does not count.
          const changes = begin.some((start) => start > 0 && !(x === 0 && start === left));
          expect(columns[x]).toBe(left >= samples ? undefined : changes ? `to ${value}` : `${value}`);
        }
      }
  });

  test('the last piece before a sample is found from any starting point', () => {
    const random = seeded(5);
    for (let turn = 0; turn < 200; turn++) {
      const starts = new Set([0, ...Array.from({ length: 50 }, () => Math.floor(random() * 200))]);
      const trace = { starts: Uint32Array.from([...starts].sort((a, b) => a - b)), end: 200 };
      const sample = 1 + Math.floor(random() * 220);
      const all = [...trace.starts].filter((start) => start < sample).length - 1;
      expect(lastBefore(trace, Math.floor(random() * (all + 1)), sample)).toBe(all);
    }
  });

  test('a picture has its lines at the samples, and none outside its edges', () => {
    const samples = capture({
      bit: { width: 1, values: [0, 0, 1, 1, 0, 0, 0, 0] },
      word: { width: 8, values: [1, 1, 1, 1, 2, 2, 2, 2] },
    });
    const traces = new Traces(samples);
    const known = knownOf(info('bit', 1), info('word', 8));
    const rows = ['bit', 'word'].map((name) => ({ kind: 'signal' as const, name }));
    const [width, height] = [80, AXIS + 2 * ROW];
    const surface = new Surface(width, height, new Uint32Array(width * height));
    const shade = (value: number) => pixelOf(value, value, value);
    const [paper, wave, cursor, ink] = [255, 10, 20, 30].map(shade) as [number, number, number, number];
    const glyphs = { width: 4, height: 8, of: () => new Uint8Array(32).fill(255) };
    paintWaves(
      surface,
      {
        ...{
          view: samples.view,
          traces,
          frames: new Map(),
          markers: [],
          lanes: lanesOf(rows, known, noNames, false),
        },
        ...{ span: { from: 0, perPixel: 0.1 }, top: 0, selected: undefined, cursors: [5, undefined] },
      },
      {
        glyphs,
        ratio: 1,
        paint: {
          ...{
            paper,
            stripe: paper,
            line: shade(200),
            ink,
            faint: shade(100),
            wave,
            busy: wave,
            failed: wave,
          },
          ...{ soft: paper, differs: paper, other: paper, trigger: shade(40), cursors: [cursor, cursor] },
        },
      },
    );
    const at = (x: number, y: number) => surface.pixels[y * width + x];
    const [high, low] = [AXIS + 4, AXIS + ROW - 5];
    expect([at(10, high), at(10, low)]).toEqual([paper, wave]);
    expect([at(30, high), at(30, low)]).toEqual([wave, paper]);
    expect([at(20, high), at(20, Math.round((high + low) / 2)), at(20, low)]).toEqual([wave, wave, wave]);
    expect(at(40, AXIS + ROW + 10)).toBe(wave);
    expect([...surface.pixels].filter((pixel) => pixel === ink).length).toBeGreaterThan(0);
    expect([at(50, 0), at(50, height - 1)]).toEqual([cursor, cursor]);
    expect([...surface.pixels].every((pixel) => pixel !== 0)).toBe(true);
  });
});

describe('the visible time span', () => {
  test('stays within the samples, and zooming preserves the sample under the pointer', () => {
    const random = seeded(9);
    for (let turn = 0; turn < 500; turn++) {
      const [samples, width] = [1 + Math.floor(random() * 65_536), 1 + Math.floor(random() * 2000)];
      const wild = { from: (random() - 0.5) * 200_000, perPixel: random() * 1000 };
      const span = within(wild, samples, width);
      expect(span.from).toBeGreaterThanOrEqual(0);
      expect(span.from + width * span.perPixel).toBeLessThanOrEqual(Math.max(samples, width / 64) + 1e-6);
      const x = random() * width;
      const zoomed = zoomedAt(span, x, 0.1 + random() * 5);
      expect(zoomed.from + x * zoomed.perPixel).toBeCloseTo(span.from + x * span.perPixel, 4);
    }
  });

  test('scrolls to a requested sample, unless it is already visible', () => {
    const span = { from: 100, perPixel: 1 };
    expect(showing(span, 300, 600)).toBe(span);
    expect(showing(span, 5000, 600)).toEqual({ from: 4700, perPixel: 1 });
    expect(wholeSpan(6000, 600)).toEqual({ from: 0, perPixel: 10 });
  });

  test.each([
    [0.01, 1],
    [0.1, 10],
    [0.15, 20],
    [0.4, 50],
    [40, 5000],
  ])('marks of the axis are round numbers apart (%f samples a pixel)', (perPixel, step) => {
    expect(markStep({ from: 0, perPixel }, 90)).toBe(step);
  });
});

describe('search', () => {
  const values = [0, 0, 5, 5, 0, 5, 7, 7];
  const samples = capture({
    word: { width: 4, values },
    bit: { width: 1, values: values.map((one) => (one === 5 ? 1 : 0)) },
  });
  const word = traceOf(samples, samples.view.signals[0]!);
  const bit = traceOf(samples, samples.view.signals[1]!);
  const all = (trace: typeof word, wanted: Wanted, direction: 'next' | 'previous') => {
    const found: number[] = [];
    for (let at = findSample(trace, direction === 'next' ? -1 : 8, direction, wanted); at !== null; ) {
      found.push(at);
      at = findSample(trace, at, direction, wanted);
    }
    return found;
  };

  test.each([
    [word, { kind: 'change' }, [2, 4, 5, 6]],
    [word, { kind: 'value', value: 5 }, [2, 5]],
    [word, { kind: 'value', value: 0n }, [0, 4]],
    [word, { kind: 'value', value: 9 }, []],
    [bit, { kind: 'rising' }, [2, 5]],
    [bit, { kind: 'falling' }, [4, 6]],
  ] as [typeof word, Wanted, number[]][])(
    'finds every one, forwards and backwards',
    (trace, wanted, found) => {
      expect(all(trace, wanted, 'next')).toEqual(found);
      expect(all(trace, wanted, 'previous')).toEqual(found.toReversed());
    },
  );

  test('from the middle of a piece the previous match is its beginning', () => {
    expect(findSample(word, 3, 'previous', { kind: 'value', value: 5 })).toBe(2);
  });
});

test('decodes bus transfers: one for each word, with address, data, direction and outcome', () => {
  const rows = [
    // cyc we adr dat_w dat_r ack err
    [0, 0, 0, 0, 0, 0, 0],
    [1, 1, 1, 0xcafe, 0, 0, 0],
    [1, 1, 1, 0xcafe, 0, 1, 0],
    [0, 0, 1, 0xcafe, 0, 0, 0],
    [1, 0, 2, 0, 0, 0, 0],
    [1, 0, 2, 0, 0x77, 1, 0],
    [1, 0, 3, 0, 0x77, 0, 1],
    [0, 0, 3, 0, 0, 0, 0],
    [1, 0, 4, 0, 0, 0, 0],
    [0, 0, 4, 0, 0, 0, 0],
  ];
  const column = (index: number) => rows.map((row) => row[index] ?? 0);
  const bus = capture({
    'bus.cyc': { width: 1, values: column(0) },
    'bus.we': { width: 1, values: column(1) },
    'bus.adr': { width: 30, values: column(2) },
    'bus.dat_w': { width: 32, values: column(3) },
    'bus.dat_r': { width: 32, values: column(4) },
    'bus.ack': { width: 1, values: column(5) },
    'bus.err': { width: 1, values: column(6) },
  });
  const trace = transfersOf(new Traces(bus))!;
  const all = [...trace.starts].flatMap((_, piece) => trace.transfer(piece) ?? []);
  expect(all).toEqual([
    { from: 1, to: 3, write: true, address: 4, data: 0xcafe, end: 'ack' },
    { from: 4, to: 6, write: false, address: 8, data: 0x77, end: 'ack' },
    { from: 6, to: 7, write: false, address: 12, data: 0x77, end: 'err' },
    { from: 8, to: 9, write: false, address: 16, data: null, end: 'none' },
  ]);
  expect(all.map(transferText)).toEqual([
    'W 0x0004 = 0x0000_CAFE',
    'R 0x0008 = 0x0000_0077',
    'R 0x000C = 0x0000_0077 err',
    'R 0x0010 …',
  ]);
  // With the recorded signals only: without acknowledge and direction.
  const less = transfersOf(
    new Traces(
      capture({
        'bus.cyc': { width: 1, values: column(0).slice(0, 4) },
        'bus.dat_r': { width: 32, values: [0, 0, 0x55, 0] },
      }),
    ),
  )!;
  expect(less.transfer(1)).toEqual({
    ...{ from: 1, to: 3, write: null, address: null, data: 0x55, end: 'unknown' },
  });
  expect(transferText(less.transfer(1)!)).toBe('= 0x0000_0055');
  expect(transfersOf(new Traces(capture({ a: { width: 1, values: [0] } })))).toBeNull();
});
