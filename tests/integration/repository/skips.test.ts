import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { appRoot } from '../../../server/paths.ts';
import { type AllowedSkip, allowedSkips, judgeSkips, type Outcome } from '../../support/skips.ts';

const line: AllowedSkip = { file: 'tests/a.test.ts', test: 'a board > is found', reason: '', runs: '' };
const outcome = (name: string, skipped: boolean, file = line.file): Outcome => ({ file, name, skipped });

describe('skipped tests are judged', () => {
  test('one on the list may be skipped, and may run', () => {
    expect(judgeSkips([outcome('a board > is found', true)], [line])).toEqual([]);
    expect(judgeSkips([outcome('a board > is found', false)], [line])).toEqual([]);
  });

  test('one missing from the list may not be skipped, nor its namesake in another file or group', () => {
    const found = outcome('a board > is found', false);
    const others = [
      outcome('a board > is found again', true),
      outcome('a board', true),
      outcome('a board > is found', true, 'tests/b.test.ts'),
    ];
    expect(judgeSkips([found, ...others], [line])).toEqual([
      'Skipped without being on the list in tests/skips.json: tests/a.test.ts > a board > is found again',
      'Skipped without being on the list in tests/skips.json: tests/a.test.ts > a board',
      'Skipped without being on the list in tests/skips.json: tests/b.test.ts > a board > is found',
    ]);
  });

  test('an entry that ends with * matches any ending', () => {
    const all = { ...line, test: 'a board > *' };
    expect(judgeSkips([outcome('a board > x', true), outcome('a board > y', true)], [all])).toEqual([]);
    expect(judgeSkips([outcome('a board > x', true), outcome('a boarder > y', true)], [all])).toHaveLength(1);
  });

  test('an entry without a matching test is reported, if its file ran', () => {
    expect(judgeSkips([outcome('a board > is lost', false)], [line])).toEqual([
      'On the list in tests/skips.json, but there is no such test: tests/a.test.ts > a board > is found',
    ]);
    expect(judgeSkips([outcome('x', false, 'tests/b.test.ts')], [line])).toEqual([]);
  });
});

test('the list is short, and every entry has reasons and an existing file', () => {
  const list = allowedSkips();
  expect(list.length).toBeLessThanOrEqual(13);
  for (const { file, test: name, reason, runs } of list) {
    expect(existsSync(path.join(appRoot, file)), file).toBe(true);
    expect(name).not.toBe('');
    for (const sentence of [reason, runs]) expect(sentence).toMatch(/^[A-Z].{20,}\.$/);
  }
});

describe.runIf(process.platform === 'linux')('a run of the tests', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-skips-'));
  beforeAll(() => {
    mkdirSync(path.join(folder, 'tests'));
    symlinkSync(path.join(appRoot, 'node_modules'), path.join(folder, 'node_modules'), 'junction');
    writeFileSync(
      path.join(folder, 'tests/some.test.js'),
      `import { test } from 'vitest';
       test('one that runs', () => {});
       test.skip('one that does not', () => {});`,
    );
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const run = (env: Record<string, string>, ...args: string[]) => {
    const reporter = path.join(appRoot, 'tests/support/summary-reporter.ts');
    const { status, stdout } = spawnSync(
      process.execPath,
      [
        path.join(appRoot, 'node_modules/vitest/vitest.mjs'),
        'run',
        '--root',
        folder,
        `--reporter=${reporter}`,
        ...args,
      ],
      { cwd: folder, encoding: 'utf8', env: { ...process.env, CI: '', ...env } },
    );
    return { status, lines: stdout.trimEnd().split('\n') };
  };

  test('fails in CI on an unlisted skip, names the failures and ends with the counts', () => {
    writeFileSync(
      path.join(folder, 'tests/failing.test.js'),
      `import { expect, test } from 'vitest';
       test('one that fails', () => expect(1).toBe(0));`,
    );
    const { status, lines } = run({ CI: 'true' });
    rmSync(path.join(folder, 'tests/failing.test.js'));
    expect(lines).toContain('failed: tests/failing.test.js > one that fails');
    expect(lines).toContain(
      'Skipped without being on the list in tests/skips.json: tests/some.test.js > one that does not',
    );
    expect(lines.at(-1)).toBe('1 passed, 2 failed, 1 skipped');
    expect(status).toBe(1);
  });

  test('passes outside CI, and where tests are selected by name', () => {
    for (const { status, lines } of [run({}), run({ CI: 'true' }, '-t', 'one that runs')]) {
      expect(lines.at(-1)).toBe('1 passed, 0 failed, 1 skipped');
      expect(status).toBe(0);
    }
  });
});
