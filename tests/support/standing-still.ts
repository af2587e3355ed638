import { once } from 'node:events';
import { runningTime } from './running-time.ts';

/** Says `began`, and when it is told to end, how long it took, and how much of that it was let run. */
export default async function standingStill(): Promise<void> {
  const ranFor = await runningTime();
  const began = performance.now();
  process.stdout.write('began\n');
  const keepsRunning = setInterval(() => {}, 1 << 30);
  await once(process, 'SIGTERM');
  clearInterval(keepsRunning);
  process.stdout.write(`${JSON.stringify({ took: performance.now() - began, ran: ranFor() })}\n`);
}
