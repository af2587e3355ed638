import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { EventClient } from '../../../support/api/event-client.ts';
import { type Refusal, SOURCE, TestBench } from '../../../support/api/test-bench.ts';
import { closedGate, until } from '../../../support/test-pool.ts';

let bench: TestBench;
beforeAll(async () => {
  bench = await TestBench.start();
});
afterAll(() => bench.stop());

const lab = { 'x-api-key': 'lab-1' };

function replace(node: number, source: string, headers: Record<string, string> = lab) {
  const form = new FormData();
  form.append('file', new Blob([source]), 'next.v');
  return bench.post<{ job_id: string; status: string } & Refusal>(`/fpga/${node}/submit?replace=1`, {
    body: form,
    headers,
  });
}
const details = async (node: number) => (await bench.get<NodeView>(`/fpga/${node}/details`)).body;

test('a submit with replace=1 builds during the session, then replaces it, with events', async () => {
  const first = await bench.reserve(0, lab);
  const { session } = await details(0);
  const events = await EventClient.open(bench.url);
  await events.until('snapshot');
  const { gate, open } = closedGate();
  bench.toolchain.gate = gate;
  const { status, body } = await replace(0, `${SOURCE}// next`);
  expect([status, body.status]).toEqual([202, 'queued']);
  const told = await events.until('node', ({ node }) => node.replacement === body.job_id);
  expect(told.node).toMatchObject({ state: 'reserved', session: { owner: 'lab-1' } });
  await bench.run(0, { op: 1, address: 0, data: [1] }, lab);
  expect((await details(0)).session?.session_id).toBe(session?.session_id);
  open();
  expect(await bench.ended(0, body.job_id)).toMatchObject({ status: 'complete', replaces: true });
  const begun = await events.until(
    'node',
    ({ node }) => node.state === 'reserved' && node.replacement === null,
  );
  expect(begun.node.session).toMatchObject({ owner: 'lab-1' });
  expect(begun.node.session?.session_id).not.toBe(session?.session_id);
  expect(begun.node.design?.build_id).not.toBe(first.build_id);
  events.close();
});

test('a reserved node refuses replace=0 or none', async () => {
  await bench.reserve(1, lab);
  const form = new FormData();
  form.append('file', new Blob([SOURCE]), 'next.v');
  for (const query of ['', '?replace=0']) {
    const { status, body } = await bench.post<Refusal>(`/fpga/1/submit${query}`, { body: form });
    expect([status, body.detail.error]).toEqual([409, 'fpga_not_idle']);
  }
});

test('an idle node treats it as a submit; a building node refuses it', async () => {
  bench.toolchain.gate = null;
  const { status, body } = await replace(2, `${SOURCE}// hang-place`);
  expect(status).toBe(202);
  await until(() => bench.bench.pool.node(2).state === 'building');
  expect((await replace(2, SOURCE)).body.detail.error).toBe('fpga_not_idle');
  expect((await bench.client().getJobDetails({ fpga_id: 2, job_id: body.job_id })).replaces).toBeUndefined();
});
