import { once } from 'node:events';
import { runningTime } from './running-time.ts';

/** Says `began`, and when it is told to end, how long it took, and how much of that it was let run. */
export default async function standingStill(): Promise<void> {
  const ranFor = await runningTime();
  const began = performance.now();
  const keepsRunning = setInterval(() => {}, 1 << 30);
  // Before it says so: whoever has read that may stop it at once, and then tell it to end before it runs on.
  const told = once(process, 'SIGTERM');
  process.stdout.write('began\n');
  await told;
  clearInterval(keepsRunning);
  process.stdout.write(`${JSON.stringify({ took: performance.now() - began, ran: ranFor() })}\n`);
}
