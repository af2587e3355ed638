import fs from 'node:fs';
import { createRequire } from 'node:module';
import { systemCode } from './filesystem.ts';

/** What of fs-native-extensions is used; it comes without types of its own. */
interface NativeLocks {
  /** False where another process has the range. */
  tryLock(file: number, offset: number, length: number): boolean;
}

/** The byte of the file that is locked: Windows lets nobody read what is, and the holder's name is to be read. */
const LOCKED_BYTE = 1 << 20;

let native: NativeLocks | null | undefined;

/** Null where there is no binary for this system. */
function nativeLocks(): NativeLocks | null {
  if (native !== undefined) return native;
  try {
    native = createRequire(import.meta.url)('fs-native-extensions') as NativeLocks;
  } catch {
    native = null;
  }
  return native;
}

export type OsLock =
  /** Ours until the file is closed, by us or by the end of this process, however that comes. */
  | { kind: 'taken'; close: () => void }
  | { kind: 'held' }
  /** The system or the file system has no such locks. */
  | { kind: 'unsupported' };

/**
 * Takes the lock that the operating system itself has for a file, and makes the file where there is none. Sees
 * across containers and numbers of processes, for it is the kernel's.
 */
export function takeOsLock(file: string): OsLock {
  const locks = nativeLocks();
  if (locks === null) return { kind: 'unsupported' };
  for (;;) {
    const handle = fs.openSync(file, 'a+', 0o600);
    let taken = false;
    try {
      taken = locks.tryLock(handle, LOCKED_BYTE, 1);
    } catch (error) {
      fs.closeSync(handle);
      // Windows answers so where another has the range; EACCES is POSIX's other word for it.
      if (['EBUSY', 'EACCES', 'EAGAIN'].includes(systemCode(error))) return { kind: 'held' };
      return { kind: 'unsupported' };
    }
    if (!taken) {
      fs.closeSync(handle);
      return { kind: 'held' };
    }
    // Its last holder may have removed the file between the two: then it is nobody's any more.
    const named = fs.statSync(file, { throwIfNoEntry: false, bigint: true });
    if (named?.ino === fs.fstatSync(handle, { bigint: true }).ino)
      return { kind: 'taken', close: () => fs.closeSync(handle) };
    fs.closeSync(handle);
  }
}
