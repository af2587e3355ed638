import { type Clock, pause } from '../../clock.ts';
import { BenchError } from '../../errors/bench-error.ts';
import { boardsError } from '../../errors/boards.ts';

/** The BenchError with which a signal was aborted, else programming_aborted. */
export function abortReason(signal: AbortSignal): BenchError {
  const reason: unknown = signal.reason;
  return reason instanceof BenchError ? reason : boardsError('programming_aborted', { cause: reason });
}

/** @throws the abortReason of an aborted signal. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortReason(signal);
}

/** Waits `ms` milliseconds on `clock`. @throws the abortReason of `signal` as soon as it is aborted. */
export async function abortablePause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  await pause(clock, ms, signal);
  throwIfAborted(signal);
}
