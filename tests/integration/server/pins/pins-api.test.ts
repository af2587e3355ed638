import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import type { Pin, PinList } from '../../../../server/contract/nodes/pins.ts';
import { EventClient } from '../../../support/api/event-client.ts';
import { type Refusal, SOURCE, TestBench } from '../../../support/api/test-bench.ts';
import { FakePortBlock } from '../../../support/fake-port-block.ts';

/** Switches that lamps follow, a line that idles high, and a wide port. */
const DESIGN = `${SOURCE}// in sw 16\n// in rx 1 high\n// in wide 47\n// out led 16\n// out far 40\n`;

let bench: TestBench;
beforeAll(async () => {
  bench = await TestBench.start();
});
afterAll(() => bench.stop());

async function reserve(node: number, headers = {}): Promise<FakePortBlock> {
  const block = new FakePortBlock(64, 56, (inputs) => inputs & 0xff_ffff_ffff_ffffn, 1n << 16n);
  bench.boards.board(node).portBlock = block;
  await bench.reserve(node, headers, DESIGN);
  return block;
}

const valuesOf = (pins: readonly Pin[]) => Object.fromEntries(pins.map(({ name, value }) => [name, value]));

test('pins are read and set atomically, and each refusal names the pin', async () => {
  expect((await bench.get<Refusal>('/fpga/0/pins')).body.detail.error).toBe('fpga_not_reserved');
  const block = await reserve(0);
  const { pins } = (await bench.get<PinList>('/fpga/0/pins')).body;
  expect(pins.map(({ name, direction, width }) => [name, direction, width])).toEqual([
    ['sw', 'input', 16],
    ['rx', 'input', 1],
    ['wide', 'input', 47],
    ['led', 'output', 16],
    ['far', 'output', 40],
  ]);
  expect(valuesOf(pins)).toEqual({ sw: 0, rx: 1, wide: '0x0', led: 0, far: '0x1' });
  const set = await bench.put<PinList>('/fpga/0/pins', {
    json: { pins: { sw: '0xabcd', wide: '0x123456789ab' } },
  });
  expect(set.status).toBe(200);
  expect(valuesOf(set.body.pins)).toMatchObject({ sw: 0xabcd, wide: '0x123456789ab', led: 0xabcd });
  const before = block.driven;
  for (const [json, code, says] of [
    [{ pins: { sw: 1, nobody: 1 } }, 'pin_unknown', 'nobody'],
    [{ pins: { sw: 1, toString: 1 } }, 'pin_unknown', 'toString'],
    [{ pins: { sw: 1, led: 1 } }, 'pin_not_input', 'led'],
    [{ pins: { sw: 1, rx: 2 } }, 'pin_too_wide', 'rx'],
    [{ pins: { rx: 0, wide: '0x800000000000' } }, 'pin_too_wide', 'wide'],
    [{ pins: { sw: 0x1_0000_0000 } }, 'validation_error', ''],
    [{ pins: { sw: -1 } }, 'validation_error', ''],
    [{ pins: { sw: 1.5 } }, 'validation_error', ''],
    [{ pins: { sw: true } }, 'validation_error', ''],
    [{ pins: { sw: null } }, 'validation_error', ''],
    [{ pins: { sw: '12' } }, 'validation_error', ''],
    [{ pins: { sw: '0x' } }, 'validation_error', ''],
    [{ pins: { sw: `0x${'0'.repeat(17)}` } }, 'validation_error', ''],
    [{ pins: { rx: 0, sw: { value: 0, mask: 0x1_0000 } } }, 'pin_too_wide', 'sw'],
    [{ pins: { rx: 0, sw: { value: '0x10000', mask: 1 } } }, 'pin_too_wide', 'sw'],
    [{ pins: { rx: 0, led: { value: 1, mask: 1 } } }, 'pin_not_input', 'led'],
    [{ pins: { rx: 0, sw: { value: 1 } } }, 'validation_error', ''],
    [{ pins: { rx: 0, sw: { mask: 1 } } }, 'validation_error', ''],
    [{ pins: { rx: 0, sw: { value: 1, mask: -1 } } }, 'validation_error', ''],
    [{ pins: { rx: 0, sw: { value: 1, mask: 1, more: 1 } } }, 'validation_error', ''],
    [{ pins: { rx: 0, sw: [1, 1] } }, 'validation_error', ''],
    [{ pins: [] }, 'validation_error', ''],
    [
      { pins: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`p${i}`, 0])) },
      'validation_error',
      '',
    ],
    [{}, 'validation_error', ''],
    [{ pins: {}, more: 1 }, 'validation_error', ''],
  ] as const) {
    const refused = await bench.put<Refusal>('/fpga/0/pins', { json });
    expect([refused.status, refused.body.detail.error], JSON.stringify(json)).toEqual([422, code]);
    expect(refused.body.detail.message).toContain(says);
  }
  expect(block.driven).toBe(before);
  expect((await bench.put('/fpga/0/pins', { json: { pins: {} } })).status).toBe(200);
});

