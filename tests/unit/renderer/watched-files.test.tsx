import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { App } from '../../../renderer/src/app/App.tsx';
import { drafts, setDraft } from '../../../renderer/src/state/drafts/drafts.ts';
import type { WatchOutcome } from '../../../renderer/src/state/files/watched-files.ts';
import type { Job } from '../../../server/contract/jobs/jobs.ts';
import { FakeBridge } from '../../support/renderer/fake-bridge.ts';
import { FakeService, fakeBench, memory, refusal } from '../../support/renderer/fake-service.ts';
import { job, node, reserved, SESSION_ID, tenNodes, uuid } from '../../support/renderer/fixtures.ts';
import { show } from '../../support/renderer/render.tsx';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
  drafts.setState({}, true);
});

/** A window of the desktop application that follows a service, as alice. */
async function window(nodes = tenNodes()) {
  const service = new FakeService();
  service.nodes = nodes;
  const jobs: Job[] = [];
  service.on('POST /fpga/0/submit', () => {
    const build = job({ job_id: uuid(), status: 'queued' });
    jobs.push(build);
    return { job_id: build.job_id, fpga_id: 0, status: 'queued' };
  });
  const desktop = new FakeBridge();
  const kept = { memory: memory(), tabMemory: memory() };
  const { client } = fakeBench(service, { desktop, ...kept });
  client.preferences.setState({ name: 'alice' });
  ends.push(client.connect());
  await vi.waitFor(() => expect(client.nodes.getState().nodes).toBeDefined());
  const asked = (path: string) => service.asked.filter((one) => one.path === path);
  return {
    service,
    desktop,
    client,
    jobs,
    kept,
    submits: () => [...asked('/fpga/0/submit'), ...asked('/fpga/0/submit?replace=1')],
    replaces: () => asked('/fpga/0/submit?replace=1'),
    releases: () => asked('/fpga/0/session/release'),
    outcome: (): WatchOutcome | undefined => client.watchedFiles.store.getState().byNode[0]?.outcome,
    /** Watches a file for node 0, submits it once, and has it built: the node is reserved with it. */
    async build() {
      await client.watchedFiles.watch(0, '/designs/echo.v', {});
      desktop.save(0, 'first');
      await vi.waitFor(() => expect(jobs).toHaveLength(1));
      const [build] = jobs;
      if (!build) throw new Error('no build');
      service.send(
        { type: 'job', job: { ...build, status: 'complete' } },
        { type: 'node', node: reserved(0, 'alice') },
      );
      await vi.waitFor(() => expect(client.nodes.getState().nodes?.[0]?.state).toBe('reserved'));
    },
  };
}

const formOf = (asked: { body: unknown } | undefined): FormData => {
  if (!(asked?.body instanceof FormData)) throw new Error('no form was sent');
  return asked.body;
};
const textOf = async (form: FormData): Promise<string> => {
  const file = form.get('file');
  if (!(file instanceof File)) throw new Error('no file was sent');
  return file.text();
};
const message = (outcome: WatchOutcome | undefined): string =>
  outcome !== undefined && 'message' in outcome ? outcome.message : '';

test('a saved file is submitted to its idle node as the window’s own, with its options', async () => {
  const { client, desktop, submits, jobs, outcome } = await window();
  const options = { top: 'echo', timing_target_mhz: 24, ties: { irq: 1 } } as const;
  await client.watchedFiles.watch(0, '/designs/echo.v', options);
  expect(desktop.watched.get(0)).toBe('/designs/echo.v');
  desktop.save(0, 'module echo; endmodule');
  await vi.waitFor(() => expect(outcome()).toEqual({ kind: 'submitted', jobId: jobs[0]?.job_id }));
  const [sent] = submits();
  expect(sent?.headers['x-api-key']).toBe('alice');
  const form = formOf(sent);
  expect(await textOf(form)).toBe('module echo; endmodule');
  expect([form.get('top'), form.get('timing_target_mhz'), form.get('ties')]).toEqual([
    'echo',
    '24',
    '{"irq":1}',
  ]);
  expect(client.mine.has(jobs[0]?.job_id ?? '')).toBe(true);
});

