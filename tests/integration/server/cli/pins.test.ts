import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PinList } from '../../../../server/contract/nodes/pins.ts';
import { resourcePath } from '../../../../server/paths.ts';
import { CliProcess } from '../../../support/api/cli-process.ts';
import { runCli } from '../../../support/api/run-cli.ts';
import { ServiceInProcess } from '../../../support/api/service-in-process.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

let service: ServiceInProcess | undefined;
let environment: Record<string, string> = {};
const cli = (...args: string[]) => runCli(args, environment);

beforeAll(async () => {
  service = await ServiceInProcess.start(['panel.v']);
  environment = { WISHBENCH_URL: service.url, WISHBENCH_API_KEY: 'lab-1' };
  const submitted = await cli('submit', '3', resourcePath('examples', 'panel.v'), '--wait');
  expect(submitted.code, submitted.stderr).toBe(0);
});
afterAll(() => service?.close());

test('pins are listed, set atomically and watched as they change', async () => {
  const shown = await cli('pins', '3');
  expect([shown.code, shown.stdout]).toEqual([
    0,
    expect.stringMatching(/^sw\[15:0\] +input +0x0000.*\nbutton_n +input +1.*\nled\[15:0\] +output +0x0000/),
  ]);
  const set = await cli('pins', '3', 'sw=0x1_2', 'button_n=0', '--json');
  expect(set.code, set.stderr).toBe(0);
  const list = JSON.parse(set.stdout) as PinList;
  expect(list.pins.map(({ name, value }) => [name, value])).toEqual([
    ['sw', 0x12],
    ['button_n', 0],
    ['led', 0x12],
    ['pressed', 0],
  ]);
  const some = JSON.parse((await cli('pins', '3', 'sw=0xFF00&0x8002', '--json')).stdout) as PinList;
  expect(some.pins[0]?.value).toBe(0x8010);
  await cli('pins', '3', 'sw=0x12');
  for (const [words, code, says] of [
    [['sw=1', 'nobody=1'], 1, 'nobody'],
    [['led=1'], 1, 'output'],
    [['sw=0x10000'], 1, '16 bits'],
    [['sw'], 2, 'NAME=VALUE'],
    [['sw=many'], 2, 'NAME=VALUE'],
    [['sw=1&many'], 2, 'NAME=VALUE&MASK'],
    [['sw=1&1&1'], 2, 'NAME=VALUE&MASK'],
    [['sw=1&0x10000'], 1, '16 bits'],
  ] as const) {
    const refused = await cli('pins', '3', ...words);
    expect([refused.code, refused.stderr]).toEqual([code, expect.stringContaining(says)]);
  }
  const idle = await cli('pins', '4');
  expect([idle.code, idle.stderr]).toEqual([1, expect.stringContaining('reserved')]);

  const watcher = new CliProcess(['pins', '3', '--watch'], environment);
  await expect.poll(() => watcher.stdout).toContain('sw=0x0012');
  await cli('pins', '3', 'sw=0x55');
  await expect.poll(() => watcher.stdout).toMatch(/led=0x0055 rose 0x0045 fell 0x0002/);
  await watcher.end();
});

test('a map field is polled by name until it has a named value', async () => {
  const map = path.join(temporaryFolder('pins'), 'map.csv');
  writeFileSync(
    map,
    'register,address,access,field,bits,values\nMODE,0x0,rw,,,\nMODE,,,SHOWS,1:0,0=switches|1=count|2=pattern\n',
  );
  expect((await cli('map', 'import', '3', map)).code).toBe(0);
  const waits = cli('poll', '3', 'MODE.SHOWS', '--until', 'pattern', '--timeout', '60');
  expect((await cli('write', '3', 'MODE.SHOWS=pattern')).code).toBe(0);
  const seen = await waits;
  expect([seen.code, seen.stdout]).toEqual([0, expect.stringMatching(/00000002 pattern\n$/)]);
  const unknown = await cli('poll', '3', 'MODE.NO', '--until', '1');
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('no field NO')]);
});
