import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BenchFile } from '../../../../server/cli/bench-file.ts';
import type { KeyView, MintedKey } from '../../../../server/contract/identity/identity.ts';
import { hasScript, Terminal } from '../../../support/api/cli-terminal.ts';
import { OidcIssuer } from '../../../support/api/identity-providers.ts';
import { runCli } from '../../../support/api/run-cli.ts';
import { TestBench } from '../../../support/api/test-bench.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

/** The real command, a real identity provider, a real pseudo terminal. */

const folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-login-'));
const environment = {
  XDG_CONFIG_HOME: folder,
  APPDATA: folder,
  WISHBENCH_URL: '',
  WISHBENCH_KEY: '',
  WISHBENCH_OPERATOR_TOKEN: 'the token of this operator',
};
const stored = (): BenchFile =>
  JSON.parse(readFileSync(path.join(folder, 'wishbench', 'benches.json'), 'utf8')) as BenchFile;
const cli = (args: string[], input = '') => runCli(args, environment, input);
const operator = { headers: { 'x-operator-token': 'the token of this operator' } };

let issuer: OidcIssuer;
let bench: TestBench;
beforeAll(async () => {
  issuer = await OidcIssuer.start();
  const identity_provider = {
    kind: 'oidc' as const,
    issuer: issuer.url,
    username_claim: 'preferred_username',
    allowed_users: [],
  };
  bench = await TestBench.start({
    operatorToken: 'the token of this operator',
    settings: { auth: { enforcement: true, identity_provider } },
  });
});
afterAll(async () => {
  await bench.stop();
  await issuer.stop();
  rmSync(folder, { recursive: true, force: true });
});

const statusOf = async (key: string | undefined) =>
  (await bench.get('/fpga', { headers: { 'x-api-key': key ?? '' } })).status;

