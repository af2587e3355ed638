import { randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as realTime } from 'node:timers/promises';
import { type Clock, systemClock } from '../clock.ts';
import { storeError } from '../errors/store.ts';
import { systemCode } from './filesystem.ts';
import { type ProcessState, processBirth, processState } from './process-state.ts';

/** Who holds a data directory; contents of its file `lock`. */
interface Holder {
  instance: string;
  pid: number;
  /** See processBirth. */
  born: string | null;
  host: string;
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

/**
 * Takes the data directory for this process; the lock of a process that has died is taken over.
 * Resolves with the function that gives it back.
 * @throws store_locked with a sentence that names the holder.
 */
export async function lockFolder(
  folder: string,
  { clock = systemClock }: { clock?: Clock } = {},
): Promise<() => Promise<void>> {
  const file = path.join(await fs.realpath(folder), 'lock');
  const mine: Holder = {
    instance: randomUUID(),
    pid: process.pid,
    born: processBirth(process.pid),
    host: os.hostname(),
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
  try {
    await take({ file, mine, clock, inUse });
  } catch (error) {
    held.delete(file);
    throw error;
  }
  const stopHeartbeat = keepRenewing(file, clock);
  return async () => {
    stopHeartbeat();
    held.delete(file);
    const current = parse(await fs.readFile(file, 'utf8').catch(() => ''));
    if (current?.instance === mine.instance) await fs.rm(file, { force: true });
  };
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
      if (systemCode(error) !== 'EEXIST') throw error;
    }
    const found = await holds(attempt);
    if (found.state === 'living') throw inUse(found.holder);
    if (found.state === 'dying') await aMoment();
    else await removeDead(attempt);
  }
  throw inUse(null);
}

/** Other processes live in real time, whatever a clock of ours says; and waiting for them keeps this one alive. */
const aMoment = () => realTime(MOMENT_MS);

/** Who holds the lock, and whether it still counts. */
async function holds({
  file,
  mine,
  clock,
}: Attempt): Promise<{ holder: Holder | null; state: ProcessState }> {
  const text = await fs.readFile(file, 'utf8').catch(() => null);
  if (text === null) return { holder: null, state: 'dead' }; // given back this moment
  const holder = parse(text);
  if (holder?.host === mine.host) return { holder, state: stateOf(holder, file) };
  const fresh = await isFresh(file, holder === null ? WRITING_MS : SILENT_MS, clock);
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
    if (await isFresh(turn, WRITING_MS, attempt.clock)) await aMoment();
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

async function isFresh(file: string, milliseconds: number, clock: Clock): Promise<boolean> {
  const stat = await fs.stat(file).catch(() => null);
  return stat !== null && clock.now() - stat.mtimeMs < milliseconds;
}
