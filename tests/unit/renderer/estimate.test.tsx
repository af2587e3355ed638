import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { App } from '../../../renderer/src/app/App.tsx';
import type { Job } from '../../../server/contract/jobs/jobs.ts';
import type { BuildEstimate } from '../../../server/contract/jobs/utilisation.ts';
import { FakeService } from '../../support/renderer/fake-service.ts';
import { job, node, tenNodes } from '../../support/renderer/fixtures.ts';
import { show } from '../../support/renderer/render.tsx';

const ESTIMATE: BuildEstimate = {
  fmax_mhz: 48.5,
  target_mhz: 12,
  utilisation: [
    { resource: 'LUT', used: 1800, available: 7680 },
    { resource: 'BRAM', used: 30, available: 32 },
  ],
};

async function showBuild(build: Partial<Job>, tab: 'design' | 'report') {
  const shown = job({ submit: { filename: 'slow.v', size: 21, options: {} }, ...build });
  const service = new FakeService()
    .on('GET /examples', [])
    .on('GET /fpga/0/jobs', [shown])
    .on(`GET /fpga/0/jobs/${shown.job_id}/details`, shown);
  const state = shown.status === 'running' ? 'building' : 'idle';
  const current_job_id = shown.status === 'running' ? shown.job_id : null;
  service.nodes = tenNodes({ 0: node(0, { state, current_job_id, last_job_id: shown.job_id }) });
  window.location.hash = `#/node/0/${tab}`;
  await show(<App />, service);
}

test('during placement the stages show the estimated speed and the most used resource', async () => {
  await showBuild({ status: 'running', stage: 'place', estimate: ESTIMATE }, 'design');
  const stages = await screen.findByRole('region', { name: 'Stages' });
  expect(within(stages).getByText('about 48.5 MHz, 30 of 32 BRAM')).toBeDefined();
  expect(within(stages).queryByText(/may miss|does not fit/)).toBeNull();
});

test.each([
  ['a target that may be missed', { fmax_mhz: 9.5 }, 'about 9.5 MHz', 'may miss the target of 12 MHz'],
  [
    'more than the part has',
    { fmax_mhz: null, utilisation: [{ resource: 'LUT', used: 9000, available: 7680 }] },
    '9,000 of 7,680 LUT',
    'does not fit the part',
  ],
])('%s is shown', async (_, change, figures, warning) => {
  await showBuild({ status: 'running', stage: 'place', estimate: { ...ESTIMATE, ...change } }, 'design');
  const stages = await screen.findByRole('region', { name: 'Stages' });
  expect(within(stages).getByText(new RegExp(figures))).toBeDefined();
  expect(within(stages).getByText(warning)).toBeDefined();
});

test.each(['running', 'failed'] as const)(
  'the report of a %s build shows its estimate instead',
  async (status) => {
    await showBuild({ status, stage: 'route', estimate: ESTIMATE }, 'report');
    expect(await screen.findByText('Fmax about 48.5 MHz, target 12 MHz.')).toBeDefined();
    const rows = screen.getAllByRole('row').map(({ textContent }) => textContent);
    expect(rows).toContain('Block RAM94 %30 / 32');
  },
);
