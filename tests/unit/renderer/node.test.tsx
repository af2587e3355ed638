import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { App } from '../../../renderer/src/app/App.tsx';
import { drafts } from '../../../renderer/src/state/drafts/drafts.ts';
import type { ScanResult } from '../../../server/contract/designs/uploads.ts';
import { type Asked, FakeService, refusal } from '../../support/renderer/fake-service.ts';
import { job, node, reserved, SESSION_ID, tenNodes } from '../../support/renderer/fixtures.ts';
import { show } from '../../support/renderer/render.tsx';

afterEach(() => drafts.setState({}, true));

const matched: NonNullable<ScanResult['matched']> = {
  module: 'echo',
  roles: { ack: 'wb_ack', cyc: 'wb_cyc' },
  dataWidth: 32,
  addressWidth: 9,
  addressing: 'word',
  addressingReason: 'the port is documented to be a word address',
  resetActiveLow: false,
  handshake: 'classic',
  ties: [{ port: 'irq_in', width: 1, value: 0, reason: 'an input that the bus does not have' }],
  open: ['leds'],
  ports: [],
};

function nodeService(): FakeService {
  return new FakeService()
    .on('GET /examples', [])
    .on('POST /scan', { matched, modules: [], diagnostics: [] } satisfies ScanResult)
    .on('GET /fpga/0/jobs', []);
}

function fileInput(): HTMLInputElement {
  const input = document.querySelector<HTMLInputElement>('input[type=file]');
  if (!input) throw new Error('no file input');
  return input;
}

const choose = (name: string, contents: string, input = fileInput()) => {
  const file = new File([contents], name);
  Object.defineProperty(input, 'files', { value: [file], configurable: true });
  fireEvent.change(input);
};

test('a chosen file is scanned, shown, and submitted with its options', async () => {
  const service = nodeService().on('POST /fpga/0/submit', {
    job_id: SESSION_ID,
    fpga_id: 0,
    status: 'queued',
  });
  window.location.hash = '#/node/0';
  const { client } = await show(<App />, service);
  await screen.findByText('Drop an HDL file here');
  choose('echo.v', 'module echo; endmodule');
  await screen.findByText('word addresses');
  expect(await screen.findByText('fits')).toBeTruthy();
  expect(screen.getByText('leds')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Tie irq_in to 1' }));
  await waitFor(() => expect(service.asked.filter(({ path }) => path === '/scan')).toHaveLength(2));
  fireEvent.click(screen.getByText('Options'));
  fireEvent.change(screen.getByLabelText('Timing target'), { target: { value: '48' } });
  const probes = screen.getByLabelText('Probes');
  fireEvent.change(probes, { target: { value: 'count, state[1:0]' } });
  fireEvent.change(probes, { target: { value: 'count, state[1:0],' } });
  expect(screen.getByText('Enter names with commas between them.')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: /Submit to node 0/ }));
  await waitFor(() => expect(client.mine.has(SESSION_ID)).toBe(true));
  const form = service.asked.find(({ path }) => path === '/fpga/0/submit')?.body as FormData;
  expect(form.get('probes')).toBe('count, state[1:0]');
  expect((form.get('file') as File).name).toBe('echo.v');
  expect(form.get('timing_target_mhz')).toBe('48');
  expect(form.get('ties')).toBe('{"irq_in":1}');
  expect(form.get('top')).toBeNull();
});

test('an addressing inferred from names is flagged, and one click changes it', async () => {
  const doubt = 'registers 1 and up may be elsewhere';
  const service = nodeService()
    .on('POST /scan', ({ body }: Asked) =>
      (body as FormData).get('addressing') === 'byte'
        ? { matched: { ...matched, addressing: 'byte' }, modules: [], diagnostics: [] }
        : { matched: { ...matched, addressingDoubt: doubt }, modules: [], diagnostics: [] },
    )
    .on('POST /fpga/0/submit', { job_id: SESSION_ID, fpga_id: 0, status: 'queued' });
  window.location.hash = '#/node/0';
  await show(<App />, service);
  await screen.findByText('Drop an HDL file here');
  choose('echo.v', 'module echo; endmodule');
  await screen.findByText(`Check the addressing: ${doubt}.`);
  fireEvent.click(screen.getByRole('button', { name: 'Use byte addresses' }));
  await waitFor(() => expect(screen.queryByText(`Check the addressing: ${doubt}.`)).toBeNull());
  expect(screen.getByLabelText<HTMLSelectElement>('Addressing').value).toBe('byte');
  fireEvent.click(screen.getByRole('button', { name: /Submit to node 0/ }));
  await waitFor(() => expect(service.asked.some(({ path }) => path === '/fpga/0/submit')).toBe(true));
  const form = service.asked.find(({ path }) => path === '/fpga/0/submit')?.body as FormData;
  expect(form.get('addressing')).toBe('byte');
});

