import { randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as realTime } from 'node:timers/promises';
import { type Clock, systemClock } from '../clock.ts';
import { storeError } from '../errors/store.ts';
import { systemCode } from './filesystem.ts';
import { type OsLock, takeOsLock } from './os-lock.ts';
import { type ProcessState, processBirth, processState } from './process-state.ts';

/** The holder of a data directory, as its file `lock` names it. Earlier versions wrote fewer fields. */
interface Holder {
  instance: string;
  pid: number;
  /** See processBirth. */
  born: string | null;
  host: string;
  /** Identifies the boot of the computer and its process numbering; null where the system gives neither. */
  boot?: string | null;
  processes?: string | null;
  /** The holder also has the operating system's lock, which ends with the process. */
  kernel?: boolean;
}

/** The locks of this process, by their files. */
const own = new Set<string>();

/** Pause while another process finishes a step of a few milliseconds, and the number of pauses. */
const MOMENT_MS = 50;
const MOMENTS = 20;

/** How long an empty lock may be one that is being written, ms. */
const WRITING_MS = 2000;

/** Interval at which a holder renews the time of its lock… */
const HEARTBEAT_MS = 15_000;
/** …and the silence after which a holder on another host (a shared disk, an earlier container) counts as dead. */
const SILENT_MS = 60_000;
/** Tolerated difference between the clocks of two hosts. */
const AHEAD_MS = 5_000;

/** The process numbering of this process: containers have their own. Null except on Linux. */
function processNumbering(): string | null {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return null;
  }
}

/** Compares two holders by process numbering: neither host names nor numbers need be unique. */
const sameNumbering = (a: Holder, b: Holder) =>
  a.host === b.host &&
  (a.boot === undefined || a.boot === b.boot) &&
  (a.processes === undefined || a.processes === b.processes);

/** The same boot, or the same host name: a rebooted computer, unless it was cloned. */
const sameComputer = (a: Holder, b: Holder) => (a.boot && a.boot === b.boot) || a.host === b.host;

function parse(text: string): Holder | null {
  try {
    const value = JSON.parse(text) as Holder;
    return typeof value.pid === 'number' && typeof value.instance === 'string' ? value : null;
  } catch {
    return null;
  }
}

export interface LockOptions {
  clock?: Clock;
  /** Waits in real time, because other processes do; the wait keeps this process alive. */
  pause?: (milliseconds: number) => Promise<unknown>;
  osLock?: (file: string) => OsLock;
  stateOf?: typeof processState;
}

/**
 * Locks the data directory for this process and takes over the lock of a dead one. Resolves with the function that
 * releases it.
 * @throws store_locked with a sentence that names the holder.
 */
export async function lockFolder(
  folder: string,
  { clock = systemClock, pause = realTime, osLock = takeOsLock, stateOf = processState }: LockOptions = {},
): Promise<() => Promise<void>> {
  const file = path.join(await fs.realpath(folder), 'lock');
  const mine: Holder = {
    instance: randomUUID(),
    pid: process.pid,
    born: processBirth(process.pid),
    host: os.hostname(),
    boot: clock.sinceBoot?.().boot ?? null,
    processes: processNumbering(),
  };
  const inUse = (holder: Holder | null) =>
    storeError('store_locked', {
      message: holder
        ? `The data directory ${folder} is in use by another instance (process ${holder.pid}${
            holder.host === mine.host ? '' : ` on ${holder.host}`
          }).`
        : `The data directory ${folder} is in use by another instance.`,
      ...(holder && holder.host !== mine.host
        ? { remedy: 'End that instance; if it has ended already, try again in a minute.' }
        : {}),
    });

  if (own.has(file)) throw inUse(mine);
  own.add(file);
  let lock = osLock(file);
  const letGo = () => {
    if (lock.kind === 'taken') lock.close();
  };
  const attempt: Attempt = {
    file,
    mine,
    clock,
    pause,
    inUse,
    // This process's number in the lock: an earlier process, in a container that counts from one.
    stateOf: ({ pid, born }) => (pid === process.pid ? 'dead' : stateOf(pid, born)),
  };
  try {
    // A killed process keeps the lock until its last thread has ended.
    for (let moment = 0; lock.kind === 'held' && moment < MOMENTS; moment++) {
      const holder = parse(await fs.readFile(file, 'utf8').catch(() => ''));
      if (holder && sameNumbering(holder, mine) && attempt.stateOf(holder) === 'living') break;
      await pause(MOMENT_MS);
      lock = osLock(file);
    }
    if (lock.kind === 'held') throw inUse(parse(await fs.readFile(file, 'utf8').catch(() => '')));
    await (lock.kind === 'taken' ? takeOver(attempt) : take(attempt));
  } catch (error) {
    own.delete(file);
    letGo();
    throw error;
  }
  const stopHeartbeat = keepRenewing(file, clock);
  return async () => {
    stopHeartbeat();
    own.delete(file);
    const current = parse(await fs.readFile(file, 'utf8').catch(() => ''));
    if (current?.instance === mine.instance) await fs.rm(file, { force: true });
    letGo();
  };
}

