import { describe, expect, test } from 'vitest';
import { type Command, score } from '../../../renderer/src/app/commands.ts';
import { jobFits } from '../../../renderer/src/components/jobs/filter.ts';
import { jobOutcome, jobTitle } from '../../../renderer/src/format/job.ts';
import { parseCommand } from '../../../renderer/src/screens/node/registers/transactions/command.ts';
import { toCsv } from '../../../renderer/src/screens/node/registers/transactions/history-files.ts';
import { overallFraction } from '../../../server/contract/jobs/progress.ts';
import { job } from '../../support/renderer/fixtures.ts';

describe('a register command', () => {
  test.each([
    ['0x10', { op: 2, address: 16, count: 1 }],
    ['16', { op: 2, address: 16, count: 1 }],
    ['0x10 x8', { op: 2, address: 16, count: 8 }],
    ['0x10*0x10', { op: 2, address: 16, count: 16 }],
    ['0x10=5', { op: 1, address: 16, data: [5] }],
    [' 0x10 = 1, 2 -1 ', { op: 1, address: 16, data: [1, 2, 0xffff_ffff] }],
    ['0xF000_0000', { op: 2, address: 0xf000_0000, count: 1 }],
    ['0xFFFFFFFC', { op: 2, address: 0xffff_fffc, count: 1 }],
    ['0x12', { problem: 'unaligned' }],
    ['', { problem: 'address' }],
    ['=5', { problem: 'address' }],
    ['0x10=', { problem: 'value' }],
    ['0x10=five', { problem: 'value' }],
    ['0x10=0x1_0000_0000', { problem: 'value' }],
    ['0x10 x0', { problem: 'count' }],
    ['0x10 x101', { problem: 'count' }],
    ['0x10 x8=5', { problem: 'value' }],
    ['0xFFFFFFFC x2', { problem: 'range' }],
  ])('%j', (typed, expected) => {
    expect(parseCommand(typed, 100)).toEqual(expected);
  });
});

test('the palette matches every word, labels first', () => {
  const command = (label: string, words = ''): Command => ({
    id: label,
    group: 'Go to',
    label,
    words,
    icon: 'bench',
    run() {},
  });
  expect(score(command('Settings', 'lan port'), 'lan')).toBeGreaterThan(0);
  expect(score(command('Settings', 'lan port'), 'lan xyz')).toBe(0);
  expect(score(command('Node 3 · reserved · alice'), 'node 3')).toBeGreaterThan(
    score(command('Boards', 'node 3'), 'node 3'),
  );
});

describe('jobs', () => {
  test('have a title and an outcome in words', () => {
    expect(jobTitle(job())).toBe('Build echo.v');
    const run = job({ type: 'run', run: { op: 2, address: 16, count: 4, fixed_address: false }, ok: false });
    expect(jobTitle(run)).toBe('Read 4 words at 0x0010');
    expect(jobOutcome(run)).toBe('not acknowledged');
    expect(jobOutcome(job({ summary: 'Fmax 63.2 MHz', cached: true }))).toBe('Fmax 63.2 MHz, from the cache');
    const failure = { error: 'x', message: 'It failed.', remedy: 'Mend it.' };
    expect(jobOutcome(job({ status: 'failed', failure }))).toBe('It failed.');
  });

  test('are found by node, kind, status and words', () => {
    const one = job({ fpga_id: 3, owner: 'bob', status: 'failed' });
    const all = { status: 'all', type: 'all', node: 'all', query: '' } as const;
    expect(jobFits(one, all)).toBe(true);
    expect(jobFits(one, { ...all, node: 4 })).toBe(false);
    expect(jobFits(one, { ...all, type: 'run' })).toBe(false);
    expect(jobFits(one, { ...all, status: 'open' })).toBe(false);
    expect(jobFits(one, { ...all, status: 'failed', query: 'BOB echo' })).toBe(true);
    expect(jobFits(one, { ...all, query: one.job_id })).toBe(true);
    expect(jobFits(one, { ...all, query: 'alice' })).toBe(false);
  });

  test('progress of the whole grows from stage to stage and ends at 1', () => {
    const stages = ['scan', 'synthesis', 'place', 'route', 'pack', 'program', 'identify'] as const;
    const fractions = stages.flatMap((stage) => [
      overallFraction(job({ status: 'running', stage, fraction: 0 })) ?? Number.NaN,
      overallFraction(job({ status: 'running', stage, fraction: 1 })) ?? Number.NaN,
    ]);
    expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
    expect(fractions[0]).toBe(0);
    expect(fractions.at(-1)).toBeCloseTo(1);
    expect(overallFraction(job({ status: 'queued' }))).toBe(0);
  });
});

test('the history as CSV has one line a transaction, with plain words', () => {
  const csv = toCsv([
    {
      id: 1,
      at: Date.parse('2026-01-02T10:00:00Z'),
      request: { op: 1, address: 16 },
      count: 2,
      state: 'ok',
      data: [5, 0xdeadbeef],
      milliseconds: 3.456,
    },
    {
      id: 2,
      at: Date.parse('2026-01-02T10:00:01Z'),
      request: { op: 2, address: 16 },
      count: 1,
      state: 'not-acknowledged',
      data: [],
    },
  ]);
  expect(csv.split('\r\n')).toEqual([
    'time,operation,address,words,result,round_trip_ms,data',
    '2026-01-02T10:00:00.000Z,write,0x00000010,2,ok,3.46,"0x00000005 0xdeadbeef"',
    '2026-01-02T10:00:01.000Z,read,0x00000010,1,not-acknowledged,,""',
    '',
  ]);
});
