import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { distPath } from '../../../../server/paths.ts';

test('prepare compiles the embedded tools once for each computer and leaves no other files', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'wishbench-prepare-test-'));
  const cache = path.join(folder, 'cache');
  const environment = { ...process.env, WISHBENCH_CACHE: cache, TMPDIR: folder };
  const prepare = async () => {
    const command = [distPath('server', 'cli.js'), 'prepare'];
    return (await promisify(execFile)(process.execPath, command, { env: environment })).stdout;
  };
  const written = async () => {
    const names = (await readdir(cache)).sort();
    return await Promise.all(names.map(async (name) => [name, (await stat(path.join(cache, name))).mtimeMs]));
  };
  try {
    expect(await prepare()).toBe('The tools are compiled for this computer.\n');
    const first = await written();
    expect(first.map(([name]) => String(name).replace(/-[0-9a-f]{24}\.code$/, ''))).toEqual([
      'nextpnr-ice40',
      'yosys',
    ]);
    expect(await prepare()).toBe('The tools are compiled for this computer already.\n');
    expect(await written()).toEqual(first);
    expect(await readdir(folder)).toEqual(['cache']);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
