import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import BuildsScreen from '../../../renderer/src/screens/builds/BuildsScreen.tsx';
import { withoutSecret, withSecret } from '../../../renderer/src/screens/settings/queue-address.ts';
import SettingsScreen from '../../../renderer/src/screens/settings/SettingsScreen.tsx';
import { text } from '../../../renderer/src/text/text.ts';
import type { SettingsResponse } from '../../../server/contract/bench/bench.ts';
import type { BuildsView } from '../../../server/contract/bench/builds.ts';
import { DEFAULT_SETTINGS } from '../../../server/contract/bench/settings.ts';
import { FakeService } from '../../support/renderer/fake-service.ts';
import { show } from '../../support/renderer/render.tsx';

const view: BuildsView = {
  queue: 'redis://queue.lab:6379',
  problem: null,
  workers: [
    {
      name: 'builder-1',
      version: '1.0.0',
      slots: 4,
      busy: 1,
      leaving: false,
      built: 12,
      failed: 3,
      builds: [
        { family: 'ice40', engine: 'embedded', language: 'verilog', versions: { yosys: 'Yosys 0.55' } },
      ],
    },
  ],
  building: [
    { build_id: 'a'.repeat(64), file: 'big.v', owner: 'ci', batch: false, worker: 'builder-1', seconds: 7 },
  ],
  waiting: 3,
  owners: [
    { owner: 'ci', waiting: 2 },
    { owner: 'kim', waiting: 1 },
  ],
  line: [
    {
      build_id: 'b'.repeat(64),
      file: 'echo.v',
      owner: 'kim',
      batch: false,
      place: 1,
      kind: 'ice40 embedded verilog',
      held: null,
      seconds: 3,
    },
    {
      build_id: 'c'.repeat(64),
      file: 'night.v',
      owner: 'ci',
      batch: true,
      place: 2,
      kind: 'ice40 embedded verilog',
      held: 'no_worker',
      seconds: 300,
    },
  ],
  rates: { built_per_minute: 4, failed_per_minute: 0.5, mean_seconds: 6.25 },
  kept: { builds: 20, bytes: 1 << 20 },
};

const rows = (title: string) =>
  within(screen.getByRole('table', { name: title }))
    .getAllByRole('row')
    .slice(1)
    .map((row) =>
      within(row)
        .getAllByRole('cell')
        .map((cell) => cell.textContent),
    );

test('shows the farm: workers, current builds and the queue', async () => {
  await show(<BuildsScreen />, new FakeService().on('GET /builds', view));
  await screen.findByText('1 of 4 slots busy, 3 waiting');
  expect(screen.getByText(/Builds are made by the workers of redis:\/\/queue.lab:6379/)).toBeTruthy();
  expect(screen.getByText(/4.0 built and 0.5 failed per minute, 6.3 s each/)).toBeTruthy();
  expect(rows('Workers')).toEqual([
    ['builder-1 ', '1/4', 'ice40 verilogWishbench 1.0.0, Yosys 0.55', '12, 3 failed'],
  ]);
  expect(rows('Waiting, by owner')).toEqual([
    ['ci', '2'],
    ['kim', '1'],
  ]);
  expect(rows('Being built')).toEqual([['big.v', 'ci', 'builder-1', '7 s']]);
  expect(rows('Waiting')).toEqual([
    ['1', 'echo.v', 'kim', 'ice40 embedded verilog', '3 s'],
    ['2', 'night.v', 'ci · batch', 'ice40 embedded verilog · no worker can build it', '5 min'],
  ]);
  expect(screen.getByText('One more waits.')).toBeTruthy();
});

test('builds held by their owner’s limit have a separate table and positions', async () => {
  const [first] = view.line;
  const line = [...view.line, { ...first, file: 'third.v', owner: 'ci', place: 1, held: 'owner_limit' }];
  await show(<BuildsScreen />, new FakeService().on('GET /builds', { ...view, line }));
  await screen.findByRole('table', { name: 'At the owner’s limit' });
  expect(rows('At the owner’s limit')).toEqual([['1', 'third.v', 'ci', 'ice40 embedded verilog', '3 s']]);
  expect(rows('Waiting').map(([place]) => place)).toEqual(['1', '2']);
});

test('the queue position is one short sentence, with the reason for a hold first', () => {
  const behind = { file: 'big.v', owner: 'ci' };
  expect(
    [
      { place: 1, behind: null, held: null },
      { place: 3, behind, held: null },
      { place: 22, behind, held: 'owner_limit' as const },
      { place: 1, behind: null, held: 'owner_limit' as const },
      { place: 11, behind, held: 'no_worker' as const },
    ].map(text.bench.inQueue),
  ).toEqual([
    '1st in the queue',
    '3rd, after big.v of ci',
    'Owner’s limit: 22nd, after big.v',
    'Owner’s limit: 1st',
    'No worker can build it: 11th, after big.v of ci',
  ]);
});

test('reports an unreachable queue and a farm without workers', async () => {
  const away = { ...view, problem: 'cannot be reached', workers: [] };
  await show(<BuildsScreen />, new FakeService().on('GET /builds', away));
  expect((await screen.findByRole('alert')).textContent).toContain('cannot be reached');
  expect(screen.getByText(/No worker is connected/)).toBeTruthy();
});

test('the password of a queue is hidden, and preserved when the host changes', async () => {
  const queue = 'redis://bench:s3cr%40t@queue.lab:6379/2';
  expect(withoutSecret(queue)).toBe('redis://•••@queue.lab:6379/2');
  expect(withoutSecret(null)).toBe('');
  expect(withSecret('rediss://•••@other:1', queue)).toBe('rediss://bench:s3cr%40t@other:1');
  expect(withSecret('redis://new:one@other', queue)).toBe('redis://new:one@other');
  const settings = { ...DEFAULT_SETTINGS, toolchain: { ...DEFAULT_SETTINGS.toolchain, queue } };
  const response: SettingsResponse = {
    settings,
    defaults: DEFAULT_SETTINGS,
    restart_required: [],
    notices: [],
  };
  const service = new FakeService()
    .on('GET /settings', response)
    .on('GET /auth/keys', [])
    .on('GET /auth/invites', [])
    .on('PUT /settings', response);
  await show(<SettingsScreen />, service);
  const field = await screen.findByLabelText('Build on other machines');
  expect(field).toHaveProperty('value', 'redis://•••@queue.lab:6379/2');
  expect(document.body.innerHTML).not.toContain('s3cr');
  fireEvent.change(field, { target: { value: 'redis://•••@other.lab:6379' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save changes' }));
  await waitFor(() =>
    expect(service.asked.find(({ method }) => method === 'PUT')).toMatchObject({
      body: { toolchain: { queue: 'redis://bench:s3cr%40t@other.lab:6379' } },
    }),
  );
});