test('a save replaces the window’s own earlier design, whose session runs until the build succeeds', async () => {
  const { service, client, desktop, submits, replaces, releases, outcome, build } = await window();
  await build();
  service.send({ type: 'node', node: reserved(0, 'alice', { resetting: true }) });
  await vi.waitFor(() => expect(client.nodes.getState().nodes?.[0]?.resetting).toBe(true));
  desktop.save(0, 'second');
  await vi.waitFor(() => expect(message(outcome())).toMatch(/after the reset of the board/));
  expect(submits()).toHaveLength(1);
  service.send({ type: 'node', node: reserved(0, 'alice') });
  await vi.waitFor(() => expect(replaces()).toHaveLength(1));
  expect(replaces()[0]?.headers['x-session-id']).toBe(SESSION_ID);
  expect(await textOf(formOf(replaces()[0]))).toBe('second');
  expect(releases()).toHaveLength(0);
});

test('another user’s session is not affected; the file is submitted after it ends', async () => {
  const { service, client, desktop, submits, releases, outcome } = await window(
    tenNodes({ 0: reserved(0, 'bob') }),
  );
  await client.watchedFiles.watch(0, '/designs/echo.v', {});
  desktop.save(0, 'x');
  await vi.waitFor(() => expect(message(outcome())).toMatch(/bob holds the node/));
  service.send({ type: 'node', node: node(0) });
  await vi.waitFor(() => expect(submits()).toHaveLength(1));
  expect(releases()).toHaveLength(0);
});

test('nor is a session of the same name with a design from elsewhere', async () => {
  const { service, client, desktop, releases, outcome } = await window(tenNodes({ 0: reserved(0, 'alice') }));
  service.send({ type: 'job', job: job({ owner: 'alice' }) });
  await vi.waitFor(() => expect(client.jobs.getState().byId.size).toBe(1));
  await client.watchedFiles.watch(0, '/designs/echo.v', {});
  desktop.save(0, 'x');
  await vi.waitFor(() => expect(message(outcome())).toMatch(/that this window did not submit/));
  expect(releases()).toHaveLength(0);
});

test('while a job runs only the latest save waits', async () => {
  const { service, client, desktop, submits, outcome } = await window(tenNodes({ 0: { state: 'building' } }));
  await client.watchedFiles.watch(0, '/designs/echo.v', {});
  desktop.save(0, 'first');
  desktop.save(0, 'second');
  await vi.waitFor(() => expect(message(outcome())).toMatch(/after the current job/));
  service.send({ type: 'node', node: node(0) });
  await vi.waitFor(() => expect(submits()).toHaveLength(1));
  expect(await textOf(formOf(submits()[0]))).toBe('second');
});

test.each([
  [{ state: 'error' } as const, /after a reset of the node/],
  [{ board: { ...node(0).board, present: false } }, /when the board is present again/],
])('a node that cannot build waits with the reason', async (change, reason) => {
  const { client, desktop, submits, outcome } = await window(tenNodes({ 0: change }));
  await client.watchedFiles.watch(0, '/designs/echo.v', {});
  desktop.save(0, 'x');
  await vi.waitFor(() => expect(message(outcome())).toMatch(reason));
  expect(submits()).toHaveLength(0);
});

test('a refusal is shown verbatim, and a lost race for the node is retried', async () => {
  const { service, client, desktop, submits, outcome } = await window();
  await client.watchedFiles.watch(0, '/designs/echo.v', {});
  service.on('POST /fpga/0/submit', refusal(413, 'file_too_large', 'The file is too large.'));
  desktop.save(0, 'x');
  await vi.waitFor(() => expect(outcome()).toEqual({ kind: 'failed', message: 'The file is too large.' }));
  service.on('POST /fpga/0/submit', refusal(409, 'fpga_not_idle', 'This node is not idle.'));
  desktop.save(0, 'y');
  await vi.waitFor(() => expect(outcome()).toEqual({ kind: 'waiting', message: 'This node is not idle.' }));
  expect(submits()).toHaveLength(2);
  service.on('POST /fpga/0/submit', { job_id: SESSION_ID, fpga_id: 0, status: 'queued' });
  service.send({ type: 'node', node: node(0) });
  await vi.waitFor(() => expect(outcome()).toEqual({ kind: 'submitted', jobId: SESSION_ID }));
});

