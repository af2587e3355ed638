import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { commandOf } from '../../../main/command-line.ts';
import { appRoot } from '../../../server/paths.ts';

test('distinguishes a command from a link, a window option and a clone’s folder', () => {
  expect(commandOf(['/opt/Wishbench/wishbench', 'nodes', '--json'], true)).toEqual(['nodes', '--json']);
  expect(commandOf(['electron', '/home/ada/wishbench', 'check-board', '2'], false)).toEqual([
    'check-board',
    '2',
  ]);
  for (const args of [[], ['wishbench://node/3'], ['--no-sandbox'], ['/a/file.v']]) {
    expect(commandOf(['/opt/Wishbench/wishbench', ...args], true)).toBeNull();
    expect(commandOf(['electron', '.', ...args], false)).toBeNull();
  }
});

test('the application that is started with a command is the command line, and opens no window', () => {
  const standin = path.join(appRoot, 'tests', 'support', 'main', 'standin', 'run.mjs');
  const args = [standin, appRoot, 'nodes', '--url', 'http://127.0.0.1:9'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stderr).toMatch(/^No service answers at http:\/\/127\.0\.0\.1:9/m);
  expect([status, stdout]).toEqual([3, '']);
});
