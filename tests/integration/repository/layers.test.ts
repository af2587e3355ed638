import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { appRoot, distPath } from '../../../server/paths.ts';

/** Findings of dependency-cruiser in a tree: the names of the broken rules. */
async function brokenRules(root: string): Promise<string[]> {
  const program = path.join(appRoot, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const config = path.join(appRoot, '.dependency-cruiser.mjs');
  const args = [
    program,
    '--config',
    config,
    '--output-type',
    'json',
    'server',
    'main',
    'preload',
    'renderer',
  ];
  const run = promisify(execFile)(process.execPath, args, { cwd: root, maxBuffer: 64 << 20 });
  // It exits with the number of findings.
  const { stdout } = await run.catch((error: { stdout: string }) => error);
  const { summary } = JSON.parse(stdout) as { summary: { violations: { rule: { name: string } }[] } };
  return [...new Set(summary.violations.map(({ rule }) => rule.name))].sort();
}

const broken = mkdtempSync(path.join(os.tmpdir(), 'wishbench-layers-'));
afterAll(() => rmSync(broken, { recursive: true, force: true }));

// `npm run check -- layers` holds this tree to them.
test('the rules can be broken: by a value, by a type, in a page', async () => {
  const files: Record<string, string> = {
    'server/jobs/node.ts': 'export const node = 1;\nexport type Node = number;\n',
    'server/wishbone/link.ts': "import type { Node } from '../jobs/node.ts';\nexport const link: Node = 1;\n",
    'server/contract/some.ts': "import { node } from '../jobs/node.ts';\nexport const jobs = node;\n",
    'server/store/a.ts': "import { b } from './b.ts';\nexport const a = () => b;\n",
    'server/store/b.ts': "import type { a } from './a.ts';\nexport const b = (x: typeof a) => x;\n",
    'server/boards/b.ts': "import { window } from '../../main/window.ts';\nexport const board = window;\n",
    'main/window.ts': 'export const window = 1;\n',
    'preload/index.ts': "import { node } from '../server/jobs/node.ts';\nexport default node;\n",
    'renderer/src/state/s.ts': "import { Page } from '../screens/Page.tsx';\nexport const state = Page;\n",
    'renderer/src/screens/Page.tsx':
      "import { window } from '../../../main/window.ts';\nexport const Page = () => <p key={window}>page</p>;\n",
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(broken, name)), { recursive: true });
    writeFileSync(path.join(broken, name), text);
  }
  expect(await brokenRules(broken)).toEqual([
    'contract-alone',
    'leaf-contract',
    'no-circle',
    'preload-by-contract',
    'renderer-by-contract',
    'renderer-state',
    'server-alone',
    'server-wishbone',
  ]);
});

test('the page bundles the contract’s client and none of its schemas', () => {
  const bundled = JSON.parse(readFileSync(distPath('bundled-packages.json'), 'utf8')) as Record<
    string,
    string[]
  >;
  const packages = JSON.stringify([bundled['dist/renderer'], bundled['dist/client']]);
  expect(packages).toContain('eventsource-parser');
  expect(packages).not.toContain('typebox');
});
