import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resourcePath } from '../../../../server/paths.ts';
import { runCli } from '../../../support/api/run-cli.ts';
import { ServiceInProcess } from '../../../support/api/service-in-process.ts';

/** As in tests/acceptance/server/capture/core.test.ts: built once for both. */
const PROBES = ['bus.cyc', 'bus.we', 'bus.adr[3:0]', 'bus.dat_w[15:0]', 'reload[7:0]', 'uptime[15:0]'];
let service: ServiceInProcess | undefined;
let environment: Record<string, string> = {};
const cli = (...args: string[]) => runCli(args, environment);

beforeAll(async () => {
  const source = readFileSync(resourcePath('examples', 'timer.v'));
  const probed = { filename: 'timer.v', source, options: { probes: PROBES.join(',') } };
  service = await ServiceInProcess.start(['timer.v', probed]);
  environment = { WISHBENCH_URL: service.url, WISHBENCH_API_KEY: 'lab-1' };
  const submitted = await cli('submit', '0', resourcePath('examples', 'timer.v'), '--wait');
  expect(submitted.code, submitted.stderr).toBe(0);
});
afterAll(() => service?.close());

test('signals are listed with their lines, and values come from one clock cycle', async () => {
  const listed = await cli('signals', '0', 'upt');
  expect([listed.code, listed.stdout]).toEqual([
    0,
    expect.stringMatching(/^uptime +32 +register +timer\.v:\d+$/m),
  ]);
  expect(listed.stdout).not.toContain('reload');
  const values = await cli('values', '0', 'uptime', 'ended');
  expect([values.code, values.stdout]).toEqual([
    0,
    expect.stringMatching(/^\d+ {2}uptime=0x[0-9a-f]+ {2}ended=0x0\n$/),
  ]);
  const wrong = await cli('values', '0', 'uptme');
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('uptime')]);
});

test('a capture is written as VCD and JSON; without its trigger it exits with 1 and the samples so far', async () => {
  const vcd = await cli('capture', '0', 'uptime', 'bus.adr', '--depth', '16', '--vcd', '-');
  expect([vcd.code, vcd.stderr]).toEqual([0, expect.stringContaining('16 samples')]);
  expect(vcd.stdout).toMatch(/\$var \w+ 32 \S+ uptime/);
  const { stdout } = await cli('capture', '0', 'uptime', '--depth', '8', '--samples', '-');
  expect(JSON.parse(stdout)).toMatchObject({ signals: [{ name: 'uptime', width: 32 }] });
  const never = await cli(
    'capture',
    '0',
    'uptime',
    '--trigger',
    'write:0x8',
    '--depth',
    '8',
    '--timeout',
    '0.2',
  );
  expect(never.code).toBe(1);
  const steps = 'change:uptime then uptime=0..0xFFFFFFFF x2 within 100';
  const stepped = await cli('capture', '0', 'uptime', '--trigger', steps, '--depth', '8', '--json');
  expect(JSON.parse(stepped.stdout)).toMatchObject({
    trigger: {
      kind: 'sequence',
      steps: [
        { kind: 'change', signal: 'uptime' },
        { kind: 'range', signal: 'uptime', min: 0, max: 0xffff_ffff, count: 2, within: 100 },
      ],
    },
  });
  const wrong = await cli('capture', '0', 'uptime', '--trigger', 'sometimes');
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('is not a trigger')]);
});

test('the clock is paused, stepped and resumed', async () => {
  const clockOf = async () =>
    JSON.parse((await cli('values', '0', 'uptime', '--json')).stdout) as {
      clock: number;
      signals: [{ value: number }];
    };
  expect((await cli('clock', '0', 'pause')).stdout).toMatch(/^paused at clock \d+\n$/);
  const before = await clockOf();
  expect((await cli('clock', '0', 'step', '10')).stdout).toBe(`paused at clock ${before.clock + 10}\n`);
  expect((await clockOf()).signals[0].value).toBe(before.signals[0].value + 10);
  const refused = await cli('read', '0', '0');
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('paused')]);
  expect((await cli('clock', '0', 'run')).stdout).toMatch(/^running/);
  expect((await cli('read', '0', '0xC')).code).toBe(0);
});

test('probes are submitted by name, listed as probed and recorded by the core', async () => {
  const probes = PROBES.flatMap((name) => ['--probe', name]);
  const submitted = await cli('submit', '1', resourcePath('examples', 'timer.v'), ...probes, '--wait');
  expect(submitted.code, submitted.stderr).toBe(0);
  const listed = await cli('signals', '1', 'upt');
  expect(listed.stdout).toMatch(/^uptime +32 +register, probed +timer\.v:\d+$/m);
  const vcd = await cli('capture', '1', 'uptime[15:0]', '--using', 'core', '--vcd', '-');
  expect([vcd.code, vcd.stderr]).toEqual([0, expect.stringContaining('512 samples, trigger in sample 0')]);
  expect(vcd.stdout).toMatch(/\$var \w+ 16 \S+ uptime \[15:0\]/);
  const wrong = await cli('capture', '1', 'count', '--using', 'core');
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('count is not among the probes')]);
});
