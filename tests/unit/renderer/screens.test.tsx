import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import BoardsScreen from '../../../renderer/src/screens/boards/BoardsScreen.tsx';
import type { BoardEntry } from '../../../server/contract/boards/boards.ts';
import { FakeService, refusal } from '../../support/renderer/fake-service.ts';
import { tenNodes } from '../../support/renderer/fixtures.ts';
import { show } from '../../support/renderer/render.tsx';

const usb: BoardEntry = {
  id: 'usb:FT4XYZ',
  kind: 'usb',
  name: 'iCE40-HX8K Breakout',
  definition: null,
  candidates: ['ice40-hx8k-breakout', 'icebreaker'],
  slot: null,
  present: true,
  usb: {
    vendorId: 0x0403,
    productId: 0x6010,
    serial: 'FT4XYZ',
    port: '1-2',
    manufacturer: 'FTDI',
    product: 'Dual RS232',
  },
  serialPort: '/dev/ttyUSB1',
};

test('an attached board is assigned to a slot only after an ambiguous model is chosen', async () => {
  const service = new FakeService()
    .on('GET /boards', { boards: [usb], problems: [] })
    .on('PUT /boards/0', { slot: 0 });
  await show(<BoardsScreen />, service);
  const put = await screen.findByRole('button', { name: 'Put into the slot' });
  expect(screen.getByText('0403:6010')).toBeTruthy();
  expect(put.hasAttribute('disabled')).toBe(true);
  fireEvent.change(screen.getByLabelText('Which board is it?'), { target: { value: 'icebreaker' } });
  fireEvent.click(put);
  await waitFor(() =>
    expect(service.asked.find(({ method }) => method === 'PUT')).toMatchObject({
      path: '/boards/0',
      body: { board: 'usb:FT4XYZ', definition: 'icebreaker' },
    }),
  );
});

test('a slot in use retains its board, and discovery problems show their remedy', async () => {
  const service = new FakeService().on('GET /boards', {
    boards: [usb],
    problems: [{ code: 'usb_unavailable', message: 'USB cannot be listed.', remedy: 'Load the driver.' }],
  });
  service.nodes = tenNodes({ 3: { state: 'reserved' } });
  await show(<BoardsScreen />, service);
  await screen.findByText(/USB cannot be listed. Load the driver./);
  expect(screen.getByLabelText('Board in slot 3').hasAttribute('disabled')).toBe(true);
  expect(screen.getByLabelText('Board in slot 4').hasAttribute('disabled')).toBe(false);
});

test('the doctor lists findings with remedies', async () => {
  const service = new FakeService().on('GET /boards', { boards: [], problems: [] }).on('POST /doctor', [
    { id: 'udev', title: 'udev rules', status: 'problem', message: 'They are missing.', remedy: 'sudo cp …' },
    { id: 'data', title: 'Data directory', status: 'ok', message: 'It can be written.' },
  ]);
  await show(<BoardsScreen />, service);
  fireEvent.click(await screen.findByRole('button', { name: 'Run checks' }));
  await screen.findByText(/They are missing/);
  expect(screen.getByText('sudo cp …')).toBeTruthy();
});

test('a user without the operator’s right sees the slots but cannot assign', async () => {
  const service = new FakeService().on(
    'GET /boards',
    refusal(403, 'operator_only', 'Only the operator can do this.'),
  );
  await show(<BoardsScreen />, service);
  await screen.findByText(/Only the operator can see and assign boards/);
  expect(screen.getAllByRole('row')).toHaveLength(11);
  expect(screen.queryByLabelText('Board in slot 0')).toBeNull();
});
