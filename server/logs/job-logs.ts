import { createReadStream } from 'node:fs';
import fs from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { Clock } from '../clock.ts';
import type { EventHub } from '../events/events.ts';
import type { Logger } from '../log.ts';
import type { Store } from '../store/index.ts';
import { JobLog } from './job-log.ts';
import { LogCopies } from './log-copies.ts';

/** Bytes of one read for a follower, which limits its memory. */
const CHUNK = 16 << 10;

/** A log as it was at the call; later lines are not in it. */
export interface OpenLog {
  bytes: number;
  /** From `offset`, in chunks of so many bytes. */
  read(offset: number, chunk: number): Readable;
}

export interface JobLogsOptions {
  store: Pick<Store, 'files' | 'jobFiles' | 'healthOf'>;
  clock: Clock;
  events: EventHub;
  logger: Logger;
  /** Maximum bytes of one log. */
  limit: () => number;
  /** The log of an ended job in its record: after a power cut its file may be shorter. */
  kept?: (jobId: string) => string | undefined;
}

function* pieces(bytes: Buffer, offset: number, chunk: number): Iterable<Buffer> {
  for (let at = offset; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
}

/** A log from memory. */
export const openedText = (text: Buffer): OpenLog => ({
  bytes: text.length,
  read: (offset, chunk) => Readable.from(pieces(text, offset, chunk)),
});

/** The logs of all jobs: those being written, and their files. The files are the truth. */
export class JobLogs {
  readonly #options: JobLogsOptions;
  readonly #open = new Map<string, JobLog>();
  /** Closed logs that are not fully written yet. */
  readonly #late = new Map<string, JobLog>();
  readonly #kept: LogCopies;

  constructor(options: JobLogsOptions) {
    this.#options = options;
    this.#kept = new LogCopies(options.store.files, options.clock);
  }

  /** The log of a job that has not ended; created on first use. */
  log(fpgaId: number, jobId: string, size = 0): JobLog {
    let log = this.#open.get(jobId);
    if (!log) {
      const { store, clock, events, logger, limit } = this.#options;
      const { files, jobFiles } = store;
      log = new JobLog({
        fpgaId,
        jobId,
        files,
        place: jobFiles.logFile(fpgaId, jobId),
        limit: limit(),
        size,
        clock,
        events,
        logger,
        onOutcome: store.healthOf(`the log of job ${jobId}`),
        onWritten: (bytes) => jobFiles.sizes.add(jobId, bytes),
      });
      this.#open.set(jobId, log);
    }
    return log;
  }

  /** The same, appending to what an earlier start of the service has written. */
  async reopen(fpgaId: number, jobId: string): Promise<JobLog> {
    // Its last lines may still be unwritten.
    await this.close(jobId);
    const { files, jobFiles } = this.#options.store;
    const { file } = jobFiles.logFile(fpgaId, jobId);
    const size = await files.stat(file).then(
      (stat) => stat.size,
      () => 0,
    );
    return this.log(fpgaId, jobId, size);
  }

  /** Writes the rest and closes the log; `durable` as for JobLog.close. */
  async close(jobId: string, durable = true): Promise<void> {
    const log = this.#open.get(jobId);
    if (!log) return;
    await log.close(durable);
    if (this.#open.get(jobId) !== log) return;
    this.#open.delete(jobId);
    if (log.unwritten !== null) this.#kept.add(jobId, log.place, log.unwritten);
    if (log.pending) this.#late.set(jobId, log);
  }

  /** Drops the log of a removed job. */
  async forget(jobId: string): Promise<void> {
    await this.close(jobId);
    this.#late.get(jobId)?.abandon();
    this.#late.delete(jobId);
    await this.#kept.forget(jobId);
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((jobId) => this.close(jobId)));
    await this.#kept.close();
    for (const log of this.#late.values()) log.abandon();
    this.#late.clear();
  }

  /** The whole log so far; empty where nothing has been written. */
  async read(fpgaId: number, jobId: string): Promise<Buffer> {
    await this.#open.get(jobId)?.flush();
    const { files, jobFiles } = this.#options.store;
    const bytes = await files.readFile(jobFiles.logFile(fpgaId, jobId).file).catch(() => Buffer.alloc(0));
    return this.#completed(jobId, bytes.length) ?? bytes;
  }

  /** The log from the job's record where the file has less of it. */
  #completed(jobId: string, bytes: number): Buffer | null {
    const kept = this.#options.kept?.(jobId);
    return kept !== undefined && bytes < Buffer.byteLength(kept) ? Buffer.from(kept) : null;
  }

  /** The log so far, for reading piece by piece; empty where nothing has been written. */
  async open(fpgaId: number, jobId: string): Promise<OpenLog> {
    await this.#open.get(jobId)?.flush();
    const { file } = this.#options.store.jobFiles.logFile(fpgaId, jobId);
    const bytes = await fs.stat(file).then(
      ({ size }) => size,
      () => 0,
    );
    const kept = this.#completed(jobId, bytes);
    if (kept) return openedText(kept);
    const read = (offset: number, chunk: number) =>
      createReadStream(file, { start: offset, end: bytes - 1, highWaterMark: chunk });
    return { bytes, read };
  }

  /** From the beginning, then each addition, until the log is closed. `ended` tells whether the job has ended. */
  async *follow(
    fpgaId: number,
    jobId: string,
    ended: () => boolean,
    signal?: AbortSignal,
  ): AsyncIterable<Buffer> {
    const aborted = new Promise<void>((resolve) => {
      if (signal?.aborted) resolve();
      signal?.addEventListener('abort', () => resolve(), { once: true });
    });
    const log = ended() ? (this.#open.get(jobId) ?? null) : this.log(fpgaId, jobId);
    const { file } = this.#options.store.jobFiles.logFile(fpgaId, jobId);
    let handle: Awaited<ReturnType<typeof fs.open>> | null = null;
    let position = 0;
    try {
      while (!signal?.aborted) {
        // Subscribe before reading the file, so that no addition is missed.
        const more = log?.changed();
        const last = log === null || log.closed;
        handle ??= await fs.open(file, 'r').catch(() => null);
        for (;;) {
          const chunk = Buffer.allocUnsafe(CHUNK);
          const { bytesRead } = (await handle?.read(chunk, 0, CHUNK, position)) ?? { bytesRead: 0 };
          if (bytesRead === 0) break;
          position += bytesRead;
          yield chunk.subarray(0, bytesRead);
          if (signal?.aborted) return;
        }
        if (last || !more) break;
        await Promise.race([more, aborted]);
      }
      if (!signal?.aborted && ended()) {
        const rest = this.#completed(jobId, position)?.subarray(position);
        if (rest) yield rest;
      }
    } finally {
      await handle?.close().catch(() => {});
    }
  }
}
