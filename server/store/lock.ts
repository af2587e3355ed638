import { randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as realTime } from 'node:timers/promises';
import { type Clock, systemClock } from '../clock.ts';
import { assertNever } from '../errors/bench-error.ts';
import { storeError } from '../errors/store.ts';
import { systemCode } from './filesystem.ts';
import { type OsLock, takeOsLock } from './os-lock.ts';
import { type ProcessState, processBirth, processState } from './process-state.ts';

/** Who holds a data directory; contents of its file `lock`. Earlier versions wrote less. */
interface Holder {
  instance: string;
  pid: number;
  /** See processBirth. */
  born: string | null;
  host: string;
  /** Which start of which computer, and which numbering of processes in it; null where the system does not say. */
  boot?: string | null;
  processes?: string | null;
  /** The operating system's own lock goes with it, so that it ends with the process. */
  kernel?: boolean;
}

/** Directories that this very process holds. */
const held = new Map<string, string>();

/** How long to wait for a process that is about to do something of a few milliseconds, and how many times. */
const MOMENT_MS = 50;
const MOMENTS = 20;

/** How long a lock without contents may be one that is being written this moment. */
const WRITING_MS = 2000;

/** A holder renews the time of its lock so often… */
const HEARTBEAT_MS = 15_000;
/** …that one on another host (a shared disk, a container of before) is dead when it has not for so long. */
const SILENT_MS = 60_000;
/** By so much the clocks of two hosts may differ without harm. */
const AHEAD_MS = 5_000;

/** Which numbering of processes this one is in: containers have their own. Null but on Linux. */
function processNumbering(): string | null {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return null;
  }
}

/** What is told apart of processes by their number alone: neither host names nor numbers need to be unique. */
const sameNumbering = (a: Holder, b: Holder) =>
  a.host === b.host &&
  (a.boot === undefined || a.boot === b.boot) &&
  (a.processes === undefined || a.processes === b.processes);

/** Two kernels with one host name are one computer that was started again, unless somebody has cloned it. */
const sameComputer = (a: Holder, b: Holder) => (a.boot && a.boot === b.boot) || a.host === b.host;

function stateOf(holder: Holder, file: string): ProcessState {
  // Our own number in a lock that is not ours: a process of before, in a container that counts from one.
  if (holder.pid === process.pid) return held.get(file) === holder.instance ? 'living' : 'dead';
  return processState(holder.pid, holder.born);
}

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
  /** Other processes live in real time, whatever a clock of ours says; and waiting for them keeps this one alive. */
  pause?: (milliseconds: number) => Promise<unknown>;
  osLock?: (file: string) => OsLock;
}

/**
 * Takes the data directory for this process; the lock of a process that has died is taken over.
 * Resolves with the function that gives it back.
 * @throws store_locked with a sentence that names the holder.
 */
export async function lockFolder(
  folder: string,
  { clock = systemClock, pause = realTime, osLock = takeOsLock }: LockOptions = {},
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

  if (held.has(file)) throw inUse(mine);
  held.set(file, mine.instance);
  let lock = osLock(file);
  const letGo = () => {
    if (lock.kind === 'taken') lock.close();
  };
  const attempt: Attempt = { file, mine, clock, pause, inUse };
  try {
    // A process that was killed keeps it until the last of its threads has ended.
    for (let moment = 0; lock.kind === 'held' && moment < MOMENTS; moment++) {
      const holder = parse(await fs.readFile(file, 'utf8').catch(() => ''));
      if (holder && sameNumbering(holder, mine) && stateOf(holder, file) === 'living') break;
      await pause(MOMENT_MS);
      lock = osLock(file);
    }
    switch (lock.kind) {
      case 'held':
        throw inUse(parse(await fs.readFile(file, 'utf8').catch(() => '')));
      case 'taken':
        await takeOver(attempt);
        break;
      case 'unsupported':
        await take(attempt);
        break;
      default:
        assertNever(lock);
    }
  } catch (error) {
    held.delete(file);
    letGo();
    throw error;
  }
  const stopHeartbeat = keepRenewing(file, clock);
  return async () => {
    stopHeartbeat();
    held.delete(file);
    const current = parse(await fs.readFile(file, 'utf8').catch(() => ''));
    if (current?.instance === mine.instance) await fs.rm(file, { force: true });
    letGo();
  };
}

/** With the system's lock in hand: only a holder that has no such lock may still be there. */
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
        // On a full disk it is empty now: nobody's.
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
}

/** Writes the lock, removing the one of a dead process first. */
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

/** Who holds the lock, and whether it still counts. */
async function holds(attempt: Attempt): Promise<{ holder: Holder | null; state: ProcessState }> {
  const { file, mine } = attempt;
  const text = await fs.readFile(file, 'utf8').catch(() => null);
  if (text === null) return { holder: null, state: 'dead' }; // given back this moment
  const holder = parse(text);
  if (holder && sameNumbering(holder, mine)) {
    const state = stateOf(holder, file);
    // Without its birth, a process of that number may be another one (Windows, macOS): then the lock must be fresh.
    if (state !== 'living' || holder.born !== null || holder.pid === mine.pid) return { holder, state };
  }
  const fresh = await isFresh(attempt, file, holder === null ? WRITING_MS : SILENT_MS);
  return { holder, state: fresh ? 'living' : 'dead' };
}

/**
 * Removes the lock of a dead process. Only one process at a time may look and remove, for another might have
 * written its own lock between the two.
 */
async function removeDead(attempt: Attempt): Promise<void> {
  const turn = `${attempt.file}.takeover`;
  try {
    await fs.mkdir(turn);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    // Whoever has its turn needs a moment; one that died in it has left it behind.
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

/** Whether a file was changed so short a time ago. One that is dated in the future is watched instead. */
async function isFresh({ clock, pause }: Attempt, file: string, milliseconds: number): Promise<boolean> {
  const dated = async () => (await fs.stat(file).catch(() => null))?.mtimeMs ?? null;
  const before = await dated();
  if (before === null) return false;
  const age = clock.now() - before;
  if (age >= -AHEAD_MS) return age < milliseconds;
  // The clocks of two hosts differ, or one was set: only a change says that somebody is there.
  await pause(Math.min(milliseconds, HEARTBEAT_MS + AHEAD_MS));
  const after = await dated();
  return after !== null && after !== before;
}
