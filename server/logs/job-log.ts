import type { FileHandle } from 'node:fs/promises';
import fs from 'node:fs/promises';
import type { Clock } from '../clock.ts';
import type { Stage } from '../contract/jobs.ts';
import type { EventHub } from '../events/events.ts';
import type { Logger } from '../log.ts';
import { withoutControls } from '../text.ts';

/** Text is gathered for so long before it goes to the file and to those who follow. */
const BATCH_MS = 40;
/** …or until it is so long. */
const BATCH_BYTES = 32 << 10;
/** A line is cut here: no tool writes longer ones for people. */
const LINE_CHARACTERS = 4096;
/** Room kept for the last lines of a job, so that the reason of a failure is always there. */
const LAST_WORDS = 16 << 10;
/** Room for the two lines that say that lines were left out. */
const MARKERS = 256;

export interface JobLogOptions {
  fpgaId: number;
  jobId: string;
  file: string;
  /** Makes the file's folder. */
  create: () => Promise<void>;
  /** Bytes of the file at most, with its marker line and the last words of the job. */
  limit: number;
  /** Bytes that the file has already, of an earlier start of the service. */
  size: number;
  clock: Clock;
  events: EventHub;
  logger: Logger;
}

/**
 * Writes the log of one job: `[   1.234 synthesis] text`, seconds since a worker took it. Lines go to the file
 * in batches and, when they are in it, to the event stream. A log that cannot be written costs lines, never
 * the job.
 */
export class JobLog {
  readonly file: string;
  readonly #options: JobLogOptions;
  #origin: number;
  #batch: string[] = [];
  #batchBytes = 0;
  /** Bytes taken so far, written or not. */
  #taken: number;
  #written: number;
  #dropped = 0;
  /** Takes the writing of the batch back. */
  #timer: (() => void) | null = null;
  #work: Promise<void> = Promise.resolve();
  #handle: FileHandle | null = null;
  #broken = false;
  /** Takes no more lines. */
  #sealed = false;
  #closed = false;
  #closing: Promise<void> | null = null;
  #changed: (() => void)[] = [];

  constructor(options: JobLogOptions) {
    this.#options = options;
    this.file = options.file;
    this.#origin = options.clock.now();
    this.#taken = options.size;
    this.#written = options.size;
  }

  /** Bytes that are in the file. */
  get size(): number {
    return this.#written;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Sets the moment that lines count their seconds from; milliseconds since the epoch. */
  start(origin: number): void {
    this.#origin = origin;
  }

  line(stage: Stage, text: string): void {
    const { limit } = this.#options;
    this.#append(stage, text, limit - MARKERS - Math.min(LAST_WORDS, limit / 4));
  }

  /** A line that is kept even when the log is full: why the job failed. */
  lastLine(stage: Stage, text: string): void {
    this.#append(stage, text, this.#options.limit - MARKERS);
  }

  /** Resolves when every line so far is in the file. */
  flush(): Promise<void> {
    this.#timer?.();
    this.#timer = null;
    if (this.#batch.length > 0) {
      const text = this.#batch.join('');
      this.#batch = [];
      this.#batchBytes = 0;
      this.#work = this.#work.then(() => this.#write(text));
    }
    return this.#work;
  }

  /** Writes the rest and lets go of the file; lines that come later are not taken. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#dropped > 0)
      this.#push(`… ${this.#dropped} lines were left out: the log had reached its limit.\n`);
    this.#sealed = true;
    await this.flush();
    await this.#handle?.close().catch(() => {});
    this.#handle = null;
    this.#closed = true;
    this.#announce();
  }

  /** Resolves when there is more in the file, or the log is closed. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#changed.push(resolve));
  }

  #append(stage: Stage, text: string, limit: number): void {
    if (this.#sealed) return;
    const seconds = Math.max(0, this.#options.clock.now() - this.#origin) / 1000;
    const prefix = `[${seconds.toFixed(3).padStart(8)} ${stage}] `;
    for (const raw of text.split(/\r\n|\n|\r/)) {
      const clean = withoutControls(raw);
      const line = `${prefix}${clean.length > LINE_CHARACTERS ? `${clean.slice(0, LINE_CHARACTERS)}…` : clean}\n`;
      const bytes = Buffer.byteLength(line);
      if (this.#taken + bytes > limit) {
        if (this.#dropped === 0)
          this.#push(`${prefix}… the log has reached its limit: lines are left out from here.\n`);
        this.#dropped++;
      } else this.#push(line, bytes);
    }
  }

  #push(line: string, bytes = Buffer.byteLength(line)): void {
    this.#batch.push(line);
    this.#batchBytes += bytes;
    this.#taken += bytes;
    if (this.#batchBytes >= BATCH_BYTES) void this.flush();
    else if (!this.#timer) {
      this.#timer = this.#options.clock.after(BATCH_MS, () => void this.flush());
    }
  }

  async #write(text: string): Promise<void> {
    if (this.#broken) return;
    const bytes = Buffer.from(text);
    const { fpgaId, jobId, create, events, logger } = this.#options;
    try {
      if (!this.#handle) {
        await create();
        this.#handle = await fs.open(this.file, 'a', 0o600);
      }
      await this.#handle.appendFile(bytes);
    } catch (error) {
      this.#broken = true;
      logger.error({ job_id: jobId, err: error }, 'The log of a job could not be written; its rest is lost.');
      return;
    }
    const offset = this.#written;
    this.#written += bytes.length;
    events.publish({ type: 'log', fpga_id: fpgaId, job_id: jobId, offset, text });
    this.#announce();
  }

  #announce(): void {
    const waiting = this.#changed;
    this.#changed = [];
    for (const resolve of waiting) resolve();
  }
}
