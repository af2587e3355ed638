import { readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Area, measureAreas, verdict } from '../../bench/areas.ts';
import bench from '../../bench/bench.ts';
import { changeOf } from '../../bench/compare.ts';
import { atLeast, atMost, reported } from '../../bench/figure.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const areas: Record<string, Area> = {
  first: async () => [atMost('time', 2, 'ms', 1)],
  broken: async () => {
    throw new Error('the page went away');
  },
  last: async () => [reported('memory', 110, 'MiB')],
};

describe('an area that fails', () => {
  test('is reported, and the others still run', async () => {
    const printed: string[] = [];
    const measured = await measureAreas(areas, (text) => printed.push(text));
    expect(Object.keys(measured.figures)).toEqual(['first', 'last']);
    expect(measured.failures).toEqual({ broken: 'the page went away' });
    expect(printed[0]).toBe('\nfirst\n  time   2.00 ms   ≤ 1 ms   MISSED\n');
    expect(printed[1]).toMatch(/^\nbroken\n {2}FAILED: Error: the page went away\n/);
    expect(printed[2]).toBe('\nlast\n  memory   110 MiB\n');
    expect(verdict(measured)).toBe('1 area(s) failed: broken. 1 target(s) missed.');
  });

  test('reports the spread of the runs, and why a target was missed', async () => {
    const printed: string[] = [];
    const why = 'The disk was slow.';
    await measureAreas(
      {
        some: async () => [
          atMost('warm build', 2, 's', 1, { runs: [2, 1.5, 120], ifMissed: why }),
          atMost('met', 1, 's', 1, { ifMissed: 'Never said.' }),
        ],
      },
      (text) => printed.push(text),
    );
    expect(printed).toEqual([
      '\nsome\n  warm build   2.00 s   3 runs, 1.50 to 120   ≤ 1 s   MISSED\n' +
        '  met          1.00 s                         ≤ 1 s   met\n' +
        '  Missed: warm build. The disk was slow.\n',
    ]);
  });

  test('does not count among the met targets', () => {
    expect(verdict({ figures: {}, failures: { gui: 'x' } })).toBe(
      '1 area(s) failed: gui. Every target that was measured is met.',
    );
    expect(verdict({ figures: { gui: [atMost('time', 1, 'ms', 1)] }, failures: {} })).toBe(
      'Every target is met.',
    );
  });
});

describe('the command', () => {
  let folder: string;
  beforeEach(async () => {
    folder = temporaryFolder('areas');
    vi.stubEnv('WISHBENCH_BENCH_JSON', path.join(folder, 'new', 'bench.json'));
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  });
  // Hidden from the tests' log: a report of areas that fail on purpose would read as a failure of the tests.
  let printed: string;
  let warned: string;
  const run = (args: string[]) => {
    printed = '';
    warned = '';
    return bench(args, areas, {
      write: (text) => {
        printed += text;
      },
      warn: (text) => {
        warned += text;
      },
    });
  };
  const written = () => JSON.parse(readFileSync(path.join(folder, 'new', 'bench.json'), 'utf8'));

  test('ends with 1 after all areas when one failed, and records why in the file', async () => {
    expect(await run([])).toBe(1);
    expect(printed).toContain('FAILED: Error: the page went away');
    expect(printed).toMatch(/1 area\(s\) failed: broken\. 1 target\(s\) missed\. JSON: .*bench\.json\n$/);
    expect(written().figures.last).toHaveLength(1);
    expect(written().failures).toEqual({ broken: 'the page went away' });
  });

  test('ends with 0 when the selected areas were measured, and measures no others', async () => {
    expect(await run(['last', 'first'])).toBe(0);
    expect(printed).not.toContain('broken');
    expect(Object.keys(written().figures)).toEqual(['first', 'last']);
  });

  test('ends with 2 for an unknown area', async () => {
    expect(await run(['gnu'])).toBe(2);
    expect(warned).toBe('No such area: gnu. Areas: first, broken, last.\n');
    expect(printed).toBe('');
  });

  test('measures as often as requested and reports the median with the spread', async () => {
    const values = [3, 1, 2];
    const once: Record<string, Area> = {
      some: async () => [atMost('time', values.shift() ?? 0, 'ms', 2)],
    };
    expect(await bench(['--runs', '3'], once, { write() {}, warn() {} })).toBe(0);
    expect(written().figures.some).toEqual([
      {
        name: 'time',
        value: 2,
        unit: 'ms',
        target: '≤ 2 ms',
        met: true,
        runs: { count: 3, least: 1, most: 3 },
      },
    ]);
  });

  test('compares with a stored run: lists what is worse, and ends with 1 for it', async () => {
    const file = path.join(folder, 'before.json');
    const before = [atMost('time', 1, 'ms', 1), atLeast('speed', 10, '/s', 1), reported('memory', 50, 'MiB')];
    const after = [atMost('time', 2, 'ms', 1), atLeast('speed', 20, '/s', 1), reported('memory', 51, 'MiB')];
    writeFileSync(file, JSON.stringify({ machine: 'an older one', figures: { some: before } }));
    let text = '';
    const code = await bench(
      ['--against', file],
      { some: async () => after },
      {
        write: (line) => {
          text += line;
        },
        warn() {},
      },
    );
    expect(code).toBe(1);
    expect(text).toContain(
      `against a run on an older one
  worse    some: time  1.00 ms → 2.00 ms (× 2.00)
  better   some: speed  10.0 /s → 20.0 /s (× 2.00)
  same     some: memory  50.0 MiB → 51.0 MiB (× 1.02)
`,
    );
  });

  test('ends with 2 before measuring if the stored run or number of runs is invalid', async () => {
    const file = path.join(folder, 'other.json');
    writeFileSync(file, '{"machine": 3}');
    expect(await run(['--against', file])).toBe(2);
    expect(warned).toBe(`${file} is not a run of the bench. Give the file that an earlier run wrote.\n`);
    expect(await run(['--against', path.join(folder, 'missing.json')])).toBe(2);
    expect(await run(['--runs', '0'])).toBe(2);
    expect(await run(['--rnus', '3'])).toBe(2);
    expect(printed).toBe('');
  });
});

describe('a change', () => {
  const of = (value: number, least: number, most: number) =>
    atMost('time', value, 'ms', 1, { runs: [least, value, most] });

  test('requires disjoint spreads', () => {
    expect(changeOf(of(10, 9, 12), of(13, 11, 14))).toBe('same');
    expect(changeOf(of(10, 9, 12), of(14, 13, 15))).toBe('worse');
    expect(changeOf(of(14, 13, 15), of(10, 9, 12))).toBe('better');
    expect(changeOf(reported('size', 10, 'MB'), reported('size', 20, 'MB'))).toBe('changed');
    expect(changeOf(reported('size', 10, 'MB'), reported('size', 10.9, 'MB'))).toBe('same');
  });
});
