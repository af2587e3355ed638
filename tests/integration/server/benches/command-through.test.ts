import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { runCli } from '../../../support/api/run-cli.ts';
import { know, listen, OFTEN, start, state, stopAll } from '../../../support/benches/several.ts';

afterEach(stopAll);

/** Two benches with a key of ada at each, the second known to the first, and a server that records its headers. */
async function behindOneAnother() {
  const [a, b] = [await start(), await start()];
  const mint = async (bench: typeof a, owner: string) =>
    (await bench.post<{ api_key: string }>('/auth/keys', { json: { owner } })).body.api_key;
  const [keyA, keyB] = [await mint(a, 'ada'), await mint(b, 'ada-there')];
  // Records the headers that the first bench sends to the second.
  const own = await b.client().getOwnBench();
  const heard: Record<string, string | string[] | undefined>[] = [];
  const spy = await listen((request, response) => {
    if (request.url === '/benches/own') return void response.end(JSON.stringify(own));
    heard.push(request.headers);
    response.setHeader('content-type', 'application/json').end('[]');
  });
  await know(a, [
    { name: 'b', address: b.url },
    { name: 'spy', address: spy },
  ]);
  await expect.poll(state(a, 'b'), OFTEN).toBe('live');
  await expect.poll(state(a, 'spy'), OFTEN).toBe('live');
  const enforce = async () => {
    await Promise.all([a, b].map((bench) => bench.bench.settings.apply({ auth: { enforcement: true } })));
  };
  return { a, b, keyA, keyB, heard, enforce };
}

test('a command through a bench authenticates at both and leaks neither key', async () => {
  const { a, keyA, keyB, heard, enforce } = await behindOneAnother();
  const folder = await mkdtemp(path.join(os.tmpdir(), 'wishbench-through-'));
  const cli = (args: string[], environment: Record<string, string> = {}) =>
    runCli(args, { XDG_CONFIG_HOME: folder, APPDATA: folder, ...environment });
  const through = (name: string) => ['--url', `${a.url}/benches/${name}`];
  try {
    await enforce();
    const listed = await cli(['nodes', ...through('b'), '--key', keyA, '--bench-key', keyB]);
    expect([listed.code, listed.stderr, listed.stdout.split('\n').length]).toEqual([0, '', 11]);
    const fromEnvironment = await cli(['nodes', ...through('b'), '--key', keyA], {
      WISHBENCH_BENCH_KEY: keyB,
    });
    expect(fromEnvironment.code).toBe(0);
    // Each key is valid at its own bench only, and the refusal names the option for each.
    for (const keys of [
      ['--key', keyA],
      ['--key', keyB, '--bench-key', keyB],
    ]) {
      const refused = await cli(['nodes', ...through('b'), ...keys]);
      expect([refused.code === 0, refused.stderr]).toEqual([false, expect.stringContaining('--bench-key')]);
      expect(refused.stderr).not.toContain('wbk_');
    }

    const sent = async (...args: string[]) => {
      const { stderr } = await cli(['nodes', ...through('spy'), ...args]);
      expect(stderr).toBe('');
      return heard.pop();
    };
    expect(JSON.stringify(await sent('--key', keyA))).not.toContain('wbk_');
    expect(await sent('--key', keyA, '--bench-key', 'grace')).toMatchObject({ 'x-api-key': 'grace' });
    await a.bench.settings.apply({ auth: { enforcement: false } });
    const session = '11111111-2222-4333-8444-555555555555';
    expect(await sent('--key', 'ada', '--session', session)).toMatchObject({
      'x-api-key': 'ada',
      'x-session-id': session,
    });
    expect((await sent())?.['x-api-key']).toBe(os.userInfo().username);

    // The stored key of the first bench goes to the first bench only.
    const login = await cli(['login', a.url, '--key', keyA]);
    expect([login.code, login.stderr]).toEqual([0, expect.stringContaining('as ada')]);
    await a.bench.settings.apply({ auth: { enforcement: true } });
    expect(JSON.stringify(await sent())).not.toContain('wbk_');

    // A request that creates a key goes through no other bench.
    for (const more of [[`${a.url}/benches/b/#/join/wbi_x`], [`${a.url}/benches/b`, '--exchange']]) {
      const astray = await cli(['login', ...more]);
      expect([astray.code, astray.stderr]).toEqual([2, expect.stringContaining('Sign in at')]);
    }
    const pointless = await cli(['nodes', '--url', a.url, '--bench-key', keyB]);
    expect([pointless.code, pointless.stderr]).toEqual([
      2,
      expect.stringContaining('--bench-key needs an address such as'),
    ]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('a named bench behind another one has its own key, which is sent only to it', async () => {
  const { a, b, keyA, keyB, heard, enforce } = await behindOneAnother();
  await enforce();
  const folder = await mkdtemp(path.join(os.tmpdir(), 'wishbench-behind-'));
  const file = path.join(folder, 'wishbench', 'benches.json');
  const kept = async () => JSON.parse(await readFile(file, 'utf8'));
  const cli = (args: string[], input = '', more: Record<string, string> = {}) =>
    runCli(
      args,
      { XDG_CONFIG_HOME: folder, APPDATA: folder, WISHBENCH_KEY: '', WISHBENCH_BENCH_KEY: '', ...more },
      input,
    );
  try {
    expect((await cli(['login', a.url, '--bench', 'a'], keyA)).code).toBe(0);
    // The key of a is not one of b: nothing is stored, and the refusal names the bench of each key.
    const wrong = await cli(['login', `${a.url}/benches/b`], keyA);
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('--bench-key')]);
    const login = await cli(['login', `${a.url}/benches/b`, '--json'], keyB);
    expect([login.code, login.stderr]).toEqual([0, '']);
    expect(JSON.parse(login.stdout)).toMatchObject({ bench: 'b', owner: 'ada-there', key: true });
    expect((await kept()).benches).toEqual({
      a: { url: a.url, key: keyA },
      b: { url: `${a.url}/benches/b`, bench_key: keyB },
    });
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600);

    for (const args of [
      ['--bench', 'b'],
      ['--url', `${a.url}/benches/b`],
    ]) {
      const listed = await cli(['nodes', '--json', ...args]);
      expect([listed.code, listed.stderr, JSON.parse(listed.stdout).length]).toEqual([0, '', 10]);
    }
    // The stored key of the named bench comes before the environment's key for another one.
    expect((await cli(['nodes', '--bench', 'b'], '', { WISHBENCH_BENCH_KEY: 'wbk_of-another' })).code).toBe(
      0,
    );
    expect((await cli(['nodes', '--url', `${a.url}/benches/spy`])).code).toBe(0);
    expect([heard.length, JSON.stringify(heard)]).toEqual([1, expect.not.stringContaining('wbk_')]);
    const list = await cli(['benches', '--json']);
    expect([JSON.parse(list.stdout), list.stdout]).toMatchObject([
      [
        { key: true, bench_key: false },
        { name: 'b', key: false, bench_key: true },
      ],
      expect.not.stringContaining('wbk_'),
    ]);

    expect((await cli(['logout', '--bench', 'b'])).code).toBe(0);
    expect((await kept()).benches.b).toEqual({ url: `${a.url}/benches/b` });
    expect((await b.get('/fpga', { headers: { 'x-api-key': keyB } })).status).toBe(200);
    expect((await cli(['nodes', '--bench', 'b'])).code).toBe(1);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