test('a file is accepted even if the page has changed before its dialog closes', async () => {
  window.location.hash = '#/node/0';
  await show(<App />, nodeService().on('GET /fpga/1/jobs', []));
  await screen.findByText('Drop an HDL file here');
  const opened = fileInput();
  window.location.hash = '#/activity';
  await waitFor(() => expect(opened.isConnected).toBe(false));
  choose('echo.v', 'module echo; endmodule', opened);
  await waitFor(() => expect(drafts.getState()[0]?.name).toBe('echo.v'));
  await screen.findByRole('button', { name: /Submit to node 0/ });
});

test.each([
  ['notes.txt', 'x', /notes.txt is not an HDL file/],
  ['empty.v', '', /empty.v is empty/],
  ['huge.v', 'x'.repeat((1 << 20) + 1), /huge.v is too large: 1.0 MiB/],
])('%s is refused with the reason', async (name, contents, sentence) => {
  window.location.hash = '#/node/0';
  await show(<App />, nodeService());
  await screen.findByText('Drop an HDL file here');
  choose(name, contents);
  expect((await screen.findByRole('alert')).textContent).toMatch(sentence);
  expect(drafts.getState()[0]).toBeUndefined();
});

test('a refusal is shown verbatim, and the file remains', async () => {
  const service = nodeService().on(
    'POST /fpga/0/submit',
    refusal(409, 'fpga_not_idle', 'This node is not idle. Pick an idle node.'),
  );
  window.location.hash = '#/node/0';
  await show(<App />, service);
  await screen.findByText('Drop an HDL file here');
  choose('echo.v', 'module echo; endmodule');
  fireEvent.click(await screen.findByRole('button', { name: /Submit to node 0/ }));
  await screen.findByText(/Pick an idle node/);
  expect(drafts.getState()[0]?.files[0]?.name).toBe('echo.v');
});

test('a design without a bus is detected before the build, with a reason for each module', async () => {
  const service = nodeService().on('POST /scan', {
    matched: null,
    modules: [{ name: 'blinky', ports: [], problem: 'has no acknowledge' }],
    diagnostics: [
      { severity: 'warning', code: 'yosys_warning', file: 'blinky.v', line: 3, message: 'implicit wire' },
    ],
  } satisfies ScanResult);
  window.location.hash = '#/node/0';
  await show(<App />, service);
  await screen.findByText('Drop an HDL file here');
  choose('blinky.v', 'module blinky; endmodule');
  await screen.findByText(/No module is a usable Wishbone slave/);
  expect(screen.getByText('has no acknowledge')).toBeTruthy();
  expect(screen.getByText('implicit wire')).toBeTruthy();
});

test('a design refused by the scan is not offered as valid but may be submitted anyway', async () => {
  const service = nodeService().on('POST /scan', refusal(422, 'design_empty', 'The file has only comments.'));
  window.location.hash = '#/node/0';
  await show(<App />, service);
  await screen.findByText('Drop an HDL file here');
  choose('notes.v', '// later');
  await screen.findByText(/only comments/);
  expect(screen.getByRole('button', { name: /Submit anyway/ })).toBeTruthy();
});

