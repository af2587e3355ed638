import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FlowBench } from '../../../support/flow/flow-bench.ts';

const NODE = { fpga_id: 3 };
const FILE = 'initial_values.v';
const SOURCE = readFileSync(new URL(`../../../support/capture/${FILE}`, import.meta.url), 'utf8');
const NAMES = ['led', 'dark', 'mixed', 'ascending', 'check.enable', 'check.value'];
let bench: FlowBench;

beforeAll(async () => {
  bench = await FlowBench.start([{ filename: FILE, source: SOURCE }]);
  const job = await bench.submit(3, FILE, SOURCE);
  if (job.status !== 'complete') throw new Error(job.log);
});

afterAll(() => bench?.stop());

const write = (address: number, data: number) => bench.run(3, { op: 1, address, data: [data] });
const values = async () =>
  (await bench.client.readSignals({ ...NODE, names: NAMES })).signals.map(({ value }) => value);

test('registers with initial bits of 1 read as in the source, after reset and after writes', async () => {
  expect(await values()).toEqual([1, 0, 0x3c, 7, 1, 0x3c]);
  await write(0, 0x5a);
  await write(4, 0);
  await write(8, 2);
  // The design adds in each of the two clocks of the access.
  expect(await values()).toEqual([0, 1, 0x5a, 7 + 2 + 2, 0, 0x5a]);
});

test('such a register triggers a capture and is exported', async () => {
  await write(4, 0);
  const { capture_id } = await bench.client.startCapture({
    ...NODE,
    body: { signals: ['led', 'dark'], trigger: { kind: 'rising', signal: 'led' }, depth: 16, position: 4 },
  });
  await write(4, 1);
  const { state, trigger_sample } = await bench.client.getCapture({ ...NODE, capture_id, wait: 30 });
  expect(state).toBe('complete');
  const bytes = await bench.client.exportCapture({ ...NODE, capture_id, format: 'json' });
  expect(JSON.parse(new TextDecoder().decode(bytes)).signals).toEqual([
    {
      name: 'led',
      width: 1,
      changes: [
        [0, 0],
        [trigger_sample, 1],
      ],
    },
    {
      name: 'dark',
      width: 1,
      changes: [
        [0, 1],
        [trigger_sample, 0],
      ],
    },
  ]);
});
