import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../server/clock.ts';
import type { IdentityProvider } from '../../../../server/contract/bench/settings.ts';
import { OidcIssuer, PlainProvider } from '../../../support/api/identity-providers.ts';
import { type Refusal, TestBench } from '../../../support/api/test-bench.ts';

let issuer: OidcIssuer;
beforeAll(async () => {
  issuer = await OidcIssuer.start();
});
afterAll(() => issuer.stop());

const refusal = (answer: { body: unknown }) => (answer.body as Refusal).detail;
const KEY = /^wbk_[A-Za-z0-9_-]{43}$/;

const oidc = (change: Partial<Extract<IdentityProvider, { kind: 'oidc' }>> = {}): IdentityProvider => ({
  kind: 'oidc',
  issuer: issuer.url,
  username_claim: 'preferred_username',
  allowed_users: [],
  ...change,
});

const benchWith = (identity_provider: IdentityProvider, options = {}) =>
  TestBench.start({ settings: { auth: { identity_provider } }, ...options });

const exchange = (bench: TestBench, provider_token: unknown) =>
  bench.post<{ api_key: string; provider_username: string }>('/auth/idp/exchange', {
    json: { provider_token },
  });

async function withBench(identity_provider: IdentityProvider, use: (bench: TestBench) => Promise<void>) {
  const bench = await benchWith(identity_provider);
  try {
    await use(bench);
  } finally {
    await bench.stop();
  }
}

