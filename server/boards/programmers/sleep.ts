import type { Clock } from '../../clock.ts';
import { boardsError } from '../../errors/boards.ts';

/** Waits `ms` milliseconds on `clock`. @throws programming_aborted (or the signal's own reason) when it fires. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortReason(signal));
    const onAbort = () => {
      cancel();
      reject(abortReason(signal as AbortSignal));
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** The named error that a signal was aborted with, else programming_aborted. */
export function abortReason(signal: AbortSignal): Error {
  const { reason } = signal;
  return reason instanceof Error && reason.name === 'BenchError'
    ? reason
    : boardsError('programming_aborted', { cause: reason });
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortReason(signal);
}
