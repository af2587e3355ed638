import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import { openStream, type SocketConstructor } from '../../../../server/contract/client/stream.ts';
import type { ActivityEntry } from '../../../../server/contract/nodes/activity.ts';
import type { NodeView, Session } from '../../../../server/contract/nodes/nodes.ts';
import { EventClient } from '../../../support/api/event-client.ts';
import { PlainProvider } from '../../../support/api/identity-providers.ts';
import { type Refusal, TestBench } from '../../../support/api/test-bench.ts';
import { BinaryClient } from '../../../support/stream/binary-client.ts';
import { closedGate } from '../../../support/test-pool.ts';

/** Control requests, hand-over, and their activity. */

let bench: TestBench;
beforeAll(async () => {
  bench = await TestBench.start();
});
afterAll(() => bench.stop());

const as = (owner: string) => ({ 'x-api-key': owner });
const code = ({ body }: { body: unknown }) => (body as Refusal).detail.error;
const ask = (node: number, owner: string, json: unknown = {}) =>
  bench.post(`/fpga/${node}/control`, { json, headers: as(owner) });
const handOver = (node: number, from: string, json: unknown) =>
  bench.post<Session>(`/fpga/${node}/session/handover`, { json, headers: as(from) });
const details = async (node: number) => (await bench.get<NodeView>(`/fpga/${node}/details`)).body;
const happened = async (node: number) =>
  (await bench.get<ActivityEntry[]>(`/fpga/${node}/activity`)).body.map(({ kind, by, owner, to }) => [
    kind,
    by,
    owner,
    to,
  ]);

const opened: { close(): void }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

test('control requests appear on the node in order and can be withdrawn', async () => {
  await bench.reserve(0, as('lab-1'));
  const events = await EventClient.open(bench.url);
  opened.push(events);
  const first = await ask(0, 'lab-2', { note: 'five minutes\u202e\nare enough' });
  expect([first.status, first.body]).toEqual([
    200,
    { owner: 'lab-2', since: expect.any(String), note: 'five minutes[U+202E] are enough' },
  ]);
  await ask(0, 'ci');
  const again = await ask(0, 'lab-2', { note: 'please' });
  expect(again.body).toMatchObject({ since: (first.body as { since: string }).since });
  await events.until('node', ({ node }) => node.control_requests[0]?.note === 'please');
  expect((await details(0)).control_requests.map(({ owner, note }) => [owner, note])).toEqual([
    ['lab-2', 'please'],
    ['ci', null],
  ]);
  const back = () => bench.ask('DELETE', '/fpga/0/control', { headers: as('lab-2') });
  expect((await back()).status).toBe(204);
  const second = await back();
  expect([second.status, code(second)]).toEqual([404, 'no_control_request']);
  expect((await details(0)).control_requests.map(({ owner }) => owner)).toEqual(['ci']);
});

test('a hand-over preserves the design and its registers, and closes the old holder’s streams', async () => {
  await bench.reserve(1, as('lab-1'));
  await ask(1, 'lab-2');
  await ask(1, 'ci');
  const stream = await openStream({ base: bench.url, headers: () => as('lab-1') }, 1, {
    WebSocket: WebSocket as SocketConstructor,
  });
  const binary = await BinaryClient.open(bench.url, 1, as('lab-1'));
  await stream.write(0, [41, 42]);
  const before = await details(1);
  const programmed = [...bench.boards.board(1).programmed];
  const given = await handOver(1, 'lab-1', { to: 'lab-2' });
  expect(given.status).toBe(200);
  expect(given.body).toMatchObject({ fpga_id: 1, owner: 'lab-2' });
  expect(given.body.session_id).not.toBe(before.session?.session_id);
  expect(await stream.closed).toMatchObject({
    code: 'session_handed_over',
    message: expect.stringContaining('lab-2'),
  });
  expect(await binary.closed).toMatchObject({ code: 4403, reason: expect.stringContaining('lab-2') });
  const after = await details(1);
  expect(after).toMatchObject({
    state: 'reserved',
    design: before.design,
    control_requests: [{ owner: 'ci' }],
  });
  expect(bench.boards.board(1).programmed).toEqual(programmed);
  const next = await openStream({ base: bench.url, headers: () => as('lab-2') }, 1, {
    WebSocket: WebSocket as SocketConstructor,
  });
  opened.push(next);
  expect(await next.read(0, 2)).toEqual([41, 42]);
  expect((await happened(1))[0]).toEqual(['handed_over', 'lab-1', 'lab-1', 'lab-2']);
  const [told] = (await bench.get<ActivityEntry[]>('/fpga/1/activity')).body;
  expect(told).toMatchObject({ transactions: 1, design: 'design.v' });
  const page = await bench.client().listTransactions({ fpga_id: 1 });
  expect(page.transactions.map(({ owner }) => owner)).toEqual(['lab-2', 'lab-1']);
  const audit = await bench.get<{ entries: { action: string; details: object }[] }>('/audit?action=handover');
  expect(audit.body.entries[0]).toMatchObject({ owner: 'lab-1', fpga_id: 1, details: { to: 'lab-2' } });
  const asked = await bench.get<{ entries: unknown[] }>('/audit?action=control&fpga_id=1');
  expect(asked.body.entries).toHaveLength(2);
});