test('recent files are offered again', async () => {
  window.location.hash = '#/node/0';
  const { unmount, client } = await show(<App />, nodeService());
  await screen.findByText('Drop an HDL file here');
  choose('first.v', 'module first; endmodule');
  fireEvent.click(await screen.findByRole('button', { name: 'Close file' }));
  const recent = await screen.findByRole('button', { name: /^first\.v/ });
  fireEvent.click(recent);
  await screen.findByRole('button', { name: /Submit to node 0/ });
  expect(new TextDecoder().decode(drafts.getState()[0]?.files[0]?.contents)).toBe('module first; endmodule');
  expect(client.memory?.getItem('wishbench.recent-files')).toContain('first.v');
  unmount();
});

test.each([
  ['one’s own is cancelled at once', 'anonymous'],
  ['somebody else’s is asked about first', 'lab-1'],
])('a queued build can be cancelled: %s', async (_how, owner) => {
  const build = job({ status: 'queued', fpga_id: 0, owner });
  const service = nodeService().on(
    `DELETE /fpga/0/jobs/${build.job_id}`,
    new Response(null, { status: 204 }),
  );
  service.nodes = tenNodes({ 0: { state: 'queued', current_job_id: build.job_id } });
  service.on('GET /fpga/0/jobs', [build]);
  window.location.hash = '#/node/0';
  await show(<App />, service);
  fireEvent.click(await screen.findByRole('button', { name: 'Cancel the build' }));
  if (owner !== 'anonymous') {
    const dialog = await screen.findByRole('dialog', { name: 'Cancel the build of lab-1?' });
    expect(service.asked.some(({ method }) => method === 'DELETE')).toBe(false);
    fireEvent.click(within(dialog).getByRole('button', { name: 'Cancel the build' }));
  }
  await waitFor(() => expect(service.asked.some(({ method }) => method === 'DELETE')).toBe(true));
});

test("releasing somebody else's session asks first, with the safe answer focused", async () => {
  const service = nodeService().on('POST /fpga/0/session/release', {
    job_id: SESSION_ID,
    fpga_id: 0,
    status: 'queued',
  });
  service.nodes = tenNodes({ 0: reserved(0, 'bob') });
  window.location.hash = '#/node/0/report';
  await show(<App />, service);
  fireEvent.click(await screen.findByRole('button', { name: 'Release' }));
  const dialog = await screen.findByRole('dialog', { name: 'Release node 0?' });
  expect(dialog.textContent).toContain('bob holds this node with echo.v');
  const keep = within(dialog).getByRole('button', { name: 'Keep as it is' });
  expect(document.activeElement).toBe(keep);
  fireEvent.click(keep);
  expect(service.asked.some(({ path }) => path.includes('release'))).toBe(false);
  fireEvent.click(screen.getByRole('button', { name: 'Release' }));
  fireEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Release' }));
  await waitFor(() => expect(service.asked.some(({ path }) => path.endsWith('/session/release'))).toBe(true));
});

