import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LiveEvent } from '../../../../server/contract/events/events.ts';
import { hasEnded, JOB_STATUSES, JOB_TYPES } from '../../../../server/contract/jobs/jobs.ts';
import { HoldTimes } from '../../../../server/jobs/hold-times.ts';
import { JobIndex } from '../../../../server/jobs/job-index.ts';
import { NO_SHARES } from '../../../../server/jobs/share-policy.ts';
import type { Shared } from '../../../../server/jobs/shared.ts';
import { emptyBench } from '../../../../server/store/bench-data.ts';
import type { StoredJob, StoredUnplacedJob } from '../../../../server/store/index.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { storedJob } from '../../../support/jobs/node/situations.ts';

function newIndex(append: (job: StoredJob) => Promise<void> = async () => {}) {
  const [clock, bench] = [new FakeClock(), emptyBench()];
  const events: LiveEvent[] = [];
  const store = { bench, histories: Array.from({ length: 10 }, () => ({ append })), touchLater: () => {} };
  const shared = {
    ...{ clock, store, shares: NO_SHARES, holds: new HoldTimes(clock) },
    ...{ boards: { list: () => [] }, events: { publish: (event: LiveEvent) => void events.push(event) } },
  };
  return { index: new JobIndex(shared as unknown as Shared), bench, events, clock };
}

const waiting = (n: number, node: number | null = null, status: 'queued' | 'cancelled' = 'queued') =>
  ({
    ...storedJob({ type: 'build_and_program', job_id: `job ${n}`, status }, n),
    job: {
      ...storedJob({ type: 'build_and_program', job_id: `job ${n}`, status }, n).job,
      fpga_id: null,
      waiting_for: node,
    },
  }) as unknown as StoredUnplacedJob;

test('a place in line is announced to those whose place has changed, and to no others', () => {
  const { index, events } = newIndex();
  for (const [n, node] of [
    [1, null],
    [2, 4],
    [3, 5],
    [4, null],
    [5, 4],
  ] as const)
    index.unplaced.set(`job ${n}`, waiting(n, node));
  index.unplaced.set('job 6', waiting(6, null, 'cancelled'));
  const told = () =>
    events
      .splice(0)
      .flatMap((event) => (event.type === 'unplaced_job' ? [[event.job.job_id, event.job.place]] : []));
  const first = index.tellPlaces(new Map());
  expect(told()).toEqual([
    ['job 1', 1],
    ['job 2', 2],
    ['job 3', 2],
    ['job 4', 2],
    ['job 5', 4],
  ]);
  index.tellPlaces(first);
  expect(told()).toEqual([]);
  index.removeUnplaced('job 2');
  events.length = 0;
  index.tellPlaces(first);
  expect(told()).toEqual([['job 5', 3]]);
  expect(index.listUnplaced({ limit: 2 }).map(({ job_id, place }) => [job_id, place])).toEqual([
    ['job 6', null],
    ['job 5', 3],
  ]);
});

test('a wait ends with a change, at its time, or by its signal, also one that fired before', async () => {
  const { index, clock } = newIndex();
  const queued = storedJob({ job_id: 'a' });
  index.show(queued);
  const ends: string[] = [];
  const wait = (name: string, signal?: AbortSignal) =>
    index.wait('a', 1000, signal).then(() => void ends.push(name));
  const control = new AbortController();
  const all = [wait('change'), wait('signal', control.signal), wait('before', AbortSignal.abort())];
  await all[2];
  control.abort();
  await all[1];
  expect(ends).toEqual(['before', 'signal']);
  index.show({ ...queued, job: { ...queued.job, status: 'running' } });
  await all[0];
  const late = wait('time');
  clock.advance(1000);
  await late;
  expect(ends).toEqual(['before', 'signal', 'change', 'time']);
  expect(clock.pending).toBe(0);
});

