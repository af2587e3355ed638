import { readFileSync } from 'node:fs';
import Type from 'typebox';
import { describe, expect, test } from 'vitest';
import { checkOf, parseAs } from '../../../../server/contract/check.ts';
import { ExampleEntry } from '../../../../server/contract/designs/uploads.ts';
import { LiveEvent } from '../../../../server/contract/events/events.ts';
import { Job } from '../../../../server/contract/jobs/jobs.ts';
import { resourcePath } from '../../../../server/paths.ts';

const job: Job = {
  job_id: '5a3f0c1e-7a55-4d0e-9f63-0a2f6f3f8a11',
  fpga_id: 3,
  type: 'run',
  status: 'complete',
  created_at: '2026-11-01T10:00:00.000Z',
  updated_at: '2026-11-01T10:00:01.000Z',
  owner: 'alice',
  run: { op: 1, address: 16, count: 1, fixed_address: false },
  ok: true,
};

describe('a check', () => {
  const isJob = checkOf(Job);

  test('accepts valid objects, with fields that a later version adds', () => {
    expect(isJob(job)).toBe(true);
    expect(isJob({ ...job, later: 1 })).toBe(true);
  });

  test.each([
    ['a node that is not there', { fpga_id: 10 }],
    ['a status that is not there', { status: 'done' }],
    ['an opcode that is not there', { run: { ...job.run, op: 3 } }],
    ['a failure without its remedy', { failure: { error: 'x', message: 'y' } }],
    [
      'a diagnostic of no severity',
      { failure: { error: 'x', message: 'y', remedy: 'z', diagnostics: [{ code: 'c', message: 'm' }] } },
    ],
  ])('refuses %s', (_what, change) => {
    expect(isJob({ ...job, ...change })).toBe(false);
  });

  test('invalid JSON, or JSON of another type, is null', () => {
    expect(parseAs('{', isJob)).toBeNull();
    expect(parseAs('[]', isJob)).toBeNull();
    expect(parseAs(JSON.stringify(job), isJob)).toEqual(job);
  });
});

test('events are distinguished by type', () => {
  const isEvent = checkOf(LiveEvent);
  expect(isEvent({ type: 'job', job })).toBe(true);
  expect(isEvent({ type: 'job' })).toBe(false);
  expect(isEvent({ type: 'weather', job })).toBe(false);
});

test('the index of the examples satisfies the contract', () => {
  const entries: unknown = JSON.parse(readFileSync(resourcePath('examples', 'index.json'), 'utf8'));
  expect(checkOf(Type.Array(ExampleEntry))(entries)).toBe(true);
});
