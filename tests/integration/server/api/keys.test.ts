import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../../server/clock.ts';
import type { AuditPage } from '../../../../server/contract/bench/audit.ts';
import type {
  Invitation,
  InviteView,
  KeyView,
  MintedKey,
} from '../../../../server/contract/identity/identity.ts';
import { type Refusal, TestBench, type TestBenchOptions } from '../../../support/api/test-bench.ts';

const KEY = /^wbk_[A-Za-z0-9_-]{43}$/;
const CODE = /^wbi_[A-Za-z0-9_-]{22}$/;
const codeOf = (answer: { body: unknown }) => (answer.body as Refusal).detail.error;
const withKey = ({ api_key }: { api_key: string }) => ({ headers: { 'x-api-key': api_key } });

async function withBench(options: TestBenchOptions, use: (bench: TestBench) => Promise<void>) {
  const bench = await TestBench.start(options);
  try {
    await use(bench);
  } finally {
    await bench.stop();
  }
}

const enforced = { settings: { auth: { enforcement: true } } } as const;

describe('keys minted by the operator', () => {
  test('a key has an owner, a label and a lifetime, is listed without its text, and is revocable', () =>
    withBench(enforced, async (bench) => {
      const made = await bench.post<MintedKey>('/auth/keys', {
        json: { owner: 'lab-1', label: 'nightly build', expires_in_s: 3600 },
      });
      expect([made.status, made.headers.get('cache-control')]).toEqual([201, 'no-store']);
      expect(made.body).toMatchObject({
        api_key: expect.stringMatching(KEY),
        owner: 'lab-1',
        key: { username: 'lab-1', label: 'nightly build', operator: false },
      });
      const { key } = made.body;
      expect(Date.parse(key.expires_at ?? '') - Date.parse(key.created_at)).toBe(3_600_000);
      await bench.reserve(0, withKey(made.body).headers);
      expect((await bench.get<{ owner: string }>('/fpga/0', withKey(made.body))).body.owner).toBe('lab-1');
      const list = await bench.get<KeyView[]>('/auth/keys');
      expect(list.body.map(({ id, label }) => [id, label])).toEqual([[key.id, 'nightly build']]);
      expect(JSON.stringify(list.body)).not.toContain(made.body.api_key);
      expect((await bench.delete(`/auth/keys/${key.id}`)).status).toBe(204);
      expect((await bench.get('/fpga', withKey(made.body))).status).toBe(401);
    }));

  test('without a lifetime it lives as long as the settings say', () =>
    withBench({ settings: { auth: { key_lifetime_days: 2 } } }, async (bench) => {
      const { body } = await bench.post<MintedKey>('/auth/keys', { json: { owner: 'ci' } });
      expect(Date.parse(body.key.expires_at ?? '') - Date.parse(body.key.created_at)).toBe(2 * 86_400_000);
    }));

  test('only a key with the operator’s right acts as the operator, from any address', () =>
    withBench({ ...enforced, operatorToken: 'the token of this operator' }, async (bench) => {
      const token = { headers: { 'x-operator-token': 'the token of this operator' } };
      const mint = async (json: object) =>
        (await bench.post<MintedKey>('/auth/keys', { json, ...token })).body;
      const lead = await mint({ owner: 'lead', operator: true });
      const student = await mint({ owner: 'course-3' });
      expect((await bench.get('/settings', withKey(lead))).status).toBe(200);
      expect(codeOf(await bench.get('/settings', withKey(student)))).toBe('operator_only');
      expect(codeOf(await bench.post('/auth/keys', { json: { owner: 'x' }, ...withKey(student) }))).toBe(
        'operator_only',
      );
      // A key may not choose host programs, because keys can be copied.
      const folder = await bench.put('/settings', {
        json: { toolchain: { tool_folder: '/opt/tools' } },
        ...withKey(lead),
      });
      expect(codeOf(folder)).toBe('operator_only');
      // It ends the session of another, as the operator does.
      await bench.reserve(3, withKey(student).headers);
      expect((await bench.post('/fpga/3/reset', withKey(lead))).status).toBe(202);
      const status = await bench.get<{ caller: object }>('/status', withKey(lead));
      expect(status.body.caller).toEqual({ owner: 'lead', operator: true, key: true });
    }));

  const BAD: object[] = [
    {},
    { owner: '' },
    { owner: 'Operator' },
    { owner: 'system' },
    { owner: ' lab' },
    { owner: 'a\nb' },
    { owner: 'a\u202eb' },
    { owner: `wbk_${'A'.repeat(43)}` },
    { owner: 'x'.repeat(129) },
    { owner: 'lab', label: 'a\nb' },
    { owner: 'lab', label: '' },
    { owner: 'lab', label: 'x'.repeat(65) },
    { owner: 'lab', expires_in_s: 59 },
    { owner: 'lab', expires_in_s: 1e12 },
    { owner: 'lab', operator: 1 },
    { owner: 'lab', more: 1 },
  ];

  test('is refused for an invalid name or field', () =>
    withBench({}, async (bench) => {
      for (const route of ['/auth/keys', '/auth/invites'])
        for (const json of BAD) {
          const answer = await bench.post(route, { json });
          expect([json, answer.status, codeOf(answer)]).toEqual([json, 422, 'validation_error']);
        }
      expect((await bench.get<KeyView[]>('/auth/keys')).body).toEqual([]);
    }));
});

