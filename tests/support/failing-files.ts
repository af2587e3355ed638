import { lstatSync } from 'node:fs';
import { type FileSystem, nodeFileSystem } from '../../server/store/filesystem.ts';

/** The steps of a durable write at which a disk may fail. */
export type DiskStep = 'open' | 'write' | 'sync' | 'rename' | 'sync folder';

/** A real file system that fails on request, with the error of a full disk. */
export class FailingFiles {
  /** Fails every write at this step while it is set; with `half`, half of the bytes are written first. */
  failing: DiskStep | null = null;
  half = false;
  /** Which files fail; all of them when null. */
  only: RegExp | null = null;
  /** Share of the disk that is free, for what watches it. */
  free = 0.5;
  /** Open files, and whether they are folders. */
  readonly #open = new Map<number, { folder: boolean; file: string }>();

  readonly files: FileSystem = {
    ...nodeFileSystem,
    openSync: (file, flags, mode) => {
      const folder = lstatSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;
      if (!folder) this.#check('open', file);
      const handle = nodeFileSystem.openSync(file, flags, mode);
      this.#open.set(handle, { folder, file });
      return handle;
    },
    create: async (file, mode) => {
      this.#check('open', file);
      const handle = await nodeFileSystem.create(file, mode);
      this.#open.set(handle, { folder: false, file });
      return handle;
    },
    writeSync: (handle, bytes, offset, length) => {
      if (this.failing === 'write' && this.half) nodeFileSystem.writeSync(handle, bytes, offset, length >> 1);
      this.#check('write', this.#open.get(handle)?.file);
      return nodeFileSystem.writeSync(handle, bytes, offset, length);
    },
    statfs: async () => ({ blocks: 1000, bavail: 1000 * this.free, bsize: 4096 }),
    fsync: async (handle) => {
      const { folder = false, file } = this.#open.get(handle) ?? {};
      this.#check(folder ? 'sync folder' : 'sync', file);
      await nodeFileSystem.fsync(handle);
    },
    closeSync: (handle) => {
      this.#open.delete(handle);
      nodeFileSystem.closeSync(handle);
    },
    rename: async (from, to) => {
      this.#check('rename', to);
      await nodeFileSystem.rename(from, to);
    },
  };

  /** Files and folders that are open now: at rest only histories. */
  get openHandles(): number {
    return this.#open.size;
  }

  #check(step: DiskStep, file = ''): void {
    if (this.failing !== step || (this.only !== null && !this.only.test(file))) return;
    throw Object.assign(new Error(`ENOSPC: no space left on device, ${step}`), { code: 'ENOSPC' });
  }
}
