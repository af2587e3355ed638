import { screen, within } from '@testing-library/react';
import { test } from 'vitest';
import { StageList } from '../../../renderer/src/screens/node/StageList.tsx';
import { FakeService } from '../../support/renderer/fake-service.ts';
import { job } from '../../support/renderer/fixtures.ts';
import { show } from '../../support/renderer/render.tsx';

test('a scan that prints nothing but the error that ends it lasted since the job began', async () => {
  const build = job({
    status: 'failed',
    stage: 'scan',
    updated_at: '2026-01-02T10:00:00.250Z',
    failure: { error: 'verilog_syntax', message: 'expected a semicolon', remedy: 'Correct the line.' },
  });
  const log = new Response('[   0.249 scan] error: echo.v:9: expected a semicolon\n', {
    headers: { 'content-type': 'text/plain' },
  });
  await show(<StageList job={build} />, new FakeService().on(`GET /fpga/0/jobs/${build.job_id}/logs`, log));
  const scan = (await screen.findByText('Scan')).closest('li');
  if (!scan) throw new Error('The scan is no item of the list.');
  await within(scan).findByText('failed here');
  await within(scan).findByText('250 ms');
});
