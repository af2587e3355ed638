import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import type { RegisterMap } from '../../../../server/contract/designs/register-map.ts';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { JSON_PROTOCOL } from '../../../../server/contract/stream/stream-protocol.ts';
import { TestBench } from '../../../support/api/test-bench.ts';

const MAP: RegisterMap = {
  name: 'regs',
  registers: [
    {
      name: 'CTRL',
      address: 0x10,
      access: 'rw',
      fields: [
        { name: 'MODE', msb: 3, lsb: 1 },
        { name: 'EN', msb: 0, lsb: 0, values: { '0': 'stop', '1': 'run' } },
      ],
    },
    { name: 'STATUS', address: 0x18, access: 'ro', fields: [] },
  ],
};

let bench: TestBench;
beforeAll(async () => {
  bench = await TestBench.start();
  await bench.reserve(0);
  const { body } = await bench.get<NodeView>('/fpga/0/details');
  await bench.put(`/designs/${body.design?.design_id}/map`, { json: MAP });
});
afterAll(() => bench.stop());

type Message = { type: string; id?: number; ok?: boolean } & Record<string, unknown>;

/** A stream of JSON lines that collects its messages. */
async function open(node = 0) {
  const socket = new WebSocket(`${bench.url.replace('http', 'ws')}/fpga/${node}/stream`, JSON_PROTOCOL);
  const messages: Message[] = [];
  socket.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString()) as Message));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return {
    messages,
    send: (...requests: object[]) => socket.send(requests.map((one) => JSON.stringify(one)).join('\n')),
    until: (found: (message: Message) => boolean) => expect.poll(() => messages.find(found)).toBeDefined(),
    close: () => socket.close(),
  };
}

test('named and numeric accesses are processed in order', async () => {
  const stream = await open();
  stream.send(
    { id: 1, op: 'write', address: 16, data: [0xf0] },
    { id: 2, op: 'write', address: 'CTRL.EN', data: ['run'] },
    { id: 3, op: 'read', address: 16 },
    { id: 4, op: 'read', address: 'ctrl.en' },
    { id: 5, op: 'write', address: 'CTRL', data: [2] },
    { id: 6, op: 'read', address: 'CTRL.MODE' },
  );
  await stream.until(({ id }) => id === 6);
  expect(stream.messages.map(({ ms: _ms, ...message }) => message)).toEqual([
    { type: 'answer', id: 1, ok: true },
    { type: 'answer', id: 2, ok: true },
    { type: 'answer', id: 3, ok: true, data: [0xf1] },
    { type: 'answer', id: 4, ok: true, data: [1], named: 'run' },
    { type: 'answer', id: 5, ok: true },
    { type: 'answer', id: 6, ok: true, data: [1] },
  ]);
  stream.close();
});

test('an invalid name is refused in order, and the stream continues', async () => {
  const stream = await open();
  stream.send(
    { id: 1, op: 'read', address: 'NOBODY' },
    { id: 2, op: 'write', address: 'CTRL.EN', data: ['walk'] },
    { id: 3, op: 'write', address: 'STATUS', data: [1] },
    { id: 4, op: 'write', address: 16, data: ['run'] },
    { id: 5, poll: [{ address: 'CTRL.NO' }] },
    { id: 6, op: 'read', address: 16 },
  );
  await stream.until(({ id }) => id === 6);
  expect(
    stream.messages.map(({ id, ok, error }) => [id, ok, (error as { code?: string } | undefined)?.code]),
  ).toEqual([
    [1, false, 'register_unknown'],
    [2, false, 'validation_error'],
    [3, false, 'validation_error'],
    [4, false, 'frame_invalid'],
    [5, false, 'register_unknown'],
    [6, true, undefined],
  ]);
  stream.close();
});

test('a polled field reports its own changes by name, not those of its neighbours', async () => {
  const stream = await open();
  stream.send(
    { id: 1, op: 'write', address: 16, data: [0] },
    { id: 2, poll: [{ address: 'CTRL.EN' }, { address: 'CTRL' }], every_ms: 20 },
  );
  const told = (name: string) =>
    stream.messages.flatMap((one) => (one.type === 'change' && one['name'] === name ? [one['data']] : []));
  await stream.until((one) => one['name'] === 'CTRL.EN' && one['named'] === 'stop');
  stream.send({ id: 3, op: 'write', address: 16, data: [0xf0] });
  await expect.poll(() => told('CTRL')).toContainEqual([0xf0]);
  stream.send({ id: 4, op: 'write', address: 16, data: [0xf1] });
  await stream.until((one) => one['name'] === 'CTRL.EN' && one['named'] === 'run');
  await expect.poll(() => told('CTRL')).toContainEqual([0xf1]);
  expect(told('CTRL.EN')).toEqual([[0], [1]]);
  expect(stream.messages.find((one) => one['name'] === 'CTRL.EN')).toMatchObject({ id: 2, address: 16 });
  stream.close();
});

test('without a map names are refused', async () => {
  await bench.reserve(1, { 'X-API-Key': 'lab-2' });
  const stream = await open(1);
  stream.send({ id: 1, op: 'read', address: 'CTRL' });
  await stream.until(({ id }) => id === 1);
  expect(stream.messages[0]).toMatchObject({ ok: false, error: { code: 'validation_error' } });
  stream.close();
});
