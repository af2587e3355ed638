import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { App } from '../../../renderer/src/app/App.tsx';
import type { Job, Stage } from '../../../server/contract/jobs/jobs.ts';
import { FakeService, refusal } from '../../support/renderer/fake-service.ts';
import { job, node, tenNodes } from '../../support/renderer/fixtures.ts';
import { show } from '../../support/renderer/render.tsx';

const building = (owner: string, stage: Stage): Job =>
  job({
    status: 'running',
    stage,
    owner,
    started_at: '2026-01-01T00:00:00.000Z',
    submit: { filename: 'slow.v', size: 21, options: {} },
  });

const STOP = (build: Job) => `POST /fpga/0/jobs/${build.job_id}/stop`;

/** A node that builds. */
function busyService(build: Job): FakeService {
  const service = new FakeService()
    .on('GET /examples', [])
    .on('GET /fpga/0/jobs', [build])
    .on(`GET /fpga/0/jobs/${build.job_id}/details`, build);
  service.nodes = tenNodes({
    0: node(0, { state: 'building', current_job_id: build.job_id, last_job_id: build.job_id }),
  });
  window.location.hash = '#/node/0/design';
  return service;
}

const asked = (service: FakeService, build: Job) =>
  service.asked.some(({ method, path }) => STOP(build) === `${method} ${path}`);

test('stopping another user’s build requires confirmation', async () => {
  const build = building('course-3', 'synthesis');
  const failure = {
    error: 'stopped_by_user',
    message: 'lab-1 stopped this build.',
    remedy: 'Submit it again.',
  };
  const service = busyService(build).on(STOP(build), { ...build, status: 'failed', failure });
  const { client } = await show(<App />, service);
  fireEvent.click(await screen.findByRole('button', { name: 'Stop the build' }));
  const question = await screen.findByRole('dialog', { name: 'Stop the build of course-3?' });
  expect(asked(service, build)).toBe(false);
  fireEvent.click(within(question).getByRole('button', { name: 'Stop the build' }));
  await waitFor(() =>
    expect(client.jobs.getState().byId.get(build.job_id)?.failure?.error).toBe('stopped_by_user'),
  );
  expect(screen.queryByRole('button', { name: 'Stop the build' })).toBeNull();
});

test('a stop that comes too late shows the reason', async () => {
  const build = building('course-3', 'pack');
  const service = busyService(build).on(
    STOP(build),
    refusal(409, 'job_not_stoppable', 'The board is being programmed, which is not interrupted.'),
  );
  await show(<App />, service);
  fireEvent.click(await screen.findByRole('button', { name: 'Stop the build' }));
  const question = await screen.findByRole('dialog');
  fireEvent.click(within(question).getByRole('button', { name: 'Stop the build' }));
  await screen.findByText(/The board is being programmed/);
});

test('a build that programs its board offers no stop button', async () => {
  await show(<App />, busyService(building('course-3', 'program')));
  await screen.findByRole('tab', { name: 'Design' });
  expect(screen.queryByRole('button', { name: 'Stop the build' })).toBeNull();
});
