import { once } from 'node:events';
import { BenchError } from '../../../server/errors/bench-error.ts';
import { lockFolder } from '../../../server/store/lock.ts';

/** Tries to take a data directory, says how that went, and gives it back when its input ends. */
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