test('concurrent changes to different pins do not overwrite each other', async () => {
  const block = await reserve(1);
  // Requests on several connections may arrive in any order, so each pin has one caller.
  const set = async (name: string, values: (string | number)[]) => {
    for (const value of values) {
      const { body } = await bench.put<PinList>('/fpga/1/pins', { json: { pins: { [name]: value } } });
      expect(valuesOf(body.pins)[name]).toBe(value);
    }
  };
  const odd = Array.from({ length: 20 }, (_, i) => 2 * i + 1);
  await Promise.all([
    set('sw', odd),
    set(
      'wide',
      odd.map((value) => `0x${value.toString(16)}`),
    ),
  ]);
  const { pins } = (await bench.get<PinList>('/fpga/1/pins')).body;
  expect(valuesOf(pins)).toMatchObject({ sw: 39, wide: '0x27' });
  expect(block.driven).toBe(39n | (1n << 16n) | (0x27n << 17n));
});

test('alternating and concurrent changes to different bits of one pin do not overwrite each other', async () => {
  const block = await reserve(6);
  const socket = new WebSocket(`${bench.url.replace('http', 'ws')}/fpga/6/stream`, 'wishbench.v1+json');
  await new Promise((resolve) => socket.on('open', resolve));
  const setting = fc.record({ value: fc.integer({ min: 0, max: 0xffff }), rests: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 0xffff }),
      fc.integer({ min: 0, max: 0xffff }),
      fc.array(setting, { maxLength: 8 }),
      fc.array(setting, { maxLength: 8 }),
      async (begin, mask, ones, others) => {
        await bench.put('/fpga/6/pins', { json: { pins: { sw: begin } } });
        const answered = new Promise<void>((resolve) => {
          let left = others.length;
          if (left === 0) resolve();
          socket.removeAllListeners('message');
          socket.on('message', () => {
            if (--left === 0) resolve();
          });
        });
        // One waits for answers now and then, the other sends everything over a stream.
        const oneSets = async () => {
          const sent: Promise<unknown>[] = [];
          for (const { value, rests } of ones) {
            const { body } = await bench.put<PinList>('/fpga/6/pins', {
              json: { pins: { sw: { value, mask } } },
            });
            expect(Number(valuesOf(body.pins)['sw']) & mask).toBe(value & mask);
            sent.push(bench.get('/fpga/6/pins'));
            if (rests) await Promise.all(sent.splice(0));
          }
          await Promise.all(sent);
        };
        for (const { value } of others)
          socket.send(
            JSON.stringify({
              op: 'set_pins',
              pins: { sw: { value, mask: `0x${(~mask & 0xffff).toString(16)}` } },
            }),
          );
        await Promise.all([oneSets(), answered]);
        const last =
          ((ones.at(-1)?.value ?? begin) & mask) | ((others.at(-1)?.value ?? begin) & ~mask & 0xffff);
        const { pins } = (await bench.get<PinList>('/fpga/6/pins')).body;
        expect(valuesOf(pins)).toMatchObject({ sw: last, led: last, rx: 1 });
        expect(block.driven).toBe(BigInt(last) | (1n << 16n));
      },
    ),
    { numRuns: 40 },
  );
  socket.close();
});