/** With the system's lock taken: only a holder without one may still be alive. */
async function takeOver(attempt: Attempt): Promise<void> {
  const { file, mine, inUse } = attempt;
  for (let moment = 0; moment < MOMENTS; moment++) {
    const holder = parse(await fs.readFile(file, 'utf8').catch(() => ''));
    const released = holder === null || (holder.kernel === true && sameComputer(holder, mine));
    const state = released ? 'dead' : (await holds(attempt)).state;
    if (state === 'dead') {
      try {
        await fs.writeFile(file, JSON.stringify({ ...mine, kernel: true }), { mode: 0o600 });
      } catch (error) {
        // On a full disk the file is empty and has no holder.
        await fs.rm(file, { force: true });
        throw error;
      }
      return;
    }
    if (state === 'living') throw inUse(holder);
    await attempt.pause(MOMENT_MS);
  }
  throw inUse(null);
}

function keepRenewing(file: string, clock: Clock): () => void {
  const next = () =>
    clock.after(HEARTBEAT_MS, () => {
      const now = new Date(clock.now());
      fs.utimes(file, now, now).catch(() => {});
      cancel = next();
    });
  let cancel = next();
  return () => cancel();
}

interface Attempt {
  file: string;
  mine: Holder;
  clock: Clock;
  pause: (milliseconds: number) => Promise<unknown>;
  inUse: (holder: Holder | null) => Error;
  stateOf: (holder: Holder) => ProcessState;
}

/** Writes the lock after removing that of a dead process. */
async function take(attempt: Attempt): Promise<void> {
  const { file, mine, inUse } = attempt;
  for (let moment = 0; moment < MOMENTS; moment++) {
    try {
      await fs.writeFile(file, JSON.stringify(mine), { flag: 'wx', mode: 0o600 });
      return;
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') {
        // A full disk leaves it empty.
        if (systemCode(error) !== 'EACCES') await fs.rm(file, { force: true });
        throw error;
      }
    }
    const found = await holds(attempt);
    if (found.state === 'living') throw inUse(found.holder);
    if (found.state === 'dying') await attempt.pause(MOMENT_MS);
    else await removeDead(attempt);
  }
  throw inUse(null);
}

/** The holder of the lock, and whether it is alive. */
async function holds(attempt: Attempt): Promise<{ holder: Holder | null; state: ProcessState }> {
  const { file, mine } = attempt;
  const text = await fs.readFile(file, 'utf8').catch(() => null);
  if (text === null) return { holder: null, state: 'dead' }; // released at this moment
  const holder = parse(text);
  if (holder && sameNumbering(holder, mine)) {
    const state = attempt.stateOf(holder);
    // Without a birth time, another process may have that number (Windows, macOS): the lock must be fresh.
    if (state !== 'living' || holder.born !== null || holder.pid === mine.pid) return { holder, state };
  }
  const fresh = await isFresh(attempt, file, holder === null ? WRITING_MS : SILENT_MS);
  return { holder, state: fresh ? 'living' : 'dead' };
}

/**
 * Removes the lock of a dead process. One process at a time may check and remove: another could write its own lock in
 * between.
 */
async function removeDead(attempt: Attempt): Promise<void> {
  const turn = `${attempt.file}.takeover`;
  try {
    await fs.mkdir(turn);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    // The process with its turn needs a moment; a dead one left its turn behind.
    if (await isFresh(attempt, turn, WRITING_MS)) await attempt.pause(MOMENT_MS);
    else await fs.rmdir(turn).catch(() => {});
    return;
  }
  try {
    const { state } = await holds(attempt);
    if (state === 'dead') await fs.rm(attempt.file, { force: true });
  } finally {
    await fs.rmdir(turn).catch(() => {});
  }
}

/** Whether a file changed within so many milliseconds. A file dated in the future is watched instead. */
async function isFresh({ clock, pause }: Attempt, file: string, milliseconds: number): Promise<boolean> {
  // One that has gone is as one of long ago.
  const dated = async () => (await fs.stat(file).catch(() => ({ mtimeMs: 0 }))).mtimeMs;
  const before = await dated();
  const age = clock.now() - before;
  if (age >= -AHEAD_MS) return age < milliseconds;
  // The clocks of two hosts differ, or one was set: only a change proves that the holder is alive.
  await pause(Math.min(milliseconds, HEARTBEAT_MS + AHEAD_MS));
  const after = await dated();
  return after !== 0 && after !== before;
}
