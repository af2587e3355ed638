import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { App } from '../../../renderer/src/app/App.tsx';
import { submitDesign } from '../../../renderer/src/state/actions/actions.ts';
import { createPreferencesStore } from '../../../renderer/src/state/page/preferences.ts';
import { FakeService, memory } from '../../support/renderer/fake-service.ts';
import { job, reserved, SESSION_ID, tenNodes } from '../../support/renderer/fixtures.ts';
import { show } from '../../support/renderer/render.tsx';

const WORD = 0xcafe_f00d;
const echo = [{ name: 'echo.v', contents: new TextEncoder().encode('module echo; endmodule') }];

/** A newcomer to the bench, whose browser has four random digits. */
function newcomer() {
  const own = memory();
  own.setItem('wishbench.preferences', '{"windowName":"ab12"}');
  return { memory: own };
}

function submits(): FakeService {
  const service = new FakeService();
  for (const id of [0, 1]) {
    const submitted = job({ fpga_id: id });
    service.on(`POST /fpga/${id}/submit`, { job_id: submitted.job_id });
    service.on(`GET /fpga/${id}/jobs/${submitted.job_id}`, submitted);
  }
  return service;
}

test('the first-run result stays with three links across reloads until dismissed', async () => {
  const service = new FakeService();
  service.nodes = tenNodes({ 0: reserved(0, 'anonymous', { current_job_id: SESSION_ID }) });
  const own = memory();
  const stored = {
    nameAsked: true,
    windowName: '',
    firstRun: { job_id: SESSION_ID, read: WORD, seconds: 4.5 },
  };
  own.setItem('wishbench.preferences', JSON.stringify(stored));
  window.location.hash = '#/node/0/report';
  const { client } = await show(<App />, service, { memory: own });
  const result = await screen.findByRole('complementary', { name: 'First run' });
  expect(result.textContent).toContain(
    'read back 0xCAFE_F00D from the running design, 4.5 s after the click',
  );
  const links = within(result).getAllByRole('link');
  expect(links.map((link) => link.getAttribute('href'))).toEqual([
    '#/node/0/design',
    '#/node/0/signals',
    '#/node/1/design',
  ]);
  fireEvent.click(within(result).getByRole('button', { name: 'Dismiss' }));
  expect(screen.queryByRole('complementary', { name: 'First run' })).toBeNull();
  expect(client.preferences.getState().firstRun).toBeNull();
});

test('an example needs no name; the first own design asks for one, and retains the example’s session', async () => {
  const service = submits();
  service.nodes = tenNodes({ 0: reserved(0, 'anonymous (ab12)') });
  service.on('POST /fpga/0/session/handover', reserved(0, 'carol').session ?? {});
  const { client } = await show(<App />, service, newcomer());
  await submitDesign(client, 0, echo, {}, { example: true });
  expect(screen.queryByRole('dialog')).toBeNull();

  const submitted = submitDesign(client, 0, echo, {}, { replace: true });
  const dialog = await screen.findByRole('dialog', { name: 'What’s your name?' });
  fireEvent.change(within(dialog).getByLabelText('Your name'), { target: { value: 'carol' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Use this name' }));
  await submitted;
  const sent = service.asked.filter(({ method }) => method === 'POST').map(({ path }) => path);
  expect(sent).toEqual(['/fpga/0/submit', '/fpga/0/session/handover', '/fpga/0/submit?replace=1']);
  expect(client.owner).toBe('carol');
});

test('a request for control asks for a name first', async () => {
  const service = new FakeService();
  service.nodes = tenNodes({ 0: reserved(0, 'alice') });
  service.on('POST /fpga/0/control', { owner: 'anonymous (ab12)', since: '', note: null });
  window.location.hash = '#/node/0/registers';
  await show(<App />, service, newcomer());
  fireEvent.click(await screen.findByRole('button', { name: 'Request control' }));
  const dialog = await screen.findByRole('dialog', { name: 'What’s your name?' });
  const requests = () => service.asked.filter(({ path }) => path === '/fpga/0/control');
  expect(requests()).toHaveLength(0);
  fireEvent.click(within(dialog).getByRole('button', { name: /^Continue as/ }));
  await waitFor(() => expect(requests()).toHaveLength(1));
});

test('on the desktop the name is the system’s user, unless the person has another', () => {
  expect(createPreferencesStore(memory(), 'tom').getState().name).toBe('tom');
  const own = memory();
  own.setItem('wishbench.preferences', '{"name":"carol"}');
  expect(createPreferencesStore(own, 'tom').getState().name).toBe('carol');
});