test('ten watchers share one poll of the board, at most 20 times a second', async () => {
  const block = await reserve(2);
  const clients = await Promise.all(
    Array.from({ length: 10 }, () => EventClient.open(bench.url, {}, '?pins=2')),
  );
  for (const client of clients) {
    const { complete, pins } = await client.until('pins');
    expect([complete, pins.length]).toEqual([true, 5]);
  }
  const before = block.snapshots;
  const began = Date.now();
  await bench.put('/fpga/2/pins', { json: { pins: { sw: 7 } } });
  for (const client of clients) await client.until('pins', ({ pins }) => valuesOf(pins)['led'] === 7);
  await bench.put('/fpga/2/pins', { json: { pins: { sw: 8 } } });
  for (const client of clients) await client.until('pins', ({ pins }) => valuesOf(pins)['led'] === 8);
  // Once for each of the two, and 20 times a second.
  expect(block.snapshots - before).toBeLessThanOrEqual(2 + 1 + (Date.now() - began) / 50);
  for (const client of clients) {
    expect(client.events.every(({ event }) => event === 'pins')).toBe(true);
    client.close();
  }
});

test('the general event stream reports pins after a set and after a release', async () => {
  await reserve(3);
  const client = await EventClient.open(bench.url);
  await bench.put('/fpga/3/pins', { json: { pins: { sw: 3 } } });
  await client.until('pins', ({ fpga_id, pins }) => fpga_id === 3 && valuesOf(pins)['led'] === 3);
  await bench.post('/fpga/3/session/release');
  await client.until('pins', ({ fpga_id, pins }) => fpga_id === 3 && pins.length === 0);
  client.close();
});

test('over a transaction stream pins and words are processed in order', async () => {
  await reserve(4);
  const socket = new WebSocket(`${bench.url.replace('http', 'ws')}/fpga/4/stream`, 'wishbench.v1+json');
  await new Promise((resolve) => socket.on('open', resolve));
  const answers: { id: number; ok: boolean; data?: number[]; pins?: Pin[]; error?: { code: string } }[] = [];
  const all = new Promise<void>((resolve) => {
    socket.on('message', (text) => {
      answers.push(JSON.parse(String(text)));
      if (answers.length === 8) resolve();
    });
  });
  const requests = [
    { op: 'write', address: 16, data: [1] },
    { op: 'set_pins', pins: { sw: 9 } },
    { op: 'read', address: 16 },
    { op: 'pins' },
    { op: 'set_pins', pins: { led: 1 } },
    { op: 'set_pins' },
    { op: 'set_pins', pins: { sw: 10 } },
    { op: 'read', address: 16 },
  ];
  socket.send(requests.map((request, id) => JSON.stringify({ id, ...request })).join('\n'));
  await all;
  expect(answers.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(answers.map(({ ok, error }) => error?.code ?? ok)).toEqual([
    true,
    true,
    true,
    true,
    'pin_not_input',
    'frame_invalid',
    true,
    true,
  ]);
  expect(answers[2]?.data).toEqual([1]);
  expect(valuesOf(answers[3]?.pins ?? [])).toMatchObject({ sw: 9, led: 9 });
  expect(valuesOf(answers[6]?.pins ?? [])).toMatchObject({ sw: 10, led: 10 });
  socket.close();
});

test('the port layout is stored with the design', async () => {
  const { design_id } = await bench.reserve(5, { 'x-api-key': 'lab-5' }, DESIGN);
  const address = `/designs/${design_id}/panel`;
  expect((await bench.get(address)).status).toBe(204);
  const panel = { ports: { led: { look: 'bar' }, sw: { look: 'hex' } } };
  expect((await bench.put(address, { json: panel })).body).toEqual(panel);
  expect((await bench.get(address)).body).toEqual(panel);
  for (const json of [{ ports: { led: { look: 'lava' } } }, { ports: { led: {} } }, { ports: [] }, {}])
    expect((await bench.put(address, { json })).status).toBe(422);
  expect((await bench.delete(address)).status).toBe(204);
  expect((await bench.get(address)).status).toBe(204);
});
