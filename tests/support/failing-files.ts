import type { FileHandle } from 'node:fs/promises';
import { type FileSystem, nodeFileSystem } from '../../server/store/filesystem.ts';

/** The steps of a durable write at which a disk may fail. */
export type DiskStep = 'open' | 'write' | 'sync' | 'rename' | 'sync folder';

/** A real file system that fails where a test says so, with the error of a full disk. */
export class FailingFiles {
  /** Fails every write at this step while it is set; `half` writes half of the bytes first. */
  failing: DiskStep | null = null;
  half = false;
  /** Only files whose path contains this. */
  only = '';
  /** How often it has failed. */
  failures = 0;

  readonly files: FileSystem = {
    ...nodeFileSystem,
    open: async (file, flags, mode) => {
      const folder = typeof flags === 'number';
      this.#check('open', String(file), folder);
      return this.#wrap(await nodeFileSystem.open(file, flags, mode), String(file), folder);
    },
    rename: async (from, to) => {
      this.#check('rename', String(to), false);
      await nodeFileSystem.rename(from, to);
    },
  };

  #check(step: DiskStep, file: string, folder: boolean): void {
    if (this.failing !== step || (folder && step !== 'sync folder') || !file.includes(this.only)) return;
    this.failures++;
    throw Object.assign(new Error(`ENOSPC: no space left on device, ${step} '${file}'`), { code: 'ENOSPC' });
  }

  #wrap(handle: FileHandle, file: string, folder: boolean): FileHandle {
    const write = async (contents: string | Uint8Array) => {
      if (this.failing === 'write' && this.half && file.includes(this.only)) {
        const bytes = Buffer.from(contents as string);
        await handle.write(bytes.subarray(0, bytes.length >> 1));
      }
      this.#check('write', file, folder);
      await handle.appendFile(contents);
    };
    const sync = async () => {
      this.#check(folder ? 'sync folder' : 'sync', file, folder);
      await handle.sync();
    };
    return new Proxy(handle, {
      get: (target, name) => {
        if (name === 'writeFile' || name === 'appendFile') return write;
        if (name === 'sync' || name === 'datasync') return sync;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }
}
