// `npm run check [-- rule…]`: runs the tools that check the sources, one after the other. A rule is an entry of RULES.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(fileURLToPath(import.meta.url));

/** The rules by name: the arguments of Node, and how to mend findings. */
export const RULES = {
  format: {
    run: ['node_modules/@biomejs/biome/bin/biome', 'check', '.'],
    mend: '`npm run format` mends what can be mended without a person.',
  },
  types: { run: ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'] },
  'types-renderer': { run: ['node_modules/typescript/bin/tsc', '-p', 'renderer/tsconfig.json'] },
  layers: {
    run: [
      'node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
      '--config',
      '.dependency-cruiser.mjs',
      ...['server', 'main', 'preload', 'renderer'],
    ],
  },
  unused: { run: ['node_modules/knip/bin/knip.js', '--no-progress'] },
  names: { run: ['.ci/names.mjs'], mend: 'docs/glossary.md has the words.' },
  commits: { run: ['.ci/commits.mjs'], mend: '`git commit --amend` or `git rebase -i` mends a subject.' },
  generated: {
    run: ['run.mjs', 'generate', '--check'],
    mend: '`npm run generate` writes everything that is generated; commit what it writes.',
  },
};

/** Runs every rule, even after a failure; prints a line for each, and the output of those that fail. */
export function check(rules, print) {
  const failed = [];
  for (const [name, { run, mend }] of Object.entries(rules)) {
    const started = performance.now();
    const { status, stdout, stderr, error } = spawnSync(process.execPath, run, {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 64 << 20,
    });
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    if (status === 0) {
      print(`${name}: holds (${seconds} s)\n`);
      continue;
    }
    failed.push(name);
    print(`${name}: FAILED (node ${run.join(' ')})\n${error ? `${error.message}\n` : ''}${stdout}${stderr}`);
    if (mend) print(`${mend}\n`);
  }
  print(failed.length === 0 ? '\nEvery rule holds.\n' : `\nFailed: ${failed.join(', ')}.\n`);
  return failed.length === 0 ? 0 : 1;
}