test('a reloaded window restores its options and recognises its own session', async () => {
  const { service, client, desktop, kept, replaces, build } = await window();
  await build();
  client.watchedFiles.setOptions(0, { addressing: 'byte' });
  ends.splice(0)[0]?.();
  const { client: again } = fakeBench(service, { desktop, ...kept });
  service.nodes = tenNodes({ 0: reserved(0, 'alice') });
  ends.push(again.connect());
  await vi.waitFor(() =>
    expect(again.watchedFiles.store.getState().byNode[0]).toEqual({
      path: '/designs/echo.v',
      options: { addressing: 'byte' },
      outcome: { kind: 'watching' },
      problem: null,
    }),
  );
  await vi.waitFor(() => expect(again.nodes.getState().nodes).toBeDefined());
  service.send({
    type: 'job',
    job: { ...job(), job_id: JSON.parse(kept.tabMemory.getItem('wishbench.own-jobs') ?? '')[0] },
  });
  desktop.save(0, 'second');
  await vi.waitFor(() => expect(replaces()).toHaveLength(1));
});

test('damaged stored options are ignored', async () => {
  const kept = { memory: memory(), tabMemory: memory() };
  kept.memory.setItem(
    'wishbench.watched-files',
    JSON.stringify({
      0: { path: '/designs/echo.v', options: { top: 7, addressing: 'nibble', ties: { a: 2, b: 1 } } },
    }),
  );
  const desktop = new FakeBridge();
  await desktop.watchFile(0, '/designs/echo.v');
  const { client } = fakeBench(new FakeService(), { desktop, ...kept });
  ends.push(client.connect());
  await vi.waitFor(() =>
    expect(client.watchedFiles.store.getState().byNode[0]?.options).toEqual({ ties: { b: 1 } }),
  );
});

test('card and header show the watched file and its outcome, and can stop watching', async () => {
  const desktop = new FakeBridge();
  const service = new FakeService()
    .on('GET /examples', [])
    .on('GET /fpga/0/jobs', [])
    .on('POST /scan', { matched: null, modules: [], diagnostics: [] })
    .on('POST /fpga/0/submit', { job_id: SESSION_ID, fpga_id: 0, status: 'queued' });
  globalThis.window.location.hash = '#/node/0/design';
  const { client } = await show(<App />, service, { desktop });
  setDraft(0, {
    name: 'echo.v',
    files: [{ name: 'echo.v', contents: new TextEncoder().encode('module echo; endmodule') }],
    options: {},
    path: '/designs/echo.v',
  });
  fireEvent.click(await screen.findByLabelText(/Submit on every save/));
  await waitFor(() => expect(desktop.watched.get(0)).toBe('/designs/echo.v'));
  expect(await screen.findAllByText('watching echo.v')).toHaveLength(2);
  await screen.findByText('echo.v is submitted on every save.');
  desktop.setProblem('echo.v cannot be read any more.');
  await screen.findByText('echo.v cannot be read any more.');
  desktop.setProblem(null);
  await screen.findByText('echo.v is submitted on every save.');
  // The form's values at the time of the save are submitted.
  fireEvent.click(screen.getByText('Options'));
  fireEvent.change(screen.getByLabelText('Timing target'), { target: { value: '48' } });
  await waitFor(() =>
    expect(client.watchedFiles.store.getState().byNode[0]?.options).toEqual({ timing_target_mhz: 48 }),
  );
  desktop.save(0, 'module echo; /* saved */ endmodule');
  await screen.findByText('echo.v was saved and submitted: queued.');
  expect(formOf(service.asked.find(({ path }) => path === '/fpga/0/submit')).get('timing_target_mhz')).toBe(
    '48',
  );
  expect(drafts.getState()[0]).toBeUndefined();
  service.send({ type: 'job', job: job({ job_id: SESSION_ID, status: 'failed' }) });
  const line = (await screen.findByText('echo.v was saved and submitted: failed.')).closest('[role=status]');
  if (!(line instanceof HTMLElement)) throw new Error('no line');
  fireEvent.click(within(line).getByRole('button', { name: 'Stop watching echo.v' }));
  await waitFor(() => expect(screen.queryByText('watching echo.v')).toBeNull());
  expect(desktop.watched.size).toBe(0);
});
