import { describe, expect, test } from 'vitest';
import {
  createJobsStore,
  listAllJobs,
  listJobs,
  mergeJobs,
  replaceJobs,
} from '../../../renderer/src/state/jobs/jobs.ts';
import { createNodesStore, mergeNodes, setNodes } from '../../../renderer/src/state/nodes/nodes.ts';
import { createPreferencesStore } from '../../../renderer/src/state/page/preferences.ts';
import { toBatch } from '../../../renderer/src/state/page/pump.ts';
import { createToastsStore, dismissToast, showToast } from '../../../renderer/src/state/page/toasts.ts';
import type { LiveEvent } from '../../../server/contract/events/events.ts';
import { memory } from '../../support/renderer/fake-service.ts';
import { job, node, status, tenNodes } from '../../support/renderer/fixtures.ts';

describe('nodes', () => {
  test('are sorted by number', () => {
    const store = createNodesStore();
    setNodes(store, tenNodes().reverse());
    expect(store.getState().nodes?.map(({ fpga_id }) => fpga_id)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('that did not change stay the same objects, which avoids redrawing', () => {
    const store = createNodesStore();
    setNodes(store, tenNodes());
    const before = store.getState().nodes ?? [];
    mergeNodes(store, new Map([[3, node(3, { state: 'queued' })]]), new Map());
    const after = store.getState().nodes ?? [];
    expect(after[3]?.state).toBe('queued');
    for (const id of [0, 1, 2, 4, 5, 6, 7, 8, 9]) expect(after[id]).toBe(before[id]);
  });

  test('update when a board connects or disconnects', () => {
    const store = createNodesStore();
    setNodes(store, tenNodes());
    const board = { ...node(4).board, present: false, reason: 'unplugged' };
    mergeNodes(store, new Map(), new Map([[4, board]]));
    expect(store.getState().nodes?.[4]?.board).toEqual(board);
  });

  test('that were never loaded are not created from events', () => {
    const store = createNodesStore();
    mergeNodes(store, new Map([[3, node(3)]]), new Map());
    expect(store.getState().nodes).toBeUndefined();
  });
});

describe('jobs', () => {
  test('never go back to an older version', () => {
    const store = createJobsStore();
    const running = job({ status: 'running', updated_at: '2026-01-02T10:00:02.000Z' });
    const done = { ...running, status: 'complete' as const, updated_at: '2026-01-02T10:00:04.000Z' };
    mergeJobs(store, [done]);
    mergeJobs(store, [running]);
    expect(store.getState().byId.get(done.job_id)?.status).toBe('complete');
  });

  test('of another bench survive a snapshot and accept every update', () => {
    const store = createJobsStore();
    const bench = { name: 'b', address: 'http://b:8000', fpga_id: 3, state: 'live' as const, problem: null };
    const away = {
      ...job({ status: 'queued', updated_at: '2026-01-02T10:00:04.000Z' }),
      job_id: 'away',
      fpga_id: null,
      bench,
    };
    mergeJobs(store, [away]);
    replaceJobs(store, [job()]);
    expect(listAllJobs(store.getState()).map(({ job_id }) => job_id)).toContain('away');
    // The clock there is slow.
    mergeJobs(store, [{ ...away, status: 'running', updated_at: '2026-01-02T10:00:02.000Z' }]);
    expect(store.getState().unplaced.get('away')?.status).toBe('running');
  });

  test('without a node are listed separately until they get one', () => {
    const store = createJobsStore();
    const placed = job({ status: 'queued' });
    const waiting = { ...placed, fpga_id: null };
    mergeJobs(store, [waiting]);
    expect(listAllJobs(store.getState())).toEqual([waiting]);
    expect(listJobs(store.getState().byId)).toEqual([]);
    mergeJobs(store, [placed]);
    // An answer that was on its way while the job got its node.
    mergeJobs(store, [waiting]);
    expect(listAllJobs(store.getState())).toEqual([placed]);
    const cancelled = { ...job(), fpga_id: null, status: 'cancelled' as const };
    mergeJobs(store, [cancelled]);
    mergeJobs(store, [], [cancelled.job_id]);
    expect(listAllJobs(store.getState())).toEqual([placed]);
    replaceJobs(store, [placed], [waiting]);
    expect(store.getState().unplaced.size).toBe(1);
  });

  test('are listed newest first, of one node or of all', () => {
    const store = createJobsStore();
    const old = job({ created_at: '2026-01-02T09:00:00.000Z' });
    const other = job({ fpga_id: 1, created_at: '2026-01-02T09:30:00.000Z' });
    const young = job({ created_at: '2026-01-02T10:00:00.000Z' });
    mergeJobs(store, [old, young, other]);
    const ids = (list: { job_id: string }[]) => list.map(({ job_id }) => job_id);
    expect(ids(listJobs(store.getState().byId))).toEqual(ids([young, other, old]));
    expect(ids(listJobs(store.getState().byId, 0))).toEqual(ids([young, old]));
  });

  test('that a reload omits are removed', () => {
    const store = createJobsStore();
    const [kept, gone] = [job(), job()];
    mergeJobs(store, [kept, gone]);
    replaceJobs(store, [kept]);
    expect([...store.getState().byId.keys()]).toEqual([kept.job_id]);
    expect(store.getState().loaded).toBe(true);
  });
});

describe('a batch of events', () => {
  test('yields the last state of every object, and log text in order', () => {
    const first = job({ status: 'queued' });
    const events: LiveEvent[] = [
      { type: 'node', node: node(2, { state: 'queued' }) },
      { type: 'job', job: first },
      { type: 'log', fpga_id: 2, job_id: first.job_id, offset: 0, text: 'a\n' },
      { type: 'node', node: node(2, { state: 'building' }) },
      { type: 'log', fpga_id: 2, job_id: first.job_id, offset: 2, text: 'b\n' },
      { type: 'job', job: { ...first, status: 'running' } },
      { type: 'status', status: status({ clients: 2 }) },
      { type: 'status', status: status({ clients: 2, store: false }) },
      { type: 'heartbeat', time: '2026-01-02T10:00:00.000Z' },
    ];
    const batch = toBatch(events);
    expect(batch.nodes.get(2)?.state).toBe('building');
    expect(batch.jobs.get(first.job_id)?.status).toBe('running');
    expect(batch.logs.map(({ text }) => text)).toEqual(['a\n', 'b\n']);
    expect(batch.status).toMatchObject({ clients: 2, store: false });
  });

  test('a removed job is deleted, and one added after its removal stays', () => {
    const one = job();
    const removed: LiveEvent = { type: 'job_removed', fpga_id: 0, job_id: one.job_id };
    expect(toBatch([{ type: 'job', job: one }, removed]).jobs.size).toBe(0);
    expect(toBatch([removed, { type: 'job', job: one }]).removedJobs.size).toBe(0);
  });

  test('a snapshot discards earlier events', () => {
    const batch = toBatch([
      { type: 'node', node: node(1, { state: 'error' }) },
      { type: 'snapshot', nodes: tenNodes(), jobs: [], boards: [], status: status() },
      { type: 'node', node: node(2, { state: 'queued' }) },
    ]);
    expect(batch.snapshot?.nodes).toHaveLength(10);
    expect([...batch.nodes.keys()]).toEqual([2]);
  });

  test('unknown events of a newer service are ignored', () => {
    const newer: LiveEvent[] = JSON.parse('[{"type":"weather"}]');
    expect(toBatch(newer)).toEqual(toBatch([]));
  });
});

describe('preferences', () => {
  test('are remembered', () => {
    const kept = memory();
    createPreferencesStore(kept).setState({ theme: 'dark', numberFormat: 'signed', name: 'alice' });
    expect(createPreferencesStore(kept).getState()).toMatchObject({
      theme: 'dark',
      numberFormat: 'signed',
      name: 'alice',
    });
  });

  test.each([
    '',
    '{',
    '[]',
    'null',
    '7',
    '{"theme":"neon","numberFormat":3,"name":{},"notifications":"yes"}',
  ])('that are damaged (%j) fall back to the defaults', (stored) => {
    const kept = memory();
    kept.setItem('wishbench.preferences', stored);
    expect(createPreferencesStore(kept).getState()).toEqual({
      ...createPreferencesStore(undefined).getState(),
      windowName: expect.stringMatching(/^[0-9a-f]{4}$/),
    });
  });

  test('a browser gets a persistent name of its own on its first page', () => {
    const kept = memory();
    const { windowName } = createPreferencesStore(kept).getState();
    expect(windowName).toMatch(/^[0-9a-f]{4}$/);
    expect(createPreferencesStore(kept).getState().windowName).toBe(windowName);
    expect(createPreferencesStore(undefined).getState().windowName).toBe('');
  });

  test('apply to the page when storage is refused', () => {
    const refusing = {
      getItem: () => {
        throw new DOMException('denied');
      },
      setItem: () => {
        throw new DOMException('denied');
      },
      removeItem: () => {},
    };
    const store = createPreferencesStore(refusing);
    store.setState({ theme: 'light' });
    expect(store.getState().theme).toBe('light');
  });
});

test('of many notices the newest four are shown', () => {
  const store = createToastsStore();
  const ids = [1, 2, 3, 4, 5, 6].map((n) => showToast(store, { tone: 'plain', text: `${n}` }));
  expect(store.getState().toasts.map(({ text }) => text)).toEqual(['3', '4', '5', '6']);
  dismissToast(store, ids[5] ?? 0);
  expect(store.getState().toasts.map(({ text }) => text)).toEqual(['3', '4', '5']);
});
