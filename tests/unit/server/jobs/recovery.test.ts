import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JOB_STATUSES, JOB_TYPES, type Job } from '../../../../server/contract/jobs/jobs.ts';
import { FPGA_STATES } from '../../../../server/contract/nodes/nodes.ts';
import { recover } from '../../../../server/jobs/recovery.ts';
import { createSession } from '../../../../server/nodes/session.ts';
import { emptyBench, emptyNode } from '../../../../server/store/bench-data.ts';
import type { StoredJob, StoredNode } from '../../../../server/store/index.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { storedJob } from '../../../support/jobs/node/situations.ts';

const clock = new FakeClock();
const held = (ttlSeconds: number) =>
  createSession({ sessionId: 's', fpgaId: 3, owner: 'alice', ttlSeconds, clock });
const failure = { error: 'link_lost', message: 'It was lost.', remedy: 'Reset it.' };
const design = { filename: 'a.v', build_id: 'ab'.repeat(32), module: 'a', job_id: 'x', board: 'b' };

/** The plan for a bench of which node 3 is this and which has these jobs. */
function plan(node: Partial<StoredNode>, jobs: StoredJob[] = [], hasFarm = false, begun: string[] = []) {
  const bench = emptyBench();
  bench.nodes[3] = { ...emptyNode(3), ...node };
  for (const stored of jobs) bench.jobs.set(stored.job.job_id, stored);
  const hasBegun = ({ job }: StoredJob) => begun.includes(job.job_id);
  const found = recover(bench, { archived: new Set(), hasBegun }, hasFarm, clock);
  const own = found.nodes[3];
  return {
    state: own?.record.state,
    session: own?.record.session?.owner ?? null,
    error: own?.record.error?.error ?? null,
    start: { restore: own?.restore ?? false, reset: own?.reset ?? null },
    cause: own?.cause?.kind ?? null,
    jobs: {
      queued: found.queued.map(({ job }) => job.job_id),
      resumed: found.resumed.map(({ job }) => job.job_id),
      interrupted: found.interrupted.map(({ job }) => [job.job_id, job.failure?.error]),
    },
  };
}
const GOES_ON = { restore: false, reset: null };
const build = (change: Partial<Job> = {}) =>
  storedJob({ type: 'build_and_program', job_id: 'build', ...change });

test('a board that was being programmed is reset, with the cause of who asked for it', () => {
  const reset = storedJob({ type: 'reset', job_id: 'reset', status: 'running', owner: 'bob' });
  const start = { restore: false, reset: 'the service stopped while the board was being programmed' };
  const broken = { state: 'error', session: null, error: 'service_stopped', start, cause: 'reset' };
  expect(plan({ state: 'programming' }, [build({ status: 'running' })])).toMatchObject(broken);
  expect(plan({ state: 'reserved', design, ...held(60) }, [reset])).toMatchObject(broken);
  expect(plan({ state: 'error', error: failure, ...held(60) }, [reset])).toMatchObject(broken);
  // The service died again before that reset.
  const stopped = { ...failure, error: 'service_stopped' };
  expect(plan({ state: 'error', error: stopped })).toMatchObject(broken);
});

test('a session goes on where it has time left, and its board gets the design again', () => {
  const reserved = { state: 'reserved' as const, design };
  const expired = { restore: false, reset: 'its session has expired' };
  expect(plan({ ...reserved, ...held(60) })).toMatchObject({
    ...{ state: 'reserved', session: 'alice', start: { restore: true, reset: null }, cause: null },
  });
  expect(plan({ ...reserved, ...held(0) })).toMatchObject({
    session: null,
    start: expired,
    cause: 'expired',
  });
  const inError = { state: 'error' as const, error: failure };
  expect(plan({ ...inError, ...held(60) })).toMatchObject({ session: 'alice', start: GOES_ON, cause: null });
  expect(plan({ ...inError, ...held(0) })).toMatchObject({ session: null, start: expired, cause: 'expired' });
  expect(plan(inError)).toMatchObject({ state: 'error', session: null, start: GOES_ON, cause: null });
});

