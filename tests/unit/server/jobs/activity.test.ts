import { describe, expect, test } from 'vitest';
import { ACTIVITY_PER_NODE } from '../../../../server/contract/nodes/activity.ts';
import { EventHub } from '../../../../server/events/events.ts';
import { ActivityLog, type Cause, describeActivity } from '../../../../server/jobs/activity.ts';
import { designIdOf } from '../../../../server/jobs/design-id.ts';
import { workInSession } from '../../../../server/jobs/session-work.ts';
import type { Shared } from '../../../../server/jobs/shared.ts';
import { emptyBench } from '../../../../server/store/bench-data.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { stateOf, storedJob } from '../../../support/jobs/node/situations.ts';

const { node: reserved } = stateOf('reserved');
const { node: inError } = stateOf('error');
const over = { ...inError, session: null };
const about = { job: undefined, design: 'new.v', transactions: 7 };

describe('the activity for a change', () => {
  test('of a session names its owner, its design and its transactions', () => {
    for (const kind of ['released', 'reset', 'expired', 'replaced', 'restored'] as const)
      expect(describeActivity(reserved, { kind, by: 'bob', jobId: 'j' }, about)).toEqual({
        ...{ fpga_id: 3, kind, by: 'bob', to: null, owner: 'alice', design: 'echo.v' },
        ...{ transactions: 7, job_id: 'j' },
      });
    for (const kind of ['handed_over', 'declined'] as const)
      expect(describeActivity(reserved, { kind, by: 'alice', to: 'bob' }, about)).toMatchObject({
        ...{ kind, by: 'alice', to: 'bob', owner: 'alice', job_id: null },
      });
    expect(describeActivity(over, { kind: 'taken', by: 'bob', jobId: 'j' }, about)).toMatchObject({
      ...{ owner: 'bob', design: 'new.v', transactions: 0, job_id: 'j' },
    });
  });

  test.each<Cause>([
    { kind: 'released', by: 'bob', jobId: null },
    { kind: 'expired', by: null, jobId: null },
    { kind: 'reset', by: null, jobId: null },
    { kind: 'handed_over', by: 'alice', to: 'bob' },
  ])('of a session that is over already there is none: $kind', (cause) => {
    expect(describeActivity(over, cause, about)).toBeNull();
  });

  test('a user’s reset of a node in error is one, without a session', () => {
    expect(describeActivity(over, { kind: 'reset', by: 'bob', jobId: 'j' }, about)).toMatchObject({
      ...{ by: 'bob', owner: null, design: null },
    });
  });

  test('of a job names its owner and file, where it is known', () => {
    const { job } = storedJob({
      job_id: 'j',
      owner: 'bob',
      submit: { filename: 'a.v', size: 1, options: {} },
    });
    const stopped = { kind: 'stopped', by: 'alice' } as const;
    expect(describeActivity(over, stopped, { ...about, job })).toMatchObject({
      ...{ by: 'alice', owner: 'bob', design: 'a.v', job_id: 'j', transactions: 0 },
    });
    expect(describeActivity(over, stopped, about)).toMatchObject({ owner: null, design: null, job_id: null });
  });
});

test('the newest entries of each node stay, in the order in which their changes began', () => {
  const bench = emptyBench();
  const events = new EventHub();
  const shared = { clock: new FakeClock(), events, store: { bench } } as unknown as Shared;
  const log = new ActivityLog(shared);
  const cause = { kind: 'released', by: 'alice', jobId: null } as const;
  const details = describeActivity(reserved, cause, about);
  if (details === null) throw new Error('There is no activity.');
  const staged = Array.from({ length: ACTIVITY_PER_NODE + 2 }, () => log.stage(details));
  const [first, second, refused, ...others] = staged;
  refused?.undo();
  // The second change is on disk before the first.
  second?.show();
  first?.show();
  for (const one of others) one.show();
  const seqs = log.of(3, 100).map(({ seq }) => seq);
  expect(seqs).toHaveLength(ACTIVITY_PER_NODE);
  expect(seqs).toEqual([...seqs].sort((a, b) => b - a));
  expect([seqs.at(-1), seqs[0], seqs.includes(3)]).toEqual([2, ACTIVITY_PER_NODE + 2, false]);
  expect(log.of(3, 100, 50).map(({ seq }) => seq)).toEqual([52, 51]);
  expect(bench.activity).toEqual(log.newest().reverse());
  expect(new ActivityLog(shared).newest()).toEqual(log.newest());
});

test('work for the holder renews the session that began it, unless it is refused or there is none', async () => {
  const renewed: string[] = [];
  let session: { session_id: string } | null = { session_id: 'a' };
  const pool = {
    node: () => ({ session }),
    renewSession: (_fpgaId: number, id: string) => void renewed.push(id),
  };
  const work = async () => {
    session = { session_id: 'b' };
    return 7;
  };
  expect(await workInSession(pool, 3, work)).toBe(7);
  await expect(workInSession(pool, 3, () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  session = null;
  await workInSession(pool, 3, async () => {});
  expect(renewed).toEqual(['a']);
});

test('the id of a design is readable where its file name has letters, and safe in any case', () => {
  expect(designIdOf('alice', 'My Echo (2).v')).toMatch(/^my-echo-2-v-[0-9a-f]{8}$/);
  expect(designIdOf('alice', 'ö.ü')).toMatch(/^[0-9a-f]{8}$/);
  expect(designIdOf('alice', 'a.v')).not.toBe(designIdOf('bob', 'a.v'));
  expect(designIdOf('alice', `${'x'.repeat(47)}.v`)).toMatch(/^x{47}-[0-9a-f]{8}$/);
});
