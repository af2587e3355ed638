import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { LogPanel } from '../../../renderer/src/screens/node/log/LogPanel.tsx';
import { shownLines } from '../../../renderer/src/screens/node/log/search.ts';
import { LogDocument } from '../../../renderer/src/state/jobs/log-document.ts';
import { FakeService } from '../../support/renderer/fake-service.ts';
import { job, node } from '../../support/renderer/fixtures.ts';
import { show } from '../../support/renderer/render.tsx';

const LOG = [
  '[   0.001 scan] echo.v has one module',
  ...Array.from({ length: 7 }, (_, n) => `[   0.1${n}0 synthesis] error: echo.v:${n + 1}: wrong ${n}`),
  '[   0.200 place_and_route] warning: slow',
  '',
].join('\n');

test('a filtered log keeps the numbers that its lines have in the file', async () => {
  const document = await LogDocument.read(LOG);
  expect(shownLines(document.lines, { level: 'error', stage: 'all' }).map(({ number }) => number)).toEqual([
    2, 3, 4, 5, 6, 7, 8,
  ]);
  document.append(document.bytes, '[   0.300 program] done\n');
  expect(document.lines.at(-1)?.number).toBe(10);
});

test('the summary leads to every error, and copying takes the displayed text', async () => {
  const build = job({ status: 'failed' });
  const logs = new Response(LOG, { headers: { 'content-type': 'text/plain' } });
  const service = new FakeService().on(`GET /fpga/0/jobs/${build.job_id}/logs`, logs);
  const writeText = vi.fn(async (_: string) => {});
  Object.defineProperty(navigator, 'clipboard', { value: { writeText }, configurable: true });
  const { client } = await show(<LogPanel node={node(0)} jobs={[build]} jobId={build.job_id} />, service);
  await screen.findByText('7 errors');
  fireEvent.click(screen.getByRole('button', { name: 'Copy the log' }));
  await waitFor(() => expect(writeText).toHaveBeenLastCalledWith(LOG));
  fireEvent.click(screen.getByRole('button', { name: 'and 2 more' }));
  await screen.findByText('7 of 9 lines');
  fireEvent.click(screen.getByRole('button', { name: 'Copy the lines shown' }));
  await waitFor(() => expect(writeText.mock.lastCall?.[0].split('\n')).toHaveLength(8));
  expect(client.toasts.getState().toasts.at(-1)?.text).toBe('The 7 lines shown are on the clipboard.');
});
