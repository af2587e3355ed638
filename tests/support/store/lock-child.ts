import { once } from 'node:events';
import { BenchError } from '../../../server/errors/bench-error.ts';
import { lockFolder } from '../../../server/store/lock.ts';

/** Tries to lock a data directory, prints the outcome, and unlocks it when its input ends. */
export default async function main([folder = '']: string[]): Promise<void> {
  const unlock = await lockFolder(folder).catch((error: unknown) => {
    process.stdout.write(`${error instanceof BenchError ? error.code : error}\n`);
    return null;
  });
  if (unlock) process.stdout.write('locked\n');
  process.stdin.resume();
  await once(process.stdin, 'end');
  await unlock?.();
}
