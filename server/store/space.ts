import { type Clock, every } from '../clock.ts';
import type { DiskLevel } from '../contract/bench/bench.ts';
import { storeError } from '../errors/store.ts';
import type { Logger } from '../log.ts';
import type { FileSystem } from './filesystem.ts';

/** Free shares of the disk: a warning below the first, no new work below the second. */
const LOW = 0.1;
const FULL = 0.02;
/** Interval between checks of the disk. */
const STEP_MS = 15_000;

/** Free space on the disk of the data directory, bytes. */
export interface Space {
  level: DiskLevel;
  free: number;
  total: number;
}

const PLENTY: Space = { level: 'ok', free: 0, total: 0 };

/** Watches the disk of the data directory, so that it is noticed before it is full. */
export class DiskSpace {
  readonly #options: { files: FileSystem; folder: string; clock: Clock; logger: Logger };
  readonly #listeners = new Set<() => void>();
  readonly #stop: () => void;
  /** Null where the system gives no figure: then nothing is refused. */
  #now: Space | null = null;

  constructor(options: { files: FileSystem; folder: string; clock: Clock; logger: Logger }) {
    this.#options = options;
    this.#stop = every(options.clock, STEP_MS, () => void this.look());
  }

  get now(): Space | null {
    return this.#now;
  }

  get level(): DiskLevel {
    return (this.#now ?? PLENTY).level;
  }

  /** Asks the system. */
  async look(): Promise<void> {
    const { files, folder, logger } = this.#options;
    const stat = await files.statfs(folder).catch(() => null);
    if (stat === null || stat.blocks === 0) return;
    const before = this.level;
    const share = stat.bavail / stat.blocks;
    const level = share < FULL ? 'full' : share < LOW ? 'low' : 'ok';
    this.#now = { level, free: stat.bavail * stat.bsize, total: stat.blocks * stat.bsize };
    if (level === before) return;
    const facts = { free: this.#now.free, total: this.#now.total };
    if (level === 'ok') logger.info(facts, 'The disk of the data directory has room again.');
    else logger.warn(facts, `The disk of the data directory is ${level === 'low' ? 'nearly full' : 'full'}.`);
    for (const listener of this.#listeners) listener();
  }

  /**
   * @throws storage_low when the disk has no room for new work. Requests that end or release work are still accepted.
   */
  demand(): void {
    if (this.level === 'full') throw storeError('storage_low');
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#stop();
  }
}
