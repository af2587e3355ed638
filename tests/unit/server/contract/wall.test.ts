import { expect, test } from 'vitest';
import { wallOf } from '../../../../server/contract/courses/wall.ts';
import type { AnyJob } from '../../../../server/contract/jobs/jobs.ts';
import { member } from '../../../support/renderer/courses.ts';
import { job, node, reserved } from '../../../support/renderer/fixtures.ts';

const NOW = Date.parse('2026-01-02T10:00:00Z');
const before = (seconds: number) => new Date(NOW - seconds * 1000).toISOString();
const failure = { error: 'syntax_error', message: 'It failed.', remedy: 'Mend it.' };
const build = (owner: string, change: Partial<AnyJob> = {}) =>
  ({
    ...job({ owner }),
    created_at: before(60),
    started_at: before(60),
    updated_at: before(10),
    ...change,
  }) as AnyJob;
const stateOf = (jobs: AnyJob[], nodes = [node(0)], change = {}) =>
  wallOf([member('ada', change)], nodes, jobs, NOW)[0]?.state;

test.each([
  ['nothing', [], { kind: 'away' }],
  [
    'a job in line',
    [build('ada', { status: 'queued', fpga_id: null, place: 3 })],
    { kind: 'waiting', place: 3, expectedWaitS: null, file: 'echo.v', since: NOW - 60_000 },
  ],
  [
    'a build',
    [build('ada', { status: 'running', stage: 'route' })],
    { kind: 'building', node: 0, stage: 'route', file: 'echo.v', since: NOW - 60_000 },
  ],
  [
    'a build without a stage yet',
    [build('ada', { status: 'running' })],
    { kind: 'building', node: 0, stage: null, file: 'echo.v', since: NOW - 60_000 },
  ],
  [
    'a long build',
    [build('ada', { status: 'running', started_at: before(301) })],
    { kind: 'stuck', why: 'slow', node: 0, file: 'echo.v', since: NOW - 301_000 },
  ],
  [
    'a failed build',
    [build('ada', { status: 'failed', failure })],
    { kind: 'stuck', why: 'failed', node: 0, file: 'echo.v', since: NOW - 10_000 },
  ],
  [
    'an old failed build',
    [build('ada', { status: 'failed', failure, updated_at: before(1801) })],
    { kind: 'away' },
  ],
  [
    'a stopped build',
    [build('ada', { status: 'failed', failure: { ...failure, error: 'stopped_by_user' } })],
    { kind: 'away' },
  ],
  ['a build of another', [build('bob', { status: 'running' })], { kind: 'away' }],
])('%s shows on the wall', (_, jobs, state) => {
  expect(stateOf(jobs)).toEqual(state);
});

test('the holder of a node works on it until nothing has happened for two minutes', () => {
  const nodes = [node(0), reserved(1, 'ada')];
  const on = { kind: 'on', node: 1, file: 'echo.v' };
  const built = build('ada', { fpga_id: 1, updated_at: before(121) });
  expect(stateOf([built], nodes)).toEqual({ ...on, idleSince: NOW - 121_000 });
  expect(stateOf([built], nodes, { last_access_at: before(5) })).toEqual({ ...on, idleSince: null });
  const failed = build('ada', { fpga_id: 1, status: 'failed', failure });
  expect(stateOf([{ ...failed, created_at: before(90) }, built], nodes)?.kind).toBe('on');
  const later = { ...failed, created_at: before(1) };
  for (const jobs of [
    [built, later],
    [later, built],
  ])
    expect(stateOf(jobs, nodes)?.kind).toBe('stuck');
  const elsewhere = build('ada', { type: 'run', fpga_id: 2, updated_at: before(1) });
  expect(stateOf([built, elsewhere], nodes)).toEqual({ ...on, idleSince: NOW - 121_000 });
});

test('raised hands come first, the longest wait before the others; teachers are not on the wall', () => {
  const hand = (seconds: number) => ({ hand: { at: before(seconds), message: '' } });
  const members = [
    member('eve'),
    member('dan'),
    member('tom', { role: 'teacher' }),
    member('bob', hand(10)),
    member('cem', hand(20)),
    member('ada'),
  ];
  const waiting = build('eve', { status: 'queued', fpga_id: null });
  expect(wallOf(members, [], [waiting], NOW).map((entry) => entry.member.username)).toEqual([
    'cem',
    'bob',
    'eve',
    'ada',
    'dan',
  ]);
});