describe('POST /auth/idp/exchange with an OpenID Connect provider', () => {
  test('a token becomes a key, which names its user on every route', () =>
    withBench(oidc(), async (bench) => {
      const answer = await exchange(bench, await issuer.token('alice'));
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ api_key: expect.stringMatching(KEY), provider_username: 'alice@lab' });
      expect(answer.headers.get('cache-control')).toBe('no-store');
      const headers = { 'x-api-key': answer.body.api_key };
      await bench.reserve(0, headers);
      expect((await bench.node(0)).session?.owner).toBe('alice@lab');

      const me = await bench.get<{ last_used_at: string }>('/auth/keys/me', { headers });
      expect(me.body).toEqual({
        id: expect.any(String),
        username: 'alice@lab',
        label: null,
        operator: false,
        created_at: expect.any(String),
        last_used_at: expect.any(String),
        expires_at: null,
      });
    }));

  test('POST /auth/github/exchange is the same under its older name, refusals included', () =>
    withBench(oidc(), async (bench) => {
      const ask = (json: object) => bench.post<{ api_key: string }>('/auth/github/exchange', { json });
      const answer = await ask({ github_token: await issuer.token('alice') });
      expect([answer.status, answer.body]).toEqual([
        200,
        { api_key: expect.stringMatching(KEY), github_username: 'alice@lab' },
      ]);
      const me = await bench.get<{ username: string }>('/auth/keys/me', {
        headers: { 'x-api-key': answer.body.api_key },
      });
      expect(me.body.username).toBe('alice@lab');
      const refusals = [
        [{ github_token: 'x' }, 401, 'invalid_provider_token'],
        [{ provider_token: 'x' }, 422, 'validation_error'],
      ] as const;
      for (const [json, status, error] of refusals)
        expect(await ask(json)).toMatchObject({
          status,
          body: { detail: { error, message: expect.stringMatching(/\w+ .*\./) } },
        });
    }));

  test('the same user gets a new key each time, and each is revocable', () =>
    withBench(oidc({ username_claim: 'sub' }), async (bench) => {
      const token = await issuer.token('bob');
      const one = (await exchange(bench, token)).body.api_key;
      const two = (await exchange(bench, token)).body.api_key;
      expect(one).not.toBe(two);
      const revoked = await bench.delete('/auth/keys/me', { headers: { 'x-api-key': one } });
      expect([revoked.status, revoked.body]).toEqual([204, '']);
      const gone = await bench.get('/auth/keys/me', { headers: { 'x-api-key': one } });
      expect([gone.status, refusal(gone).error]).toEqual([401, 'invalid_api_key']);
      expect((await bench.get('/auth/keys/me', { headers: { 'x-api-key': two } })).status).toBe(200);
      const none = await bench.delete('/auth/keys/me');
      expect([none.status, refusal(none).error]).toEqual([401, 'missing_api_key']);

      const list = (await bench.get<{ id: string; username: string }[]>('/auth/keys')).body;
      expect(list.map(({ username }) => username)).toEqual(['bob']);
      expect((await bench.delete(`/auth/keys/${list[0]?.id}`)).status).toBe(204);
      expect((await bench.get('/auth/keys/me', { headers: { 'x-api-key': two } })).status).toBe(401);
      const unknown = await bench.delete('/auth/keys/nothing');
      expect([unknown.status, refusal(unknown).error]).toEqual([404, 'key_not_found']);
    }));

  test('keys survive a restart as digests and appear nowhere else', async () => {
    const bench = await benchWith(oidc());
    const { api_key } = (await exchange(bench, await issuer.token('carol'))).body;
    const headers = { 'x-api-key': api_key };
    await bench.reserve(2, headers);
    await bench.run(2, { op: 2, address: 0 }, headers);
    await bench.get(`/fpga/2/nothing?key=${api_key}`, { headers });
    await bench.delete('/auth/keys/me', { headers: { 'x-api-key': `${api_key}x` } });
    const texts = [bench.log];
    for (const route of ['/fpga', '/jobs', '/status', '/auth/keys', '/settings', '/fpga/2/details'])
      texts.push(JSON.stringify((await bench.get(route, { headers })).body));
    await bench.bench.close();
    const files = readdirSync(bench.folder, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    for (const file of files) texts.push(readFileSync(path.join(file.parentPath, file.name), 'latin1'));
    expect(files.length).toBeGreaterThan(3);
    expect(texts.filter((text) => text.includes(api_key.slice(4)))).toEqual([]);

    const again = await TestBench.start({ dataDir: bench.folder });
    expect((await again.get('/auth/keys/me', { headers })).status).toBe(200);
    expect((await again.node(2)).session?.owner).toBe('carol@lab');
    await again.stop();
  });

  test('a key expires', async () => {
    let now = Date.parse('2026-03-01T00:00:00Z');
    const clock = { ...systemClock, now: () => now };
    const bench = await benchWith(oidc(), { clock });
    await bench.bench.settings.apply({ auth: { key_lifetime_days: 2 } });
    const { api_key } = (await exchange(bench, await issuer.token('dave'))).body;
    const headers = { 'x-api-key': api_key };
    const me = await bench.get<{ expires_at: string }>('/auth/keys/me', { headers });
    expect(me.body.expires_at).toBe('2026-03-03T00:00:00.000Z');
    now += 2 * 86_400_000;
    expect((await bench.get('/auth/keys/me', { headers })).status).toBe(401);
    expect((await bench.get<unknown[]>('/auth/keys')).body).toEqual([]);
    // An expired key stands for nobody: its text never becomes a name.
    const status = await bench.get<{ caller: { owner: string } }>('/status', { headers });
    expect(status.body.caller.owner).toBe('anonymous');
    await bench.stop();
  });

  test('only allowed users', () =>
    withBench(oidc({ allowed_users: ['erin@lab'] }), async (bench) => {
      expect((await exchange(bench, await issuer.token('erin'))).status).toBe(200);
      const other = await exchange(bench, await issuer.token('mallory'));
      expect([other.status, refusal(other).error]).toEqual([403, 'user_not_allowed']);
    }));

  test('reserved names are refused', () =>
    withBench(oidc({ username_claim: 'sub' }), async (bench) => {
      for (const name of ['system', 'Anonymous', 'a\nb', 'x'.repeat(200)]) {
        const answer = await exchange(bench, await issuer.token(name));
        expect([name.slice(0, 9), answer.status, refusal(answer).error]).toEqual([
          name.slice(0, 9),
          403,
          'user_not_allowed',
        ]);
      }
    }));

  test('a token that the provider does not know: 401', () =>
    withBench(oidc(), async (bench) => {
      const revoked = await issuer.token('frank');
      expect((await exchange(bench, revoked)).status).toBe(200);
      await issuer.revoke(revoked);
      for (const token of ['unknown', revoked, 'with space', 'line\r\nX-Injected: 1', 'ümlaut']) {
        const answer = await exchange(bench, token);
        expect([token.slice(0, 8), answer.status, refusal(answer).error]).toEqual([
          token.slice(0, 8),
          401,
          'invalid_provider_token',
        ]);
        expect(JSON.stringify(answer.body)).not.toContain(token);
      }
    }));

  test('fields at and past their limits', () =>
    withBench(oidc(), async (bench) => {
      for (const json of [
        {},
        { provider_token: '' },
        { provider_token: 1 },
        { provider_token: null },
        { provider_token: 'x'.repeat(16_385) },
        [],
        'token',
      ]) {
        const answer = await bench.post('/auth/idp/exchange', { json });
        expect([JSON.stringify(json).slice(0, 30), answer.status]).toEqual([
          JSON.stringify(json).slice(0, 30),
          422,
        ]);
      }
      expect((await exchange(bench, 'x'.repeat(16_384))).status).toBe(401);
      expect((await bench.post('/auth/idp/exchange')).status).toBe(422);
    }));
});

