// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { mapFromJson } from '../../renderer/src/screens/node/registers/map/map-json.ts';
import { mapsOf } from '../../renderer/src/screens/node/registers/map/map-store.ts';
import { RegistersPanel } from '../../renderer/src/screens/node/registers/RegistersPanel.tsx';
import { changePolling } from '../../renderer/src/screens/node/registers/watch/polling.ts';
import { BenchClient } from '../../renderer/src/state/bench-client.ts';
import { FakeService, memory, refusal } from './support/fake-service.ts';
import { job, reserved, tenNodes } from './support/fixtures.ts';
import { show } from './support/render.tsx';

/** A service with a memory behind its run requests on a node. */
function registerService(id: number, beforeRun: (words: Map<number, number>) => void) {
  const words = new Map<number, number>();
  const runs: { op: number; address: number; data?: number[]; count?: number; fixed_address?: boolean }[] =
    [];
  const service = new FakeService();
  service.nodes = tenNodes({ [id]: reserved(id, 'anonymous') });
  let result: number[] = [];
  service.on(`POST /fpga/${id}/run`, ({ body }) => {
    const run = body as (typeof runs)[number];
    runs.push(run);
    beforeRun(words);
    const at = (index: number) => run.address + (run.fixed_address ? 0 : 4 * index);
    run.data?.forEach((word, index) => {
      words.set(at(index), word);
    });
    result =
      run.op === 2 ? Array.from({ length: run.count ?? 1 }, (_, index) => words.get(at(index)) ?? 0) : [];
    const one = job({ fpga_id: id, type: 'run' });
    service.on(`GET /fpga/${id}/jobs/${one.job_id}/details`, one);
    service.on(`GET /fpga/${id}/jobs/${one.job_id}/result`, { ok: true, data: result });
    return { job_id: one.job_id, fpga_id: id, status: 'queued' };
  });
  return { service, words, runs };
}

const open = async (id: number, beforeRun: (words: Map<number, number>) => void = () => {}) => {
  const bench = registerService(id, beforeRun);
  const node = bench.service.nodes[id];
  if (!node) throw new Error('no node');
  return { ...bench, ...(await show(<RegistersPanel node={node} />, bench.service)) };
};
const send = (line: string) => {
  const field = screen.getByLabelText('Read or write');
  fireEvent.change(field, { target: { value: line } });
  fireEvent.submit(field.closest('form') as HTMLFormElement);
};
const importMap = (name: string, contents: string) => {
  const input = document.querySelector<HTMLInputElement>('[data-map-file]');
  if (!input) throw new Error('no file input');
  Object.defineProperty(input, 'files', { value: [new File([contents], name)], configurable: true });
  fireEvent.change(input);
};
const MAP =
  'register,address,access,field,bits,values\nCTRL,0x0,rw,,,\nCTRL,,,MODE,2:1,0=off|3=fast\nDATA,0x4,rw,,,\n';

test('a map is imported, names the watch, and a field is written without touching its neighbours', async () => {
  const { words, runs, client } = await open(0);
  words.set(0, 0xff00_0001);
  send('0x0');
  await screen.findAllByText('0xFF00_0001');
  importMap('lab.csv', MAP);
  await screen.findByText('CTRL');
  send('CTRL.MODE=3');
  await waitFor(() => expect(runs.at(-1)).toMatchObject({ op: 1, address: 0, data: [0xff00_0007] }));
  fireEvent.click(screen.getByRole('button', { name: 'Fields of CTRL' }));
  await screen.findByText('fast');
  // Another page of this browser finds the map again, for the same design.
  const again = new BenchClient({ memory: client.memory });
  expect(mapsOf(again).getState()).toEqual(mapsOf(client).getState());
  expect(mapsOf(again).getState().designs['echo']?.map).toBe('lab');
});

test('a file that is no map changes nothing and says what is wrong where', async () => {
  const { client } = await open(1);
  send('0x0');
  importMap('lab.csv', MAP);
  await screen.findByText('CTRL');
  const before = mapsOf(client).getState();
  importMap('bad.csv', `${MAP}CTRL,0x8,rw,,,\n`);
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toContain('bad.csv was not imported; nothing was changed.');
  expect(alert.textContent).toContain('Line 5: Another register is named “CTRL”.');
  expect(mapsOf(client).getState()).toBe(before);
});

