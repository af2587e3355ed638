import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RegisterMap } from '../../../../server/contract/designs/register-map.ts';
import type { RunResult } from '../../../../server/contract/jobs/runs.ts';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import type { TransactionPage } from '../../../../server/contract/stream/stream.ts';
import { type Refusal, TestBench } from '../../../support/api/test-bench.ts';

const MAP: RegisterMap = {
  name: 'regs',
  registers: [
    {
      name: 'CTRL',
      address: 0x10,
      access: 'rw',
      fields: [
        { name: 'TOP', msb: 31, lsb: 31 },
        { name: 'MODE', msb: 3, lsb: 1 },
        { name: 'EN', msb: 0, lsb: 0, values: { '0': 'stop', '1': 'run' } },
      ],
    },
    { name: 'START', address: 0x14, access: 'wo', fields: [{ name: 'GO', msb: 7, lsb: 7 }] },
    { name: 'STATUS', address: 0x18, access: 'ro', fields: [{ name: 'BUSY', msb: 0, lsb: 0 }] },
    { name: 'TABLE', address: 0x20, words: 2, access: 'rw', fields: [] },
    { name: 'CSR.INNER', address: 0x30, access: 'rw', fields: [{ name: 'LOW', msb: 7, lsb: 0 }] },
  ],
};

let bench: TestBench;
beforeAll(async () => {
  bench = await TestBench.start();
  await bench.reserve(0);
  const { body } = await bench.get<NodeView>('/fpga/0/details');
  const kept = await bench.put(`/designs/${body.design?.design_id}/map`, { json: MAP });
  expect(kept.status).toBe(200);
});
afterAll(() => bench.stop());

const run = <T = RunResult>(json: unknown, node = 0) => bench.post<T>(`/fpga/${node}/run?wait=20`, { json });
const done = async (json: unknown): Promise<number[]> => {
  const answer = await run(json);
  expect([answer.status, answer.body.ok], JSON.stringify(answer.body)).toEqual([200, true]);
  return answer.body.data;
};

test('register, field and value names ignore case, and field writes preserve other bits', async () => {
  await done({ op: 1, address: 'CTRL', data: [0x7000_00f0] });
  expect(await done({ op: 2, address: 0x10 })).toEqual([0x7000_00f0]);
  await done({ op: 1, address: 'ctrl.en', data: ['RUN'] });
  await done({ op: 1, address: 'CTRL.MODE', data: ['0b101'] });
  await done({ op: 1, address: 'CTRL.TOP', data: [1] });
  expect(await done({ op: 2, address: 'CTRL' })).toEqual([0xf000_00fb]);
  expect(await done({ op: 2, address: 'CTRL.EN' })).toEqual([1]);
  expect(await done({ op: 2, address: 'CTRL.MODE', count: 1 })).toEqual([5]);
  expect(await done({ op: 2, address: 'CTRL.TOP' })).toEqual([1]);
  await done({ op: 1, address: 'TABLE', data: [7, '0xFFFF_FFFF'] });
  expect(await done({ op: 2, address: 'TABLE' })).toEqual([7, 0xffff_ffff]);
  await done({ op: 1, address: 'CSR.INNER.LOW', data: [0x12] });
  expect(await done({ op: 2, address: 'CSR.INNER' })).toEqual([0x12]);
  // A write-only register gets zeros outside the field.
  await done({ op: 1, address: 0x14, data: [0xff] });
  await done({ op: 1, address: 'START.GO', data: [1] });
  expect(await done({ op: 2, address: 0x14 })).toEqual([0x80]);
  await done({ op: 1, address: 'CTRL.EN', data: [0] });
  const { body } = await bench.get<TransactionPage>('/fpga/0/transactions?limit=1');
  expect(body.transactions[0]).toMatchObject({ op: 'write', address: 0x10, data: [0xf000_00fa], ok: true });
});

test('a recorded script has the written and read words', async () => {
  await bench.reserve(3);
  const { body } = await bench.get<NodeView>('/fpga/3/details');
  await bench.put(`/designs/${body.design?.design_id}/map`, { json: MAP });
  await bench.post('/fpga/3/run?wait=20', { json: { op: 1, address: 0x10, data: [0xf0] } });
  await bench.post('/fpga/3/run?wait=20', { json: { op: 1, address: 'CTRL.EN', data: ['run'] } });
  await bench.post('/fpga/3/run?wait=20', { json: { op: 2, address: 'CTRL.EN' } });
  const { script } = (await bench.get<{ script: unknown }>('/fpga/3/script')).body;
  expect(JSON.stringify(script)).toContain('241');
  expect(JSON.stringify(script)).not.toContain('"data":[1]');
});

