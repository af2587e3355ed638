import path from 'node:path';
import { Low } from 'lowdb';
import { type Clock, systemClock } from '../clock.ts';
import { NODE_COUNT } from '../contract/boards/node-count.ts';
import type { Check } from '../contract/check.ts';
import { BenchError } from '../errors/bench-error.ts';
import { storeError } from '../errors/store.ts';
import type { Logger } from '../log.ts';
import { finishRestore } from './backup.ts';
import { type BenchData, emptyBench, formatBench, parseBench } from './bench-data.ts';
import { DamagedFiles, type StoreNotice } from './damage.ts';
import {
  type DocumentOptions,
  DurableFile,
  type Found,
  LowDocument,
  type StoredDocument,
} from './document.ts';
import { type FileSystem, makeFolder, nodeFileSystem, systemCode, systemReason } from './filesystem.ts';
import { ASSIGNMENTS, DESIGNS, FolderFiles } from './folder-files.ts';
import { GroupCommit } from './group-commit.ts';
import { StoreHealth } from './health.ts';
import { JobHistory } from './history.ts';
import { JobFiles } from './job-files.ts';
import { lockFolder } from './lock.ts';
import type { StoredJob } from './records.ts';
import { DiskSpace } from './space.ts';

export type { BenchData } from './bench-data.ts';
export { type FileSystem, writeAll } from './filesystem.ts';
export { digestOf, type FolderFiles } from './folder-files.ts';
export type { JobFiles, LogFile } from './job-files.ts';
export {
  isStoredUnplacedJob,
  type StoredDesign,
  type StoredJob,
  type StoredNode,
  type StoredUnplacedJob,
} from './records.ts';

/** The data directory of a bench: acknowledged changes survive a crash at any moment. */
export interface Store {
  readonly folder: string;
  /** False from a failed write until the next success. */
  readonly healthy: boolean;
  /** Damage found since the store was opened. */
  readonly notices: readonly StoreNotice[];
  /** Keeps a copy of DIR/<name>, where there is one, and adds a notice; `what` is e.g. `is shorter than …`. */
  noteDamage(name: string, what: string): Promise<void>;
  /**
   * For a part that writes into the directory by itself: returns the function to call after each write, null for
   * success.
   */
  healthOf(part: string): (error: unknown) => void;
  readonly files: FileSystem;
  /** The disk of the directory. */
  readonly space: DiskSpace;
  /** Calls the listener when `healthy` changes; returns the function that removes it. */
  onHealth(listener: (healthy: boolean) => void): () => void;
  /** Tests with a write, unless one succeeded a moment ago; for GET /health. */
  check(): Promise<boolean>;

  /** Nodes and jobs in progress: change it, then `commit` or `touch`. */
  readonly bench: BenchData;
  /** See GroupCommit. @throws store_unavailable after `undo` was called. */
  commit(undo?: () => void): Promise<void>;
  touch(): void;
  /** See GroupCommit. */
  touchLater(): void;
  /** Number of writes of bench.json. */
  readonly commits: number;

  /** Ended jobs by node. */
  readonly histories: readonly JobHistory[];
  /** What the histories held when the store was opened, oldest first. */
  readonly ended: readonly (readonly StoredJob[])[];
  readonly jobFiles: JobFiles;
  readonly designFiles: FolderFiles;
  readonly assignmentFiles: FolderFiles;

  /**
   * Opens a document of its own, DIR/<name>.json. A file that `check` rejects is set aside and `initial` replaces it.
   * Each name can be opened once.
   */
  document<T>(
    name: string,
    initial: T,
    check: Check<T>,
    options?: DocumentOptions<T>,
  ): Promise<StoredDocument<T>>;
  /** Writes pending changes and releases the directory. */
  close(): Promise<void>;
}

export interface StoreOptions {
  logger: Logger;
  files?: FileSystem;
  clock?: Clock;
  /** Locks the directory for this process; see lockFolder. */
  lock?: (folder: string) => Promise<() => Promise<void>>;
  /** Called with the duration of each write of nodes and jobs, milliseconds. */
  onFlush?: (milliseconds: number) => void;
}

/** How long a successful write proves the store healthy, ms. */
const FRESH_MS = 2000;

/**
 * Opens the data directory, and makes it where there is none.
 * @throws store_locked, store_unwritable, store_too_new.
 */
