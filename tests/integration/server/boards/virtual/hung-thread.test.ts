// In its own process: fabrics share threads, and the test is about one fabric's effect on the others.
import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { afterEach, expect, test } from 'vitest';
import { loadCatalogue, VIRTUAL_BOARD } from '../../../../../server/boards/catalogue/index.ts';
import { createFabric } from '../../../../../server/boards/virtual/create-fabric.ts';
import type { VirtualFabric } from '../../../../../server/boards/virtual/fabric.ts';
import { FabricThreads } from '../../../../../server/boards/virtual/fabric-threads.ts';
import type { Refusal } from '../../../../../server/boards/virtual/refusal.ts';
import { createVirtualBoard } from '../../../../../server/boards/virtual/virtual-board.ts';
import { systemClock } from '../../../../../server/clock.ts';
import { silentLogger } from '../../../../../server/log.ts';
import { baseBitstream } from '../../../../support/boards/virtual/bitstreams.ts';
import { UART_FABRIC } from '../../../../support/boards/virtual/bridge.ts';
import { runningTime } from '../../../../support/running-time.ts';

const script = new URL('../../../../support/boards/virtual/spinning-worker.mjs', import.meta.url);
/** Bytes that make the thread of the fabric spin. */
const SPIN = Uint8Array.of(0x5b, 0x14, 0x5b, 0x14);
/** Bytes that make it stop: equivalent to spinning, which has its own test. */
const WAIT = Uint8Array.of(0x5b, 0x24, 0x5b, 0x24);
/** Within which a board whose thread hung is well again, milliseconds, on a computer that has other work as well. */
const RECOVERY = 14_000;

const base = baseBitstream();
const definition = loadCatalogue().get(VIRTUAL_BOARD);
if (!definition) throw new Error(`no ${VIRTUAL_BOARD} in the catalogue`);
const quietly = { log: () => {}, progress: () => {} };

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(endings.splice(0).map((end) => end()));
});

async function configured(threads: FabricThreads): Promise<VirtualFabric> {
  const fabric = createFabric(UART_FABRIC, threads);
  endings.push(() => fabric.close());
  await fabric.configure(Uint8Array.from(base));
  expect(await fabric.cdone()).toBe(true);
  return fabric;
}

const stopOf = (fabric: VirtualFabric) => new Promise<Refusal>((resolve) => fabric.onStop(resolve));

async function recover(fabric: VirtualFabric): Promise<void> {
  await fabric.reset();
  await fabric.configure(Uint8Array.from(base));
  expect(await fabric.cdone()).toBe(true);
}

test('a hung thread is noticed and replaced: its boards recover by a reset, and only they fail', async () => {
  const threads = new FabricThreads({ script, most: 2 });
  const [hung, other, neighbour] = [
    await configured(threads),
    await configured(threads),
    await configured(threads),
  ];
  expect(threads.running).toBe(2);
  let otherStopped = false;
  other.onStop(() => {
    otherStopped = true;
  });
  const ranFor = await runningTime();
  const stops = [stopOf(hung), stopOf(neighbour)];
  await expect(hung.write(SPIN)).rejects.toMatchObject({ code: 'fabric_stopped' });
  for (const { code, message } of await Promise.all(stops)) {
    expect(code).toBe('fabric_stopped');
    expect(message).toContain('hung');
  }
  expect(await hung.refusal()).toMatchObject({ code: 'fabric_stopped' });
  await Promise.all([recover(hung), recover(neighbour)]);
  expect(ranFor()).toBeLessThan(RECOVERY);
  expect(otherStopped).toBe(false);
  expect(await other.cdone()).toBe(true);
  expect(threads.running).toBe(2);
});

test('resetting a board with an undetected hung thread takes no longer', async () => {
  const threads = new FabricThreads({ script, most: 1 });
  const fabric = await configured(threads);
  fabric.write(WAIT).catch(() => {});
  const ranFor = await runningTime();
  await recover(fabric);
  expect(ranFor()).toBeLessThan(RECOVERY);
});

test('a hung thread without pending requests is detected through a held fabric', async () => {
  const threads = new FabricThreads({ script, most: 1 });
  const [hung, held] = [await configured(threads), await configured(threads)];
  held.hold(true);
  const stopped = stopOf(held);
  hung.write(WAIT).catch(() => {});
  expect((await stopped).code).toBe('fabric_stopped');
});

test('a board that expects a design starts its thread early, unless it is closed or has lost one', async () => {
  const threads = new FabricThreads({ script, most: 1 });
  const make = () => createVirtualBoard(0, definition, { logger: silentLogger, clock: systemClock, threads });
  const board = make();
  endings.push(() => board.close());
  board.expectDesign?.();
  board.expectDesign?.();
  expect(threads.running).toBe(1);
  await board.program(base, quietly);
  expect(threads.running).toBe(1);
  const stopped = stopOf(board.fabric);
  board.fabric.write(WAIT).catch(() => {});
  expect((await stopped).code).toBe('fabric_stopped');
  board.expectDesign?.();
  expect(threads.running).toBe(0);
  await board.program(base, quietly);
  await board.close();
  board.expectDesign?.();
  expect(threads.running).toBe(0);
});

test('a link reports the stopped fabric, not a dead line', async () => {
  const board = createVirtualBoard(0, definition, {
    logger: silentLogger,
    clock: systemClock,
    threads: new FabricThreads({ script, most: 1 }),
  });
  endings.push(() => board.close());
  await board.program(base, quietly);
  const link = await board.openLink();
  const ranFor = await runningTime();
  await expect(link.write(0, Uint32Array.of(0x5b24_5b24))).rejects.toMatchObject({ code: 'fabric_stopped' });
  await expect(link.read(0, 1)).rejects.toMatchObject({ code: 'fabric_stopped' });
  await link.close();
  await board.program(base, quietly);
  const again = await board.openLink();
  expect(await again.identity()).toMatchObject({ clockHz: definition.clock.hz });
  expect(ranFor()).toBeLessThan(RECOVERY);
  await again.close();
});

test('a busy thread on a busy computer is not considered hung', async () => {
  const rivals: ChildProcess[] = Array.from({ length: 2 * availableParallelism() }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  endings.push(async () => {
    for (const rival of rivals) rival.kill('SIGKILL');
  });
  const threads = new FabricThreads({ script, most: 1 });
  const stops: Refusal[] = [];
  const fabrics = await Promise.all(Array.from({ length: 4 }, () => configured(threads)));
  for (const fabric of fabrics) fabric.onStop((refusal) => stops.push(refusal));
  // Designs are taken in while bytes for the others wait.
  for (let round = 0; round < 2; round++)
    await Promise.all(
      fabrics.map(async (fabric, at) => {
        if (at % 2 === round % 2) await recover(fabric);
        else await fabric.write(new Uint8Array(8_000).fill(0x55));
      }),
    );
  expect(stops).toEqual([]);
});
