import { EventEmitter } from 'node:events';
import { type FSWatcher, statSync, watch } from 'node:fs';
import path from 'node:path';
import type { DesktopFile, SavedFile, WatchedFile } from '../preload/bridge.ts';
import type { Clock } from '../server/clock.ts';
import { systemReason } from '../server/store/filesystem.ts';

/** Editors write in several steps; a save is complete when nothing has happened for this long, ms. */
const SETTLE_MS = 250;

/** Interval of the checks for a replaced folder, ms. Only inotify reports one. */
const LOOK_MS = 2000;

/** As a bigint: the numbers of NTFS have 64 bits. */
const inodeOf = (folder: string): bigint | undefined =>
  statSync(folder, { throwIfNoEntry: false, bigint: true })?.ino;

interface Watch {
  /** Replaced, never changed in place. */
  file: WatchedFile;
  watcher: FSWatcher | null;
  /** The folder that the system watches under that name; undefined while there is none. */
  inode: bigint | undefined;
  /** Cancels the next check of the folder. */
  stopLooking: (() => void) | null;
  /** Cancels the read of an unsettled save. */
  cancel: (() => void) | null;
  /** The newest save that no window has taken. */
  saved: DesktopFile | null;
}

interface WatchedFilesOptions {
  clock: Clock;
  /** Reads a whole source; rejects with a sentence. */
  read(file: string): Promise<DesktopFile>;
  platform?: NodeJS.Platform;
  /** The system's watch of a folder; a parameter for tests. */
  watch?: (folder: string, changed: (event: string, name: string | null) => void) => FSWatcher;
}

/** Whether two names are the same. Windows and macOS ignore case. */
const isSameName = (one: string, other: string, platform: NodeJS.Platform) =>
  platform === 'win32' || platform === 'darwin' ? one.toLowerCase() === other.toLowerCase() : one === other;

/**
 * Watches one HDL source for each node and reads it when it is saved. The window submits a save, because it knows the
 * user, the session and the options. The newest save of each node stays until a window takes it.
 */
export class WatchedFiles extends EventEmitter<{ change: [WatchedFile[]]; saved: [] }> {
  readonly #options: WatchedFilesOptions;
  readonly #platform: NodeJS.Platform;
  readonly #watches = new Map<number, Watch>();

  constructor(options: WatchedFilesOptions) {
    super();
    this.#options = options;
    this.#platform = options.platform ?? process.platform;
  }

  list(): WatchedFile[] {
    return [...this.#watches.values()].map(({ file }) => file);
  }

  /** Watches `file` for a node, instead of another one. Its present contents are no save. */
  watch(fpgaId: number, file: string): void {
    this.#end(fpgaId);
    const entry: Watch = {
      file: { fpga_id: fpgaId, path: file, problem: null },
      watcher: null,
      inode: undefined,
      stopLooking: null,
      cancel: null,
      saved: null,
    };
    this.#watches.set(fpgaId, entry);
    this.#look(entry);
    if (this.#platform !== 'linux') this.#lookAgain(entry);
    this.emit('change', this.list());
  }

  unwatch(fpgaId: number): void {
    if (this.#end(fpgaId)) this.emit('change', this.list());
  }

  /** Takes the waiting saves, the newest of each node. */
  take(): SavedFile[] {
    return [...this.#watches.values()].flatMap((entry) => {
      const { saved } = entry;
      entry.saved = null;
      return saved === null ? [] : [{ fpga_id: entry.file.fpga_id, file: saved }];
    });
  }

  close(): void {
    for (const fpgaId of [...this.#watches.keys()]) this.#end(fpgaId);
    this.removeAllListeners();
  }

  #end(fpgaId: number): boolean {
    const entry = this.#watches.get(fpgaId);
    entry?.watcher?.close();
    entry?.cancel?.();
    entry?.stopLooking?.();
    return this.#watches.delete(fpgaId);
  }

  /**
   * Watches the folder, not the file: editors that replace a file on save would end a watch on it. Repeated at every
   * save, because a replaced folder is another one to the system.
   */
  #look(entry: Watch): void {
    const folder = path.dirname(entry.file.path);
    const before = entry.watcher;
    try {
      const watcher = (this.#options.watch ?? watch)(folder, (_event, name) => {
        if (entry.watcher !== watcher) return;
        // Some systems do not name the file.
        if (name === null || isSameName(name, path.basename(entry.file.path), this.#platform))
          this.#touched(entry);
        // The folder's own name reports that it was moved or removed.
        else if (name === path.basename(folder) && inodeOf(folder) !== entry.inode) this.#touched(entry);
      });
      watcher.on('error', (error) => {
        if (entry.watcher === watcher) this.#blind(entry, error);
      });
      entry.watcher = watcher;
      entry.inode = inodeOf(folder);
      before?.close();
    } catch (error) {
      this.#blind(entry, error);
    }
  }

  /** Looks whether another folder has taken the place of the watched one, where no event tells of that. */
  #lookAgain(entry: Watch): void {
    entry.stopLooking = this.#options.clock.after(LOOK_MS, () => {
      if (entry.watcher && inodeOf(path.dirname(entry.file.path)) !== entry.inode) this.#touched(entry);
      this.#lookAgain(entry);
    });
  }

  #touched(entry: Watch): void {
    entry.cancel?.();
    entry.cancel = this.#options.clock.after(SETTLE_MS, () => {
      entry.cancel = null;
      this.#look(entry);
      if (entry.watcher) void this.#read(entry);
    });
  }

  async #read(entry: Watch): Promise<void> {
    const read = await this.#options.read(entry.file.path).then(
      (file) => ({ file, problem: null }),
      (error: Error) => ({ file: null, problem: error.message }),
    );
    // The watch ended, or a new save began: this read may be partial, and another one follows.
    if (this.#watches.get(entry.file.fpga_id) !== entry || entry.cancel) return;
    this.#report(entry, read.problem);
    if (read.file === null) return;
    entry.saved = read.file;
    this.emit('saved');
  }

  /** Saves can't be noticed any more. */
  #blind(entry: Watch, error: unknown): void {
    entry.watcher?.close();
    entry.watcher = null;
    const folder = path.dirname(entry.file.path);
    this.#report(
      entry,
      `Changes in ${folder} cannot be watched: ${systemReason(error)}. Fix that, then watch the file again.`,
    );
  }

  #report(entry: Watch, problem: string | null): void {
    if (entry.file.problem === problem) return;
    entry.file = { ...entry.file, problem };
    if (this.#watches.get(entry.file.fpga_id) === entry) this.emit('change', this.list());
  }
}
