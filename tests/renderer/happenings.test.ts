import { expect, test } from 'vitest';
import { OwnJobs } from '../../renderer/src/state/jobs/own-jobs.ts';
import {
  adoptHappenings,
  createHappeningsStore,
  dismissHappenings,
  eventOf,
  takeHappenings,
} from '../../renderer/src/state/nodes/happenings.ts';
import type { Happening } from '../../server/contract/nodes/happenings.ts';
import { memory } from './support/fake-service.ts';
import { uuid } from './support/fixtures.ts';

const happening = (seq: number, change: Partial<Happening> = {}): Happening => ({
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

test('what others did to what is one’s own is told, after a reload too, until it is dismissed', () => {
  const kept = memory();
  const store = createHappeningsStore(kept);
  const me = onlooker('lab-1');
  adoptHappenings(store, [happening(7)]);
  expect(eventOf(me, store.getState(), 3)?.seq).toBe(7);
  expect(eventOf(me, store.getState(), 4)).toBeUndefined();
  dismissHappenings(store, kept, 3);
  expect(eventOf(me, store.getState(), 3)).toBeUndefined();
  const again = createHappeningsStore(kept);
  adoptHappenings(again, [happening(7)]);
  expect(eventOf(me, again.getState(), 3)).toBeUndefined();
  takeHappenings(again, [happening(8, { kind: 'expired', by: null })]);
  expect(eventOf(me, again.getState(), 3)?.kind).toBe('expired');
});

test('what one did oneself is not told; somebody without a name is known by the window', () => {
  const store = createHappeningsStore(memory());
  const own = happening(1, { by: 'lab-1' });
  adoptHappenings(store, [own]);
  expect(eventOf(onlooker('lab-1'), store.getState(), 3)).toBeUndefined();
  const nameless = onlooker('anonymous', false);
  const other = happening(2, { by: 'anonymous', owner: 'anonymous' });
  const mine = happening(3, { by: 'anonymous', owner: 'anonymous' });
  nameless.mine.add(mine.job_id ?? '');
  takeHappenings(store, [other, mine]);
  expect(eventOf(nameless, store.getState(), 3)?.seq).toBe(2);
});

test('what happened to others long before the page was opened is not told, what happens now is', () => {
  const store = createHappeningsStore(memory());
  const stranger = onlooker('lab-3');
  adoptHappenings(store, [happening(4), happening(5, { owner: 'lab-3', at: '2020-01-01T00:00:00.000Z' })]);
  expect(eventOf(stranger, store.getState(), 3)).toBeUndefined();
  takeHappenings(store, [happening(6)]);
  expect(eventOf(stranger, store.getState(), 3)?.seq).toBe(6);
});

test('that somebody took a node is to be seen at the node itself', () => {
  const store = createHappeningsStore(memory());
  adoptHappenings(store, []);
  takeHappenings(store, [happening(1, { kind: 'taken' })]);
  expect(eventOf(onlooker('lab-1'), store.getState(), 3)).toBeUndefined();
});
