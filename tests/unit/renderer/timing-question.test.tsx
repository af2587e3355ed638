import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { App } from '../../../renderer/src/app/App.tsx';
import type { BuildReport } from '../../../server/contract/designs/uploads.ts';
import type { Job } from '../../../server/contract/jobs/jobs.ts';
import type { NodeView } from '../../../server/contract/nodes/nodes.ts';
import { FakeService, refusal } from '../../support/renderer/fake-service.ts';
import { job, node, SESSION_ID, tenNodes } from '../../support/renderer/fixtures.ts';
import { show } from '../../support/renderer/render.tsx';

const tooSlow = job({
  status: 'failed',
  stage: 'route',
  submit: { filename: 'slow.v', size: 21, options: { top: 'slow' } },
  failure: {
    error: 'timing_not_met',
    message: 'The design reaches 41.2 MHz; Alchitry Cu needs 50 MHz.',
    remedy: 'Shorten the critical path.',
  },
});

const report: BuildReport = {
  build_id: 'a'.repeat(64),
  board: 'alchitry-cu',
  part: 'hx8k-cb132',
  engine: 'embedded',
  cached: false,
  design: {
    module: 'slow',
    roles: {},
    dataWidth: 32,
    addressWidth: 30,
    addressing: 'word',
    addressingReason: '',
    resetActiveLow: false,
    handshake: 'classic',
    ties: [],
    open: [],
    ports: [],
  },
  utilisation: [],
  timing: { fmax_mhz: 41.2, target_mhz: 20, clock_mhz: 50, met: true, critical_path: [] },
  seconds: {},
  versions: {},
  diagnostics: [],
  bitstream_size: 135_100,
};

/** A node with a build that was too slow for its real board. */
function slowService(build: Job = tooSlow, view: Partial<NodeView> = {}): FakeService {
  const service = new FakeService()
    .on('GET /examples', [])
    .on('GET /fpga/0/jobs', [build])
    .on(`GET /fpga/0/jobs/${build.job_id}/source`, new Response('module slow; endmodule'))
    .on(`GET /fpga/0/jobs/${build.job_id}/report`, report);
  service.nodes = tenNodes({ 0: node(0, view) });
  window.location.hash = '#/node/0/design';
  return service;
}

test('a design too slow for its board asks with both figures, and is programmed after confirmation', async () => {
  const accepted = { job_id: SESSION_ID, fpga_id: 0, status: 'queued' };
  const service = slowService().on('POST /fpga/0/submit', accepted);
  const { client } = await show(<App />, service);
  const question = await screen.findByRole('region', { name: 'Program it anyway?' });
  expect(question.textContent).toContain('41.2 MHz');
  expect(question.textContent).toContain('50.0 MHz');
  expect(service.asked.some(({ path }) => path === '/fpga/0/submit')).toBe(false);
  fireEvent.click(within(question).getByRole('button', { name: 'Program it anyway' }));
  await waitFor(() => expect(client.mine.has(SESSION_ID)).toBe(true));
  const form = service.asked.find(({ path }) => path === '/fpga/0/submit')?.body as FormData;
  expect(form.get('allow_timing_failure')).toBe('1');
  expect(form.get('top')).toBe('slow');
  const file = form.get('file') as File;
  expect([file.name, await file.text()]).toEqual(['slow.v', 'module slow; endmodule']);
});

test('a refusal then appears in the question', async () => {
  const service = slowService().on(
    'POST /fpga/0/submit',
    refusal(409, 'fpga_not_idle', 'This node is not idle.'),
  );
  await show(<App />, service);
  fireEvent.click(await screen.findByRole('button', { name: 'Program it anyway' }));
  const question = screen.getByRole('region', { name: 'Program it anyway?' });
  await within(question).findByText(/This node is not idle/);
});

test('it is not offered while the board is absent', async () => {
  const { board } = node(0);
  await show(<App />, slowService(tooSlow, { board: { ...board, present: false } }));
  await screen.findByText(/when the node is idle and its board is present/);
  expect(screen.queryByRole('button', { name: 'Program it anyway' })).toBeNull();
});

test('a build with another failure shows no such question and no report', async () => {
  const failure = { error: 'tool_failed', message: 'Yosys refused.', remedy: 'Read the log.' };
  const service = slowService(job({ status: 'failed', failure }));
  await show(<App />, service);
  await screen.findByText('Yosys refused.');
  expect(screen.queryByText('Program it anyway?')).toBeNull();
  expect(service.asked.some(({ path }) => path.endsWith('/report'))).toBe(false);
});

test('its report can be read', async () => {
  const service = slowService();
  window.location.hash = '#/node/0/report';
  await show(<App />, service);
  await screen.findByText('41.2 MHz');
});
