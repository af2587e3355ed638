import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Clock, every } from '../clock.ts';

async function folderBytes(folder: string, but: (name: string) => boolean): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) bytes += but(entry.name) ? 0 : await folderBytes(file, () => false);
    else if (entry.isFile())
      bytes += await stat(file)
        .then(({ size }) => size)
        .catch(() => 0);
  }
  return bytes;
}

/** Interval between measurements of files that are not counted when written. */
const STEP_MS = 60_000;

/**
 * The size of a data directory for GET /status, without waiting for the disk. Files of jobs are counted as they are
 * written. A background task measures the rest.
 */
export class DataSize {
  readonly #jobs: () => number;
  readonly #folder: string;
  readonly #stop: () => void;
  #others: number | null = null;

  constructor(options: { folder: string; jobs: () => number; clock: Clock }) {
    this.#jobs = options.jobs;
    this.#folder = options.folder;
    this.#stop = every(options.clock, STEP_MS, () => void this.measure());
  }

  /** Bytes; null before the first measurement. */
  get bytes(): number | null {
    return this.#others === null ? null : this.#others + this.#jobs();
  }

  async measure(): Promise<void> {
    this.#others = await folderBytes(this.#folder, (name) => name === 'jobs');
  }

  close(): void {
    this.#stop();
  }
}
