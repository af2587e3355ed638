import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { TestBench } from '../../../support/api/test-bench.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Reachable memory, bytes. */
async function heldMemory(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test('after a burst of bad input nothing leaks, and the node builds and runs', async () => {
  const bench = await TestBench.start();
  const json = 'application/json';
  const form = 'multipart/form-data; boundary=x';
  const post = async (route: string, body: string | Uint8Array<ArrayBuffer>, type: string) =>
    (await bench.post(route, { body, headers: { 'content-type': type } })).status;
  const storm = async () => [
    await post('/fpga/0/submit', new Uint8Array(8 << 20), form),
    await post('/fpga/0/submit', new Uint8Array(1 << 20).fill(0x2d), form),
    await post('/fpga/1/run', `[${'1,'.repeat(900_000)}1]`, json),
    await post('/fpga/1/run', `{"op":1,"address":0,"data":[${'"x",'.repeat(300_000)}"x"]}`, json),
    await post('/fpga/1/run', `{"op":1,"address":0,"data":[${'4294967295,'.repeat(65_535)}1]}`, json),
    await post('/scan', '--x\r\n'.repeat(100_000), form),
    await post('/settings', '{"a":'.repeat(40_000), json),
    (await bench.get(`/fpga/${'9'.repeat(8000)}`)).status,
  ];
  expect(await storm()).toEqual([413, 422, 422, 422, 409, 422, 405, 422]);
  await storm();
  const before = await heldMemory();
  for (let i = 0; i < 5; i++) await storm();
  // The largest of the bodies that a leak would hold are larger than this.
  expect((await heldMemory()) - before).toBeLessThan(2 << 20);

  await bench.reserve(0);
  await bench.run(0, { op: 1, address: 0, data: [1] });
  await bench.stop();
});
