import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFabric } from '../../../../../server/boards/virtual/create-fabric.ts';
import type { VirtualFabric } from '../../../../../server/boards/virtual/fabric.ts';
import { sharedThreads } from '../../../../../server/boards/virtual/fabric-threads.ts';
import { BenchError } from '../../../../../server/errors/bench-error.ts';
import { baseBitstream, landmarks } from '../../../../support/boards/virtual/bitstreams.ts';
import {
  BRIDGE_BAUD,
  bytesOf,
  readFrame,
  UART_FABRIC,
  writeFrame,
} from '../../../../support/boards/virtual/bridge.ts';
import { recordedBitstream } from '../../../../support/boards/virtual/recorded-bitstreams.ts';

let bridge: Uint8Array;
let ring: Uint8Array;
const open = new Set<VirtualFabric>();

beforeAll(async () => {
  [bridge, ring] = await Promise.all([recordedBitstream('bridge'), recordedBitstream('ring')]);
});

afterAll(async () => {
  await Promise.all([...open].map((fabric) => fabric.close()));
});

async function newFabric(): Promise<VirtualFabric> {
  const fabric = createFabric(UART_FABRIC);
  open.add(fabric);
  return fabric;
}

async function configured(bitstream: Uint8Array): Promise<VirtualFabric> {
  const fabric = await newFabric();
  await fabric.configure(bitstream);
  expect(await fabric.refusal()).toBeNull();
  expect(await fabric.cdone()).toBe(true);
  await fabric.setBaud(BRIDGE_BAUD);
  return fabric;
}

/** Collects what a fabric sends until there are `count` bytes. */
function receive(fabric: VirtualFabric, count: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  return new Promise((resolve) => {
    fabric.onData((bytes) => {
      parts.push(bytes);
      length += bytes.length;
      if (length >= count) resolve(Uint8Array.from(Buffer.concat(parts)));
    });
  });
}

const words = (count: number, factor: number) =>
  Uint32Array.from({ length: count }, (_, k) => (k + 1) * factor);

async function echoes(fabric: VirtualFabric, sent: Uint32Array): Promise<void> {
  const answer = receive(fabric, 4 * sent.length);
  await fabric.write(writeFrame(0, sent));
  await fabric.write(readFrame(0, sent.length));
  expect(await answer).toEqual(bytesOf(sent));
}

test('a fabric starts no thread before its first work', async () => {
  const before = sharedThreads.running;
  const fabric = await newFabric();
  await fabric.reset();
  expect(await fabric.cdone()).toBe(false);
  expect(await fabric.refusal()).toBeNull();
  expect(sharedThreads.running).toBe(before);
});

test('the design of the bitstream runs and answers over its UART', async () => {
  const fabric = await configured(bridge);
  await echoes(fabric, words(255, 0x0123_4567));
  await echoes(fabric, words(3, 0xffff_ffff));
  await fabric.close();
});

test('the bytes may come in any pieces', async () => {
  const fabric = await newFabric();
  await fabric.setBaud(BRIDGE_BAUD);
  for (let at = 0; at < bridge.length; ) {
    const length = 1 + ((at * 7919) % 9973);
    await fabric.configure(bridge.slice(at, at + length));
    at += length;
  }
  expect(await fabric.cdone()).toBe(true);
  await echoes(fabric, words(8, 77));
  await fabric.close();
});

test('bytes sent at another rate than the host’s arrive corrupted', async () => {
  const fabric = await configured(bridge);
  await fabric.write(writeFrame(0, words(16, 0x1234_5678)));
  await fabric.drain();
  await fabric.setBaud(115_200);
  const got: number[] = [];
  fabric.onData((bytes) => got.push(...bytes));
  await fabric.write(readFrame(0, 16));
  await fabric.drain();
  expect(Buffer.from(got).includes(Buffer.from(bytesOf(words(16, 0x1234_5678))))).toBe(false);
  await fabric.close();
});

test('a bitstream that was damaged leaves CDONE low with the reason', async () => {
  const damaged = Uint8Array.from(bridge);
  damaged[landmarks(bridge).covered + 5000] = (damaged[landmarks(bridge).covered + 5000] ?? 0) ^ 4;
  const fabric = await newFabric();
  await fabric.configure(damaged);
  expect(await fabric.cdone()).toBe(false);
  expect(await fabric.refusal()).toMatchObject({ code: 'fabric_crc' });
  // Bytes after it are ignored until the chip is reset.
  await fabric.configure(bridge);
  expect(await fabric.cdone()).toBe(false);
  await fabric.reset();
  expect(await fabric.refusal()).toBeNull();
  await fabric.configure(bridge);
  expect(await fabric.cdone()).toBe(true);
  await fabric.close();
});

test('half a bitstream leaves CDONE low and is reported as incomplete', async () => {
  const fabric = await newFabric();
  await fabric.configure(bridge.slice(0, 60_000));
  expect(await fabric.cdone()).toBe(false);
  expect(await fabric.refusal()).toMatchObject({ code: 'fabric_incomplete' });
  await fabric.close();
});

test('reset loses the configuration and the memory', async () => {
  const fabric = await configured(bridge);
  await echoes(fabric, words(4, 0x5555_5555));
  await fabric.reset();
  expect(await fabric.cdone()).toBe(false);
  await fabric.configure(bridge);
  const answer = receive(fabric, 16);
  await fabric.write(readFrame(0, 4));
  expect(await answer).toEqual(new Uint8Array(16));
  await fabric.close();
});

test('an oscillating design stops with the reason, and the others continue', async () => {
  const [bad, good] = [await configured(ring), await configured(bridge)];
  const neighbours = await Promise.all([configured(ring), configured(bridge), configured(bridge)]);
  const stopped = new Promise<{ code: string; message: string }>((resolve) => {
    bad.onStop(resolve);
  });
  await bad.write(Uint8Array.of(0));
  expect(await stopped).toMatchObject({ code: 'fabric_oscillation' });
  expect((await bad.refusal())?.message).toMatch(/x\d+y\d+\/lc\d/);
  await echoes(good, words(20, 3));
  await bad.drain();
  await Promise.all([bad, good, ...neighbours].map((fabric) => fabric.close()));
});

test('many fabrics share few threads, and the last one ends them', async () => {
  await Promise.all([...open].map((fabric) => fabric.close()));
  const fabrics = await Promise.all(Array.from({ length: 10 }, () => configured(baseBitstream())));
  expect(sharedThreads.running).toBeGreaterThan(0);
  expect(sharedThreads.running).toBeLessThanOrEqual(4);
  await Promise.all(fabrics.map((fabric) => fabric.close()));
  expect(sharedThreads.running).toBe(0);
});

test('a closed fabric answers with a named error', async () => {
  const fabric = await newFabric();
  await fabric.close();
  await expect(fabric.configure(bridge)).rejects.toBeInstanceOf(BenchError);
  await fabric.close();
});