test('a job that changed while its end was written stays for the next write', async () => {
  const ended = storedJob({ job_id: 'a', status: 'complete' });
  const later = { ...ended, bytes: 7 };
  let during = () => {};
  const { index, bench } = newIndex(async () => during());
  await index.archive(ended);
  expect(bench.jobs.size).toBe(0);
  during = () => void bench.jobs.set('a', later);
  await index.archive(ended);
  expect(bench.jobs.get('a')).toBe(later);
});

test('the last build of a node is summarised, with its figures where it has any', () => {
  const { index } = newIndex();
  expect(index.lastBuild(3)).toBeNull();
  const submit = { filename: 'a.v', size: 1, options: {} };
  const build = (n: number, change: Partial<StoredJob['job']>) =>
    index.add(storedJob({ type: 'build_and_program', job_id: `${n}`, submit, ...change }, n));
  const none = { fmax: null, luts: null, luts_available: null, timing_met: null };
  const failure = { error: 'syntax_error', message: 'It is wrong.', remedy: 'Mend it.' };
  build(1, { status: 'failed', failure });
  expect(index.lastBuild(3)).toMatchObject({ job_id: '1', status: 'failed', file: 'a.v', failure, ...none });
  build(2, { status: 'running' });
  expect(index.lastBuild(3)?.job_id).toBe('1');
  const figures = { fmax_mhz: 60, luts: 5, luts_available: 100, timing_met: true };
  build(2, { status: 'complete', figures });
  expect(index.lastBuild(3)).toMatchObject({
    ...{ job_id: '2', failure: null, fmax: 60, luts: 5, luts_available: 100, timing_met: true },
  });
  index.remove(index.get('2'));
  expect([index.lastBuild(3), index.last(3)]).toEqual([null, null]);
});

test('lists, counts and active jobs agree with all jobs that were added', () => {
  const job = fc.record({
    status: fc.constantFrom(...JOB_STATUSES),
    type: fc.constantFrom(...JOB_TYPES),
    fpga_id: fc.integer({ min: 0, max: 2 }),
    owner: fc.constantFrom('alice', 'bob'),
  });
  const filter = fc.record(
    {
      statuses: fc.subarray([...JOB_STATUSES], { minLength: 1 }),
      types: fc.subarray([...JOB_TYPES], { minLength: 1 }),
      owner: fc.constantFrom('alice', 'bob'),
      fpgaId: fc.integer({ min: 0, max: 2 }),
      limit: fc.nat({ max: 5 }),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(job, { maxLength: 30 }), filter, (made, asked) => {
      const { index } = newIndex();
      const all = made.map((one, seq) => storedJob({ ...one, job_id: `${seq}` }, seq));
      for (const one of all) index.show(one);
      const fits = ({ job: one }: StoredJob) =>
        (asked.statuses?.includes(one.status) ?? true) &&
        (asked.types?.includes(one.type) ?? true) &&
        (asked.owner === undefined || one.owner === asked.owner);
      const ofNode = (id: number) => all.filter(({ job: one }) => one.fpga_id === id);
      const expected = (asked.fpgaId === undefined ? all : ofNode(asked.fpgaId)).filter(fits).reverse();
      expect(index.list(asked)).toEqual(expected.slice(0, asked.limit).map((one) => one.job));
      for (const id of [0, 1, 2]) {
        const ended = ofNode(id).filter(({ job: one }) => hasEnded(one.status));
        expect(index.active(id)).toEqual(ofNode(id).filter((one) => !ended.includes(one)));
        const runs = ended.filter(({ job: one }) => one.type === 'run').length;
        const counts = () => Object.values(index.ended(id)).map(({ size }) => size);
        expect(counts()).toEqual([runs, ended.length - runs]);
        expect(index.last(id)).toBe(ended.at(-1)?.job.job_id ?? null);
        for (const one of ended) index.remove(one);
        expect(counts()).toEqual([0, 0]);
      }
    }),
  );
});
