import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EndpointId } from '../../../../server/contract/endpoints.ts';
import type { FpgaSummary, NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { ROUTES } from '../../../../server/contract/routes.ts';
import { EventClient } from '../../../support/api/event-client.ts';
import { PlainProvider } from '../../../support/api/identity-providers.ts';
import { type Refusal, SOURCE, TestBench } from '../../../support/api/test-bench.ts';

const refusal = (answer: { body: unknown }) => (answer.body as Refusal).detail;
const NIL = '00000000-0000-0000-0000-000000000000';

/** Confirms that every token belongs to the user it names. */
const everybody = () =>
  PlainProvider.start((request, response) => {
    const login = request.headers.authorization?.replace('Bearer ', '');
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ login }));
  });

async function keyFor(bench: TestBench, user: string): Promise<Record<string, string>> {
  const { body } = await bench.post<{ api_key: string }>('/auth/idp/exchange', {
    json: { provider_token: user },
  });
  return { 'x-api-key': body.api_key };
}

describe('not enforced, as the specification has it', () => {
  let bench: TestBench;
  beforeAll(async () => {
    bench = await TestBench.start();
  });
  afterAll(() => bench.stop());

  test('the header’s text is the owner, anonymous without it, and wrong values change nothing', async () => {
    await bench.reserve(0, { 'x-api-key': 'alice', 'x-session-id': 'nonsense' });
    expect((await bench.node(0)).session?.owner).toBe('alice');
    await bench.reserve(1);
    expect((await bench.node(1)).session?.owner).toBe('anonymous');
    const other = await bench.post('/fpga/0/run', {
      json: { op: 2, address: 0 },
      headers: { 'x-api-key': 'bob', 'x-session-id': NIL },
    });
    expect(other.status).toBe(202);
    expect((await bench.post('/fpga/0/session/release')).status).toBe(202);
  });

  test('an owner is one printable line of at most 128 characters', async () => {
    const owner = async (key: string) =>
      (await bench.get<{ caller: { owner: string } }>('/status', { headers: { 'x-api-key': key } })).body
        .caller.owner;
    expect(await owner('x'.repeat(1000))).toBe('x'.repeat(128));
    expect(await owner('   ')).toBe('anonymous');
    expect(await owner('a\tb')).toBe('ab');
    expect(await owner('José')).toBe('José');
    expect(await owner(Buffer.from('名前 🙂', 'utf8').toString('latin1'))).toBe('名前 🙂');
    expect(await owner(Buffer.from('\u202etxt', 'utf8').toString('latin1'))).toBe('[U+202E]txt');
    expect(await owner(`wbk_${'A'.repeat(43)}`)).toBe('anonymous');
    expect(await owner(`Bearer wbk_${'A'.repeat(43)}`)).toBe('anonymous');
    expect(await owner('<script>alert(1)</script>')).toBe('<script>alert(1)</script>');
  });
});

