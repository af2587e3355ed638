import type { Clock } from '../clock.ts';
import { type FileSystem, type LogFile, writeAll } from '../store/index.ts';

/** Logs that are kept beside their jobs get their files so long after the last of them was closed… */
const LATER_MS = 1000;
/** …one after the other, so long apart: to make a folder and a file takes as long as a good part of a run. */
const APART_MS = 20;

/**
 * Files for logs that are kept beside their jobs. Nobody waits for them: from the folders of its jobs a history that was
 * damaged is made again. A job that is not kept any more by then needs none.
 */
export class LogCopies {
  readonly #files: FileSystem;
  readonly #clock: Clock;
  readonly #waiting = new Map<string, { place: LogFile; text: string }>();
  /** What is being written, and whose it is. */
  #writing: { jobId: string; done: Promise<void> } | null = null;
  /** Takes the next one back. */
  #cancel: (() => void) | null = null;
  /** What is left is written at once, by `close`. */
  #closing = false;

  constructor(files: FileSystem, clock: Clock) {
    this.#files = files;
    this.#clock = clock;
  }

  add(jobId: string, place: LogFile, text: string): void {
    this.#waiting.set(jobId, { place, text });
    // While runs follow one another they have the processor and the disk for themselves.
    this.#cancel?.();
    this.#cancel = null;
    if (this.#writing === null) this.#after(LATER_MS);
  }

  /** Resolves when nothing of the job is written any more. */
  async forget(jobId: string): Promise<void> {
    this.#waiting.delete(jobId);
    if (this.#writing?.jobId === jobId) await this.#writing.done;
  }

  /** Writes all that is left. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#cancel?.();
    await this.#writing?.done;
    while (this.#waiting.size > 0) await this.#next();
  }

  #after(milliseconds: number): void {
    if (this.#closing) return;
    this.#cancel ??= this.#clock.after(milliseconds, () => {
      this.#cancel = null;
      void this.#next().then(() => {
        if (this.#waiting.size > 0) this.#after(APART_MS);
      });
    });
  }

  async #next(): Promise<void> {
    const [first] = this.#waiting;
    if (!first) return;
    const [jobId, { place, text }] = first;
    this.#waiting.delete(jobId);
    // The text itself is in the job's record: a disk that refuses this loses nothing.
    const done = this.#write(place, text).catch(() => {});
    this.#writing = { jobId, done };
    await done;
    this.#writing = null;
  }

  async #write(place: LogFile, text: string): Promise<void> {
    await place.create();
    const handle = this.#files.openSync(place.file, 'a', 0o600);
    try {
      writeAll(this.#files, handle, Buffer.from(text));
    } finally {
      this.#files.closeSync(handle);
    }
  }
}