describe('faulty providers', () => {
  test('none configured: 503', () =>
    withBench({ kind: 'none' }, async (bench) => {
      const answer = await exchange(bench, 'token');
      expect([answer.status, refusal(answer).error]).toEqual([503, 'provider_not_configured']);
    }));

  test('connection refused: 502', () =>
    withBench(oidc({ issuer: 'http://127.0.0.1:9' }), async (bench) => {
      const answer = await exchange(bench, 'token');
      expect([answer.status, refusal(answer).error]).toEqual([502, 'provider_unreachable']);
    }));

  const discovery = (url: string, change = {}) =>
    JSON.stringify({ issuer: url, userinfo_endpoint: `${url}/me`, ...change });
  test.each<
    [
      string,
      (path: string, url: string) => { status?: number; body?: string; location?: string } | null,
      number,
    ]
  >([
    ['discovery is absent', () => ({ status: 404 }), 502],
    ['discovery is no JSON', () => ({ body: '<html>' }), 502],
    ['discovery is a list', () => ({ body: '[]' }), 502],
    ['discovery of another issuer', (_, url) => ({ body: discovery(url, { issuer: 'https://other' }) }), 502],
    ['no userinfo endpoint', (_, url) => ({ body: discovery(url, { userinfo_endpoint: undefined }) }), 502],
    ['discovery redirects', () => ({ status: 302, location: 'http://127.0.0.1:9/' }), 502],
    ['discovery without end', () => ({ body: 'x'.repeat(1 << 20) }), 502],
    ['userinfo fails', (path, url) => (path === '/me' ? { status: 500 } : { body: discovery(url) }), 502],
    [
      'userinfo redirects',
      (path, url) =>
        path === '/me' ? { status: 307, location: `${url}/elsewhere` } : { body: discovery(url) },
      502,
    ],
    [
      'userinfo is no JSON',
      (path, url) => (path === '/me' ? { body: 'alice' } : { body: discovery(url) }),
      502,
    ],
    [
      'userinfo without the claim',
      (path, url) => (path === '/me' ? { body: '{"sub":"x"}' } : { body: discovery(url) }),
      502,
    ],
    [
      'userinfo with an empty name',
      (path, url) => (path === '/me' ? { body: '{"preferred_username":" "}' } : { body: discovery(url) }),
      502,
    ],
    ['userinfo says 401', (path, url) => (path === '/me' ? { status: 401 } : { body: discovery(url) }), 401],
    [
      'userinfo is without end',
      (path, url) => (path === '/me' ? { body: `"${'x'.repeat(1 << 20)}"` } : { body: discovery(url) }),
      502,
    ],
  ])('%s', async (_name, answerWith, status) => {
    const provider = await PlainProvider.start((request, response, url) => {
      const { status = 200, body = '', location } = answerWith(request.url ?? '', url) ?? {};
      response
        .writeHead(status, { 'content-type': 'application/json', ...(location ? { location } : {}) })
        .end(body);
    });
    try {
      await withBench(oidc({ issuer: provider.url }), async (bench) => {
        const answer = await exchange(bench, 'token');
        expect([answer.status, refusal(answer).error]).toEqual([
          status,
          status === 401 ? 'invalid_provider_token' : 'provider_unreachable',
        ]);
        expect(provider.requests.some(({ url }) => url === '/elsewhere')).toBe(false);
        expect((await bench.get<unknown[]>('/auth/keys')).body).toEqual([]);
      });
    } finally {
      await provider.stop();
    }
  });

  test('it does not answer in time: 502 after 5 s', async () => {
    const silent = await PlainProvider.start(() => {});
    await withBench({ kind: 'github', user_url: `${silent.url}/user`, allowed_users: [] }, async (bench) => {
      const began = performance.now();
      const answer = await exchange(bench, 'token');
      expect([answer.status, refusal(answer).error]).toEqual([502, 'provider_unreachable']);
      expect(refusal(answer).message).toContain('within 5 s');
      expect(performance.now() - began).toBeGreaterThan(4500);
    });
    await silent.stop();
  });
});

describe('a GitHub-style endpoint', () => {
  test('login is the username; the token is sent as a bearer token', async () => {
    const github = await PlainProvider.start((request, response) => {
      if (request.headers.authorization !== 'Bearer gho_good')
        return response.writeHead(401).end('{"message":"Bad credentials"}');
      return response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"login":"octocat","id":1}');
    });
    await withBench(
      { kind: 'github', user_url: `${github.url}/user`, allowed_users: ['octocat'] },
      async (bench) => {
        const good = await exchange(bench, 'gho_good');
        expect([good.status, good.body.provider_username]).toEqual([200, 'octocat']);
        expect(github.requests[0]?.url).toBe('/user');
        expect(github.requests[0]?.headers['user-agent']).toBe('wishbench');
        const bad = await exchange(bench, 'gho_bad');
        expect([bad.status, refusal(bad).error]).toEqual([401, 'invalid_provider_token']);
      },
    );
    await github.stop();
  });
});
