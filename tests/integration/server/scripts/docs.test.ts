import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkOf, parseAs } from '../../../../server/contract/check.ts';
import { Script, type ScriptReport } from '../../../../server/contract/jobs/scripts.ts';
import { appRoot } from '../../../../server/paths.ts';
import { scriptProblems } from '../../../../server/scripts/script-problems.ts';
import { TestBench } from '../../../support/api/test-bench.ts';

const page = readFileSync(path.join(appRoot, 'docs', 'scripts.md'), 'utf8');
const block = (language: string): string =>
  new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(page)?.[1] ?? expect.unreachable();

let bench: TestBench;
const folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-docs-'));
beforeAll(async () => {
  bench = await TestBench.start();
  await bench.reserve(3);
});
afterAll(async () => {
  await bench.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('the script of docs/scripts.md is valid, and passes on a memory', async () => {
  const script = parseAs(block('json'), checkOf(Script)) ?? expect.unreachable();
  expect(scriptProblems(script, [])).toEqual([]);
  const { body } = await bench.post<ScriptReport>('/fpga/3/script', { json: { script } });
  expect(body.steps.filter(({ ok }) => !ok)).toEqual([]);
  expect(body.passed).toBe(8);
});

/** Windows has no bash. */
const onUnix = test.skipIf(process.platform === 'win32');

onUnix('its commands run verbatim', async () => {
  const child = spawn('bash', ['-e', '-c', block('bash')], {
    cwd: folder,
    env: { ...process.env, WISHBENCH_URL: bench.url },
  });
  let out = '';
  child.stdout.on('data', (text) => {
    out += String(text);
  });
  const status = await new Promise((resolve) => child.on('close', resolve));
  expect([status, JSON.parse(out)]).toMatchObject([0, { passed: 2, failed: 0 }]);
  expect(readFileSync(path.join(folder, 'report.xml'), 'utf8')).toContain('tests="2" failures="0"');
});