describe('login --exchange', () => {
  test('stores the key exchanged for a provider’s token; logout revokes it', async () => {
    const token = await issuer.token('alice');
    const login = await cli(['login', bench.url, '--bench', 'lab', '--exchange', '--json'], `${token}\n`);
    expect([login.code, login.stderr]).toEqual([0, '']);
    expect(JSON.parse(login.stdout)).toEqual({ bench: 'lab', url: bench.url, owner: 'alice@lab', key: true });
    const { key } = stored().benches['lab'] ?? {};
    expect(key).toMatch(/^wbk_/);
    expect(await statusOf(key)).toBe(200);
    // The key of the file is who calls from now on.
    const nodes = await cli(['nodes', '--json']);
    expect([nodes.code, JSON.parse(nodes.stdout).length]).toEqual([0, 10]);

    const logout = await cli(['logout', '--json']);
    expect([logout.code, JSON.parse(logout.stdout)]).toEqual([0, { bench: 'lab', revoked: true }]);
    expect(await statusOf(key)).toBe(401);
    expect(stored()).toEqual({ default: 'lab', benches: { lab: { url: bench.url } } });
    expect((await cli(['logout'])).code).toBe(1);

    // Without a key the command sends the login name, which is no typing mistake.
    const keyless = await cli(['nodes']);
    expect([keyless.code, keyless.stderr]).toEqual([
      1,
      expect.stringMatching(/requires an API key\..*“wishbench login”/),
    ]);
    expect((await cli(['nodes', '--key', 'wbk_unknown'])).stderr).toContain('is unknown');
  });

  test('a token unknown to the provider stores nothing', async () => {
    const before = stored();
    const login = await cli(['login', bench.url, '--exchange'], 'not a token\n');
    expect([login.code, login.stdout]).toEqual([1, '']);
    expect(login.stderr).toContain('token');
    expect(stored()).toEqual(before);
  });

  test('an own key is removed without revoking it; --forget leaves a minted one valid', async () => {
    const { body } = await bench.post<MintedKey>('/auth/keys', { json: { owner: 'own' }, ...operator });
    expect((await cli(['login', bench.url, '--bench', 'own'], `${body.api_key}\n`)).code).toBe(0);
    expect(JSON.parse((await cli(['logout', '--bench', 'own', '--json'])).stdout).revoked).toBe(false);
    expect(await statusOf(body.api_key)).toBe(200);

    const token = await issuer.token('bob');
    expect((await cli(['login', bench.url, '--bench', 'bob', '--exchange'], token)).code).toBe(0);
    const { key } = stored().benches['bob'] ?? {};
    expect((await cli(['logout', '--bench', 'bob', '--forget'])).code).toBe(0);
    expect(await statusOf(key)).toBe(200);
  });

  test('the link of an invitation signs in, once', async () => {
    const made = await cli(['invite', 'course-3', '--label', 'desk 4', '--url', bench.url]);
    const link = made.stdout.trim();
    expect([made.code, link]).toEqual([0, expect.stringMatching(/^http.*\/#\/join\/wbi_/)]);
    const login = await cli(['login', link, '--bench', 'desk', '--json']);
    expect([login.code, JSON.parse(login.stdout)]).toMatchObject([0, { bench: 'desk', owner: 'course-3' }]);
    const again = await cli(['login', link, '--bench', 'desk']);
    expect(again.code).toBe(1);
    expect(JSON.parse((await cli(['logout', '--bench', 'desk', '--json'])).stdout).revoked).toBe(true);
  });

  test('an invitation is not used up if the key cannot be stored', async () => {
    const link = (await cli(['invite', 'course-9', '--url', bench.url])).stdout.trim();
    const file = path.join(temporaryFolder('login'), 'a-file');
    writeFileSync(file, '');
    const places = { XDG_CONFIG_HOME: file, APPDATA: file };
    const failed = await runCli(['login', link, '--bench', 'desk-9'], { ...environment, ...places });
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining(file)]);
    expect(failed.stderr).not.toMatch(/\n\s+at /);
    expect((await cli(['login', link, '--bench', 'desk-9', '--json'])).code).toBe(0);
  });
});

describe('keys', () => {
  const at = (...args: string[]) => cli([...args, '--url', bench.url, '--json']);

  test('mint, list and revoke work, and subcommands keep their own options', async () => {
    const minted = await at('keys', 'mint', 'ci', '--label', 'nightly', '--expires-in', '3600');
    const made = JSON.parse(minted.stdout) as MintedKey;
    expect(made).toMatchObject({ owner: 'ci', key: { label: 'nightly', operator: false } });
    expect(await statusOf(made.api_key)).toBe(200);
    const list = JSON.parse((await at('keys')).stdout) as KeyView[];
    expect(list.find(({ id }) => id === made.key.id)).toMatchObject({ username: 'ci', label: 'nightly' });
    expect(JSON.stringify(list)).not.toContain(made.api_key);
    const revoked = await at('keys', 'revoke', made.key.id);
    expect([revoked.code, JSON.parse(revoked.stdout)]).toEqual([0, { id: made.key.id, revoked: true }]);
    expect(await statusOf(made.api_key)).toBe(401);

    const lead = JSON.parse((await at('keys', 'mint', 'lead', '--operator')).stdout) as MintedKey;
    expect(lead.key.operator).toBe(true);
    const plain = await cli(['keys', 'mint', 'plain', '--url', bench.url]);
    expect(plain.stdout).toMatch(/^wbk_\S+\n$/);
  });

  test('invitations are listed and withdrawn', async () => {
    const { invite, url } = JSON.parse((await at('invite', 'course-4')).stdout);
    const open = JSON.parse((await at('invites')).stdout) as { id: string }[];
    expect(open.map(({ id }) => id)).toContain(invite.id);
    expect((await at('invites', 'withdraw', invite.id)).code).toBe(0);
    expect((await cli(['login', url])).code).toBe(1);
  });

  test('require the operator’s right', async () => {
    const { body } = await bench.post<MintedKey>('/auth/keys', { json: { owner: 'student' }, ...operator });
    const args = ['keys', '--url', bench.url, '--key', body.api_key, '--json'];
    const { code, stderr } = await runCli(args, { ...environment, WISHBENCH_OPERATOR_TOKEN: '' });
    expect([code, JSON.parse(stderr).detail.error]).toEqual([1, 'operator_only']);
  });
});

describe.runIf(hasScript)('on a terminal', () => {
  test('the key prompt never echoes the key and supports backspace', async () => {
    const { body } = await bench.post<MintedKey>('/auth/keys', { json: { owner: 'typist' }, ...operator });
    const terminal = new Terminal(environment, ['login', bench.url, '--bench', 'typed']);
    await terminal.asked('API key: ');
    terminal.type(`${body.api_key}xy\u007f\b\r`);
    expect([await terminal.ended, terminal.screen]).toEqual([
      0,
      expect.stringContaining(`Signed in at ${bench.url} as typist.`),
    ]);
    expect(terminal.screen).not.toContain(body.api_key.slice(4, 12));
    expect(stored().benches['typed']?.key).toBe(body.api_key);
  });

  test('Ctrl-C stores nothing', async () => {
    const before = stored();
    const terminal = new Terminal(environment, ['login', bench.url, '--bench', 'never', '--exchange']);
    await terminal.asked('Token of the identity provider: ');
    terminal.type('half a tok\u0003');
    expect(await terminal.ended).toBe(1);
    expect(terminal.screen).toContain('Nothing was stored.');
    expect(terminal.screen).not.toContain('half');
    expect(stored()).toEqual(before);
  });
});
