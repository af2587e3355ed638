import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { runCliProcess } from '../../../support/api/cli-process.ts';
import { runCli } from '../../../support/api/run-cli.ts';
import { checkBench, closeBenches } from '../../../support/board-check/check-bench.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

afterEach(closeBenches);

/** check-board against a bench, with a report in a folder of its own. */
async function command(url: string, args: string[] = [], run = runCli) {
  const report = path.join(temporaryFolder('report'), 'report.md');
  const result = await run(['check-board', ...args, '--report', report], {
    WISHBENCH_URL: url,
    WISHBENCH_API_KEY: 'alice',
  });
  return { ...result, report: existsSync(report) ? readFileSync(report, 'utf8') : null };
}

test('the one board on the USB is checked: every step is a line, the report is written, exit 0', async () => {
  const { bench } = await checkBench();
  const { code, stdout, stderr, report } = await command(bench.url, [], runCliProcess);
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^Checking iCE40-HX8K Breakout Board \(usb:LAT001\) in slot 2\.\n/);
  for (const line of [/^✓ Found on USB: 0403:6010/m, /^✓ CDONE: CDONE is high\./m, /^✓ Released: /m])
    expect(stdout).toMatch(line);
  expect(stdout).toMatch(/^✓ Words to the board: 10,000 words, none wrong/m);
  expect(stdout).toMatch(/\nThe check passed\. Its report: .+report\.md\n$/);
  expect(report).toMatch(/^# Board check: iCE40-HX8K Breakout Board, passed\n/);
  expect(code).toBe(0);
});

test('a failed board: prints the step, code and remedy, writes the report, exits with 1', async () => {
  const { bench, board } = await checkBench();
  board.cdoneStuck = false;
  const { code, stdout, report } = await command(bench.url, ['2']);
  expect(stdout).toMatch(/^✗ CDONE: .+\n {4}expected: .+\n {4}cdone_low: .+/m);
  expect(stdout).toMatch(/^– Identity: not run\.$/m);
  expect(report).toMatch(/, failed\n/);
  expect(code).toBe(1);
});

test('a node in use is refused with the reason and what to do; nothing is written, exit 1', async () => {
  const { bench, client } = await checkBench();
  const bob = client('bob');
  const file = { name: 'echo.v', contents: 'module echo; endmodule' };
  await bob.jobEnded(await bob.submitDesign({ fpga_id: 2, body: { file } }));
  const { code, stderr, report } = await command(bench.url, ['2']);
  expect(stderr).toMatch(/^Node 2 is reserved; submit needs a node that is idle\. .+\.\n$/);
  expect([code, report]).toEqual([1, null]);
});

test('without a USB board it prints a remedy and exits with 1; --json prints the check', async () => {
  const { bench } = await checkBench({ plugged: false });
  const none = await command(bench.url);
  expect([none.code, none.stdout]).toEqual([1, '']);
  expect(none.stderr).toMatch(
    /^No board is attached\. Plug one in, or give the NODE of a virtual board\.\n$/,
  );
  const absent = await command(bench.url, ['2', '--json']);
  expect(JSON.parse(absent.stdout)).toMatchObject({ state: 'failed', fpga_id: 2 });
  expect(absent.code).toBe(1);
});
