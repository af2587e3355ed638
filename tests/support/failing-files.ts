import { type FileSystem, nodeFileSystem } from '../../server/store/filesystem.ts';

/** The steps of a durable write at which a disk may fail. */
export type DiskStep = 'open' | 'write' | 'sync' | 'rename' | 'sync folder';

/** A real file system that fails where a test says so, with the error of a full disk. */
export class FailingFiles {
  /** Fails every write at this step while it is set; with `half`, half of the bytes are written first. */
  failing: DiskStep | null = null;
  half = false;
  /** Open files, and whether they are folders. */
  readonly #open = new Map<number, boolean>();

  readonly files: FileSystem = {
    ...nodeFileSystem,
    openSync: (file, flags, mode) => {
      const folder = flags === 'r';
      if (!folder) this.#check('open');
      const handle = nodeFileSystem.openSync(file, flags, mode);
      this.#open.set(handle, folder);
      return handle;
    },
    writeSync: ((handle: number, bytes: Uint8Array, offset: number, length: number) => {
      if (this.failing === 'write' && this.half) nodeFileSystem.writeSync(handle, bytes, offset, length >> 1);
      this.#check('write');
      return nodeFileSystem.writeSync(handle, bytes, offset, length);
    }) as FileSystem['writeSync'],
    fsync: async (handle) => {
      this.#check(this.#open.get(handle) ? 'sync folder' : 'sync');
      await nodeFileSystem.fsync(handle);
    },
    closeSync: (handle) => {
      this.#open.delete(handle);
      nodeFileSystem.closeSync(handle);
    },
    renameSync: (from, to) => {
      this.#check('rename');
      nodeFileSystem.renameSync(from, to);
    },
  };

  /** Files and folders that are open at the moment: none but histories once nothing is under way. */
  get openHandles(): number {
    return this.#open.size;
  }

  #check(step: DiskStep): void {
    if (this.failing !== step) return;
    throw Object.assign(new Error(`ENOSPC: no space left on device, ${step}`), { code: 'ENOSPC' });
  }
}