test('requests end with the session, and without one requests and hand-overs are refused', async () => {
  await bench.reserve(2, as('lab-1'));
  await ask(2, 'lab-2');
  const client = bench.client(as('lab-1'));
  await client.jobEnded(await client.releaseSession({ fpga_id: 2 }));
  expect((await details(2)).control_requests).toEqual([]);
  for (const refused of [await ask(2, 'lab-2'), await handOver(2, 'lab-1', { to: 'lab-2' })])
    expect([refused.status, code(refused)]).toEqual([404, 'no_active_session']);
});

test('refuses a control request from the holder, beyond 20 requesters or with a bad body', async () => {
  await bench.reserve(3, as('lab-1'));
  const holder = await ask(3, 'lab-1');
  expect([holder.status, code(holder)]).toEqual([409, 'already_holder']);
  for (let i = 0; i < 20; i++) expect((await ask(3, `student-${i}`)).status).toBe(200);
  const many = await ask(3, 'student-20');
  expect([many.status, code(many)]).toEqual([429, 'too_many_control_requests']);
  expect((await ask(3, 'student-3', { note: 'still here' })).status).toBe(200);
  const key = `wbk_${'A'.repeat(43)}`;
  const bodies = [{ note: 5 }, { note: 'x'.repeat(201) }, { note: `my key is ${key}` }, [], 'note'];
  for (const body of bodies) expect((await ask(3, 'student-1', body)).status).toBe(422);
  const names = [{}, { to: 5 }, { to: '' }, { to: ' lab-2' }, { to: 'lab\n2' }, { to: 'x'.repeat(129) }];
  for (const body of [...names, { to: key }, { to: 'lab\u202e2' }, { to: null }])
    expect((await handOver(3, 'lab-1', body)).status).toBe(422);
  const self = await handOver(3, 'lab-1', { to: 'lab-1' });
  expect([self.status, code(self)]).toEqual([409, 'already_holder']);
  expect((await bench.post('/fpga/10/control', { json: {} })).status).toBe(422);
  expect((await details(3)).session?.owner).toBe('lab-1');
});

test('the holder declines a control request, and the requester learns who declined', async () => {
  await bench.reserve(8, as('lab-1'));
  await ask(8, 'lab-2');
  await ask(8, 'ci');
  const decline = (json: unknown) => bench.post('/fpga/8/control/decline', { json, headers: as('lab-1') });
  expect((await decline({ owner: 'lab-2' })).status).toBe(204);
  expect((await details(8)).control_requests.map(({ owner }) => owner)).toEqual(['ci']);
  expect((await happened(8))[0]).toEqual(['declined', 'lab-1', 'lab-1', 'lab-2']);
  const again = await decline({ owner: 'lab-2' });
  expect([again.status, code(again)]).toEqual([404, 'no_control_request']);
  for (const body of [{}, { owner: '' }, { owner: 5 }, { owner: 'x'.repeat(129) }, []])
    expect((await decline(body)).status).toBe(422);
  const audit = await bench.get<{ entries: { owner: string; code: string | null }[] }>(
    '/audit?action=control&fpga_id=8',
  );
  expect(audit.body.entries.filter(({ owner }) => owner === 'lab-1').at(-1)).toMatchObject({ code: null });
});

test('only a holder with a session can extend it', async () => {
  await bench.reserve(9, as('lab-1'));
  const before = await details(9);
  const extend = () => bench.post<Session>('/fpga/9/session/extend', { headers: as('lab-1') });
  const extended = await extend();
  expect(extended.status).toBe(200);
  expect(extended.body.session_id).toBe(before.session?.session_id);
  expect(extended.body.expires_at >= (before.session?.expires_at ?? '')).toBe(true);
  const client = bench.client(as('lab-1'));
  await client.jobEnded(await client.releaseSession({ fpga_id: 9 }));
  const refused = await extend();
  expect([refused.status, code(refused)]).toEqual([404, 'no_active_session']);
});

