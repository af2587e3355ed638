/**
 * Waits for work until the signal fires. The work itself goes on.
 * @param reason makes the error after an abort; default: the signal's own reason
 * @throws what `work` throws, or that error
 */
export async function untilAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  reason: () => unknown = () => signal?.reason,
): Promise<T> {
  if (!signal) return await work;
  let stopListening = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    const abort = () => reject(reason());
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    stopListening = () => signal.removeEventListener('abort', abort);
  });
  try {
    return await Promise.race([aborted, work]);
  } finally {
    stopListening();
  }
}
