import { readFileSync } from 'node:fs';
import os from 'node:os';

/** Time as a parameter: tests pass their own, so none of them sleeps. */
export interface Clock {
  /** Milliseconds since the epoch, for display and storage. */
  now(): number;
  /** Monotonic milliseconds, for durations and deadlines. */
  monotonic(): number;
  /**
   * Milliseconds since the computer was started, its sleep included, and a name of that boot. It tells how long a
   * service was away, whatever the wall clock shows. The name is null where the system has none; a clock without access
   * to the computer lacks the function.
   */
  sinceBoot?(): { boot: string | null; milliseconds: number };
  /** Calls back after `ms`; returns the function that cancels. Never keeps the process alive. */
  after(ms: number, callback: () => void): () => void;
}

let bootName: string | null | undefined;

/** Linux names every boot of its kernel, see random(4); macOS and Windows need another program for that. */
function nameOfBoot(): string | null {
  if (bootName !== undefined) return bootName;
  try {
    bootName = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    bootName = null;
  }
  return bootName;
}

/** A value is cached for so long… */
const KNOWN_MS = 1000;
/** …while the wall clock and the clock that stops during sleep agree to within this. */
const ASLEEP_MS = 20;

/**
 * Milliseconds since the computer was started, its sleep included. Asking the system takes as long as much of a
 * request. So a recent value is used, if the computer has not slept since.
 * @param read asks the system, milliseconds
 */
export function uptimeBy(
  read: () => number,
  { now, monotonic }: Pick<Clock, 'now' | 'monotonic'>,
): () => number {
  let known: { uptime: number; wall: number; steady: number } | null = null;
  return () => {
    const [wall, steady] = [now(), monotonic()];
    const passed = known === null ? KNOWN_MS : steady - known.steady;
    if (known !== null && passed < KNOWN_MS && Math.abs(wall - known.wall - passed) < ASLEEP_MS)
      return Math.round(known.uptime + passed);
    known = { uptime: read(), wall, steady };
    return Math.round(known.uptime);
  };
}

const uptime = uptimeBy(() => os.uptime() * 1000, {
  now: () => Date.now(),
  monotonic: () => performance.now(),
});

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sinceBoot: () => ({ boot: nameOfBoot(), milliseconds: uptime() }),
  after(ms, callback) {
    // setTimeout overflows past 2^31-1 ms and would fire at once.
    const timer = setTimeout(callback, Math.min(ms, 0x7fff_ffff));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Resolves when `ms` have passed by this clock, or when the signal fires. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.after(ms, end);
    signal?.addEventListener('abort', end, { once: true });
  });
}

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

/**
 * Calls back unless cancelled within `ms` plus `untilRead`, both in milliseconds. The second part lets a process that
 * was busy or suspended read waiting input first.
 * @returns the function that cancels
 */
export function watchdog(clock: Clock, ms: number, untilRead: number, callback: () => void): () => void {
  let cancel = clock.after(ms, () => {
    cancel = clock.after(untilRead, callback);
  });
  return () => cancel();
}
