import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Bench, createBench } from '../../server/bench.ts';
import { isAssignments } from '../../server/boards/assignments.ts';
import { createBoardPool } from '../../server/boards/board-pool.ts';
import { loadCatalogue } from '../../server/boards/catalogue/index.ts';
import { createFabric } from '../../server/boards/virtual/create-fabric.ts';
import { type Client, createClient } from '../../server/contract/client/client.ts';
import type { CaptureRequest, CaptureView } from '../../server/contract/signals.ts';
import { silentLogger } from '../../server/log.ts';
import { resourcePath } from '../../server/paths.ts';
import { keepBuilt } from '../support/built.ts';
import { EmulatedComputer } from './emulator/computer.ts';
import { Ft2232h } from './emulator/ft2232h.ts';
import { Ice40Board } from './emulator/ice40-board.ts';
import { temporaryFolder } from './support/temporary.ts';

/** A real board as the service sees one: the capture core of its bitstream is all that shows its inside. */
const FPGA = 2;
const NODE = { fpga_id: FPGA };
const source = readFileSync(resourcePath('examples', 'timer.v'), 'utf8').replace(
  'reg [31:0] count = 0, reload = 0,',
  '(* mark_debug = "true" *) reg [31:0] count = 0;\n  reg [31:0] reload = 0,',
);
const options = { probes: 'bus.cyc, bus.we, bus.adr[1:0], uptime[11:0]' };
const computer = new EmulatedComputer();
const catalogue = loadCatalogue();
const definition = catalogue.get('ice40-hx8k-breakout')!;
let bench: Bench;
let chip: Ft2232h;
let client: Client;

beforeAll(async () => {
  const dataDir = temporaryFolder('core');
  await keepBuilt(dataDir, [{ filename: 'timer.v', source, options }], definition.id);
  bench = await createBench({
    dataDir,
    logger: silentLogger,
    host: '127.0.0.1',
    port: 0,
    boards: async ({ store, logger }, slotBusy) =>
      createBoardPool({
        catalogue,
        assignments: await store.document('boards', {}, isAssignments),
        logger,
        slotBusy,
        system: { bus: computer.bus, ports: computer.serialPorts },
      }),
  });
  client = createClient({ base: bench.url });
  const { fpga, clock, serial } = definition;
  const fabric = createFabric({ package: fpga.package, clock, rx: serial.rx, tx: serial.tx });
  chip = new Ft2232h({ board: new Ice40Board({ fabric, jumpers: 'sram' }), serial: 'LAT001' });
  computer.plug('1-2', chip);
  while (!(await client.listBoards()).boards.some(({ id }) => id === 'usb:LAT001'))
    await new Promise((resolve) => setTimeout(resolve, 20));
  await client.assignBoard({ ...NODE, body: { board: 'usb:LAT001', definition: definition.id } });
  const body = { ...options, file: { name: 'timer.v', contents: source } };
  const { job_id } = await client.submitDesign({ ...NODE, body });
  const job = await client.jobEnded({ ...NODE, job_id });
  if (job.status !== 'complete') throw new Error(job.failure?.message);
}, 300_000);

afterAll(async () => {
  await bench?.close();
  await chip?.board.fabric.close();
});

const start = (body: CaptureRequest) => client.startCapture({ ...NODE, body });

async function ended({ capture_id }: CaptureView): Promise<CaptureView> {
  for (;;) {
    const capture = await client.getCapture({ ...NODE, capture_id });
    if (capture.state !== 'running') return capture;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function write(address: number, data: number[]): Promise<void> {
  const { job_id } = await client.runTransaction({ ...NODE, body: { op: 1, address, data } });
  expect((await client.jobEnded({ ...NODE, job_id })).status).toBe('complete');
}

test('a real board records what was probed, by name and by mark, around an access', async () => {
  const capture = await start({
    signals: ['count', 'bus.cyc', 'uptime[11:0]'],
    trigger: { kind: 'access', address: 0, direction: 'write' },
    depth: 200,
    position: 50,
  });
  expect(capture).toMatchObject({ using: 'core', state: 'running', clock_hz: 12_000_000 });
  await write(4, [3]);
  await write(0, [77]);
  const done = await ended(capture);
  expect(done).toMatchObject({ state: 'complete', samples: 200, trigger_sample: 50, clock: null, lag: 1 });
  const bytes = await client.exportCapture({ ...NODE, capture_id: done.capture_id, format: 'json' });
  const { signals } = JSON.parse(new TextDecoder().decode(bytes)) as {
    signals: { name: string; changes: [number, number][] }[];
  };
  const [count, cycle, uptime] = signals.map(({ changes }) => changes);
  // It counts down from the clock behind the write on, every clock.
  const [, [written = 0, value] = []] = count ?? [];
  expect([written - 50 < 4, value]).toEqual([true, 77]);
  expect(count?.slice(1, 50).map(([at, now]) => [at - written, now])).toEqual(
    Array.from({ length: 49 }, (_, k) => [k, 77 - k]),
  );
  expect(cycle?.slice(0, 2)).toEqual([
    [0, 0],
    [50, 1],
  ]);
  expect(uptime).toHaveLength(200);
  const vcd = await client.exportCapture({ ...NODE, capture_id: done.capture_id, format: 'vcd' });
  expect(new TextDecoder().decode(vcd)).toMatch(/\$var wire 32 \S+ count \$end/);
});

test('values and the clock stay those of virtual boards, and a signal without a probe is refused', async () => {
  await expect(client.readSignals({ ...NODE, names: ['count'] })).rejects.toMatchObject({
    code: 'inside_unsupported',
  });
  await expect(client.getBoardClock(NODE)).rejects.toMatchObject({ code: 'inside_unsupported' });
  await expect(start({ using: 'inside', signals: ['count'] })).rejects.toMatchObject({
    code: 'inside_unsupported',
  });
  const lost = start({ signals: ['reload'] });
  await expect(lost).rejects.toMatchObject({ code: 'signal_not_probed' });
  await expect(lost).rejects.toThrow(/count/);
});

test('a capture ends when the plug is pulled', async () => {
  const capture = await start({
    signals: ['count'],
    trigger: { kind: 'value', signal: 'count', value: 0xffff_ffff },
  });
  computer.unplug('1-2');
  const done = await ended(capture);
  expect(done.state).toBe('ended');
  expect(done.failure?.remedy).toMatch(/\w/);
});
