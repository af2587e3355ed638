import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { resourcePath } from '../../../../../server/paths.ts';
import { WorkerProcess } from '../../../../support/farm.ts';
import { withRedis } from '../../../../support/farm-tests.ts';
import { noRedis } from '../../../../support/redis.ts';
import { temporaryFolder } from '../../../../support/temporary.ts';

const recipe = (name: string) => readFileSync(resourcePath('linux', name), 'utf8');

/** The one match of an expression that has a group. */
function only(text: string, expression: RegExp): string {
  const found = [...text.matchAll(expression)];
  expect(found).toHaveLength(1);
  return found[0]?.[1] ?? '';
}

/** What systemd starts: the program with its arguments, and the variables of the unit. */
function unit(): { command: string[]; environment: Record<string, string> } {
  const text = recipe('wishbench-worker.service');
  const variables = [...text.matchAll(/^Environment=(.+)$/gm)].flatMap(([, line = '']) => line.split(' '));
  return {
    command: only(text, /^ExecStart=(.+)$/gm).split(' '),
    environment: Object.fromEntries(variables.map((one) => one.split('=', 2))),
  };
}

/** The container's command. */
function container(): { command: string[]; environment: Record<string, string> } {
  const text = recipe('Dockerfile');
  const [name = '', value = ''] = only(text, /^ENV (.+)$/gm).split('=', 2);
  return {
    command: JSON.parse(only(text, /^ENTRYPOINT (.+)$/gm)) as string[],
    environment: { [name]: value },
  };
}

describe.skipIf(noRedis !== null)('recipes for workers', () => {
  const farm = withRedis();
  const folder = temporaryFolder('recipes');

  test.each([
    ['systemd', unit, '/var/cache/wishbench-worker'],
    ['a container', container, '/data'],
  ])('%s starts a worker that becomes ready and ends with SIGTERM', async (name, read, data) => {
    const { command, environment } = read();
    const [node, program, kind, ...args] = command;
    expect(path.basename(node ?? '')).toBe('node');
    expect(program).toMatch(/(?:^|\/)dist\/server\/cli\.js$/);
    expect(kind).toBe('worker');
    expect(args).toContain(data);
    // Both keep compiled code below the folder that they own.
    expect(environment['WISHBENCH_CACHE']).toBe(`${data}/tools`);
    const own = path.join(folder, name);
    const here = (text: string) => text.replace(data, own);
    const variables = Object.entries(environment).map(([key, value]): [string, string] => [key, here(value)]);
    const worker = WorkerProcess.command(farm.redis.url, args.map(here), Object.fromEntries(variables));
    await worker.says('wishbench worker ready');
    expect(await worker.end('SIGTERM')).toBe(0);
  });
});
