import { once } from 'node:events';
import { runningTime } from './running-time.ts';

/** Prints `began`, and at its end how long it took, and how much of that it ran. */
export default async function standingStill(): Promise<void> {
  const ranFor = await runningTime();
  const began = performance.now();
  const keepsRunning = setInterval(() => {}, 1 << 30);
  // Before the line: a reader may stop the process at once, and end it before it continues.
  const told = once(process, 'SIGTERM');
  process.stdout.write('began\n');
  await told;
  clearInterval(keepsRunning);
  process.stdout.write(`${JSON.stringify({ took: performance.now() - began, ran: ranFor() })}\n`);
}
