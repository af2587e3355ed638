import { screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { copyLink } from '../../../renderer/src/app/copy-link.ts';
import { HistoryTab } from '../../../renderer/src/screens/node/HistoryTab.tsx';
import { LogPanel } from '../../../renderer/src/screens/node/log/LogPanel.tsx';
import { parseRoute, type Route } from '../../../renderer/src/state/page/routes.ts';
import { addressFor, sharedRoute, useSharedView } from '../../../renderer/src/state/page/share.ts';
import { FakeService } from '../../support/renderer/fake-service.ts';
import { job, node, status } from '../../support/renderer/fixtures.ts';
import { show } from '../../support/renderer/render.tsx';

const LOG = '[   0.001 scan] echo.v has one module\n[   0.100 synthesis] error: echo.v:1: wrong\n';

test('a link contains the state of the views; inner views override outer ones', async () => {
  function Outer() {
    useSharedView(() => ({ job: 'outer', look: { find: '' } }));
    return <Inner />;
  }
  function Inner() {
    useSharedView(() => ({ line: 7, look: { level: 'error' } }));
    return null;
  }
  const { unmount } = await show(<Outer />);
  const route: Route = { kind: 'node', node: 3, tab: 'log', job: undefined, look: { find: 'old' } };
  expect(sharedRoute(route)).toEqual({
    ...{ kind: 'node', node: 3, tab: 'log', job: 'outer', line: 7 },
    look: { level: 'error' },
  });
  unmount();
  expect(sharedRoute(route)).toEqual({ kind: 'node', node: 3, tab: 'log', job: undefined });
  expect(sharedRoute({ kind: 'jobs' })).toEqual({ kind: 'jobs' });
});

test('a page on the bench’s own computer links to the address on the LAN', () => {
  const here = new URL('http://127.0.0.1:8000/lab/?bench=two#/');
  expect(addressFor('#/node/3', here, ['http://192.168.1.5:8000'])).toEqual({
    address: 'http://192.168.1.5:8000/lab/?bench=two#/node/3',
    onlyHere: false,
  });
  expect(addressFor('#/node/3', here, [])).toEqual({
    address: 'http://127.0.0.1:8000/lab/?bench=two#/node/3',
    onlyHere: true,
  });
  expect(addressFor('#/', new URL('https://bench.example/#/jobs'), [])).toEqual({
    address: 'https://bench.example/#/',
    onlyHere: false,
  });
});

test('a linked log restores its search and filter, and yields the same link', async () => {
  const build = job({ status: 'failed' });
  const service = new FakeService().on(
    `GET /fpga/0/jobs/${build.job_id}/logs`,
    new Response(LOG, { headers: { 'content-type': 'text/plain' } }),
  );
  const address = `#/node/0/log?job=${build.job_id}&find=wrong&level=error`;
  const route = parseRoute(address);
  const look = route.kind === 'node' ? route.look : undefined;
  window.location.hash = address;
  const writeText = vi.fn(async (_: string) => {});
  Object.defineProperty(navigator, 'clipboard', { value: { writeText }, configurable: true });
  const { client } = await show(
    <LogPanel node={node(0)} jobs={[build]} jobId={build.job_id} look={look} />,
    service,
  );
  await screen.findByText('1 of 2 lines');
  expect(screen.getByLabelText<HTMLInputElement>('Search the log').value).toBe('wrong');
  await copyLink(client);
  await waitFor(() => expect(writeText).toHaveBeenCalledTimes(1));
  expect(new URL(writeText.mock.lastCall?.[0] ?? '').hash).toBe(address);
  expect(client.toasts.getState().toasts.at(-1)).toMatchObject({ tone: 'good' });
  expect(status().lan.enabled).toBe(false);
});

test('a link to a comparison shows the same two builds, not the newest ones', async () => {
  const builds = [3, 2, 1].map((at) =>
    job({ job_id: `0b9d8a3e-5d1f-4c0e-9f53-2f5b7c1f0a0${at}`, created_at: `2030-01-01T00:00:0${at}.000Z` }),
  );
  const history = { list: builds, loaded: true, error: undefined, retry: () => {} };
  const [, second, first] = builds.map(({ job_id }) => job_id);
  window.location.hash = `#/node/0/history?now=${second}&before=${first}`;
  const route = parseRoute(window.location.hash);
  const look = route.kind === 'node' ? route.look : undefined;
  await show(<HistoryTab node={node(0)} jobs={history} look={look} />);
  const columns = screen.getAllByRole<HTMLSelectElement>('combobox');
  expect(columns.map(({ value }) => value)).toEqual([first, second]);
  expect(sharedRoute(route)).toMatchObject({ look: { now: second, before: first } });
});

test('an address holds view state only in short names and values', () => {
  const look = (query: string) => {
    const route = parseRoute(`#/node/3/log?${query}`);
    return route.kind === 'node' ? route.look : undefined;
  };
  expect(look('find=a%20b&level=error')).toEqual({ find: 'a b', level: 'error' });
  expect(look('job=x&line=3&file=a.v')).toBeUndefined();
  expect(look(`find=${'x'.repeat(301)}&Bad=1&a-b=2&empty=`)).toBeUndefined();
  expect(
    Object.keys(
      look(
        'abcdefghijkl'
          .split('')
          .map((name) => `${name}=1`)
          .join('&'),
      ) ?? {},
    ).length,
  ).toBeLessThan(12);
});