test('a node under reset cannot be handed over', async () => {
  await bench.reserve(4, as('lab-1'));
  const { gate, open } = closedGate();
  bench.boards.board(4).faults = { gate };
  const client = bench.client(as('lab-1'));
  const job = await client.releaseSession({ fpga_id: 4 });
  const refused = await handOver(4, 'lab-1', { to: 'lab-2' });
  expect([refused.status, code(refused)]).toEqual([409, 'fpga_not_reserved']);
  open();
  await client.jobEnded(job);
});

test('of two hand overs at once one wins', async () => {
  await bench.reserve(5, as('lab-1'));
  // In one turn: of two requests one may arrive after the end of the other, and then both win.
  const both = await Promise.allSettled(
    ['lab-2', 'lab-3'].map((to) => bench.bench.pool.handOver(5, to, { owner: 'lab-1' })),
  );
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect((await happened(5)).filter(([kind]) => kind === 'handed_over')).toHaveLength(1);
});

test('concurrent runs do not restore the old holder', async () => {
  await bench.reserve(6, as('lab-1'));
  const client = bench.client(as('lab-1'));
  for (let round = 0; round < 10; round++) {
    const to = round % 2 === 0 ? 'lab-2' : 'lab-1';
    const runs = Array.from({ length: 8 }, (_, i) =>
      client.runTransaction({ fpga_id: 6, body: { op: 1, address: 0, data: [i] } }),
    );
    const given = await handOver(6, 'lab-1', { to });
    await Promise.all(runs);
    expect((await details(6)).session).toMatchObject({ owner: to, session_id: given.body.session_id });
  }
});

test('the event stream reports activity, and its snapshot the newest entries', async () => {
  const events = await EventClient.open(bench.url);
  opened.push(events);
  await bench.reserve(7, as('lab-1'));
  const { entry } = await events.until('activity', (event) => event.entry.fpga_id === 7);
  expect(entry).toMatchObject({ kind: 'taken', by: 'lab-1', owner: 'lab-1', transactions: 0 });
  await bench.run(7, { op: 2, address: 0 }, as('lab-1'));
  await bench.run(7, { op: 2, address: 0 }, as('lab-1'));
  const client = bench.client(as('ci'));
  await client.jobEnded(await client.resetNode({ fpga_id: 7 }));
  const page = await client.listTransactions({ fpga_id: 7 });
  expect(page.transactions).toHaveLength(2);
  const later = await EventClient.open(bench.url);
  opened.push(later);
  const snapshot = await later.until('snapshot');
  expect(snapshot.activity?.[0]).toMatchObject({
    fpga_id: 7,
    kind: 'reset',
    by: 'ci',
    owner: 'lab-1',
    transactions: 2,
  });
  expect(snapshot.nodes[7]?.last_build).toMatchObject({
    status: 'complete',
    owner: 'lab-1',
    file: 'design.v',
  });
});

test('with key enforcement the session passes only to key owners and hides its id', async () => {
  const provider = await PlainProvider.start((request, response) => {
    const login = request.headers.authorization?.replace('Bearer ', '');
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ login }));
  });
  const enforced = await TestBench.start({
    settings: {
      auth: {
        enforcement: true,
        identity_provider: { kind: 'github', user_url: provider.url, allowed_users: [] },
      },
    },
  });
  try {
    const keyOf = async (user: string) => {
      const { body } = await enforced.post<{ api_key: string }>('/auth/idp/exchange', {
        json: { provider_token: user },
      });
      return { 'x-api-key': body.api_key };
    };
    const [holder, another] = [await keyOf('holder'), await keyOf('another')];
    await enforced.reserve(0, holder);
    const lent = (await enforced.get<Session>('/fpga/0/session', { headers: holder })).body.session_id;
    const give = (headers: Record<string, string>, to: string) =>
      enforced.post<Session>('/fpga/0/session/handover', { json: { to }, headers });
    const stranger = await give(another, 'another');
    expect([stranger.status, code(stranger)]).toEqual([403, 'not_session_holder']);
    expect((await give({}, 'another')).status).toBe(401);
    expect((await give(holder, 'nobody-with-a-key')).status).toBe(422);
    const given = await give(holder, 'another');
    expect(given.body).toMatchObject({
      owner: 'another',
      session_id: '00000000-0000-0000-0000-000000000000',
    });
    const run = (headers: Record<string, string>) =>
      enforced.post('/fpga/0/run', { json: { op: 2, address: 0 }, headers });
    expect((await run(holder)).status).toBe(403);
    expect((await run({ ...holder, 'x-session-id': lent })).status).toBe(403);
    expect((await run(another)).status).toBe(202);
  } finally {
    await enforced.stop();
    await provider.stop();
  }
});