test('a node waits only for a build that it has', () => {
  expect(plan({ state: 'queued' }, [build()])).toMatchObject({ state: 'queued', start: GOES_ON });
  for (const jobs of [[], [build({ fpga_id: 4 })], [build({ replaces: true })]])
    expect(plan({ state: 'queued' }, jobs)).toMatchObject({ state: 'idle', start: GOES_ON });
  expect(plan({ state: 'building' }, [build({ status: 'running' })])).toMatchObject({
    state: 'idle',
    jobs: { interrupted: [['build', 'service_stopped']] },
  });
});

test('a build of the farm is resumed unless it may have reached the board', () => {
  const onFarm = (change: Partial<Job> = {}) => ({
    ...build({ status: 'running', ...change }),
    on_farm: true as const,
  });
  const resumed = (node: Partial<StoredNode>, job: StoredJob, farm = true) =>
    plan(node, [job], farm).jobs.resumed.length === 1;
  expect(resumed({ state: 'building' }, onFarm())).toBe(true);
  expect(plan({ state: 'building' }, [onFarm()], true).state).toBe('building');
  expect(resumed({ state: 'building' }, onFarm(), false)).toBe(false);
  expect(resumed({ state: 'building' }, build({ status: 'running' }))).toBe(false);
  expect(resumed({ state: 'programming' }, onFarm())).toBe(false);
  const reserved = { state: 'reserved' as const, design, ...held(60) };
  expect(resumed(reserved, onFarm({ replaces: true }))).toBe(true);
  expect(resumed(reserved, onFarm({ replaces: true, build_id: 'ab'.repeat(32) }))).toBe(false);
  expect(resumed({ ...reserved, session: null }, onFarm({ replaces: true }))).toBe(false);
});

test('a replacement of a session that is over fails', () => {
  const replacement = build({ replaces: true });
  expect(plan({ state: 'reserved', design, ...held(60) }, [replacement]).jobs.queued).toEqual(['build']);
  expect(plan({ state: 'reserved', design, ...held(0) }, [replacement]).jobs).toEqual({
    ...{ queued: [], resumed: [], interrupted: [['build', 'session_ended']] },
  });
});

test('every job goes on, fails or has ended: none twice, and none that has begun runs again', () => {
  const job = fc.record({
    status: fc.constantFrom(...JOB_STATUSES),
    type: fc.constantFrom(...JOB_TYPES),
    fpga_id: fc.integer({ min: 0, max: 9 }),
    replaces: fc.boolean(),
    begun: fc.boolean(),
    archived: fc.boolean(),
    on_farm: fc.boolean(),
  });
  const states = fc.array(fc.constantFrom(...FPGA_STATES), { minLength: 10, maxLength: 10 });
  fc.assert(
    fc.property(fc.array(job, { maxLength: 30 }), states, fc.boolean(), (made, nodes, hasFarm) => {
      const bench = emptyBench();
      bench.nodes = nodes.map((state, id) => ({
        ...{ ...emptyNode(id), state },
        ...(state === 'reserved' ? { design, ...held(60) } : {}),
      }));
      const stored = made.map(({ begun: _begun, archived: _archived, on_farm, replaces, ...rest }, seq) => ({
        ...storedJob({ ...rest, job_id: `job ${seq}`, ...(replaces && { replaces }) }, seq),
        ...(on_farm && { on_farm: true as const }),
      }));
      for (const one of [...stored].reverse()) bench.jobs.set(one.job.job_id, one);
      const archived = new Set(stored.filter((_, at) => made[at]?.archived).map((one) => one.job.job_id));
      const hasBegun = ({ seq }: StoredJob) => made[seq]?.begun === true;
      const found = recover(bench, { archived, hasBegun }, hasFarm, clock);
      const { queued, resumed, interrupted, ended } = found;
      const all = [...queued, ...resumed, ...interrupted, ...ended].map(({ job: { job_id } }) => job_id);
      const expected = [...bench.jobs.keys()].filter((id) => !archived.has(id));
      expect(all.sort()).toEqual(expected.sort());
      for (const one of queued) expect([one.job.status, hasBegun(one)]).toEqual(['queued', false]);
      for (const { job: one } of interrupted) expect(one.status).toBe('failed');
      for (const list of [queued, resumed, ended])
        expect(list.map(({ seq }) => seq)).toEqual([...list.map(({ seq }) => seq)].sort((a, b) => a - b));
      expect(found.nodes.map(({ record }) => record.fpga_id)).toEqual(
        bench.nodes.map((node) => node.fpga_id),
      );
    }),
  );
});
