import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { storeError } from '../errors/store.ts';
import { systemCode } from './filesystem.ts';

/** Who holds a data directory; contents of its file `lock`. */
interface Holder {
  instance: string;
  pid: number;
  /** When the process began, in clock ticks since boot (Linux): tells it from a later one with its number. */
  born: string | null;
  host: string;
}

/** Directories that this very process holds. */
const held = new Map<string, string>();

/** How long a lock without contents may be one that is being written this moment. */
const WRITING_MS = 2000;

/** A holder renews the time of its lock so often… */
const HEARTBEAT_MS = 15_000;
/** …that one on another host (a shared disk, a container of before) is dead when it has not for so long. */
const SILENT_MS = 60_000;

/** Field 22 of /proc/PID/stat, the start time (proc(5)); the name in field 2 may hold blanks and brackets. */
function birth(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

function alive(holder: Holder, file: string): boolean {
  if (holder.pid === process.pid) return held.get(file) === holder.instance;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    // EPERM: it lives and belongs to somebody else.
    if (systemCode(error) !== 'EPERM') return false;
  }
  return holder.born === null || holder.born === birth(holder.pid);
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
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const file = path.join(await fs.realpath(folder), 'lock');
  const mine: Holder = {
    instance: randomUUID(),
    pid: process.pid,
    born: birth(process.pid),
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
    await take(file, mine, inUse);
  } catch (error) {
    held.delete(file);
    throw error;
  }
  const heartbeat = setInterval(() => {
    const now = new Date();
    fs.utimes(file, now, now).catch(() => {});
  }, HEARTBEAT_MS);
  heartbeat.unref();
  return async () => {
    clearInterval(heartbeat);
    held.delete(file);
    const current = parse(await fs.readFile(file, 'utf8').catch(() => ''));
    if (current?.instance === mine.instance) await fs.rm(file, { force: true });
  };
}

/** Writes the lock, removing the one of a dead process first. */
async function take(file: string, mine: Holder, inUse: (holder: Holder | null) => Error): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt++) {
    try {
      await fs.writeFile(file, JSON.stringify(mine), { flag: 'wx', mode: 0o600 });
      return;
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
    const found = await holds(file, mine);
    if (found.living) throw inUse(found.holder);
    await removeDead(file, mine);
  }
  throw inUse(null);
}

/** Who holds the lock, and whether it still counts. */
async function holds(file: string, mine: Holder): Promise<{ holder: Holder | null; living: boolean }> {
  const text = await fs.readFile(file, 'utf8').catch(() => null);
  if (text === null) return { holder: null, living: false }; // given back this moment
  const holder = parse(text);
  if (holder === null) return { holder, living: await isFresh(file, WRITING_MS) };
  return { holder, living: holder.host === mine.host ? alive(holder, file) : await isFresh(file, SILENT_MS) };
}

/**
 * Removes the lock of a dead process. Only one process at a time may look and remove, for another might have
 * written its own lock between the two.
 */
async function removeDead(file: string, mine: Holder): Promise<void> {
  const turn = `${file}.takeover`;
  try {
    await fs.mkdir(turn);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    // Whoever has its turn needs a moment; one that died in it has left it behind.
    if (await isFresh(turn, WRITING_MS)) await new Promise((resolve) => setTimeout(resolve, 50));
    else await fs.rmdir(turn).catch(() => {});
    return;
  }
  try {
    const { living } = await holds(file, mine);
    if (!living) await fs.rm(file, { force: true });
  } finally {
    await fs.rmdir(turn).catch(() => {});
  }
}

async function isFresh(file: string, milliseconds: number): Promise<boolean> {
  const stat = await fs.stat(file).catch(() => null);
  return stat !== null && Date.now() - stat.mtimeMs < milliseconds;
}
