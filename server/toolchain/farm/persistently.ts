import { untilAborted } from '../../abort.ts';
import { type Clock, pause } from '../../clock.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import { queueErrorOf } from './queue-errors.ts';

/** Silence after which an outage of Redis is reported, and the pause between attempts, ms. */
const PATIENCE_MS = 1500;
const RETRY_MS = 1000;

/** Resolves with Redis's answer; null when it fails or takes longer than PATIENCE_MS. */
export async function soon<T>(clock: Clock, answer: Promise<T>): Promise<T | null> {
  let cancel = () => {};
  const late = new Promise<null>((resolve) => {
    cancel = clock.after(PATIENCE_MS, () => resolve(null));
  });
  try {
    return await Promise.race([answer.catch(() => null), late]);
  } finally {
    cancel();
  }
}

const stopped = () => toolchainError('build_aborted');

/**
 * Repeats a request until Redis answers, however long Redis is away.
 * @param waiting called once with the reason when it takes long
 * @param final whether an error is an answer
 * @throws build_aborted when `signal` aborts; final errors
 */
export async function persistently<T>(
  clock: Clock,
  ask: () => Promise<T>,
  waiting: (queueError: string) => void,
  signal: AbortSignal,
  final: (error: unknown) => boolean = () => false,
): Promise<T> {
  let isReported = false;
  const report = (queueError: string) => {
    if (!isReported) waiting(queueError);
    isReported = true;
  };
  for (;;) {
    const cancel = clock.after(PATIENCE_MS, () => report(queueErrorOf(null)));
    try {
      return await untilAborted(ask(), signal, stopped);
    } catch (error) {
      if (signal.aborted || final(error)) throw error;
      report(queueErrorOf(error));
    } finally {
      cancel();
    }
    await untilAborted(pause(clock, RETRY_MS), signal, stopped);
  }
}
