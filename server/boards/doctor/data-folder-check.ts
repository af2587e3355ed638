import { mkdir, mkdtemp, open, rm, statfs } from 'node:fs/promises';
import path from 'node:path';
import type { Finding } from '../../contract/boards/boards.ts';

/** Free bytes below which builds and logs soon run out of room. */
const LITTLE_ROOM = 500 * 1024 * 1024;

/** Checks that the data directory accepts durable writes and has room. */
export async function checkDataFolder(folder: string): Promise<Finding> {
  const about = { id: 'data-folder', title: 'Data directory' };
  try {
    await mkdir(folder, { recursive: true });
    const probe = await mkdtemp(path.join(folder, '.doctor-'));
    try {
      const file = await open(path.join(probe, 'probe'), 'wx');
      try {
        await file.writeFile('wishbench');
        await file.sync();
      } finally {
        await file.close();
      }
    } finally {
      await rm(probe, { recursive: true, force: true });
    }
    const { bavail, bsize } = await statfs(folder);
    const free = bavail * bsize;
    const room = `${(free / 2 ** 30).toFixed(1)} GiB free`;
    if (free < LITTLE_ROOM)
      return {
        ...about,
        status: 'warning',
        message: `${folder} can be written, but has little space: ${room}.`,
        remedy: 'Free space on that disk, or start with --data on another one.',
      };
    return { ...about, status: 'ok', message: `${folder} can be written; ${room}.` };
  } catch (error) {
    return {
      ...about,
      status: 'problem',
      message: `${folder} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
      remedy: 'Make it writable for the user who runs the bench, or start with --data on another folder.',
    };
  }
}
