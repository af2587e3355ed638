import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { mapsOf } from '../../../renderer/src/screens/node/registers/map/map-store.ts';
import { changePolling } from '../../../renderer/src/screens/node/registers/polling.ts';
import { RegistersPanel } from '../../../renderer/src/screens/node/registers/RegistersPanel.tsx';
import { BenchClient } from '../../../renderer/src/state/client/bench-client.ts';
import { pinnedOf } from '../../../renderer/src/state/registers/pinned.ts';
import { lastValuesOf } from '../../../renderer/src/state/samples/samples.ts';
import { formatOf, readMap } from '../../../server/registermap/formats.ts';
import { type Asked, FakeService, memory, refusal } from '../../support/renderer/fake-service.ts';
import { job, reserved, tenNodes } from '../../support/renderer/fixtures.ts';
import { show } from '../../support/renderer/render.tsx';

const DESIGN_ROUTE = '/designs/echo-v-00000000';
const MAP_ROUTE = `${DESIGN_ROUTE}/map`;

/** The map of an upload: the bench reads the texts of files. */
function uploaded(body: unknown): unknown {
  if (typeof body !== 'string') return body;
  const format = formatOf(body);
  if (format === null || format === 'json' || format === 'csr.json') throw new Error(`no table: ${body}`);
  const read = readMap(body, format, 'echo');
  return 'map' in read
    ? read.map
    : refusal(422, 'validation_error', 'The map cannot be read.', { errors: read.problems });
}

