import { expect, test } from 'vitest';
import { OwnJobs } from '../../../renderer/src/state/jobs/own-jobs.ts';
import {
  addActivity,
  createActivityStore,
  dismissActivity,
  eventOf,
  loadActivity,
} from '../../../renderer/src/state/nodes/activity.ts';
import type { ActivityEntry } from '../../../server/contract/nodes/activity.ts';
import { memory } from '../../support/renderer/fake-service.ts';
import { uuid } from '../../support/renderer/fixtures.ts';

const activityEntry = (seq: number, change: Partial<ActivityEntry> = {}): ActivityEntry => ({
  seq,
  at: new Date().toISOString(),
  fpga_id: 3,
  kind: 'reset',
  by: 'lab-2',
  owner: 'lab-1',
  to: null,
  design: 'echo.v',
  transactions: 37,
  job_id: uuid(),
  ...change,
});

const onlooker = (owner: string, named = true) => ({ owner, named, mine: new OwnJobs(memory()) });

test('activity of others on one’s own session shows until dismissed, across reloads', () => {
  const kept = memory();
  const store = createActivityStore(kept);
  const me = onlooker('lab-1');
  loadActivity(store, [activityEntry(7)]);
  expect(eventOf(me, store.getState(), 3)?.seq).toBe(7);
  expect(eventOf(me, store.getState(), 4)).toBeUndefined();
  dismissActivity(store, kept, 3);
  expect(eventOf(me, store.getState(), 3)).toBeUndefined();
  const again = createActivityStore(kept);
  loadActivity(again, [activityEntry(7)]);
  expect(eventOf(me, again.getState(), 3)).toBeUndefined();
  addActivity(again, [activityEntry(8, { kind: 'expired', by: null })]);
  expect(eventOf(me, again.getState(), 3)?.kind).toBe('expired');
});

test('one’s own activity is hidden; anonymous users are distinguished by window', () => {
  const store = createActivityStore(memory());
  const own = activityEntry(1, { by: 'lab-1' });
  loadActivity(store, [own]);
  expect(eventOf(onlooker('lab-1'), store.getState(), 3)).toBeUndefined();
  const nameless = onlooker('anonymous', false);
  const other = activityEntry(2, { by: 'anonymous', owner: 'anonymous' });
  const mine = activityEntry(3, { by: 'anonymous', owner: 'anonymous' });
  nameless.mine.add(mine.job_id ?? '');
  addActivity(store, [other, mine]);
  expect(eventOf(nameless, store.getState(), 3)?.seq).toBe(2);
});

test('on opening, activity of others and old activity is hidden; new activity shows', () => {
  const store = createActivityStore(memory());
  const stranger = onlooker('lab-3');
  loadActivity(store, [
    activityEntry(4),
    activityEntry(5, { owner: 'lab-3', at: '2020-01-01T00:00:00.000Z' }),
  ]);
  expect(eventOf(stranger, store.getState(), 3)).toBeUndefined();
  addActivity(store, [activityEntry(6)]);
  expect(eventOf(stranger, store.getState(), 3)?.seq).toBe(6);
});

test('taking a node creates no extra notice', () => {
  const store = createActivityStore(memory());
  loadActivity(store, []);
  addActivity(store, [activityEntry(1, { kind: 'taken' })]);
  expect(eventOf(onlooker('lab-1'), store.getState(), 3)).toBeUndefined();
});
