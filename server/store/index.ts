import path from 'node:path';
import { Low } from 'lowdb';
import { type Clock, systemClock } from '../clock.ts';
import { NODE_COUNT } from '../contract/boards.ts';
import type { Check } from '../contract/check.ts';
import { BenchError } from '../errors/bench-error.ts';
import { storeError } from '../errors/store.ts';
import type { Logger } from '../log.ts';
import { type BenchData, emptyBench, formatBench, parseBench } from './bench-data.ts';
import { DamagedFiles, type StoreNotice } from './damage.ts';
import { DurableFile, LowDocument, type StoredDocument } from './document.ts';
import { type FileSystem, nodeFileSystem, systemReason } from './filesystem.ts';
import { GroupCommit } from './group-commit.ts';
import { StoreHealth } from './health.ts';
import { JobHistory } from './history.ts';
import { JobFiles } from './job-files.ts';
import { lockFolder } from './lock.ts';
import type { StoredJob } from './records.ts';

export type { BenchData } from './bench-data.ts';
export type { JobFile, JobFiles } from './job-files.ts';
export type { StoredDesign, StoredJob, StoredNode } from './records.ts';

/** The data directory of a bench: what was acknowledged survives a crash at any moment. */
export interface Store {
  readonly folder: string;
  /** False from a write that failed until writing works again. */
  readonly healthy: boolean;
  /** Damaged files that were set aside when the store was opened. */
  readonly notices: readonly StoreNotice[];
  /** Tells when `healthy` changes; returns the function that ends it. */
  onHealth(listener: (healthy: boolean) => void): () => void;
  /** Writes, unless that was done a moment ago, and says whether it worked: for GET /health. */
  check(): Promise<boolean>;

  /** Nodes and jobs under way: change it, then `commit` or `touch`. */
  readonly bench: BenchData;
  /** See GroupCommit. @throws store_unavailable after `undo` was called. */
  commit(undo?: () => void): Promise<void>;
  touch(): void;
  /** Writes of bench.json so far. */
  readonly commits: number;

  /** Ended jobs by node. */
  readonly histories: readonly JobHistory[];
  /** What the histories held when the store was opened, oldest first. */
  readonly ended: readonly (readonly StoredJob[])[];
  readonly jobFiles: JobFiles;

  /**
   * A document of its own, DIR/<name>.json. A file that `check` does not accept is set aside and `initial`
   * takes its place. A name is opened once.
   */
  document<T>(name: string, initial: T, check: Check<T>): Promise<StoredDocument<T>>;
  /** Writes what is not on disk yet and gives the directory back. */
  close(): Promise<void>;
}

export interface StoreOptions {
  logger: Logger;
  files?: FileSystem;
  clock?: Clock;
}

/** Milliseconds for which a successful write says that the store is healthy. */
const FRESH_MS = 2000;

/**
 * Opens the data directory, making it where there is none.
 * @throws store_locked, store_unwritable, store_too_new.
 */
export async function openStore(dataDir: string, options: StoreOptions): Promise<Store> {
  const { logger, files = nodeFileSystem, clock = systemClock } = options;
  const folder = path.resolve(dataDir);
  try {
    for (const name of ['', 'history', 'jobs', 'bitstreams'])
      await files.mkdir(path.join(folder, name), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw unwritable(folder, error);
  }
  // By the system's own clock: it is compared with the times of files.
  const unlock = await lockFolder(folder).catch((error) => {
    throw error instanceof BenchError ? error : unwritable(folder, error);
  });
  try {
    const health = new StoreHealth(logger);
    const damaged = new DamagedFiles({ files, folder, logger, clock });
    const low = await openBench(path.join(folder, 'bench.json'), files, damaged);
    let written = 0;
    const benchOutcome = health.part('bench.json');
    const commits = new GroupCommit({
      clock,
      write: () => low.write(),
      onOutcome(error) {
        if (error === null) written = clock.monotonic();
        benchOutcome(error);
      },
    });
    await commits.commit().catch((error) => {
      throw unwritable(folder, error.cause);
    });

    const histories = Array.from({ length: NODE_COUNT }, (_, fpgaId) => {
      const name = `history/${fpgaId}.jsonl`;
      return new JobHistory({ clock, files, file: path.join(folder, name), onOutcome: health.part(name) });
    });
    const ended = await Promise.all(histories.map((history) => history.load(damaged)));
    const documents = new Map<string, GroupCommit>();

    return {
      folder,
      get healthy() {
        return health.healthy;
      },
      notices: damaged.notices,
      onHealth: (listener) => health.onChange(listener),
      async check() {
        if (!health.healthy) return false;
        if (clock.monotonic() - written > FRESH_MS) await commits.commit().catch(() => {});
        return health.healthy;
      },
      bench: low.data,
      commit: (undo) => commits.commit(undo),
      touch: () => commits.touch(),
      get commits() {
        return commits.writes;
      },
      histories,
      ended,
      jobFiles: new JobFiles({
        files,
        folder,
        onFailure(error) {
          logger.error({ err: error }, 'A file of a job could not be written.');
          // Whether the store as a whole can write shows at once, and again when it can.
          commits.touch();
        },
      }),
      async document<T>(name: string, initial: T, check: Check<T>) {
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
        });
        documents.set(name, document.commits);
        return document;
      },
      async close() {
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

async function openBench(file: string, files: FileSystem, damaged: DamagedFiles): Promise<Low<BenchData>> {
  let lost: string | null = null;
  const format = {
    parse(text: string): BenchData | null {
      const parsed = parseBench(text);
      switch (parsed.kind) {
        case 'whole':
          return parsed.data;
        case 'partial':
          lost = parsed.lost;
          return parsed.data;
        case 'damaged':
          return null;
        case 'too_new':
          throw storeError('store_too_new', {
            message: `The data directory was written by a later version (its schema is ${parsed.version}).`,
          });
      }
    },
    stringify: formatBench,
  };
  const low = new Low(new DurableFile({ files, file, format, damaged }), emptyBench());
  await low.read();
  if (lost !== null)
    await damaged.setAside(
      file,
      `holds records that cannot be read (${lost}); the bench starts without them`,
    );
  return low;
}

const unwritable = (folder: string, cause: unknown) =>
  storeError('store_unwritable', {
    message: `The data directory ${folder} cannot be written: ${systemReason(cause)}.`,
    cause,
  });
