import { expect, test } from 'vitest';
import { pause, systemClock } from '../../../server/clock.ts';
import { WorkerProcess } from '../../support/farm.ts';
import { runningTime } from '../../support/running-time.ts';

test('a busy thread counts', async () => {
  const ranFor = await runningTime();
  for (const before = process.cpuUsage(); process.cpuUsage(before).user < 300_000; );
  expect(ranFor()).toBeGreaterThan(100);
});

// Windows suspends no process at a signal.
test.skipIf(process.platform === 'win32')('a suspended process does not count', async () => {
  const one = await WorkerProcess.script('tests/support/standing-still.ts', []);
  await one.says('began');
  one.child.kill('SIGSTOP');
  await pause(systemClock, 1500);
  one.child.kill('SIGCONT');
  expect(await one.end('SIGTERM')).toBe(0);
  const { took, ran } = JSON.parse(one.output.split('\n')[1] ?? '') as { took: number; ran: number };
  expect(took).toBeGreaterThan(1400);
  expect(took - ran).toBeGreaterThan(1200);
});
