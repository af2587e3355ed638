import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { App } from '../../../renderer/src/app/App.tsx';
import { Bench } from '../../../renderer/src/screens/bench/Bench.tsx';
import type { LastBuild } from '../../../server/contract/nodes/nodes.ts';
import { FakeService, refusal } from '../../support/renderer/fake-service.ts';
import { job, node, reserved, status, tenNodes } from '../../support/renderer/fixtures.ts';
import { show } from '../../support/renderer/render.tsx';

const card = (id: number) => {
  const found = screen.getAllByRole('listitem').find((item) => item.textContent?.startsWith(String(id)));
  if (!found) throw new Error(`no card ${id}`);
  return found;
};

test('ten cards say state, holder, design, board, time left and last result in words', async () => {
  // No job is loaded: the card's data comes with the node, however many jobs followed its build.
  const last_build: LastBuild = {
    job_id: '00000000-0000-4000-8000-00000000aaaa',
    status: 'complete',
    owner: 'alice',
    file: 'echo.v',
    at: '2026-01-02T10:00:04.100Z',
    fmax: 63.2,
    luts: 1076,
    timing_met: null,
    luts_available: 7680,
    failure: null,
  };
  const service = new FakeService();
  service.nodes = tenNodes({ 0: reserved(0, 'alice', { last_build }) });
  await show(<Bench selected={undefined} />, service);
  await waitFor(() => expect(card(0).textContent).toContain('63.2 MHz'));
  expect(card(0).textContent).toContain('14 %');
  expect(screen.getAllByRole('listitem')).toHaveLength(10);
  for (const words of ['reserved', 'alice', 'echo.v', 'Virtual iCE40-HX8K', 'left'])
    expect(card(0).textContent).toContain(words);
  expect(card(0).textContent).toMatch(/\d\d:\d\d/);
  expect(within(card(1)).getByRole('link').getAttribute('aria-label')).toBe('Node 1, idle, Open');
});

test('a failed build names its file once', async () => {
  const last_build = (file: string, message: string): LastBuild => ({
    job_id: '00000000-0000-4000-8000-00000000bbbb',
    status: 'failed',
    owner: 'alice',
    file,
    at: '2026-01-02T10:00:04.100Z',
    fmax: null,
    luts: null,
    timing_met: null,
    luts_available: null,
    failure: { error: 'design_invalid', message, remedy: 'Correct it.', diagnostics: [] },
  });
  const service = new FakeService();
  service.nodes = tenNodes({
    2: { last_build: last_build('pwm.v', 'pwm.v:14: syntax error') },
    3: { last_build: last_build('pwm.v', 'The build was stopped.') },
  });
  await show(<Bench selected={undefined} />, service);
  await waitFor(() => expect(card(2).textContent).toMatch(/(?<!pwm\.v: )pwm\.v:14: syntax error/));
  expect(card(3).textContent).toContain('pwm.v: The build was stopped.');
});

test('a build shows its stage and percentage as it goes', async () => {
  const { service } = await show(<Bench selected={undefined} />);
  const build = job({ fpga_id: 2, status: 'running', stage: 'route', fraction: 0.5, owner: 'bob' });
  service.send(
    { type: 'job', job: build },
    { type: 'node', node: node(2, { state: 'building', current_job_id: build.job_id }) },
  );
  await waitFor(() => expect(card(2).textContent).toContain('Route'));
  expect(card(2).textContent).toContain('bob');
  const bar = within(card(2)).getByRole('progressbar');
  expect(Number(bar.getAttribute('aria-valuenow'))).toBeGreaterThan(60);
  expect(bar.getAttribute('aria-label')).toBe('Build echo.v: Route');
});

test('an error card states the reason', async () => {
  const service = new FakeService();
  const error = { error: 'board_absent', message: 'The board is unplugged.', remedy: 'Plug it in.' };
  service.nodes = tenNodes({
    4: { state: 'error', error, board: { ...node(4).board, present: false, reason: 'unplugged' } },
  });
  await show(<Bench selected={undefined} />, service);
  expect(card(4).textContent).toContain('The board is unplugged.');
  expect(card(4).textContent).toContain('board absent');
});