export async function openStore(dataDir: string, options: StoreOptions): Promise<Store> {
  const { logger, files = nodeFileSystem, clock = systemClock } = options;
  const folder = path.resolve(dataDir);
  try {
    await makeFolder(files, folder);
  } catch (error) {
    throw unwritable(folder, error);
  }
  // Uses the system clock: the lock compares it with file times.
  const unlock = await (options.lock ?? lockFolder)(folder).catch((error) => {
    throw error instanceof BenchError ? error : unwritable(folder, error);
  });
  try {
    const health = new StoreHealth(logger);
    const damaged = new DamagedFiles({ files, folder, logger, clock });
    if (files === nodeFileSystem) {
      const restored = await finishRestore(folder);
      if (restored !== null) damaged.announce('restore', restored);
    }
    const ofNodes = Array.from({ length: NODE_COUNT }, (_, fpgaId) => path.join('jobs', String(fpgaId)));
    for (const name of ['history', 'bitstreams', 'jobs/unplaced', ...ofNodes])
      await makeFolder(files, path.join(folder, name)).catch((error) => {
        throw unwritable(folder, error);
      });
    const low = await openBench(folder, files, damaged);
    let written = 0;
    const benchOutcome = health.part('bench.json');
    const commits = new GroupCommit({
      clock,
      write: () => low.write(),
      onOutcome(error) {
        if (error === null) written = clock.monotonic();
        benchOutcome(error);
      },
      ...(options.onFlush ? { onFlush: options.onFlush } : {}),
    });
    await commits.commit().catch((error) => {
      throw unwritable(folder, (error as Error).cause);
    });

    const couldNotWrite = (what: string) => (error: unknown) => {
      logger.error({ err: error }, `A file of a ${what} could not be written.`);
      // Health changes at once when the store fails, and again when it recovers.
      commits.touch();
    };
    const jobFiles = new JobFiles({ files, folder, onFailure: couldNotWrite('job') });
    const designFiles = new FolderFiles({
      files,
      folder: path.join(folder, 'designs'),
      names: DESIGNS,
      onFailure: couldNotWrite('design'),
    });
    const assignmentFiles = new FolderFiles({
      files,
      folder: path.join(folder, 'assignments'),
      names: ASSIGNMENTS,
      onFailure: couldNotWrite('hand-in'),
    });
    const histories = Array.from({ length: NODE_COUNT }, (_, fpgaId) => {
      const name = `history/${fpgaId}.jsonl`;
      return new JobHistory({
        clock,
        files,
        file: path.join(folder, name),
        onOutcome: health.part(name),
        beforeRewrite: async () => {
          await jobFiles.syncRemovals(fpgaId);
          // A job must leave bench.json before its record goes.
          await commits.flush();
        },
      });
    });
    const ended = await Promise.all(histories.map((history) => history.load(damaged)));
    const documents = new Map<string, GroupCommit>();
    const space = new DiskSpace({ files, folder, clock, logger });
    await space.look();

    return {
      folder,
      get healthy() {
        return health.healthy;
      },
      notices: damaged.notices,
      async noteDamage(name, what) {
        const file = path.join(folder, name);
        const present = await files.access(file).then(
          () => true,
          () => false,
        );
        if (present) await damaged.setAside(file, what);
        else damaged.tell(file, what);
      },
      space,
      healthOf: (part) => health.part(part),
      files,
      onHealth: (listener) => health.onChange(listener),
      async check() {
        if (!health.healthy) return false;
        if (clock.monotonic() - written > FRESH_MS) await commits.commit().catch(() => {});
        return health.healthy;
      },
      bench: low.data,
      commit: (undo) => commits.commit(undo),
      touch: () => commits.touch(),
      touchLater: () => commits.touchLater(),
      get commits() {
        return commits.writes;
      },
      histories,
      ended,
      jobFiles,
      designFiles,
      assignmentFiles,
      async document<T>(name: string, initial: T, check: Check<T>, more: DocumentOptions<T> = {}) {
        if (documents.has(name)) throw new Error(`The document ${name} is open already.`);
        const file = path.join(folder, `${name}.json`);
        const onOutcome = health.part(`${name}.json`);
        const document = await LowDocument.open({
          files,
          file,
          initial,
          check,
          clock,
          damaged,
          onOutcome,
          ...more,
        });
        documents.set(name, document.commits);
        return document;
      },
      async close() {
        space.close();
        for (const history of histories) await history.close();
        for (const writes of documents.values()) await writes.drain();
        await commits.drain();
        await unlock();
      },
    };
  } catch (error) {
    await unlock();
    throw error;
  }
}

async function openBench(folder: string, files: FileSystem, damaged: DamagedFiles): Promise<Low<BenchData>> {
  const file = path.join(folder, 'bench.json');
  const used = (await files.readdir(path.join(folder, 'history'))).length > 0;
  const format = {
    parse(text: string | null, previous: string | null): Found<BenchData> {
      const parsed = text === null ? null : parseBench(text, previous);
      if (parsed?.kind === 'whole') return { value: parsed.data };
      if (parsed?.kind === 'too_new')
        throw storeError('store_too_new', {
          message: `The data directory was written by a later version (its schema is ${parsed.version}).`,
        });
      if (parsed?.kind === 'partial')
        return {
          value: parsed.data,
          problem: `holds records that cannot be read (${parsed.lost || 'its first line'}); ${
            parsed.replaced === ''
              ? 'the bench starts without them'
              : `these were taken from its previous generation: ${parsed.replaced}`
          }`,
        };
      const what = text === null ? 'is missing' : 'cannot be read';
      const before = previous === null ? null : parseBench(previous);
      if (before && 'data' in before)
        return { value: before.data, problem: `${what}; its previous generation is used` };
      if (text === null && !used) return { value: null };
      return { value: null, problem: `${what}; the bench starts without it` };
    },
    stringify: formatBench,
  };
  const low = new Low(new DurableFile({ files, file, format, damaged }), emptyBench());
  await low.read();
  return low;
}

/** The error for a data directory that can't be opened. */
function unwritable(folder: string, cause: unknown): BenchError {
  if (['ENOSPC', 'EDQUOT'].includes(systemCode(cause)))
    return storeError('store_full', {
      message: `The data directory ${folder} cannot be written: ${systemReason(cause)}.`,
      cause,
    });
  return storeError('store_unwritable', {
    message: `The data directory ${folder} cannot be written: ${systemReason(cause)}.`,
    cause,
  });
}
