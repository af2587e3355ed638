import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBench } from '../../../../server/bench.ts';
import { isAssignments } from '../../../../server/boards/assignments.ts';
import { createBoardPool } from '../../../../server/boards/board-pool.ts';
import { loadCatalogue } from '../../../../server/boards/catalogue/index.ts';
import { createFabric } from '../../../../server/boards/virtual/create-fabric.ts';
import { silentLogger } from '../../../../server/log.ts';
import { resourcePath } from '../../../../server/paths.ts';
import { EmulatedComputer } from '../../../support/boards/emulator/computer.ts';
import { Ft2232h } from '../../../support/boards/emulator/ft2232h.ts';
import { Ice40Board } from '../../../support/boards/emulator/ice40-board.ts';
import { eventually, plugAgain } from '../../../support/boards/lab.ts';
import { keepBuilt } from '../../../support/built.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

/**
 * The whole way over HTTP, with only the USB replaced. The real toolchain builds for the iCE40-HX8K Breakout Board, the
 * production driver configures it through the emulated FT2232H, and its fabric executes that bitstream.
 */
const computer = new EmulatedComputer();
const catalogue = loadCatalogue();
const definition = catalogue.get('ice40-hx8k-breakout')!;
let bench: Awaited<ReturnType<typeof createBench>>;
let chip: Ft2232h;

async function realBoard(jumpers: 'sram' | 'flash') {
  const { fpga, clock, serial } = definition;
  const fabric = createFabric({ package: fpga.package, clock, rx: serial.rx, tx: serial.tx });
  return new Ice40Board({ fabric, jumpers });
}

beforeAll(async () => {
  const dataDir = temporaryFolder('flow');
  await keepBuilt(dataDir, ['echo.v'], definition.id);
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
  chip = new Ft2232h({ board: await realBoard('sram'), serial: 'LAT001' });
  computer.plug('1-2', chip);
});

afterAll(async () => {
  await bench?.close();
  await chip?.board.fabric.close();
});

async function call(method: string, address: string, body?: unknown) {
  const init: RequestInit = { method };
  if (body instanceof FormData) init.body = body;
  else if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { 'content-type': 'application/json' };
  }
  const response = await fetch(bench.url + address, init);
  const isJson = response.headers.get('content-type')?.includes('json');
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape pass through here
  const answer: any = isJson ? await response.json() : await response.text();
  return { status: response.status, body: answer };
}

/** Follows a job to its end; returns its status and its log. */
async function ended(fpga: number, jobId: string) {
  for (;;) {
    const { body } = await call('GET', `/fpga/${fpga}/jobs/${jobId}?wait=30`);
    if (!['queued', 'running'].includes(body.status)) {
      const log = await call('GET', `/fpga/${fpga}/jobs/${jobId}/logs`);
      return { status: body.status as string, log: log.body as string };
    }
  }
}

async function submit(fpga: number) {
  const form = new FormData();
  form.set('file', new Blob([readFileSync(resourcePath('examples', 'echo.v'))]), 'echo.v');
  const { status, body } = await call('POST', `/fpga/${fpga}/submit`, form);
  expect(status).toBe(202);
  return ended(fpga, body.job_id);
}

async function run(fpga: number, request: unknown) {
  const { status, body } = await call('POST', `/fpga/${fpga}/run`, request);
  expect(status).toBe(202);
  const end = await ended(fpga, body.job_id);
  const result = await call('GET', `/fpga/${fpga}/jobs/${body.job_id}/result`);
  return { ...end, result: result.body };
}

/** Waits until the service has seen that the board of slot 2 has come or gone. */
const present = (there: boolean) =>
  expect.poll(async () => (await call('GET', '/boards')).body.boards[2].present).toBe(there);

const state = async (fpga: number) => (await call('GET', `/fpga/${fpga}`)).body.state as string;

test('assign, submit, write, read, unplug in a run, replug, reset, release', async () => {
  await eventually(() => computer.serial.ports.size === 2, 'the board is there');
  await expect.poll(async () => (await call('GET', '/boards')).body.boards.length).toBe(11);
  const ambiguous = await call('PUT', '/boards/2', { board: 'usb:LAT001' });
  expect(ambiguous).toMatchObject({ status: 409, body: { detail: { error: 'board_ambiguous' } } });
  const assigned = await call('PUT', '/boards/2', { board: 'usb:LAT001', definition: definition.id });
  expect(assigned).toMatchObject({
    status: 200,
    body: { slot: 2, present: true, definition: definition.id },
  });

  const first = await submit(2);
  expect(first.log).toMatch(/CDONE is high: the FPGA is configured/);
  expect(first.status).toBe('complete');
  expect(await state(2)).toBe('reserved');

  const data = Array.from({ length: 300 }, (_, at) => (at * 2_654_435_761) >>> 0);
  expect(await run(2, { op: 1, address: 0, data })).toMatchObject({
    status: 'complete',
    result: { ok: true },
  });
  expect((await run(2, { op: 2, address: 0, count: 300 })).result).toEqual({ ok: true, data });

  // The plug is pulled during a transfer: the job fails, and the node is in error with a reason.
  chip.fault = { kind: 'unplug', afterBytes: 600 };
  const broken = await run(2, { op: 2, address: 0, count: 5_000 });
  expect(broken).toMatchObject({ status: 'failed', result: { ok: false, data: [] } });
  expect(broken.log).toMatch(/error: .*removed while it was in use/);
  await expect.poll(() => state(2)).toBe('error');

  // Without its board the node refuses resets and builds.
  const hopeless = await call('POST', '/fpga/2/reset');
  expect((await ended(2, hopeless.body.job_id)).status).toBe('failed');
  expect(await state(2)).toBe('error');

  chip = plugAgain(chip);
  computer.plug('1-5', chip);
  await present(true);
  const reset = await call('POST', '/fpga/2/reset');
  expect((await ended(2, reset.body.job_id)).status).toBe('complete');
  expect(await state(2)).toBe('idle');

  // The same source again comes from the cache, this time into the flash, with other jumpers.
  computer.unplug('1-5');
  await present(false);
  await chip.board.fabric.close();
  chip = new Ft2232h({ board: await realBoard('flash'), serial: 'LAT001' });
  computer.plug('1-2', chip);
  await present(true);
  await call('PUT', '/boards/2', { board: 'usb:LAT001', definition: definition.id, mode: 'flash' });
  const second = await submit(2);
  expect(second.log).toMatch(/booted from the flash/);
  expect(second.status).toBe('complete');
  expect((await run(2, { op: 1, address: 4, data: [7] })).result).toMatchObject({ ok: true });
  expect((await run(2, { op: 2, address: 4 })).result).toEqual({ ok: true, data: [7] });

  // Pulled out and back between two runs: it boots the same design from its flash, and the session continues.
  computer.unplug('1-2');
  await present(false);
  chip = plugAgain(chip);
  computer.plug('1-6', chip);
  await present(true);
  expect((await run(2, { op: 2, address: 0xf000_0000 })).result).toEqual({ ok: true, data: [0x5742_4348] });
  expect(await state(2)).toBe('reserved');

  const release = await call('POST', '/fpga/2/session/release');
  expect((await ended(2, release.body.job_id)).status).toBe('complete');
  expect(await state(2)).toBe('idle');
  const back = await call('PUT', '/boards/2', { board: null });
  expect(back).toMatchObject({ status: 200, body: { id: 'virtual:2' } });
  await eventually(() => computer.openHandles === 0, 'nothing is held open');
}, 600_000);
