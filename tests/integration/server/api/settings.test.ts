import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  DEFAULT_SETTINGS,
  type Settings,
  type SettingsPatch,
} from '../../../../server/contract/bench/settings.ts';
import { NEEDS_RESTART } from '../../../../server/contract/setting-fields.ts';
import { BenchSettings, memorySettings } from '../../../../server/settings.ts';
import { type Refusal, TestBench } from '../../../support/api/test-bench.ts';

interface SettingsAnswer {
  settings: Settings;
  defaults: Settings;
  restart_required: string[];
  notices: string[];
}

const refusal = (answer: { body: unknown }) => (answer.body as Refusal).detail;

describe('LAN and enforcement', () => {
  const inForce = (settings: BenchSettings) => [
    settings.current.network.lan,
    settings.current.auth.enforcement,
  ];

  test('both are off by default', () => {
    expect(inForce(new BenchSettings(memorySettings()))).toEqual([false, false]);
  });

  test('opening the LAN switches enforcement on; switching it off is a separate, lasting change', async () => {
    const document = memorySettings();
    const settings = new BenchSettings(document);
    expect(settings.problems({ network: { lan: true }, auth: { enforcement: false } })[0]?.loc).toEqual([
      'auth',
      'enforcement',
    ]);
    await settings.apply({ network: { lan: true } });
    expect(inForce(settings)).toEqual([true, true]);
    expect(settings.problems({ auth: { enforcement: false } })).toEqual([]);
    await settings.apply({ auth: { enforcement: false } });
    expect(inForce(settings)).toEqual([true, false]);
    expect(settings.notices.join()).toMatch(/recorded but not refused/);
    expect(inForce(new BenchSettings(document))).toEqual([true, false]);
    // Closing and opening again counts as opening: enforcement is on again.
    await settings.apply({ network: { lan: false } });
    await settings.apply({ network: { lan: true } });
    expect(inForce(settings)).toEqual([true, true]);
  });

  test('a start option opens the LAN with enforcement for this start only', async () => {
    const document = memorySettings();
    const settings = new BenchSettings(document, { lanByOption: true });
    expect(inForce(settings)).toEqual([true, true]);
    await settings.apply({ sessions: { ttl_seconds: 60 } });
    expect(inForce(new BenchSettings(document))).toEqual([false, false]);
    await settings.apply({ auth: { enforcement: false } });
    expect(inForce(settings)).toEqual([true, false]);
    expect(inForce(new BenchSettings(document, { lanByOption: true }))).toEqual([true, true]);
  });

  test('any sequence of changes opens the LAN without enforcement only on explicit request', async () => {
    const act = fc.record({ lan: fc.boolean(), enforcement: fc.boolean() }, { requiredKeys: [] });
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 8 }), fc.boolean(), async (acts, lanByOption) => {
        const document = memorySettings();
        let settings = new BenchSettings(document, { lanByOption });
        let saidSo = false;
        for (const { lan, enforcement } of acts) {
          const patch: SettingsPatch = {
            ...(lan === undefined ? {} : { network: { lan } }),
            ...(enforcement === undefined ? {} : { auth: { enforcement } }),
          };
          const wasOpen = settings.current.network.lan;
          if (settings.problems(patch).length > 0) continue;
          await settings.apply(patch);
          if (!settings.current.network.lan || settings.current.auth.enforcement) saidSo = false;
          if (wasOpen && enforcement === false) saidSo = true;
          if (settings.current.network.lan && !settings.current.auth.enforcement) expect(saidSo).toBe(true);
        }
        settings = new BenchSettings(document, { lanByOption });
        if (settings.current.network.lan && !settings.current.auth.enforcement) expect(saidSo).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

describe('stored settings', () => {
  test('invalid fields fall back to their defaults, valid ones stay, and the file is not changed', () => {
    const kept = {
      network: { port: 99_999, lan: false, allowed_hosts: ['a.example'] },
      sessions: { ttl_seconds: 'long' },
      limits: { upload_bytes: 2048, unknown: 1 },
      auth: 7,
    };
    const settings = new BenchSettings({
      read: () => kept,
      write: () => Promise.reject(new Error('not written')),
    });
    expect(settings.current).toEqual({
      ...DEFAULT_SETTINGS,
      network: { ...DEFAULT_SETTINGS.network, allowed_hosts: ['a.example'] },
      limits: { ...DEFAULT_SETTINGS.limits, upload_bytes: 2048 },
      // The enforcement field is unreadable: it never falls back to off.
      auth: { ...DEFAULT_SETTINGS.auth, enforcement: true },
    });
    expect(settings.refused).toEqual(['network.port', 'auth', 'sessions.ttl_seconds']);
    expect(settings.notices[0]).toContain('keys are enforced');
  });

  test('malformed stored authentication settings switch enforcement on', () => {
    for (const auth of [7, [], 'off', { enforcement: 'no' }, { enforcement: 0 }, { enforcement: null }]) {
      const settings = new BenchSettings({ read: () => ({ auth }), write: async () => {} });
      expect(settings.current.auth.enforcement, JSON.stringify(auth)).toBe(true);
    }
    const damaged = new BenchSettings({ read: () => ({}), write: async () => {} }, { damaged: true });
    expect(damaged.current.auth.enforcement).toBe(true);
    const fresh = new BenchSettings({ read: () => ({}), write: async () => {} });
    expect(fresh.current.auth.enforcement).toBe(false);
  });

  test('an open LAN without a valid enforcement setting is enforced', () => {
    for (const auth of [undefined, 7, {}, { enforcement: 'no' }, { enforcement: true }]) {
      const settings = new BenchSettings({
        read: () => ({ network: { lan: true }, auth }),
        write: async () => {},
      });
      expect(settings.current.auth.enforcement).toBe(true);
    }
  });

  test('a provider with plain HTTP in the file is not used', () => {
    const identity_provider = { kind: 'github', user_url: 'http://id.example/user', allowed_users: [] };
    const settings = new BenchSettings({
      read: () => ({ auth: { identity_provider } }),
      write: async () => {},
    });
    expect(settings.current.auth.identity_provider).toEqual({ kind: 'none' });
    expect(settings.refused).toEqual(['auth.identity_provider']);
  });

  test('any document is read without an error', () => {
    fc.assert(
      fc.property(fc.anything(), (kept) => {
        const settings = new BenchSettings({ read: () => kept, write: async () => {} });
        expect(Object.keys(settings.current)).toEqual(Object.keys(DEFAULT_SETTINGS));
      }),
    );
  });

  test('a change that cannot be stored is not applied', async () => {
    const settings = new BenchSettings({
      read: () => ({}),
      write: () => Promise.reject(new Error('disk full')),
    });
    await expect(settings.apply({ sessions: { ttl_seconds: 60 } })).rejects.toThrow('disk full');
    expect(settings.current.sessions.ttl_seconds).toBe(3600);
    await expect(settings.apply({ sessions: { ttl_seconds: 61 } })).rejects.toThrow('disk full');
  });

  test('settings that need a restart are named and wait; the others apply at once', async () => {
    const settings = new BenchSettings(memorySettings());
    await settings.apply({ network: { port: 9000 }, sessions: { ttl_seconds: 60 } });
    expect(settings.restartRequired).toEqual(['network.port']);
    expect([settings.current.network.port, settings.edited.network.port]).toEqual([8000, 9000]);
    expect(settings.current.sessions.ttl_seconds).toBe(60);
    await settings.apply({ network: { port: 8000 } });
    expect(settings.restartRequired).toEqual([]);
    for (const name of NEEDS_RESTART) {
      const [group = '', field = ''] = name.split('.');
      const groups: Readonly<Record<string, object>> = DEFAULT_SETTINGS;
      expect(groups[group]).toHaveProperty(field);
    }
  });
});

describe('GET and PUT /settings', () => {
  let bench: TestBench;
  beforeAll(async () => {
    bench = await TestBench.start();
  });
  afterAll(() => bench.stop());
  const put = (json: unknown) => bench.put<SettingsAnswer>('/settings', { json });

  test('fields that are absent keep their value', async () => {
    const { body } = await bench.get<SettingsAnswer>('/settings');
    expect(body).toEqual({
      settings: DEFAULT_SETTINGS,
      defaults: DEFAULT_SETTINGS,
      restart_required: [],
      notices: [],
    });
    const changed = await put({ limits: { requests_per_minute: 100 } });
    expect(changed.body.settings).toEqual({
      ...DEFAULT_SETTINGS,
      limits: { ...DEFAULT_SETTINGS.limits, requests_per_minute: 100 },
    });
    expect((await put({})).body).toEqual(changed.body);
  });

  test.each<[string, unknown, string[]]>([
    ['an unknown group', { nothing: {} }, ['body', 'nothing']],
    ['an unknown field', { limits: { words: 1 } }, ['body', 'limits', 'words']],
    ['a port of 65,536', { network: { port: 65_536 } }, ['body', 'network', 'port']],
    ['a port of -1', { network: { port: -1 } }, ['body', 'network', 'port']],
    ['lan as text', { network: { lan: 'true' } }, ['body', 'network', 'lan']],
    [
      'a host with a path',
      { network: { allowed_hosts: ['a/b'] } },
      ['body', 'network', 'allowed_hosts', '0'],
    ],
    ['a TTL of 9', { sessions: { ttl_seconds: 9 } }, ['body', 'sessions', 'ttl_seconds']],
    [
      'a TTL of a week and a second',
      { sessions: { ttl_seconds: 604_801 } },
      ['body', 'sessions', 'ttl_seconds'],
    ],
    ['uploads of 1023 bytes', { limits: { upload_bytes: 1023 } }, ['body', 'limits', 'upload_bytes']],
    [
      'uploads of 64 MiB and a byte',
      { limits: { upload_bytes: (64 << 20) + 1 } },
      ['body', 'limits', 'upload_bytes'],
    ],
    ['no words', { limits: { words_per_run: 0 } }, ['body', 'limits', 'words_per_run']],
    ['logs of 4095 bytes', { limits: { log_bytes: 4095 } }, ['body', 'limits', 'log_bytes']],
    ['nine jobs', { limits: { jobs_per_node: 9 } }, ['body', 'limits', 'jobs_per_node']],
    ['nine requests', { limits: { requests_per_minute: 9 } }, ['body', 'limits', 'requests_per_minute']],
    ['a field of nobody', { toolchain: { engine: 'native' } }, ['body', 'toolchain', 'engine']],
    ['no build slot', { toolchain: { build_slots: 0 } }, ['body', 'toolchain', 'build_slots']],
    ['65 build slots', { toolchain: { build_slots: 65 } }, ['body', 'toolchain', 'build_slots']],
    [
      'another provider',
      { auth: { identity_provider: { kind: 'ldap' } } },
      ['body', 'auth', 'identity_provider'],
    ],
    [
      'a provider without an issuer',
      { auth: { identity_provider: { kind: 'oidc', username_claim: 'sub', allowed_users: [] } } },
      ['body', 'auth', 'identity_provider', 'issuer'],
    ],
    [
      'an issuer that is no URL',
      {
        auth: {
          identity_provider: { kind: 'oidc', issuer: 'https://', username_claim: 'sub', allowed_users: [] },
        },
      },
      ['body', 'auth', 'identity_provider', 'issuer'],
    ],
    [
      'an issuer in the clear',
      {
        auth: {
          identity_provider: {
            kind: 'oidc',
            issuer: 'http://id.example',
            username_claim: 'sub',
            allowed_users: [],
          },
        },
      },
      ['body', 'auth', 'identity_provider'],
    ],
    [
      'an issuer with a password',
      {
        auth: {
          identity_provider: { kind: 'github', user_url: 'https://u:p@api.example/user', allowed_users: [] },
        },
      },
      ['body', 'auth', 'identity_provider'],
    ],
    ['keys of 0 days', { auth: { key_lifetime_days: 0 } }, ['body', 'auth', 'key_lifetime_days']],
    [
      'LAN and no enforcement in one',
      { network: { lan: true }, auth: { enforcement: false } },
      ['body', 'auth', 'enforcement'],
    ],
    ['a list', [], ['body']],
  ])('%s is refused and changes nothing', async (_name, json, loc) => {
    const before = (await bench.get<SettingsAnswer>('/settings')).body;
    const answer = await put(json);
    expect([answer.status, refusal(answer).error]).toEqual([422, 'validation_error']);
    expect(refusal(answer).errors?.[0]?.loc.map(String)).toEqual(loc);
    expect((await bench.get<SettingsAnswer>('/settings')).body).toEqual(before);
  });

  test('limits take effect: uploads at once, words at the next start', async () => {
    await put({ limits: { upload_bytes: 2048, words_per_run: 10 } });
    expect((await bench.submit(0, 'x'.repeat(2049))).status).toBe(413);
    expect((await bench.submit(0, 'x'.repeat(2048))).status).toBe(202);
    expect((await bench.get<SettingsAnswer>('/settings')).body.restart_required).toEqual([
      'limits.words_per_run',
    ]);
    await put({ sessions: { ttl_seconds: 77 } });
    expect((await bench.get<{ limits: object }>('/status')).body.limits).toMatchObject({
      upload_bytes: 2048,
      session_ttl_seconds: 77,
    });
    await bench.reserve(1);
    const expires = Date.parse((await bench.node(1)).session?.expires_at ?? '');
    expect(expires - Date.now()).toBeLessThan(78_000);

    await bench.bench.close();
    const again = await TestBench.start({ dataDir: bench.folder });
    await again.reserve(2);
    const over = await again.post('/fpga/2/run', { json: { op: 2, address: 0, count: 11 } });
    expect(refusal(over).errors?.[0]).toMatchObject({ loc: ['body', 'count'], msg: 'must be at most 10' });
    expect(
      (again.openapi.components.schemas['RunRequest'] as { properties: { data: { maxItems: number } } })
        .properties.data.maxItems,
    ).toBe(10);
    await again.bench.close();
    bench = await TestBench.start({ dataDir: bench.folder });
  });

  test('only the operator token may set a folder of programs', async () => {
    const answer = await put({ toolchain: { tool_folder: '/tmp' } });
    expect([answer.status, refusal(answer).error]).toEqual([403, 'operator_only']);
    const desktop = await TestBench.start({ operatorToken: 'token-of-this-start' });
    const headers = { 'x-operator-token': 'token-of-this-start' };
    const set = await desktop.put('/settings', {
      json: { toolchain: { tool_folder: '/opt/tools/bin' } },
      headers,
    });
    expect(set.status).toBe(200);
    await desktop.stop();
  });

  test('allowing VHDL without a sandbox requires the operator token, refusing it does not', async () => {
    expect((await bench.get<SettingsAnswer>('/settings')).body.settings.toolchain.vhdl_without_sandbox).toBe(
      false,
    );
    const answer = await put({ toolchain: { vhdl_without_sandbox: true } });
    expect([answer.status, refusal(answer).error]).toEqual([403, 'operator_only']);
    expect((await put({ toolchain: { vhdl_without_sandbox: false } })).status).toBe(200);
    const desktop = await TestBench.start({ operatorToken: 'token-of-this-start' });
    const set = await desktop.put<SettingsAnswer>('/settings', {
      json: { toolchain: { vhdl_without_sandbox: true } },
      headers: { 'x-operator-token': 'token-of-this-start' },
    });
    expect([set.status, set.body.restart_required]).toEqual([200, []]);
    await desktop.stop();
  });

  test('an unreadable settings.json is set aside and reported, and enforcement is on', async () => {
    await bench.bench.close();
    const file = path.join(bench.folder, 'settings.json');
    for (const damage of ['{"network": ', '17', '{"auth":{"enforcement":"yes"},"limits":{"log_bytes":-1}}']) {
      writeFileSync(file, damage);
      rmSync(path.join(bench.folder, 'settings.previous.json'), { force: true });
      bench = await TestBench.start({ dataDir: bench.folder });
      const { body } = await bench.get<SettingsAnswer & { notices: string[] }>('/settings');
      expect(body.settings.auth.enforcement).toBe(true);
      expect({ ...body.settings, auth: DEFAULT_SETTINGS.auth }).toEqual(DEFAULT_SETTINGS);
      expect(body.notices.join('\n')).toMatch(
        /settings\.json .*It was set aside as settings\.json\.damaged-/,
      );
      await bench.bench.close();
    }
    bench = await TestBench.start({ dataDir: bench.folder });
  });

  test('an unreadable record in keys.json leaves the others valid', async () => {
    await bench.bench.close();
    const record = (id: string, digest: string) => ({
      id,
      digest: digest.repeat(64),
      username: id,
      created_at: '2026-01-01T00:00:00.000Z',
      last_used_at: null,
      expires_at: null,
    });
    const text = JSON.stringify([
      record('one', 'a'),
      record('two', 'b'),
      { ...record('three', 'c'), digest: 3 },
    ]);
    const file = path.join(bench.folder, 'keys.json');
    for (const damage of [text, text.replace('"id":"two"', '"id":"two\u0007'), text.slice(0, -20)]) {
      writeFileSync(file, damage);
      bench = await TestBench.start({ dataDir: bench.folder });
      const { notices } = (await bench.get<SettingsAnswer & { notices: string[] }>('/settings')).body;
      expect(notices.join('\n')).toMatch(/keys\.json holds records that cannot be read/);
      const keys = (await bench.get<{ username: string }[]>('/auth/keys')).body;
      expect(JSON.stringify(keys)).toContain('"username":"one"');
      await bench.bench.close();
    }
    bench = await TestBench.start({ dataDir: bench.folder });
  });
});