test('a register is named by hand, with its fields, and what cannot be saved says why', async () => {
  const { client } = await open(2);
  send('0x10');
  fireEvent.click(await screen.findByRole('button', { name: 'Name and fields of 0x0010' }));
  const dialog = await screen.findByRole('dialog', { name: 'Register at 0x0010' });
  fireEvent.change(within(dialog).getByLabelText('Name'), { target: { value: '1st' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Save' }));
  expect((await within(dialog).findByRole('alert')).textContent).toMatch(/“1st” is no name/);
  fireEvent.change(within(dialog).getByLabelText('Name'), { target: { value: 'FIRST' } });
  fireEvent.change(within(dialog).getByLabelText('Bit fields'), { target: { value: 'EN 0\nALL 31:0' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Save' }));
  await within(dialog).findByText(/overlap/);
  fireEvent.change(within(dialog).getByLabelText('Bit fields'), {
    target: { value: 'EN 0 0=off|1=on Runs' },
  });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Save' }));
  await screen.findByText('FIRST');
  expect(mapsOf(client).getState().maps['echo']?.registers).toEqual([
    {
      name: 'FIRST',
      address: 16,
      access: 'rw',
      fields: [{ name: 'EN', msb: 0, lsb: 0, values: { 0: 'off', 1: 'on' }, description: 'Runs' }],
    },
  ]);
});

test('polled registers are read again in one burst, until it is paused', async () => {
  // A counter: every read finds another value, so that the mark of a change does not come and go.
  let counting = false;
  const { runs, client } = await open(3, (words) => {
    if (counting) words.set(4, (words.get(4) ?? 0) + 1);
  });
  send('0x0');
  send('0x4');
  changePolling(client, 3, { interval: 0.1 });
  fireEvent.click(await screen.findByRole('button', { name: 'Poll 0x0000' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Poll 0x0004' }));
  await waitFor(() => expect(runs.at(-1)).toMatchObject({ op: 2, address: 0, count: 2 }));
  counting = true;
  await screen.findAllByText(/changed, was 0x0000_00\d\d/);
  expect(client.unsavedTransactions(3)).toBe(2);
  fireEvent.click(screen.getByRole('button', { name: 'Pause polling' }));
  await screen.findByText(/2 polled, paused/);
});

test('polling stops with the reason when the service refuses', async () => {
  const { service, client } = await open(4);
  send('0x0');
  const poll = await screen.findByRole('button', { name: 'Poll 0x0000' });
  service.on('POST /fpga/4/run', refusal(409, 'session_mismatch', 'This node is held by bob.'));
  fireEvent.click(poll);
  await screen.findByText('Polling stopped: This node is held by bob.');
  changePolling(client, 4, { addresses: new Set() });
});

test('a row is pinned, the fixed address is sent, and typed lines come back', async () => {
  const { runs, client } = await open(5);
  send('0x20 x2 fixed');
  await waitFor(() => expect(runs.at(-1)).toEqual({ op: 2, address: 32, count: 2, fixed_address: true }));
  fireEvent.click(screen.getByLabelText('Fixed address'));
  send('0x20=1,2');
  await waitFor(() => expect(runs.at(-1)).toEqual({ op: 1, address: 32, data: [1, 2], fixed_address: true }));
  fireEvent.click(await screen.findByRole('button', { name: 'Pin 0x0020 on top' }));
  expect(mapsOf(client).getState().designs['echo']?.pinned).toEqual([32]);
  const field = screen.getByLabelText<HTMLInputElement>('Read or write');
  fireEvent.keyDown(field, { key: 'ArrowUp' });
  fireEvent.keyDown(field, { key: 'ArrowUp' });
  expect(field.value).toBe('0x20 x2 fixed');
  fireEvent.click(screen.getByRole('button', { name: 'Write 0x0020' }));
  expect(field.value).toBe('0x0020=');
  expect(document.activeElement).toBe(field);
});

test('a damaged store of maps is passed over', () => {
  const kept = memory();
  kept.setItem(
    'wishbench.register-maps',
    '{"maps":{"a":{"name":"a","registers":[{"name":"1"}]}},"designs":{"d":3}}',
  );
  const client = new BenchClient({ memory: kept });
  expect(mapsOf(client).getState()).toEqual({ maps: {}, designs: { d: { map: undefined, pinned: [] } } });
  expect('problems' in mapFromJson('null')).toBe(true);
});
