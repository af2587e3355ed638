import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RecentLines } from '../../../../server/log.ts';
import { runCli } from '../../../support/api/run-cli.ts';
import { SOURCE, TestBench } from '../../../support/api/test-bench.ts';

const TOKEN = 'the-operator-token';
let bench: TestBench;
let folder: string;

beforeAll(async () => {
  const recent = new RecentLines();
  recent.add(JSON.stringify({ level: 30, msg: 'request', owner: 'ada', path: '/fpga' }));
  recent.add('no JSON');
  folder = await mkdtemp(path.join(os.tmpdir(), 'wishbench-report-'));
  bench = await TestBench.start({ operatorToken: TOKEN, recent });
  const { body } = await bench.submit(2, `${SOURCE} // fail-synthesis`, {}, { 'x-api-key': 'ada' });
  await bench.ended(2, body.job_id);
});
afterAll(async () => {
  await bench.stop();
  await rm(folder, { recursive: true, force: true });
});

test('wishbench support writes what helps, and leaves secrets and people out', async () => {
  const file = path.join(folder, 'report.zip');
  const done = await runCli(['support', file, '--url', bench.url, '--key', 'ada'], {
    WISHBENCH_OPERATOR_TOKEN: TOKEN,
  });
  expect(done).toMatchObject({ code: 0, stdout: `${file}\n` });
  expect(done.stderr).toMatch(/Read its job-logs/);
  const parts = Object.fromEntries(
    Object.entries(unzipSync(readFileSync(file))).map(([name, bytes]) => [name, strFromU8(bytes)]),
  );
  const names = Object.keys(parts);
  for (const name of ['status', 'settings', 'notices', 'nodes', 'boards', 'doctor', 'jobs', 'audit'])
    expect(names).toContain(`${name}.json`);
  expect(parts['facts.txt']).toMatch(/^Wishbench \d+\.\d+\.\d+, /);
  const [line, broken] = parts['log.jsonl']?.split('\n') ?? [];
  expect(JSON.parse(line ?? '')).toEqual({ level: 30, msg: 'request', owner: '(left out)', path: '/fpga' });
  expect(broken).toMatch(/left out/);
  expect(names.filter((name) => name.startsWith('job-logs/')).length).toBe(1);
  const all = Object.entries(parts)
    .filter(([name]) => !name.startsWith('job-logs/'))
    .map(([, text]) => text)
    .join('');
  expect(all).not.toContain(TOKEN);
  // As a word: digests have such letters, too.
  expect(all).not.toMatch(/\bada\b/);
  if (os.homedir().length > 1) expect(all).not.toContain(os.homedir());
});

test('only the operator may create it, and an unwritable file is reported', async () => {
  expect((await bench.post('/report')).status).toBe(403);
  const refused = await runCli(['support', '--url', bench.url], {});
  expect(refused.code).toBe(1);
  const nowhere = await runCli(['support', path.join(folder, 'no', 'where.zip'), '--url', bench.url], {
    WISHBENCH_OPERATOR_TOKEN: TOKEN,
  });
  expect(nowhere).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/cannot be written: no such file/),
  });
});
