import fs from 'node:fs';
import { createRequire } from 'node:module';
import { systemCode } from './filesystem.ts';

/** The part of fs-native-extensions in use; it has no types of its own. */
interface NativeLocks {
  /** False where another process holds the range. */
  tryLock(file: number, offset: number, length: number): boolean;
}

/** Offset of the locked byte. Windows blocks reads of a locked range, and the holder's name must stay readable. */
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
  /** Held until this process closes the file or ends in any way. */
  | { kind: 'taken'; close: () => void }
  | { kind: 'held' }
  /** The system or the file system has no such locks. */
  | { kind: 'unsupported' };

/**
 * Takes the operating system's own lock on a file, and creates the file where there is none. The kernel's lock works
 * across containers and process numberings.
 */
export function takeOsLock(file: string, locks = nativeLocks()): OsLock {
  if (locks === null) return { kind: 'unsupported' };
  for (;;) {
    const handle = fs.openSync(file, 'a+', 0o600);
    let taken = false;
    try {
      taken = locks.tryLock(handle, LOCKED_BYTE, 1);
    } catch (error) {
      fs.closeSync(handle);
      // Windows reports a range of another process this way; EACCES is POSIX's alternative code for it.
      if (['EBUSY', 'EACCES', 'EAGAIN'].includes(systemCode(error))) return { kind: 'held' };
      return { kind: 'unsupported' };
    }
    if (!taken) {
      fs.closeSync(handle);
      return { kind: 'held' };
    }
    // The last holder may have removed the file in between: then the lock is on a file without a name.
    const named = fs.statSync(file, { throwIfNoEntry: false, bigint: true });
    if (named?.ino === fs.fstatSync(handle, { bigint: true }).ino)
      return { kind: 'taken', close: () => fs.closeSync(handle) };
    fs.closeSync(handle);
  }
}
