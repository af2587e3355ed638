import { expect, test } from 'vitest';
import type { DesignPin } from '../../../../server/contract/designs/uploads.ts';
import type { PinsEvent } from '../../../../server/contract/events/events.ts';
import { NodePins, type PinPool } from '../../../../server/pins/node-pins.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { FakePortBlock } from '../../../support/fake-port-block.ts';

const PINS: DesignPin[] = [
  { name: 'sw', direction: 'input', width: 4, at: 0, high: false },
  { name: 'led', direction: 'output', width: 4, at: 0, high: false },
];

/** Runs pending promises. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A node whose lamps are what `design` makes of the switches. */
function bench(design: (inputs: bigint) => bigint, pins = PINS) {
  const clock = new FakeClock();
  const events: PinsEvent[] = [];
  const block = new FakePortBlock(4, 4, design);
  const state = { reserved: true, turns: 0 };
  const link = {
    read: async (_address: number, count: number) => ({ ok: true as const, data: block.read(count) }),
    write: async (_address: number, words: Uint32Array) => {
      block.write(words);
      return { ok: true as const, data: new Uint32Array(0) };
    },
  };
  const session = { session_id: 's', fpga_id: 0, owner: 'lab', expires_at: '' };
  const pool: PinPool = {
    node: () => ({ state: state.reserved ? 'reserved' : 'idle', session, resetting: false }),
    designJob: () => 'job',
    report: async () => ({ design: { pins } }),
    renewSession() {},
    async overLink(_id, _session, work) {
      state.turns++;
      return await work(link);
    },
  };
  const node = new NodePins({ fpgaId: 0, pool, clock, publish: (event) => events.push(event) });
  return { node, clock, events, block, state };
}

const values = ({
  pins,
}: {
  pins: readonly { name: string; value: unknown; rose: unknown; fell: unknown }[];
}) => pins.map(({ name, value, rose, fell }) => [name, value, rose, fell]);

test('without watchers the board is not polled; with watchers, at most 20 times a second', async () => {
  let count = 0n;
  const { node, clock, events, state } = bench(() => count & 15n);
  await node.read();
  events.length = 0;
  for (let ms = 0; ms < 2000; ms++) clock.advance(1);
  await settle();
  expect([state.turns, events.length]).toEqual([1, 0]);
  const stop = node.watch();
  const second = node.watch();
  for (let ms = 0; ms < 1000; ms++) {
    count++;
    await settle();
    clock.advance(1);
  }
  expect(state.turns).toBeGreaterThan(15);
  expect(state.turns).toBeLessThanOrEqual(22);
  expect(events.length).toBeGreaterThan(15);
  expect(events.length).toBeLessThanOrEqual(20);
  stop();
  stop();
  second();
  await settle();
  const turns = state.turns;
  for (let ms = 0; ms < 1000; ms++) {
    clock.advance(1);
    await settle();
  }
  expect(state.turns).toBe(turns);
});

test('unchanged pins are not reported again', async () => {
  const { node, clock, events } = bench((inputs) => inputs);
  const stop = node.watch();
  await settle();
  for (let ms = 0; ms < 500; ms++) {
    clock.advance(1);
    await settle();
  }
  expect(events.map(({ complete, pins }) => [complete, pins.length])).toEqual([[true, 2]]);
  await node.set({ sw: 5 });
  clock.advance(50);
  await settle();
  expect(events.slice(1).map((event) => [event.complete, values(event)])).toEqual([
    [
      false,
      [
        ['sw', 5, 0, 0],
        ['led', 5, 5, 0],
      ],
    ],
  ]);
  stop();
});

test('an edge reported to a watcher is still reported to a reader, and vice versa', async () => {
  let flash = 0n;
  const { node, clock, events, block } = bench(() => flash);
  await node.read();
  const pulse = () => {
    flash = 2n;
    block.clock();
    flash = 0n;
    block.clock();
  };
  const stop = node.watch();
  await settle();
  pulse();
  clock.advance(60);
  await settle();
  clock.advance(60);
  await settle();
  expect(values(events.at(-1)!)).toEqual([['led', 0, 2, 2]]);
  expect(values(await node.read())).toEqual([
    ['sw', 0, 0, 0],
    ['led', 0, 2, 2],
  ]);
  expect(values(await node.read())[1]).toEqual(['led', 0, 0, 0]);
  const before = events.length;
  pulse();
  expect(values(await node.read())[1]).toEqual(['led', 0, 2, 2]);
  clock.advance(60);
  await settle();
  expect(events.slice(before).some((event) => values(event).some(([, , rose]) => rose === 2))).toBe(true);
  stop();
});

test('a design without outputs is not polled, and set pins are reported', async () => {
  const { node, clock, events, state } = bench(() => 0n, PINS.slice(0, 1));
  node.watch();
  for (let ms = 0; ms < 500; ms++) {
    await settle();
    clock.advance(1);
  }
  expect(state.turns).toBe(0);
  await node.set({ sw: 9 });
  expect(events.map(values)).toEqual([[['sw', 0, 0, 0]], [['sw', 9, 0, 0]]]);
});

test('the end of the session removes the pins and stops polling', async () => {
  const { node, clock, events, state } = bench((inputs) => inputs);
  node.watch();
  await settle();
  state.reserved = false;
  node.nodeChanged();
  expect(events.at(-1)).toEqual({ type: 'pins', fpga_id: 0, complete: true, pins: [] });
  const { turns } = state;
  for (let ms = 0; ms < 500; ms++) {
    clock.advance(1);
    await settle();
  }
  expect(state.turns).toBe(turns);
  await expect(node.read()).rejects.toMatchObject({ code: 'fpga_not_reserved' });
  state.reserved = true;
  node.nodeChanged();
  await settle();
  expect(events.at(-1)).toMatchObject({ complete: true, pins: [{ name: 'sw' }, { name: 'led' }] });
});
