import type { Clock } from '../clock.ts';
import { type FileSystem, type LogFile, writeAll } from '../store/index.ts';

/** Logs in job records get their files this long after the last of them was closed… */
const LATER_MS = 1000;
/** …one after another at this interval: creating a folder and a file takes as long as a good part of a run. */
const APART_MS = 20;

/**
 * Writes files for logs in job records, in the background. A damaged history is rebuilt from the job folders. A job
 * that is removed by then needs no file.
 */
export class LogCopies {
  readonly #files: FileSystem;
  readonly #clock: Clock;
  readonly #waiting = new Map<string, { place: LogFile; text: string }>();
  /** The present write, and its job. */
  #writing: { jobId: string; done: Promise<void> } | null = null;
  /** Cancels the next one. */
  #cancel: (() => void) | null = null;
  /** `close` writes the rest at once. */
  #closing = false;

  constructor(files: FileSystem, clock: Clock) {
    this.#files = files;
    this.#clock = clock;
  }

  add(jobId: string, place: LogFile, text: string): void {
    this.#waiting.set(jobId, { place, text });
    // A series of runs has the processor and the disk for itself.
    this.#cancel?.();
    this.#cancel = null;
    if (this.#writing === null) this.#after(LATER_MS);
  }

  /** Resolves when nothing of the job is being written. */
  async forget(jobId: string): Promise<void> {
    this.#waiting.delete(jobId);
    if (this.#writing?.jobId === jobId) await this.#writing.done;
  }

  /** Writes the rest. */
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
    // The job's record has the text, so a failed write loses nothing.
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