describe('enforced', () => {
  let bench: TestBench;
  let provider: PlainProvider;
  let alice: Record<string, string>;
  let bob: Record<string, string>;
  beforeAll(async () => {
    provider = await everybody();
    bench = await TestBench.start({
      settings: {
        auth: {
          enforcement: true,
          identity_provider: { kind: 'github', user_url: provider.url, allowed_users: [] },
        },
      },
    });
    alice = await keyFor(bench, 'alice');
    bob = await keyFor(bench, 'bob');
  });
  afterAll(async () => {
    await bench.stop();
    await provider.stop();
  });

  test('every route except health, documents, GUI, exchange and invitation requires a key', async () => {
    const id = NIL;
    for (const [template, operations] of Object.entries(bench.openapi.paths))
      for (const method of Object.keys(operations)) {
        const route = template
          .replace('{fpga_id}', '0')
          .replace('{job_id}', id)
          .replace(/\{\w+\}/, 'x');
        // Metrics are open on this computer, with and without enforcement.
        const open = ['/auth/idp/exchange', '/auth/github/exchange', '/auth/invites/redeem', '/courses/join'];
        if (['/health', '/metrics', ...open].includes(route)) continue;
        // On this computer the operator needs no key where no token was set.
        const { operationId } = operations[method] as { operationId: EndpointId };
        if (ROUTES[operationId].access === 'operator') continue;
        const none = await bench.ask(method.toUpperCase(), route);
        expect([method, route, none.status, refusal(none).error]).toEqual([
          method,
          route,
          401,
          'missing_api_key',
        ]);
        const wrong = await bench.ask(method.toUpperCase(), route, { headers: { 'x-api-key': 'alice' } });
        expect([method, route, wrong.status, refusal(wrong).error]).toEqual([
          method,
          route,
          401,
          'invalid_api_key',
        ]);
      }
    for (const route of ['/health', '/openapi.json', '/docs', '/docs/json', '/', '/node/3', '/nothing'])
      expect([route, (await bench.get(route)).status]).not.toEqual([route, 401]);
    expect((await bench.post('/auth/idp/exchange', { json: {} })).status).toBe(422);
    expect((await bench.get('/fpga', { headers: alice })).status).toBe(200);
  });

  test('a refused submit changes nothing', async () => {
    expect((await bench.submit(0)).status).toBe(401);
    expect((await bench.get<FpgaSummary[]>('/fpga', { headers: alice })).body[0]?.state).toBe('idle');
  });

  test('only the holder may run, reset and release, by key or session id', async () => {
    await bench.reserve(3, alice);
    const { session } = (await bench.get<FpgaSummary>('/fpga/3', { headers: alice })).body;
    expect(session?.owner).toBe('alice');
    const run = { json: { op: 2, address: 0 } };
    for (const route of ['/fpga/3/run', '/fpga/3/reset', '/fpga/3/session/release']) {
      const query = route.endsWith('run') ? run : {};
      const answer = await bench.post(route, { ...query, headers: bob });
      expect([route, answer.status, refusal(answer).error]).toEqual([route, 403, 'not_session_holder']);
      const wrong = await bench.post(route, { ...query, headers: { ...bob, 'x-session-id': NIL } });
      expect([route, wrong.status]).toEqual([route, 403]);
    }
    expect((await bench.post('/fpga/3/run', { ...run, headers: alice })).status).toBe(202);
    const lent = { ...bob, 'x-session-id': session?.session_id ?? '' };
    expect((await bench.post('/fpga/3/run', { ...run, headers: lent })).status).toBe(202);
    expect((await bench.post('/fpga/3/session/release', { headers: lent })).status).toBe(202);
  });

  test('only its holder sees the session id, in responses and events', async () => {
    await bench.reserve(4, alice);
    const seen = async (headers: Record<string, string>) => [
      (await bench.get<FpgaSummary>('/fpga/4', { headers })).body.session?.session_id,
      (await bench.get<FpgaSummary[]>('/fpga', { headers })).body[4]?.session?.session_id,
      (await bench.get<NodeView>('/fpga/4/details', { headers })).body.session?.session_id,
      (await bench.get<{ session_id: string }>('/fpga/4/session', { headers })).body.session_id,
    ];
    const [own] = await seen(alice);
    expect(own).not.toBe(NIL);
    expect(await seen(alice)).toEqual([own, own, own, own]);
    expect(await seen(bob)).toEqual([NIL, NIL, NIL, NIL]);

    const clients = [await EventClient.open(bench.url, alice), await EventClient.open(bench.url, bob)];
    const [hers, his] = clients as [EventClient, EventClient];
    expect((await hers.until('snapshot')).nodes[4]?.session?.session_id).toBe(own);
    expect((await his.until('snapshot')).nodes[4]?.session?.session_id).toBe(NIL);
    await bench.run(4, { op: 2, address: 0 }, alice);
    const renewed = ({ node }: { node: NodeView }) => node.fpga_id === 4 && node.session !== null;
    expect((await hers.until('node', renewed)).node.session?.session_id).toBe(own);
    expect((await his.until('node', renewed)).node.session?.session_id).toBe(NIL);
    for (const client of clients) client.close();
  });

  test('only the job’s owner or the node’s holder may cancel or follow', async () => {
    const { body } = await bench.submit(5, `${SOURCE}// hang-place`, {}, alice);
    const route = `/fpga/5/jobs/${body.job_id}`;
    while ((await bench.get<FpgaSummary>('/fpga/5', { headers: alice })).body.state !== 'building');
    const cancelled = await bench.delete(route, { headers: bob });
    expect([cancelled.status, refusal(cancelled).error]).toEqual([403, 'not_session_holder']);
    const followed = await bench.get(`${route}/logs?follow=1`, { headers: bob });
    expect([followed.status, refusal(followed).error]).toEqual([403, 'not_session_holder']);
    expect((await bench.get(`${route}/logs`, { headers: bob })).status).toBe(200);
    const own = await bench.delete(route, { headers: alice });
    expect([own.status, refusal(own).error]).toEqual([409, 'job_not_cancellable']);
    const stream = await fetch(`${bench.url}${route}/logs?follow=1`, { headers: alice });
    expect(stream.status).toBe(200);
    await stream.body?.cancel();
  });

  test('revoking a key ends its event stream', async () => {
    const carol = await keyFor(bench, 'carol');
    const client = await EventClient.open(bench.url, carol);
    await client.until('snapshot');
    expect((await bench.delete('/auth/keys/me', { headers: carol })).status).toBe(204);
    await client.ended;
    expect((await bench.get('/events', { headers: carol })).status).toBe(401);
  });
});

