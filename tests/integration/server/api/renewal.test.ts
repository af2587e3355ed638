import { afterAll, beforeAll, expect, test } from 'vitest';
import { SOURCE, TestBench } from '../../../support/api/test-bench.ts';
import { FakePortBlock } from '../../../support/fake-port-block.ts';
import { BinaryClient } from '../../../support/stream/binary-client.ts';

let bench: TestBench;
beforeAll(async () => {
  bench = await TestBench.start();
});
afterAll(() => bench.stop());

const expiry = async (node: number) => Date.parse((await bench.node(node)).session?.expires_at ?? '');

/** Each on another node, because renewals of one session within five seconds count as one. */
const REFUSED: readonly [string, (node: number) => Promise<unknown>][] = [
  ['a capture of signals that are not there', (node) => post(node, 'captures', { signals: ['nobody'] }, 400)],
  ['a pin that is not there', (node) => put(node, 'pins', { pins: { nobody: 1 } }, 422)],
  ['a step of a clock that runs', (node) => post(node, 'clock', { action: 'step' }, 400)],
  ['text without a terminal', (node) => post(node, 'terminal', { text: 'x' }, 400)],
  ['a run that is malformed', (node) => post(node, 'run', { op: 3, address: 0 }, 400)],
  ['a submit to a node that is taken', (node) => post(node, 'submit', {}, 400)],
  ['a frame beyond the end of the address space', (node) => frame(node, 0xffff_fffc, 2)],
];

async function frame(node: number, address: number, count: number): Promise<void> {
  const client = await BinaryClient.open(bench.url, node);
  expect((await client.read(address, count)).status).not.toBe(0);
  client.close();
}

/** Sends JSON, which must be refused: `above` or more. */
async function send(method: 'PUT' | 'POST', node: number, route: string, json: unknown, above: number) {
  const { status } = await bench.ask(method, `/fpga/${node}/${route}`, { json });
  expect(status).toBeGreaterThanOrEqual(above);
}
const post = (node: number, route: string, json: unknown, above: number) =>
  send('POST', node, route, json, above);
const put = (node: number, route: string, json: unknown, above: number) =>
  send('PUT', node, route, json, above);

test.each(REFUSED.map(([what, ask], node) => ({ what, ask, node })))(
  'a refused request does not renew a session: $what',
  async ({ ask, node }) => {
    bench.boards.board(node).portBlock = new FakePortBlock(64, 56, () => 0n);
    await bench.reserve(node, {}, `${SOURCE}// in sw 16\n`);
    const before = await expiry(node);
    await ask(node);
    expect(await expiry(node)).toBe(before);
    const set = await bench.ask('PUT', `/fpga/${node}/pins`, { json: { pins: { sw: 1 } } });
    expect(set.status).toBe(200);
    expect(await expiry(node)).toBeGreaterThan(before);
  },
);
