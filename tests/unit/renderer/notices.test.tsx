import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { App } from '../../../renderer/src/app/App.tsx';
import { warningsOf } from '../../../renderer/src/state/notices/sessions.ts';
import {
  addNotice,
  countUnseen,
  createNoticesStore,
  dismissAll,
  markSeen,
  type Notice,
} from '../../../renderer/src/state/page/notices.ts';
import {
  createToastsStore,
  retractToast,
  showPage,
  showToast,
  showToastEverywhere,
} from '../../../renderer/src/state/page/toasts.ts';
import type { ActivityEntry } from '../../../server/contract/nodes/activity.ts';
import { FakeBridge } from '../../support/renderer/fake-bridge.ts';
import { FakeService, memory } from '../../support/renderer/fake-service.ts';
import { job, node, reserved, status, tenNodes } from '../../support/renderer/fixtures.ts';
import { show } from '../../support/renderer/render.tsx';

afterEach(() => vi.useRealTimers());

const notice = (n: number, change: Partial<Notice> = {}): Notice => ({
  ...{ key: `${n}`, at: n, tone: 'plain', text: `notice ${n}` },
  ...change,
});

const request = (owner: string, note: string | null = null) => ({
  owner,
  since: '2026-01-02T10:00:00.000Z',
  note,
});
const asked = (id: number, ...owners: string[]) =>
  reserved(id, 'lab-1', { control_requests: owners.map((owner) => request(owner)) });
const entry = (seq: number, change: Partial<ActivityEntry>): ActivityEntry => ({
  ...{ seq, at: new Date().toISOString(), fpga_id: 3, kind: 'declined', by: 'lab-2', owner: 'lab-2' },
  ...{ to: null, design: 'echo.v', transactions: 0, job_id: null },
  ...change,
});

/** The GUI of lab-1. */
async function open(service = new FakeService(), stored = memory()) {
  stored.setItem('wishbench.preferences', JSON.stringify({ name: 'lab-1' }));
  const shown = await show(<App />, service, { memory: stored, tabMemory: memory() });
  return { ...shown, stored };
}

/** The texts of the list. */
async function listed(): Promise<string[]> {
  fireEvent.click(screen.getByRole('button', { name: /^Notices/ }));
  const list = await screen.findByRole('dialog', { name: 'Notices' });
  return within(list)
    .queryAllByRole('listitem')
    .map(({ textContent }) => textContent ?? '');
}

test('the list retains the last 50 across reloads, and each event once', () => {
  const stored = memory();
  const store = createNoticesStore(stored);
  for (let n = 1; n <= 60; n++) expect(addNotice(store, notice(n))).toBe(true);
  expect(addNotice(store, notice(60))).toBe(false);
  const again = createNoticesStore(stored).getState();
  expect(again.notices).toHaveLength(50);
  expect(again.notices[0]).toEqual(notice(60));
  expect(countUnseen(again)).toBe(50);
  markSeen(store, 58);
  expect(countUnseen(createNoticesStore(stored).getState())).toBe(2);
});

test('malformed stored notices are ignored', () => {
  for (const text of ['5', '"x"', '{"notices":5,"seenAt":"x"}', '{"notices":[5,null,{"key":1}]}']) {
    const stored = memory();
    stored.setItem('wishbench.notices', text);
    expect(createNoticesStore(stored).getState()).toEqual({ notices: [], seenAt: 0, lastSeq: -1 });
  }
});

test('undo restores dismissed notices among newer ones', () => {
  const store = createNoticesStore(undefined);
  addNotice(store, notice(1));
  addNotice(store, notice(2));
  const undo = dismissAll(store);
  expect(store.getState().notices).toEqual([]);
  addNotice(store, notice(3));
  undo();
  expect(store.getState().notices.map(({ key }) => key)).toEqual(['3', '2', '1']);
});

test('a toast vanishes with its page and with its cause', () => {
  const store = createToastsStore();
  const texts = () => store.getState().toasts.map(({ text }) => text);
  showPage(store, 'node 3');
  showToast(store, { tone: 'bad', text: 'of node 3' });
  showToastEverywhere(store, { tone: 'warn', text: 'everywhere', key: 'request' });
  showToastEverywhere(store, { tone: 'warn', text: 'newer', key: 'request' });
  expect(texts()).toEqual(['of node 3', 'newer']);
  showPage(store, 'jobs');
  expect(texts()).toEqual(['newer']);
  retractToast(store, 'request');
  expect(texts()).toEqual([]);
});

test('a session warns five minutes and one minute before its end, a short one at shorter notice', () => {
  expect([3600, 1200, 600, 60].map((ttl) => warningsOf(ttl))).toEqual([
    [300, 60],
    [300, 60],
    [150, 60],
    [15, 6],
  ]);
});