describe('the operator', () => {
  const TOKEN = 'a'.repeat(43);
  let bench: TestBench;
  beforeAll(async () => {
    bench = await TestBench.start({ operatorToken: TOKEN });
  });
  afterAll(() => bench.stop());
  const operator = { 'x-operator-token': TOKEN, 'x-api-key': 'desktop' };

  test('only the operator may use settings, boards, doctor and keys', async () => {
    for (const [method, route, json] of [
      ['GET', '/settings', undefined],
      ['PUT', '/settings', {}],
      ['GET', '/boards', undefined],
      ['PUT', '/boards/0', { board: null }],
      ['POST', '/doctor', undefined],
      ['GET', '/auth/keys', undefined],
    ] as const) {
      const query = json === undefined ? {} : { json };
      const without = await bench.ask(method, route, query);
      expect([route, without.status, refusal(without).error]).toEqual([route, 403, 'operator_only']);
      const wrong = await bench.ask(method, route, {
        ...query,
        headers: { 'x-operator-token': `${TOKEN}x` },
      });
      expect([route, wrong.status, refusal(wrong).error]).toEqual([route, 401, 'invalid_operator_token']);
      const right = await bench.ask(method, route, { ...query, headers: operator });
      expect([route, right.status]).toEqual([route, 200]);
    }
  });

  test('a wrong token is refused everywhere, and the right one appears nowhere', async () => {
    expect((await bench.get('/health', { headers: { 'x-operator-token': 'no' } })).status).toBe(401);
    for (const route of ['/status', '/settings', '/boards'])
      expect(JSON.stringify((await bench.get(route, { headers: operator })).body)).not.toContain(TOKEN);
    expect(bench.log).not.toContain(TOKEN);
  });

  test('under enforcement the operator may use any node without a key', async () => {
    await bench.put('/settings', { json: { auth: { enforcement: true } }, headers: operator });
    await bench.reserve(0, operator);
    expect((await bench.get<FpgaSummary>('/fpga/0', { headers: operator })).body.session?.owner).toBe(
      'desktop',
    );
    expect((await bench.get('/fpga/0')).status).toBe(401);
    expect((await bench.post('/fpga/0/reset', { headers: { 'x-operator-token': TOKEN } })).status).toBe(202);
    await bench.put('/settings', { json: { auth: { enforcement: false } }, headers: operator });
    expect((await bench.get('/fpga/0')).status).toBe(200);
  });

  test('only the operator sees paths of this computer', async () => {
    const of = async (headers: Record<string, string>) =>
      (await bench.get<{ data: { folder: string | null } }>('/status', { headers })).body.data.folder;
    expect(await of(operator)).toBe(bench.folder);
    expect(await of({ 'x-api-key': 'alice' })).toBe(null);
  });
});
