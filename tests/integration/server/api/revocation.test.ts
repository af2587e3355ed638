import { once } from 'node:events';
import http from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import type { BenchOptions } from '../../../../server/bench.ts';
import { authError } from '../../../../server/errors/auth.ts';
import { storeError } from '../../../../server/errors/store.ts';
import { ApiKeys } from '../../../../server/identity/keys.ts';
import type { IdentityRecord } from '../../../../server/identity/records.ts';
import { EventClient } from '../../../support/api/event-client.ts';
import { PlainProvider } from '../../../support/api/identity-providers.ts';
import { type Refusal, SOURCE, TestBench } from '../../../support/api/test-bench.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { runningTime } from '../../../support/running-time.ts';

/** Time within which everything under a key or a session ends with it, ms, on a busy computer. */
const AT_ONCE = 2000;

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function enforcedBench(options: Partial<BenchOptions> = {}) {
  const provider = await PlainProvider.start((request, response) => {
    const login = request.headers.authorization?.replace('Bearer ', '');
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ login }));
  });
  const bench = await TestBench.start({
    ...options,
    settings: {
      auth: {
        enforcement: true,
        identity_provider: { kind: 'github', user_url: provider.url, allowed_users: [] },
        key_lifetime_days: 1,
      },
    },
  });
  closing.push(
    () => provider.stop(),
    () => bench.stop(),
  );
  const keyFor = async (user: string) => {
    const { body } = await bench.post<{ api_key: string }>('/auth/idp/exchange', {
      json: { provider_token: user },
    });
    return { 'x-api-key': body.api_key };
  };
  return { bench, keyFor };
}

/** A build that does not end, and everything that stays open under its owner's key. */
async function everythingUnder(bench: TestBench, headers: Record<string, string>) {
  const { body } = await bench.submit(0, `${SOURCE}// hang-place`, {}, headers);
  const route = `/fpga/0/jobs/${body.job_id}`;
  while ((await bench.get<{ state: string }>('/fpga/0', { headers })).body.state !== 'building');
  const events = await EventClient.open(bench.url, headers);
  await events.until('snapshot');
  const follow = await fetch(`${bench.url}${route}/logs?follow=1`, { headers });
  const reader = follow.body?.getReader();
  const followed = (async () => {
    try {
      for (;;) if ((await reader?.read())?.done !== false) return 'whole';
    } catch {
      return 'cut off';
    }
  })();
  const wait = fetch(`${bench.url}${route}?wait=30`, { headers }).then(async (answer) => [
    answer.status,
    ((await answer.json()) as Refusal).detail?.error,
  ]);
  // Earlier requests are being handled once these are answered.
  for (let i = 0; i < 3; i++) await bench.get('/health');
  /** Resolves when all of it has ended, with the outcome and the ms of running time. */
  const ended = async () => {
    const ranFor = await runningTime();
    await events.ended;
    const how = [await followed, await wait];
    return { how, ms: ranFor() };
  };
  return { ended };
}

describe('a revoked key', () => {
  test('ends the event stream, the followed log and the pending wait', async () => {
    const { bench, keyFor } = await enforcedBench();
    const alice = await keyFor('alice');
    const { ended } = await everythingUnder(bench, alice);
    const end = ended();
    expect((await bench.delete('/auth/keys/me', { headers: alice })).status).toBe(204);
    const { how, ms } = await end;
    expect(how).toEqual(['cut off', [401, 'invalid_api_key']]);
    expect(ms).toBeLessThan(AT_ONCE);
  });

  test('rejects a request whose body is still arriving', async () => {
    const { bench, keyFor } = await enforcedBench();
    const alice = await keyFor('alice');
    const form = (await new Response(
      (() => {
        const data = new FormData();
        data.append('file', new Blob([SOURCE]), 'design.v');
        return data;
      })(),
    ).arrayBuffer()) as ArrayBuffer;
    const boundary = /^--(\S+)/.exec(new TextDecoder().decode(form))?.[1];
    const request = http.request(`${bench.url}/fpga/0/submit`, {
      method: 'POST',
      headers: {
        ...alice,
        'content-type': `multipart/form-data; boundary=${boundary}`,
        'content-length': form.byteLength,
        expect: '100-continue',
      },
    });
    request.flushHeaders();
    // The service has the head; the key in it was valid then, and what is answered after it comes later.
    await once(request, 'continue');
    request.write(new Uint8Array(form, 0, 20));
    await bench.delete('/auth/keys/me', { headers: alice });
    request.end(new Uint8Array(form, 20));
    const [answer] = (await once(request, 'response')) as [http.IncomingMessage];
    expect(answer.statusCode).toBe(401);
    answer.resume();
    expect(bench.bench.pool.node(0).state).toBe('idle');
  });
});