test('a control request reaches the holder on another screen, where it is approved or declined', async () => {
  const service = new FakeService();
  service.nodes = tenNodes({ 3: reserved(3, 'lab-1') });
  service.on('POST /fpga/3/control/decline', new Response(null, { status: 204 }));
  service.on('POST /fpga/3/session/handover', {});
  window.location.hash = '#/node/5';
  await open(service);
  await waitFor(() => expect(document.title).toBe('Node 5 · idle – Wishbench'));
  service.send({ type: 'node', node: asked(3, 'course-3') });
  await screen.findByText('course-3 requests control of node 3.');
  expect(document.title).toBe('(1) Node 5 · idle – Wishbench');
  expect(screen.getByText('course-3 requests control')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Decline the request of course-3 for node 3' }));
  await waitFor(() => expect(service.asked.at(-1)).toMatchObject({ body: { owner: 'course-3' } }));
  service.send({ type: 'node', node: reserved(3, 'lab-1') });
  // The toast disappears with the request; the list keeps it without its buttons.
  await waitFor(() => expect(screen.queryByText('course-3 requests control of node 3.')).toBeNull());
  expect(document.title).toBe('Node 5 · idle – Wishbench');
  expect(await listed()).toEqual([expect.stringContaining('course-3 requests control of node 3.')]);
  expect(screen.queryByRole('button', { name: /^Decline/ })).toBeNull();
  service.send({ type: 'node', node: asked(3, 'ci') });
  fireEvent.click(
    (await screen.findAllByRole('button', { name: 'Approve: hand node 3 over to ci' }))[0] as Element,
  );
  await waitFor(() => expect(service.asked.at(-1)).toMatchObject({ body: { to: 'ci' } }));
});

test.each([
  ['a browser in which the person switched it on', undefined],
  ['the desktop application', new FakeBridge()],
])('a control request appears on the desktop behind other windows: in %s', async (_, desktop) => {
  const shown: { title: string; onclick?: () => void }[] = [];
  class Shown {
    static permission = 'granted';
    onclick?: () => void;
    constructor(readonly title: string) {
      shown.push(this);
    }
  }
  vi.stubGlobal('Notification', Shown);
  const front = vi.spyOn(document, 'hasFocus').mockReturnValue(true);
  const service = new FakeService();
  service.nodes = tenNodes({ 3: reserved(3, 'lab-1') });
  const stored = memory();
  stored.setItem('wishbench.preferences', JSON.stringify({ name: 'lab-1', notifications: !desktop }));
  const { client } = await show(<App />, service, { memory: stored, tabMemory: memory(), desktop });
  service.send({ type: 'node', node: asked(3, 'course-3') });
  await waitFor(() => expect(client.notices.getState().notices).toHaveLength(1));
  expect(shown).toEqual([]);
  front.mockReturnValue(false);
  service.send({ type: 'node', node: asked(3, 'course-3', 'ci') });
  await waitFor(() => expect(shown.map(({ title }) => title)).toEqual(['ci requests control of node 3.']));
  shown[0]?.onclick?.();
  await waitFor(() => expect(window.location.hash).toBe('#/node/3'));
  vi.unstubAllGlobals();
  front.mockRestore();
});

test('the requester sees the decision and who made it', async () => {
  const service = new FakeService();
  const waiting = reserved(3, 'lab-2', { control_requests: [request('lab-1')] });
  service.nodes = tenNodes({ 3: waiting });
  const { client } = await open(service);
  const before = client.notices.getState().notices;
  expect(before).toEqual([]);
  service.send({ type: 'activity', entry: entry(5, { to: 'lab-1' }) });
  await screen.findByText('lab-2 declined your request for node 3.');
  service.send({ type: 'activity', entry: entry(6, { kind: 'handed_over', to: 'lab-1' }) });
  await screen.findByText('lab-2 approved your request: you hold node 3 now.');
  service.send({ type: 'node', node: waiting }, { type: 'node', node: node(3) });
  await screen.findByText('The session of node 3 ended before your request was answered.');
  // Events of other users make no notice.
  service.send({ type: 'activity', entry: entry(7, { to: 'course-3' }) });
  service.send({ type: 'activity', entry: entry(8, { kind: 'reset', owner: 'lab-2', by: 'ci' }) });
  await waitFor(() => expect(client.notices.getState().lastSeq).toBe(8));
  expect(await listed()).toHaveLength(3);
});

test('activity of others during absence appears in the list', async () => {
  const stored = memory();
  stored.setItem('wishbench.notices', '{"notices":[],"seenAt":0,"lastSeq":4}');
  const service = new FakeService();
  const { client } = await open(service, stored);
  service.send({
    type: 'snapshot',
    ...{ nodes: service.nodes, jobs: [], boards: [], status: status() },
    activity: [
      entry(5, { kind: 'expired', by: null, owner: 'lab-1' }),
      entry(4, { kind: 'reset', owner: 'lab-1' }),
    ],
  });
  await waitFor(() => expect(client.notices.getState().lastSeq).toBe(5));
  expect(await listed()).toEqual([expect.stringContaining('Node 3: Your session with echo.v expired.')]);
});

test('an expiring session shows a notice with Extend, which vanishes after extending', async () => {
  const service = new FakeService();
  const ends = (seconds: number) => {
    const held = reserved(3, 'lab-1');
    const expires_at = new Date(Date.now() + seconds * 1000).toISOString();
    return { ...held, session: held.session && { ...held.session, expires_at } };
  };
  service.nodes = tenNodes({ 3: ends(290) });
  service.on('POST /fpga/3/session/extend', () => ends(3600).session);
  await open(service);
  await screen.findByText('Your session of node 3 ends in less than 5 minutes.');
  expect(document.title).toBe('(1) Bench – Wishbench');
  expect(screen.getByText('ends in')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Extend the session of node 3' }));
  await screen.findByText(/^Your session of node 3 lasts until \d\d:\d\d\.$/);
  service.send({ type: 'node', node: ends(3600) });
  await waitFor(() => expect(screen.queryByText(/ends in less than/)).toBeNull());
  expect(screen.queryByText('ends in')).toBeNull();
  service.send({ type: 'node', node: ends(50) });
  await screen.findByText('Your session of node 3 ends in less than a minute.');
});

test('the end of an own build is announced on other pages: built, too slow, stopped or failed', async () => {
  const service = new FakeService();
  const { client } = await open(service);
  const figures = { fmax_mhz: 20, luts: 1, luts_available: 2, timing_met: false };
  const failure = (error: string) => ({ error, message: 'It was so.', remedy: '', diagnostics: [] });
  const builds = [
    ['Node 0: echo.v runs, Fmax 60 MHz.', { summary: 'Fmax 60 MHz' }],
    ['Node 0: echo.v runs, but misses its timing target.', { figures }],
    ['Node 0: the build of echo.v was stopped.', { status: 'failed', failure: failure('stopped_by_user') }],
    ['Node 0: the build of echo.v failed. It was so.', { status: 'failed', failure: failure('no_slave') }],
  ] as const;
  for (const [text, change] of builds) {
    const one = job({ owner: 'lab-1', status: 'running' });
    service.send({ type: 'job', job: one });
    service.send({ type: 'job', job: { ...one, status: 'complete', ...change } });
    await screen.findByText(text);
  }
  service.send({ type: 'job', job: job({ owner: 'lab-2' }) });
  expect(client.notices.getState().notices.map(({ tone }) => tone)).toEqual(['bad', 'plain', 'warn', 'good']);
});

test('“does not answer” vanishes when the service returns, with a notice', async () => {
  const service = new FakeService();
  service.on('POST /fpga/3/session/release', () => {
    throw new TypeError('fetch failed');
  });
  service.nodes = tenNodes({ 3: reserved(3, 'lab-1') });
  window.location.hash = '#/node/3/design';
  const { client } = await open(service);
  fireEvent.click(await screen.findByRole('button', { name: 'Release' }));
  await screen.findByText('The service does not answer.');
  act(() => service.hangUp());
  await waitFor(() => expect(client.connection.getState().connection.kind).toBe('waiting'));
  act(() => client.retryNow());
  await waitFor(() => expect(screen.queryByText('The service does not answer.')).toBeNull());
  expect(client.notices.getState().notices.map(({ text }) => text)).toEqual(['The service answers again.']);
});

test('the disconnection and return of an own board', async () => {
  const service = new FakeService();
  const held = reserved(3, 'lab-1');
  service.nodes = tenNodes({ 3: held });
  await open(service);
  const gone = { ...held.board, present: false, reason: 'The cable is out.' };
  service.send({ type: 'board', board: gone });
  await screen.findByText('Node 3: its board is gone. The cable is out.');
  service.send({ type: 'board', board: held.board });
  await screen.findByText('Node 3: its board is back.');
  expect(screen.queryByText('Node 3: its board is gone. The cable is out.')).toBeNull();
});

test('the bell opens by key, dismissing all can be undone, and the focus returns', async () => {
  const { client } = await open();
  act(() => {
    showToast(client.toasts, { tone: 'bad', text: 'Can’t read foo.v.' });
  });
  const bell = screen.getByRole('button', { name: 'Notices, 1 new' });
  bell.focus();
  fireEvent.keyDown(bell, { key: 'g' });
  fireEvent.keyDown(bell, { key: 'n' });
  const list = await screen.findByRole('dialog', { name: 'Notices' });
  within(list).getByText('Can’t read foo.v.');
  fireEvent.click(within(list).getByRole('button', { name: 'Dismiss all' }));
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Notices' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Undo' }));
  expect(client.notices.getState().notices.map(({ text }) => text)).toEqual(['Can’t read foo.v.']);
});
