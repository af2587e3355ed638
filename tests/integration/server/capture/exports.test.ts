import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonOf } from '../../../../server/capture/json.ts';
import { clockOf, fieldValue, type Samples } from '../../../../server/capture/samples.ts';
import { vcdOf } from '../../../../server/capture/vcd.ts';
import type { CaptureView } from '../../../../server/contract/signals/signals.ts';

const WIDTHS = { go: 1, 'fifo.level': 9, 'fifo.deep.word[63:31]': 33, 'fifo.deep.wide': 100 };

/** Samples of signals of these widths. */
function samplesOf(rows: bigint[][], { trigger = null as number | null, every = 1, lag = 1 } = {}): Samples {
  let offset = 0;
  const signals = Object.entries(WIDTHS).map(([name, width]) => {
    const field = { name, width, offset };
    offset += width;
    return field;
  });
  const words = Math.ceil(offset / 32);
  const data = new Int32Array(rows.length * words);
  rows.forEach((row, sample) => {
    const all = signals.reduce((sum, field, k) => sum | (row[k]! << BigInt(field.offset)), 0n);
    for (let k = 0; k < words; k++) data[sample * words + k] = Number((all >> BigInt(32 * k)) & 0xffff_ffffn);
  });
  const view: CaptureView = {
    capture_id: '00000000-0000-4000-8000-000000000000',
    fpga_id: 3,
    owner: 'somebody',
    build_id: '0',
    state: 'complete',
    triggered: true,
    started_at: '2026-01-01T00:00:00.000Z',
    ended_at: '2026-01-01T00:00:01.000Z',
    failure: null,
    signals,
    trigger: { kind: 'now' },
    depth: rows.length,
    position: trigger ?? 0,
    every,
    deadline_seconds: 60,
    pause: false,
    clock_hz: 12_000_000,
    samples: rows.length,
    words,
    trigger_sample: trigger,
    clock: 1000,
    lag,
  };
  return { view, data };
}

const rows = fc.array(
  fc.tuple(...Object.values(WIDTHS).map((width) => fc.bigInt({ min: 0n, max: (1n << BigInt(width)) - 1n }))),
  { minLength: 1, maxLength: 30 },
);

/** Value changes of a VCD, by the path of the variable: [time, digits]. */
function readVcd(text: string): Map<string, [number, string][]> {
  const names = new Map<string, string>();
  const changes = new Map<string, [number, string][]>();
  const scope: string[] = [];
  let time = 0;
  for (const line of text.split('\n')) {
    const [first = '', ...rest] = line.split(' ');
    if (first === '$scope') scope.push(rest[1]!);
    else if (first === '$upscope') scope.pop();
    else if (first === '$var') {
      names.set(rest[2]!, [...scope, rest[3]!].join('.'));
      changes.set([...scope, rest[3]!].join('.'), []);
    } else if (first.startsWith('#')) time = Number(first.slice(1));
    else if (/^[01x]/.test(first)) changes.get(names.get(first.slice(1))!)?.push([time, first[0]!]);
    else if (first.startsWith('b')) changes.get(names.get(rest[0]!)!)?.push([time, first.slice(1)]);
  }
  return changes;
}

const PATHS = ['design.go', 'design.fifo.level', 'design.fifo.deep.word', 'design.fifo.deep.wide'];

/** A signal's value in a VCD at a time. */
const valueAt = (changes: [number, string][], time: number) =>
  BigInt(`0b${changes.filter(([at]) => at <= time).at(-1)![1]}`);

test('a VCD has each value at its time, for any width and set of changes', () => {
  fc.assert(
    fc.property(rows, (values) => {
      const samples = samplesOf(values, { trigger: values.length - 1, every: 3, lag: 2 });
      const changes = readVcd([...vcdOf(samples, 'now')].join(''));
      values.forEach((row, sample) => {
        const time = Math.round((clockOf(samples, sample) * 1e12) / 12_000_000);
        for (const [k, name] of PATHS.entries()) expect(valueAt(changes.get(name)!, time)).toBe(row[k]);
        expect(valueAt(changes.get('capture.trigger')!, time)).toBe(sample === values.length - 1 ? 1n : 0n);
      });
    }),
    { numRuns: 60 },
  );
});

test('bits that were optimised away are x', () => {
  const samples = samplesOf([[1n, 5n, 0n, 0n]]);
  const [go, level, ...others] = samples.view.signals;
  const lost = {
    ...samples,
    view: { ...samples.view, signals: [go!, { ...level!, lost: '0x82' }, ...others] },
  };
  expect(readVcd([...vcdOf(lost, 'now')].join('')).get('design.fifo.level')).toEqual([[0, '0x00001x1']]);
});

test('JSON has the changes of each signal', () => {
  fc.assert(
    fc.property(rows, (values) => {
      const samples = samplesOf(values);
      const { signals } = JSON.parse([...jsonOf(samples)].join('')) as {
        signals: { name: string; changes: [number, number | string][] }[];
      };
      signals.forEach(({ name, changes }, k) => {
        expect(name).toBe(Object.keys(WIDTHS)[k]);
        values.forEach((row, sample) => {
          expect(BigInt(changes.filter(([at]) => at <= sample).at(-1)![1])).toBe(row[k]);
          expect(BigInt(fieldValue(samples, sample, samples.view.signals[k]!))).toBe(row[k]);
        });
        for (const [at, value] of changes.slice(1)) expect(values[at - 1]![k]).not.toBe(BigInt(value));
      });
    }),
    { numRuns: 60 },
  );
});

const hasReader =
  spawnSync('vcd2fst', ['--help']).error === undefined &&
  spawnSync('fst2vcd', ['--help']).error === undefined;
if (!hasReader) process.stderr.write('skipped: GTKWave’s vcd2fst and fst2vcd are not installed\n');

test.skipIf(!hasReader)('GTKWave’s own readers find the same values in it', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-vcd-'));
  const at = (name: string) => path.join(folder, name);
  try {
    const values = Array.from({ length: 20 }, (_, k) => [
      BigInt(k & 1),
      BigInt(k * 3),
      BigInt(k) << 25n,
      (1n << 99n) >> BigInt(k),
    ]);
    const samples = samplesOf(values, { trigger: 7 });
    writeFileSync(at('a.vcd'), [...vcdOf(samples, 'now')].join(''));
    execFileSync('vcd2fst', [at('a.vcd'), at('a.fst')], { stdio: 'pipe' });
    execFileSync('fst2vcd', ['-f', at('a.fst'), '-o', at('b.vcd')], { stdio: 'pipe' });
    const changes = readVcd(readFileSync(at('b.vcd'), 'utf8'));
    values.forEach((row, sample) => {
      const time = Math.round((sample * 1e12) / 12_000_000);
      for (const [k, name] of PATHS.entries()) expect(valueAt(changes.get(name)!, time)).toBe(row[k]);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