/** A service with a memory for run requests on a node, whose design has no register map. */
function registerService(id: number, beforeRun: (words: Map<number, number>) => void) {
  const words = new Map<number, number>();
  const runs: { op: number; address: number; data?: number[]; count?: number; fixed_address?: boolean }[] =
    [];
  const service = new FakeService();
  service.nodes = tenNodes({ [id]: reserved(id, 'anonymous') });
  service.on(`GET ${DESIGN_ROUTE}`, { documents: [] });
  service.on(`PUT ${MAP_ROUTE}`, ({ body }: Asked) => uploaded(body));
  let result: number[] = [];
  service.on(`POST /fpga/${id}/run`, ({ body }) => {
    const run = body as (typeof runs)[number];
    runs.push(run);
    try {
      beforeRun(words);
    } catch (refused) {
      return refused;
    }
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

/** @param design what is special about the design on the node */
const open = async (
  id: number,
  beforeRun: (words: Map<number, number>) => void = () => {},
  design: { design_id?: null } = {},
) => {
  const bench = registerService(id, beforeRun);
  const reservedNode = bench.service.nodes[id];
  if (!reservedNode?.design) throw new Error('no node');
  const node = { ...reservedNode, design: { ...reservedNode.design, ...design } };
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
  const { words, runs } = await open(0);
  words.set(0, 0xff00_0001);
  send('0x0');
  await screen.findAllByText('0xFF00_0001');
  importMap('lab.csv', MAP);
  await screen.findByText('CTRL');
  send('CTRL.MODE=3');
  await waitFor(() => expect(runs.at(-1)).toMatchObject({ op: 1, address: 0, data: [0xff00_0007] }));
  fireEvent.click(screen.getByRole('button', { name: 'Fields of CTRL' }));
  await screen.findByText('fast');
});

test('the map of a design that the bench does not know stays in this browser', async () => {
  const { client } = await open(0, () => {}, { design_id: null });
  send('0x10');
  fireEvent.click(await screen.findByRole('button', { name: 'Name and fields of 0x0010' }));
  const dialog = await screen.findByRole('dialog', { name: 'Register at 0x0010' });
  fireEvent.change(within(dialog).getByLabelText('Name'), { target: { value: 'FIRST' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Save' }));
  await screen.findByText('FIRST');
  // Another page of this browser finds it again, for the same design.
  const again = new BenchClient({ memory: client.memory });
  expect(mapsOf(again).getState()).toEqual(mapsOf(client).getState());
  expect(mapsOf(again).getState().designs['echo']?.map).toBe('echo');
  // A file is read by the bench, for a design that it knows.
  fireEvent.click(screen.getByRole('button', { name: 'Map' }));
  const item = screen.getByRole('menuitem', { name: /^Import a map/ });
  expect(item.getAttribute('aria-disabled')).toBe('true');
  screen.getByRole('menuitem', { name: 'Export as JSON' });
});

test('an invalid file changes nothing and reports the location of its error', async () => {
  const { client } = await open(1);
  send('0x0');
  importMap('lab.csv', MAP);
  await screen.findByText('CTRL');
  const before = mapsOf(client).getState();
  importMap('bad.csv', `${MAP}CTRL,0x8,rw,,,\n`);
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toContain('bad.csv was not imported. The map is unchanged.');
  expect(alert.textContent).toMatch(/line 5: .*CTRL/);
  expect(mapsOf(client).getState()).toBe(before);
});

test('a register is named by hand with its fields, and a rejected name is explained', async () => {
  const { client } = await open(2);
  send('0x10');
  fireEvent.click(await screen.findByRole('button', { name: 'Name and fields of 0x0010' }));
  const dialog = await screen.findByRole('dialog', { name: 'Register at 0x0010' });
  fireEvent.change(within(dialog).getByLabelText('Name'), { target: { value: '1st' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Save' }));
  expect((await within(dialog).findByRole('alert')).textContent).toMatch(/“1st” is not a name/);
  fireEvent.change(within(dialog).getByLabelText('Name'), { target: { value: 'FIRST' } });
  fireEvent.change(within(dialog).getByLabelText('Bit fields'), { target: { value: 'EN 0\nALL 31:0' } });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Save' }));
  await within(dialog).findByText(/overlap/);
  fireEvent.change(within(dialog).getByLabelText('Bit fields'), {
    target: { value: 'EN 0 0=off|1=on Runs' },
  });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Save' }));
  await screen.findByText('FIRST');
  expect(mapsOf(client).getState().kept['echo-v-00000000']?.registers).toEqual([
    {
      name: 'FIRST',
      address: 16,
      access: 'rw',
      fields: [{ name: 'EN', msb: 0, lsb: 0, values: { 0: 'off', 1: 'on' }, description: 'Runs' }],
    },
  ]);
});

test('a value is typed over where it stands, a bit is clicked, a field is chosen by name', async () => {
  const { words, runs } = await open(6);
  words.set(0, 0xff00_0001);
  send('0x0');
  importMap('lab.csv', MAP);
  await screen.findByText('CTRL');
  const value = await screen.findByRole('button', { name: '0xFF00_0001, type over CTRL' });
  fireEvent.click(value);
  const field = screen.getByLabelText<HTMLInputElement>('New value of CTRL');
  expect(field.value).toBe('0xFF000001');
  fireEvent.change(field, { target: { value: '0x1_0000_0000' } });
  fireEvent.keyDown(field, { key: 'Enter' });
  expect(field.getAttribute('aria-invalid')).toBe('true');
  fireEvent.keyDown(field, { key: 'Escape' });
  expect(screen.queryByLabelText('New value of CTRL')).toBeNull();
  expect(runs).toHaveLength(1);
  fireEvent.click(screen.getByRole('button', { name: /type over CTRL/ }));
  fireEvent.change(screen.getByLabelText('New value of CTRL'), { target: { value: '0x81' } });
  fireEvent.keyDown(screen.getByLabelText('New value of CTRL'), { key: 'Enter' });
  await waitFor(() => expect(runs.at(-1)).toMatchObject({ op: 1, address: 0, data: [0x81] }));
  // Written, and not read since: marked until it is read.
  await screen.findByText('written, and not read since');
  fireEvent.click(screen.getByRole('button', { name: 'Read CTRL again' }));
  await waitFor(() => expect(screen.queryByText('written, and not read since')).toBeNull());

  fireEvent.click(screen.getByRole('button', { name: 'Fields of CTRL' }));
  const bit = (name: string) => screen.getByRole('button', { name });
  expect(bit('bit 7 CTRL').getAttribute('aria-pressed')).toBe('true');
  expect(bit('bit 2, MODE[1] CTRL').getAttribute('aria-pressed')).toBe('false');
  // Another has changed its neighbours meanwhile: they stay as they are.
  words.set(0, 0x8000_0081);
  fireEvent.click(bit('bit 7 CTRL'));
  await waitFor(() => expect(runs.at(-1)).toMatchObject({ op: 1, address: 0, data: [0x8000_0001] }));
  await waitFor(() => expect(bit('bit 31 CTRL').getAttribute('aria-pressed')).toBe('true'));
  fireEvent.click(bit('bit 31 CTRL'));
  await waitFor(() => expect(runs.at(-1)).toMatchObject({ op: 1, address: 0, data: [1] }));
  fireEvent.keyDown(bit('bit 7 CTRL'), { key: 'ArrowLeft' });
  expect(document.activeElement).toBe(bit('bit 8 CTRL'));

  fireEvent.change(screen.getByLabelText('Choose CTRL.MODE'), { target: { value: '3' } });
  await waitFor(() => expect(runs.at(-1)).toMatchObject({ op: 1, data: [7] }));
  send('CTRL.MODE=off');
  await waitFor(() => expect(runs.at(-1)).toMatchObject({ op: 1, data: [1] }));
  fireEvent.click(screen.getByRole('button', { name: /type over CTRL.MODE/ }));
  fireEvent.change(screen.getByLabelText('New value of CTRL.MODE'), { target: { value: 'FAST' } });
  fireEvent.keyDown(screen.getByLabelText('New value of CTRL.MODE'), { key: 'Enter' });
  await waitFor(() => expect(runs.at(-1)).toMatchObject({ op: 1, data: [7] }));
});

test('bits clicked one right after the other are all written', async () => {
  const { words, runs } = await open(9);
  send('0x0');
  fireEvent.click(await screen.findByRole('button', { name: 'Bits of 0x0000' }));
  await waitFor(() =>
    expect(screen.getByRole('button', { name: 'bit 4 0x0000' }).getAttribute('aria-disabled')).toBe('false'),
  );
  for (const bit of [4, 9]) fireEvent.click(screen.getByRole('button', { name: `bit ${bit} 0x0000` }));
  await waitFor(() => expect(runs.filter(({ op }) => op === 1)).toHaveLength(2));
  expect(words.get(0)).toBe(0x210);
});

test('polled registers are read in one burst, until paused', async () => {
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

test('polling pauses with the reason while the service refuses, and resumes automatically', async () => {
  let held = true;
  const { client, words } = await open(4, () => {
    if (held) throw refusal(409, 'session_mismatch', 'This node is held by bob.');
  });
  words.set(0, 7);
  changePolling(client, 4, { addresses: new Set([0]), interval: 0.1 });
  await screen.findByText('Polling waits: This node is held by bob.');
  held = false;
  await waitFor(() => expect(lastValuesOf(4).get(0)?.value).toBe(7));
  expect(screen.queryByText(/Polling waits/)).toBeNull();
  changePolling(client, 4, { addresses: new Set() });
});

test('a row is pinned, the fixed address is sent, and typed lines are recalled', async () => {
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
});

/** A bench that keeps the map of the design, as the real one does. */
function benchWithMap(id: number, owner = 'anonymous') {
  const bench = registerService(id, () => {});
  bench.service.nodes = tenNodes({ [id]: reserved(id, owner) });
  const kept: { map: unknown } = { map: undefined };
  bench.service
    .on(`GET ${DESIGN_ROUTE}`, () => ({ documents: kept.map ? ['map'] : [] }))
    .on(
      `GET ${MAP_ROUTE}`,
      () => kept.map ?? refusal(404, 'no_register_map', 'This design has no register map.'),
    )
    .on(`PUT ${MAP_ROUTE}`, ({ body }: { body: unknown }) => {
      kept.map = uploaded(body);
      return kept.map;
    })
    .on(`DELETE ${MAP_ROUTE}`, () => {
      kept.map = undefined;
      return new Response(null, { status: 204 });
    });
  return { ...bench, kept };
}
/** Data stored by the browser before the bench stored it. */
const oldMemory = () => {
  const old = memory();
  old.setItem('wishbench.preferences', '{"nameAsked":true,"windowName":""}');
  old.setItem(
    'wishbench.register-maps',
    JSON.stringify({
      maps: { lab: { name: 'lab', registers: [{ name: 'CTRL', address: 0, access: 'rw', fields: [] }] } },
      designs: { echo: { map: 'lab', pinned: [0] } },
    }),
  );
  return old;
};
const showPanel = (
  { service }: { service: FakeService },
  id: number,
  options?: { memory: BenchClient['memory'] },
) => {
  const node = service.nodes[id];
  if (!node) throw new Error('no node');
  return show(<RegistersPanel node={node} />, service, options);
};

test('a browser’s own map is uploaded once, and another browser finds it', async () => {
  const bench = benchWithMap(6);
  const old = oldMemory();
  const first = await showPanel(bench, 6, { memory: old });
  await waitFor(() => expect(bench.kept.map).toMatchObject({ name: 'lab', registers: [{ name: 'CTRL' }] }));
  await waitFor(() => expect(mapsOf(first.client).getState().designs['echo']?.map).toBeUndefined());
  expect(pinnedOf(old, 'echo')).toEqual({ address: 0, name: 'CTRL' });
  first.unmount();

  // A map removed at the bench is not uploaded again.
  bench.kept.map = undefined;
  const again = await showPanel(bench, 6, { memory: old });
  await waitFor(() => expect(mapsOf(again.client).getState().kept).toEqual({ 'echo-v-00000000': null }));
  fireEvent.change(screen.getByLabelText('Register map'), { target: { value: 'lab' } });
  await waitFor(() => expect(bench.kept.map).toMatchObject({ name: 'lab' }));
  again.unmount();

  await showPanel(bench, 6);
  expect((await screen.findByLabelText<HTMLSelectElement>('Register map')).value).toBe('lab');
  importMap('other.csv', MAP);
  await waitFor(() => expect(bench.kept.map).toMatchObject({ name: 'echo' }));
  // The one that was in use can be chosen again.
  fireEvent.change(screen.getByLabelText('Register map'), { target: { value: 'lab' } });
  await waitFor(() => expect(bench.kept.map).toMatchObject({ name: 'lab', registers: [{ name: 'CTRL' }] }));
  fireEvent.change(screen.getByLabelText('Register map'), { target: { value: '' } });
  await waitFor(() => expect(bench.kept.map).toBeUndefined());
});

test('a map deleted during its request counts as absent', async () => {
  const bench = benchWithMap(4);
  bench.service.on(`GET ${DESIGN_ROUTE}`, { documents: ['map'] });
  const { client } = await showPanel(bench, 4);
  await waitFor(() => expect(mapsOf(client).getState().kept).toEqual({ 'echo-v-00000000': null }));
});

test('the map that an import replaces can be restored, even under the same name', async () => {
  const bench = benchWithMap(5);
  const go = { name: 'GO', address: 4, access: 'rw' as const, fields: [] };
  bench.kept.map = { name: 'echo', registers: [go] };
  bench.service.on(`PUT ${MAP_ROUTE}`, ({ body }: { body: unknown }) => {
    bench.kept.map = typeof body === 'string' ? { name: 'echo', registers: [{ ...go, name: 'RUN' }] } : body;
    return bench.kept.map;
  });
  await showPanel(bench, 5);
  await screen.findByText('GO');
  importMap('soc.csr.csv', 'csr_register,run,0x4,1,rw\n');
  await screen.findByText('RUN');
  fireEvent.change(screen.getByLabelText('Register map'), { target: { value: 'echo 2' } });
  await screen.findByText('GO');
  expect(bench.kept.map).toMatchObject({ name: 'echo 2', registers: [{ name: 'GO' }] });
});

test('unsupported parts of a file are shown, and the words of an array are named', async () => {
  const bench = benchWithMap(6);
  const ram = { name: 'RAM', address: 0, words: 4, access: 'rw' as const, fields: [] };
  bench.service.on(`PUT ${MAP_ROUTE}`, ({ body }: { body: unknown }) => {
    bench.kept.map = body;
    const warning = { loc: ['body', 'line 7'], msg: 'RAM: is not read; look', type: 'not_read' };
    return { name: 'echo', registers: [ram], warnings: [warning] };
  });
  await showPanel(bench, 6);
  importMap('chip.svd', '<device/>');
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toContain('chip.svd was imported. Not in the map:');
  expect(alert.textContent).toContain('line 7: RAM: is not read; look');
  await screen.findByText('RAM');
  send('RAM[2]=5');
  await screen.findByText('RAM[2]');
  fireEvent.change(screen.getByLabelText('Register map'), { target: { value: '' } });
  await waitFor(() => expect(screen.queryByText('RAM')).toBeNull());
});

test('a local map is not uploaded to another user’s design, and a refusal changes nothing', async () => {
  const bench = benchWithMap(7, 'lab-2');
  const { client, unmount } = await showPanel(bench, 7, { memory: oldMemory() });
  await waitFor(() => expect(bench.service.asked.some(({ path }) => path === DESIGN_ROUTE)).toBe(true));
  await screen.findByText('CTRL');
  expect(bench.kept.map).toBeUndefined();
  // The browser's console would report missing files.
  expect(bench.service.asked.some(({ path }) => path === MAP_ROUTE)).toBe(false);
  unmount();

  bench.kept.map = { name: 'theirs', registers: [{ name: 'GO', address: 4, access: 'rw', fields: [] }] };
  bench.service.on(`PUT ${MAP_ROUTE}`, () => refusal(403, 'not_design_owner', 'It is the design of lab-2.'));
  const looking = await showPanel(bench, 7, { memory: client.memory });
  await screen.findByText('GO');
  importMap('other.csv', MAP);
  await waitFor(() =>
    expect(looking.client.toasts.getState().toasts.map(({ text }) => text)).toContain(
      'It is the design of lab-2.',
    ),
  );
  screen.getByText('GO');
});

test('a damaged store of maps is ignored', () => {
  const kept = memory();
  kept.setItem(
    'wishbench.register-maps',
    '{"maps":{"a":{"name":"a","registers":[{"name":"1"}]}},"designs":{"d":3}}',
  );
  const client = new BenchClient({ memory: kept });
  expect(mapsOf(client).getState()).toEqual({
    maps: {},
    kept: {},
    designs: { d: { map: undefined, pinned: [] } },
  });
});

test('inferred registers are accepted and dismissed, singly and together, with their line', async () => {
  const { service } = registerService(3, () => {});
  const map = MAP_ROUTE;
  service.on(`GET ${DESIGN_ROUTE}`, { documents: [] });
  const proposed = ['CTRL', 'STATUS', 'DATA', 'LEVEL'].map((name, at) => ({
    name,
    address: 4 * at,
    access: 'rw',
    fields: [],
    source: { file: 'regs.v', line: at + 2 },
    proposed: true,
  }));
  service.on(`GET ${map}/proposal`, { name: 'regs', registers: proposed });
  const sent: { registers: { name: string; proposed?: boolean }[]; dismissed?: number[] }[] = [];
  service.on(`PUT ${map}`, ({ body }) => {
    sent.push(body as (typeof sent)[number]);
    return body;
  });
  const node = service.nodes[3];
  if (!node) throw new Error('no node');
  await show(<RegistersPanel node={node} />, service);
  const panel = within(await screen.findByRole('region', { name: 'Registers found in the source' }));
  expect(panel.getByText('4 registers found in the source')).toBeTruthy();
  expect(panel.getByText('regs.v:3').getAttribute('href')).toContain('line=3');
  fireEvent.click(panel.getByLabelText('Accept CTRL'));
  await waitFor(() => expect(panel.getByText('3 registers found in the source')).toBeTruthy());
  expect(sent[0]?.registers).toMatchObject([{ name: 'CTRL', source: { line: 2 } }]);
  expect(sent[0]?.registers[0]).not.toHaveProperty('proposed');
  fireEvent.click(panel.getByLabelText('Dismiss STATUS'));
  await waitFor(() => expect(panel.getByText('2 registers found in the source')).toBeTruthy());
  expect(sent[1]).toMatchObject({ registers: [{ name: 'CTRL' }], dismissed: [4] });
  fireEvent.click(panel.getByText('Accept all'));
  await waitFor(() => expect(screen.queryByText(/The source speaks/)).toBeNull());
  expect(sent[2]?.registers.map(({ name }) => name)).toEqual(['CTRL', 'DATA', 'LEVEL']);
});