test('the filter matches state, owner and file, and reports when nothing matches', async () => {
  const service = new FakeService();
  service.nodes = tenNodes({ 0: reserved(0, 'alice'), 3: reserved(3, 'bob'), 5: { state: 'building' } });
  await show(<Bench selected={undefined} />, service);
  fireEvent.click(screen.getByLabelText('Reserved'));
  expect(screen.getAllByRole('listitem')).toHaveLength(2);
  fireEvent.click(screen.getByLabelText('Busy'));
  expect(screen.getAllByRole('listitem')).toHaveLength(1);
  fireEvent.click(screen.getByLabelText('All'));
  fireEvent.change(screen.getByLabelText('Filter nodes'), { target: { value: 'echo BOB' } });
  expect(screen.getAllByRole('listitem')).toHaveLength(1);
  fireEvent.change(screen.getByLabelText('Filter nodes'), { target: { value: 'nobody has this' } });
  fireEvent.click(screen.getByRole('button', { name: 'Show all nodes' }));
  expect(screen.getAllByRole('listitem')).toHaveLength(10);
});

test('the first-run example is offered until a build or its dismissal', async () => {
  const { service, client } = await show(<Bench selected={undefined} />);
  expect(screen.getByRole('button', { name: 'Run the example' })).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Not now' }));
  expect(screen.queryByRole('button', { name: 'Run the example' })).toBeNull();
  client.preferences.setState({ hintDismissed: false });
  await screen.findByRole('button', { name: 'Run the example' });
  service.send({ type: 'job', job: job() });
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Run the example' })).toBeNull());
});

test('the status strip updates with the bench', async () => {
  const { service } = await show(<App />);
  const strip = screen.getByRole('list', { name: 'Status of the bench' });
  expect(strip.textContent).toContain('live');
  expect(strip.textContent).toContain('0/3 builds');
  expect(strip.textContent).toContain('LAN off');
  service.send({
    type: 'status',
    status: { ...status(), builds: { busy: 3, total: 3, waiting: 2 }, clients: 4, store: false },
  });
  await waitFor(() => expect(strip.textContent).toContain('3/3 builds, 2 waiting'));
  expect(strip.textContent).toContain('4 clients');
  expect(strip.textContent).toContain('store lost');
});

test('a lost connection shows a banner with a retry button', async () => {
  const { service } = await show(<App />);
  service.on('GET /events', () => Promise.reject(new TypeError('connection refused')));
  service.hangUp();
  const banner = await screen.findByText(/does not answer; trying again/);
  expect(banner).toBeTruthy();
  service.answers.delete('GET /events');
  fireEvent.click(screen.getByRole('button', { name: 'Try now' }));
  await waitFor(() => expect(screen.queryByText(/does not answer; trying again/)).toBeNull());
});

test('a service with key enforcement prompts for a key, checks it, and shows the bench', async () => {
  const service = new FakeService();
  const { client } = await show(<App />, service);
  service.on('GET /events', ({ headers }) => {
    if (headers['x-api-key'] !== 'wb_good') return refusal(401, 'missing_api_key', 'no');
    service.answers.delete('GET /events');
    return service.fetch('/events');
  });
  service.on('GET /auth/keys/me', ({ headers }) =>
    headers['x-api-key'] === 'wb_good'
      ? { id: '1', username: 'carol', created_at: '', last_used_at: null, expires_at: null }
      : refusal(401, 'invalid_api_key', 'This API key is unknown.'),
  );
  service.hangUp();
  fireEvent.click(await screen.findByRole('button', { name: 'Sign in' }));
  const field = await screen.findByLabelText('Your API key');
  fireEvent.change(field, { target: { value: 'wb_bad' } });
  const dialog = screen.getByRole('dialog');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Sign in' }));
  await within(dialog).findByText(/This API key is unknown/);
  fireEvent.change(field, { target: { value: 'wb_good' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Sign in' }));
  await waitFor(() =>
    expect(client.identity.getState().signedIn).toEqual({
      apiKey: 'wb_good',
      username: 'carol',
      minted: false,
      kept: false,
    }),
  );
  await screen.findByRole('button', { name: 'You are carol' });
});

test('digits open nodes, the palette finds them, ? lists the keys, Escape goes back', async () => {
  await show(<App />);
  fireEvent.keyDown(document.body, { key: '3' });
  expect(window.location.hash).toBe('#/node/3');
  await screen.findByRole('heading', { name: 'Node 3' });
  fireEvent.keyDown(document.body, { key: 'Escape' });
  expect(window.location.hash).toBe('#/');
  fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true });
  const combobox = await screen.findByRole('combobox');
  fireEvent.change(combobox, { target: { value: 'node 7' } });
  fireEvent.keyDown(combobox, { key: 'Enter' });
  expect(window.location.hash).toBe('#/node/7');
  await waitFor(() => expect(screen.queryByRole('combobox', { name: 'Search or command' })).toBeNull());
  fireEvent.keyDown(document.body, { key: '?', shiftKey: true });
  const list = await screen.findByRole('dialog', { name: 'Keyboard shortcuts' });
  expect(list.textContent).toContain('0–9');
  expect(list.textContent).toContain('Read a register');
});
