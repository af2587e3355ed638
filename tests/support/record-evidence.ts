import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import generate from '../../generate.ts';
import { appRoot } from '../../server/paths.ts';
import { RECORD } from './evidence-reporter.ts';

/** Test files that prove something of boards, of the ordinary test run. */
function provingFiles(): string[] {
  return readdirSync(path.join(appRoot, 'tests'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.test\.tsx?$/.test(file))
    .map((file) => path.join('tests', file))
    .filter((file) => /\bproves\(/.test(readFileSync(path.join(appRoot, file), 'utf8')));
}

/**
 * `node run.mjs script tests/support/record-evidence.ts [vitest arguments]`: runs the tests that prove something of
 * boards, writes down what they have proven, and brings docs/boards.md up to date.
 */
export default async function recordEvidence(args: string[]): Promise<number> {
  const vitest = path.join(appRoot, 'node_modules', 'vitest', 'vitest.mjs');
  const { status } = spawnSync(
    process.execPath,
    [vitest, 'run', ...(args.length > 0 ? args : provingFiles())],
    {
      cwd: appRoot,
      stdio: 'inherit',
      env: { ...process.env, [RECORD]: '1' },
    },
  );
  await generate(['capabilities']);
  return status ?? 1;
}
