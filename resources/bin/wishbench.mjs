#!/usr/bin/env node
// The command in a clone (`npx wishbench`, `npm link`): builds dist/ if it is missing, then runs it.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const cli = new URL('../../dist/server/cli.js', import.meta.url);
if (!existsSync(cli)) {
  const run = fileURLToPath(new URL('../../run.mjs', import.meta.url));
  const { status } = spawnSync(process.execPath, [run, 'build'], { stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
}
await import(cli);
