/** Time as a parameter: tests pass their own, so none of them sleeps. */
export interface Clock {
  /** Milliseconds since the epoch: for what is shown and kept. */
  now(): number;
  /** Milliseconds since some moment, which never jump: for durations and deadlines. */
  monotonic(): number;
  /** Calls back after `ms`; returns the function that cancels. Never keeps the process alive. */
  after(ms: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    // setTimeout overflows past 2^31-1 ms and would fire at once.
    const timer = setTimeout(callback, Math.min(ms, 0x7fff_ffff));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Resolves when `ms` have passed by this clock. */
export const pause = (clock: Clock, ms: number): Promise<void> =>
  new Promise((resolve) => clock.after(ms, resolve));

/** Calls back every `ms`; returns the function that ends it. */
export function every(clock: Clock, ms: number, callback: () => void): () => void {
  let cancel = () => {};
  const next = () => {
    cancel = clock.after(ms, () => {
      next();
      callback();
    });
  };
  next();
  return () => cancel();
}