test('releasing my own session without unsaved transactions does not ask', async () => {
  const service = nodeService().on('POST /fpga/0/session/release', {
    job_id: SESSION_ID,
    fpga_id: 0,
    status: 'queued',
  });
  service.nodes = tenNodes({ 0: reserved(0, 'anonymous') });
  window.location.hash = '#/node/0/report';
  await show(<App />, service);
  fireEvent.click(await screen.findByRole('button', { name: 'Release' }));
  await waitFor(() => expect(service.asked.some(({ path }) => path.endsWith('/session/release'))).toBe(true));
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('the error of a node appears with its reset, which needs no confirmation', async () => {
  const service = nodeService().on('POST /fpga/0/reset', {
    job_id: SESSION_ID,
    fpga_id: 0,
    status: 'queued',
  });
  const error = { error: 'link_silent', message: 'no answer from /dev/ttyUSB0', remedy: 'Reset the board.' };
  service.nodes = tenNodes({ 0: { state: 'error', error } });
  window.location.hash = '#/node/0';
  await show(<App />, service);
  expect((await screen.findByRole('alert')).textContent).toBe(
    'no answer from /dev/ttyUSB0. Reset the board.',
  );
  fireEvent.click(screen.getByRole('button', { name: 'Reset board' }));
  await waitFor(() => expect(service.asked.some(({ path }) => path === '/fpga/0/reset')).toBe(true));
});

test('a change by another user is attributed to them', async () => {
  const service = nodeService();
  service.nodes = tenNodes({ 0: reserved(0, 'anonymous') });
  window.location.hash = '#/node/0/report';
  await show(<App />, service);
  await screen.findByRole('heading', { name: 'Node 0' });
  const run = { op: 2, address: 16, count: 1, fixed_address: false } as const;
  service.send({
    type: 'job',
    job: job({ owner: 'bob', type: 'run', run, created_at: new Date().toISOString() }),
  });
  await screen.findByText(/bob: Read at 0x0010/);
});

test('the session shows its owner, its id for copying and its end', async () => {
  const service = nodeService();
  service.nodes = tenNodes({ 0: reserved(0, 'alice') });
  window.location.hash = '#/node/0/report';
  await show(<App />, service);
  const head = (await screen.findByRole('heading', { name: 'Node 0' })).closest('header');
  expect(head?.textContent).toContain('alice');
  expect(head?.textContent).toMatch(/59:5\d|1:00:00/);
  fireEvent.click(screen.getByRole('button', { name: 'Details of node 0' }));
  const panel = screen.getByRole('region', { name: 'Details of node 0' });
  expect(within(panel).getByRole('button', { name: `Copy session id ${SESSION_ID}` })).toBeTruthy();
  expect(panel.textContent).toContain('Every run renews it.');
  fireEvent.keyDown(panel, { key: 'Escape' });
  expect(screen.queryByRole('region', { name: 'Details of node 0' })).toBeNull();
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Details of node 0' }));
});

test('an unknown job is reported as unknown, a known one opens at its node', async () => {
  const service = nodeService();
  window.location.hash = `#/job/${SESSION_ID}`;
  await show(<App />, service);
  await screen.findByText('No node has a job with this id.');
  expect(service.asked.filter(({ path }) => path.includes(SESSION_ID))).toHaveLength(1);
  service.on(`GET /jobs/${SESSION_ID}`, job({ job_id: SESSION_ID, fpga_id: 6 }));
  window.location.hash = '#/';
  await screen.findByRole('heading', { name: 'Bench' });
  window.location.hash = `#/job/${SESSION_ID}`;
  await waitFor(() => expect(window.location.hash).toBe(`#/node/6/log?job=${SESSION_ID}`));
});

test('a node in error does not take a drop', async () => {
  const service = nodeService();
  service.nodes = tenNodes({ 0: node(0, { state: 'error' }) });
  window.location.hash = '#/';
  const { container } = await show(<App />, service);
  const card = container.querySelector('.card');
  const dataTransfer = {
    types: ['Files'],
    items: [],
    files: [new File(['module a; endmodule'], 'a.v')],
    dropEffect: 'copy',
  };
  if (!card) throw new Error('no card');
  fireEvent.dragOver(card, { dataTransfer });
  expect(card.textContent).toContain('Node 0 takes no design now');
  fireEvent.drop(card, { dataTransfer });
  expect(drafts.getState()[0]).toBeUndefined();
  const second = container.querySelectorAll('.card')[1];
  if (!second) throw new Error('no second card');
  fireEvent.drop(second, { dataTransfer });
  await waitFor(() => expect(drafts.getState()[1]?.files[0]?.name).toBe('a.v'));
  expect(window.location.hash).toBe('#/node/1/design');
});

test('a missed timing target appears in the header of the node', async () => {
  const lastBuild = {
    job_id: SESSION_ID,
    status: 'complete',
    owner: 'lab-1',
    file: 'slow.v',
    at: '2026-01-01T00:00:00.000Z',
    fmax: 9.5,
    luts: 100,
    failure: null,
    luts_available: 7680,
  } as const;
  const service = nodeService();
  service.nodes = tenNodes({ 0: reserved(0, 'lab-1', { last_build: { ...lastBuild, timing_met: false } }) });
  window.location.hash = '#/node/0/registers';
  await show(<App />, service);
  const header = (await screen.findByRole('heading', { name: 'Node 0' })).closest('header');
  expect(within(header as HTMLElement).getByText('timing missed')).toBeTruthy();
  service.send({
    type: 'node',
    node: reserved(0, 'lab-1', { last_build: { ...lastBuild, timing_met: true } }),
  });
  await waitFor(() => expect(screen.queryByText('timing missed')).toBeNull());
});