test.each([
  [{ op: 2, address: 'NOBODY' }, 'address', 'no register NOBODY; it has CTRL'],
  [{ op: 2, address: 'CTRL.NO' }, 'address', 'no field NO; it has TOP, MODE, EN'],
  [{ op: 1, address: 'CTRL.EN', data: ['walk'] }, 'data', 'walk does not fit'],
  [{ op: 1, address: 'CTRL.MODE', data: [8] }, 'data', '3 bits'],
  [{ op: 1, address: 'CTRL.EN', data: [] }, 'data', 'takes one value'],
  [{ op: 1, address: 'CTRL.EN', data: [0, 1] }, 'data', 'takes one value'],
  [{ op: 1, address: 'CTRL.EN', data: [1], select: 1 }, 'select', 'not to a field'],
  [{ op: 1, address: 'STATUS', data: [1] }, 'data', 'is read-only'],
  [{ op: 2, address: 'START' }, 'address', 'is write-only'],
  [{ op: 1, address: 'CTRL', data: [1, 2] }, 'data', 'CTRL has 1 word'],
  [{ op: 2, address: 'TABLE', count: 3 }, 'count', 'TABLE has 2 words'],
  [{ op: 2, address: 'CTRL', count: 0 }, 'count', 'at least 1'],
  [{ op: 1, address: 'CTRL', data: [null] }, 'data', ''],
  [{ op: 3, address: 'CTRL' }, 'op', 'must be one of 1, 2'],
])('%j is refused with its location and without a board access', async (json, field, says) => {
  const before = (await bench.get<TransactionPage>('/fpga/0/transactions')).body.transactions.length;
  const { status, body } = await run<Refusal>(json);
  expect([status, body.detail.error]).toEqual([422, 'validation_error']);
  expect(body.detail.errors?.[0]?.loc.slice(0, 2)).toEqual(['body', field]);
  expect(body.detail.message).toContain(says);
  expect((await bench.get<TransactionPage>('/fpga/0/transactions')).body.transactions).toHaveLength(before);
});

test('a byte select is refused for a design that has none, and would write the whole word', async () => {
  await bench.reserve(9, {}, '// no selects\nmodule echo;\nendmodule\n');
  const { status, body } = await run<Refusal>({ op: 1, address: 0, data: [1], select: 1 }, 9);
  expect([status, body.detail.errors?.[0]?.loc]).toEqual([422, ['body', 'select']]);
  expect(body.detail.message).toContain('echo has no byte selects');
  expect((await run({ op: 1, address: 0, data: [1], select: 15 }, 9)).status).toBe(200);
  expect((await run({ op: 1, address: 0, data: [1], select: 1 })).status).toBe(200);
});

test('a body of numbers gets the same responses as before', async () => {
  for (const [json, field, msg] of [
    [{ op: 2, address: 3 }, 'address', 'must be a multiple of 4'],
    [{ op: 2, address: '16' }, 'address', 'must be an integer'],
    [{ op: 2, address: '0x10' }, 'address', 'must be an integer'],
    [{ op: 2, address: null }, 'address', 'must be an integer'],
    [{ op: 2, address: -4 }, 'address', 'must be at least 0'],
    [{ op: 2 }, 'address', 'is missing'],
    [{ op: 1, address: 0, data: ['run'] }, 'data', 'must be an integer'],
  ] as const) {
    const { status, body } = await run<Refusal>(json);
    expect(status).toBe(422);
    const { loc, msg: said } = body.detail.errors?.[0] ?? { loc: [], msg: '' };
    expect([loc[1], said]).toEqual([field, msg]);
  }
});

test('without a map names are refused, and without a session there is no design', async () => {
  await bench.reserve(1, { 'X-API-Key': 'lab-2' });
  const none = await run<Refusal>({ op: 2, address: 'CTRL' }, 1);
  expect([none.status, none.body.detail.error]).toEqual([422, 'validation_error']);
  expect(none.body.detail.message).toContain('this design has no register map');
  const idle = await run<Refusal>({ op: 2, address: 'CTRL' }, 2);
  expect([idle.status, idle.body.detail.error]).toEqual([409, 'fpga_not_reserved']);
});