test('expiry of a key ends its open responses', async () => {
  const clock = new FakeClock();
  const { bench, keyFor } = await enforcedBench({ clock });
  const alice = await keyFor('alice');
  const { body } = await bench.get<{ expires_at: string }>('/auth/keys/me', { headers: alice });
  // Not a whole number of seconds: the service also looks at all of them every second.
  clock.sleep(86_400_000 - 4_300);
  const { ended } = await everythingUnder(bench, alice);
  let over = false;
  const end = ended().finally(() => {
    over = true;
  });
  clock.advance(4_299);
  expect((await bench.get('/fpga', { headers: alice })).status).toBe(200);
  expect(over).toBe(false);
  clock.advance(1);
  expect(clock.now()).toBe(Date.parse(body.expires_at));
  expect((await end).how).toEqual(['cut off', [401, 'invalid_api_key']]);
});

test('switching enforcement on ends responses without a key', async () => {
  const bench = await TestBench.start();
  closing.push(() => bench.stop());
  const { ended } = await everythingUnder(bench, {});
  const end = ended();
  await bench.put('/settings', { json: { auth: { enforcement: true } } });
  const { how, ms } = await end;
  expect(how).toEqual(['cut off', [401, 'missing_api_key']]);
  expect(ms).toBeLessThan(AT_ONCE);
});

test('a log followed through a session ends with the session', async () => {
  const { bench, keyFor } = await enforcedBench();
  const alice = await keyFor('alice');
  const bob = await keyFor('bob');
  await bench.reserve(0, alice);
  bench.boards.board(0).faults = { hangLink: true };
  const { session } = bench.bench.pool.node(0);
  const lent = { ...bob, 'x-session-id': session?.session_id ?? '' };
  const run = await bench.post<{ job_id: string }>('/fpga/0/run', {
    json: { op: 2, address: 0 },
    headers: alice,
  });
  const logs = `${bench.url}/fpga/0/jobs/${run.body.job_id}/logs?follow=1`;
  const hers = await fetch(logs, { headers: alice });
  const his = await fetch(logs, { headers: lent });
  expect([hers.status, his.status]).toEqual([200, 200]);
  // The session gets a new id: who held it by the old one holds it no longer, its owner does.
  await bench.bench.pool.renewSessionIds();
  await expect(his.text()).rejects.toThrow();
  const left = await Promise.race([
    hers.text().catch(() => 'cut off'),
    bench.get('/health').then(() => 'going on'),
  ]);
  expect(left).toBe('going on');
});

describe('on a full disk', () => {
  const clock = new FakeClock();
  function keysOn(disk: { full: boolean }, kept: IdentityRecord[][]) {
    return new ApiKeys({
      document: {
        read: () => kept.at(-1),
        write: async (records) => {
          if (disk.full) throw storeError('store_unavailable');
          kept.push(records);
        },
        writeSoon() {},
      },
      clock,
      newId: () => 'id',
      newSecret: () => Buffer.alloc(32, 7),
      lifetimeDays: () => null,
    });
  }

  test('a revoked key is refused at once, the caller gets an error, and its storing is retried', async () => {
    const disk = { full: false };
    const kept: IdentityRecord[][] = [];
    const keys = keysOn(disk, kept);
    const { key } = await keys.mint('alice');
    disk.full = true;
    await expect(keys.revoke('id')).rejects.toMatchObject({ code: authError('revocation_not_kept').code });
    expect(keys.find(key)).toBe(null);
    expect(keys.unstoredRevocations).toBe(1);
    // A second request gives the same answer, not that the key is unknown.
    await expect(keys.revoke('id')).rejects.toMatchObject({ code: 'revocation_not_kept' });
    disk.full = false;
    while (keys.unstoredRevocations > 0) {
      clock.advance(2_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(kept.at(-1)).toEqual([]);
    expect(keysOn(disk, kept).find(key)).toBe(null);
    expect(await keys.revoke('id')).toBe(false);
  });
});