describe('invitations', () => {
  const invite = async (bench: TestBench, json: object = { owner: 'course-3' }) =>
    (await bench.post<Invitation>('/auth/invites', { json })).body;
  const redeem = (bench: TestBench, code: string) =>
    bench.post<MintedKey>('/auth/invites/redeem', { json: { code } });

  test('a link yields one key, once', () =>
    withBench(enforced, async (bench) => {
      const made = await invite(bench, { owner: 'course-3', label: 'desk 4' });
      expect(made.code).toMatch(CODE);
      expect(made.url).toBe(`${bench.url}/#/join/${made.code}`);
      expect((await bench.get<InviteView[]>('/auth/invites')).body).toEqual([made.invite]);

      // Two at the same time: one of them gets it.
      const both = await Promise.all([redeem(bench, made.code), redeem(bench, made.code)]);
      expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
      const won = both.find(({ status }) => status === 200)?.body as MintedKey;
      expect(won).toMatchObject({ owner: 'course-3', key: { label: 'desk 4', operator: false } });
      expect((await bench.get('/fpga', withKey(won))).status).toBe(200);
      expect(codeOf(await redeem(bench, made.code))).toBe('invalid_invite');
      expect((await bench.get<InviteView[]>('/auth/invites')).body).toEqual([]);
      expect((await bench.get<KeyView[]>('/auth/keys')).body).toHaveLength(1);
    }));

  test('it expires', async () => {
    let now = Date.parse('2026-03-01T00:00:00Z');
    await withBench({ clock: { ...systemClock, now: () => now } }, async (bench) => {
      const made = await invite(bench);
      expect(made.expires_at).toBe('2026-03-02T00:00:00.000Z');
      now += 86_400_000;
      expect(codeOf(await redeem(bench, made.code))).toBe('invalid_invite');
      expect((await bench.get<InviteView[]>('/auth/invites')).body).toEqual([]);
    });
  });

  test('is revocable', () =>
    withBench({}, async (bench) => {
      const made = await invite(bench);
      expect((await bench.delete(`/auth/invites/${made.invite.id}`)).status).toBe(204);
      expect(codeOf(await redeem(bench, made.code))).toBe('invalid_invite');
      expect(codeOf(await bench.delete(`/auth/invites/${made.invite.id}`))).toBe('invite_not_found');
      // An invitation is no key, and a key no invitation.
      expect((await bench.get('/auth/keys/me', { headers: { 'x-api-key': made.code } })).status).toBe(401);
    }));

  test('wrong codes are limited like wrong keys; a valid code works above the limit', () =>
    // The minute in which they are counted does not pass.
    withBench({ clock: { ...systemClock, monotonic: () => 0 } }, async (bench) => {
      const made = await invite(bench);
      const wrong = (i: number) => redeem(bench, `wbi_${String(i).padStart(22, 'A')}`);
      for (let i = 0; i < 600; i += 100)
        await Promise.all(Array.from({ length: 100 }, (_, more) => wrong(i + more)));
      const late = await wrong(600);
      expect([late.status, codeOf(late)]).toEqual([429, 'too_many_guesses']);
      expect((await redeem(bench, made.code)).status).toBe(200);
    }));

  test('codes and keys are stored only as digests, survive a restart, and are audited by name', async () => {
    const bench = await TestBench.start(enforced);
    const [used, open] = [await invite(bench, { owner: 'lab-1' }), await invite(bench, { owner: 'lab-2' })];
    const key = (await redeem(bench, used.code)).body;
    const refused = await bench.get(`/fpga?code=${open.code}`, withKey(key));
    expect(codeOf(refused)).toBe('key_in_address');
    const trail = (await bench.get<AuditPage>('/audit?action=key')).body.entries;
    expect(trail.map(({ details }) => details)).toMatchObject([
      { owner: 'lab-1', key_id: key.key.id },
      { owner: 'lab-2', invite_id: open.invite.id },
      { owner: 'lab-1', invite_id: used.invite.id },
    ]);
    const texts = [bench.log, JSON.stringify(trail), JSON.stringify((await bench.get('/auth/invites')).body)];
    await bench.bench.close();
    for (const file of readdirSync(bench.folder, { recursive: true, withFileTypes: true }))
      if (file.isFile()) texts.push(readFileSync(path.join(file.parentPath, file.name), 'latin1'));
    for (const secret of [used.code, open.code, key.api_key])
      expect(texts.filter((text) => text.includes(secret.slice(4)))).toEqual([]);

    const again = await TestBench.start({ dataDir: bench.folder });
    expect((await again.get('/fpga', withKey(key))).status).toBe(200);
    expect(codeOf(await redeem(again, used.code))).toBe('invalid_invite');
    expect((await redeem(again, open.code)).body.owner).toBe('lab-2');
    await again.stop();
  });
});
