import { beforeEach, expect, test, vi } from 'vitest';
import type { NodeView } from '../../../server/contract/nodes/nodes.ts';
import type { Transaction } from '../../../server/contract/stream/stream.ts';
import { FakeService, fakeBench, memory } from '../../support/renderer/fake-service.ts';
import { reserved, SESSION_ID, tenNodes, uuid } from '../../support/renderer/fixtures.ts';

const NODE = 3;
const NEXT_SESSION = '99999999-2222-4333-8444-555555555555';
const lastBuild = (job_id: string, file: string): NodeView['last_build'] => ({
  ...{ job_id, file, status: 'complete', owner: 'anonymous', at: '2026-01-02T10:00:04.100Z' },
  ...{ fmax: 50, luts: 100, luts_available: 7680, timing_met: null, failure: null },
});
const FIRST = reserved(NODE, 'anonymous', { last_build: lastBuild(uuid(), 'echo.v') });
const SECOND: NodeView = {
  ...FIRST,
  ...{ session: FIRST.session && { ...FIRST.session, session_id: NEXT_SESSION } },
  ...{ design: { filename: 'timer.v', build_id: 'cd'.repeat(32), module: 'timer', design_id: 'timer-v-1' } },
  last_build: lastBuild(uuid(), 'timer.v'),
};

const recorded = (seq: number, change: Partial<Transaction> = {}): Transaction => ({
  ...{ seq, at: new Date(1000 * seq).toISOString(), owner: 'ci', via: 'stream', op: 'read', address: 0x10 },
  ...{ count: 1, fixed_address: false, ok: true, error: null, error_address: null, data: [7], polled: false },
  ...{ ms: 0.1, job_id: null },
  ...change,
});

/** A reloaded page in the same browser. */
async function loadPage(browser: Storage, node: NodeView) {
  vi.resetModules();
  const [state, builds, samples, nodes] = await Promise.all([
    import('../../../renderer/src/state/registers/transactions.ts'),
    import('../../../renderer/src/state/registers/builds.ts'),
    import('../../../renderer/src/state/samples/samples.ts'),
    import('../../../renderer/src/state/nodes/nodes.ts'),
  ]);
  const service = new FakeService();
  const { client } = fakeBench(service, { memory: browser });
  nodes.setNodes(client.nodes, tenNodes({ [NODE]: node }));
  const words = async () => {
    await vi.waitFor(() => expect(state.transactions.getState().byNode[NODE]).toBeDefined());
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    return (state.transactions.getState().byNode[NODE] ?? []).map(({ data }) => data[0]);
  };
  const files = () => (builds.runBuilds.getState()[NODE] ?? []).map(({ file }) => file);
  const become = (next: NodeView) => nodes.setNodes(client.nodes, tenNodes({ [NODE]: next }));
  return { ...state, ...samples, client, service, words, files, become };
}

let browser: Storage;
beforeEach(() => {
  browser = memory();
});

test('transactions survive a replacement, with the build of each, also after a reload', async () => {
  const before = await loadPage(browser, FIRST);
  before.beginRecord(before.client, NODE, 'a');
  before.takeRecord(NODE, [recorded(1, { data: [1] }), recorded(2, { data: [2] })]);
  before.become(SECOND);
  before.beginRecord(before.client, NODE, 'b');
  const later = { at: new Date(Date.now() + 1000).toISOString(), data: [3] };
  before.takeRecord(NODE, [recorded(1, later)]);
  expect(await before.words()).toEqual([1, 2, 3]);
  expect(before.files()).toEqual(['echo.v', 'timer.v']);

  const after = await loadPage(browser, SECOND);
  after.beginRecord(after.client, NODE, 'b');
  after.takeRecord(NODE, [recorded(1, later)]);
  expect(await after.words()).toEqual([1, 2, 3]);
  expect(after.files()).toEqual(['echo.v', 'timer.v']);
});

test('a hand-over begins no build, and after a reload another session has no earlier transactions', async () => {
  const page = await loadPage(browser, FIRST);
  page.beginRecord(page.client, NODE, 'a');
  page.takeRecord(NODE, [recorded(1)]);
  page.become({ ...FIRST, session: SECOND.session });
  expect(page.files()).toEqual(['echo.v']);
  page.become(SECOND);
  const third = { ...SECOND, session: SECOND.session && { ...SECOND.session, session_id: SESSION_ID } };
  const after = await loadPage(browser, third);
  after.beginRecord(after.client, NODE, 'c');
  expect(await after.words()).toEqual([]);
});

test('cleared transactions stay cleared after a reload, and undo restores them with newer ones', async () => {
  const page = await loadPage(browser, FIRST);
  page.beginRecord(page.client, NODE, 'a');
  page.takeRecord(NODE, [recorded(1, { data: [1] }), recorded(2, { data: [2] })]);
  page.client.unsaved.set(NODE, 2);
  const undo = page.clearTransactions(page.client, NODE);
  page.takeRecord(NODE, [recorded(3, { data: [3] })]);
  expect(await page.words()).toEqual([3]);
  expect(page.client.unsavedTransactions(NODE)).toBe(0);

  const after = await loadPage(browser, FIRST);
  after.beginRecord(after.client, NODE, 'a');
  after.takeRecord(
    NODE,
    [1, 2, 3].map((word) => recorded(word, { data: [word] })),
  );
  expect(await after.words()).toEqual([3]);

  undo();
  expect(await page.words()).toEqual([1, 2, 3]);
  expect(page.client.unsavedTransactions(NODE)).toBe(2);
  const again = await loadPage(browser, FIRST);
  again.beginRecord(again.client, NODE, 'a');
  again.takeRecord(
    NODE,
    [1, 2, 3].map((word) => recorded(word, { data: [word] })),
  );
  expect(await again.words()).toEqual([1, 2, 3]);
});

test('a removed register stays removed after a reload, until it is read again', async () => {
  const page = await loadPage(browser, FIRST);
  page.beginRecord(page.client, NODE, 'a');
  page.takeRecord(NODE, [recorded(1, { count: 2, data: [5, 6] })]);
  const undo = page.removeRegister(page.client, NODE, 0x14);
  expect([...page.lastValuesOf(NODE).keys()]).toEqual([0x10]);

  const after = await loadPage(browser, FIRST);
  after.beginRecord(after.client, NODE, 'a');
  after.takeRecord(NODE, [recorded(1, { count: 2, data: [5, 6] })]);
  expect([...after.lastValuesOf(NODE).keys()]).toEqual([0x10]);
  after.takeRecord(NODE, [recorded(2, { address: 0x14, data: [8] })]);
  expect(after.lastValuesOf(NODE).get(0x14)?.value).toBe(8);

  undo();
  expect(page.lastValuesOf(NODE).get(0x14)?.value).toBe(6);
});
