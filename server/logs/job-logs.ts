import fs from 'node:fs/promises';
import type { Clock } from '../clock.ts';
import type { EventHub } from '../events/events.ts';
import type { Logger } from '../log.ts';
import type { JobFiles } from '../store/index.ts';
import { JobLog } from './job-log.ts';

const CHUNK = 64 << 10;

export interface JobLogsOptions {
  files: JobFiles;
  clock: Clock;
  events: EventHub;
  logger: Logger;
  /** Bytes of one log at most. */
  limit: () => number;
}

/** The logs of all jobs: those being written, and their files. The files are the truth. */
export class JobLogs {
  readonly #options: JobLogsOptions;
  readonly #open = new Map<string, JobLog>();

  constructor(options: JobLogsOptions) {
    this.#options = options;
  }

  /** The log of a job that has not ended; made when it is first asked for. */
  log(fpgaId: number, jobId: string, size = 0): JobLog {
    let log = this.#open.get(jobId);
    if (!log) {
      const { files, clock, events, logger, limit } = this.#options;
      const { file, create } = files.logFile(fpgaId, jobId);
      log = new JobLog({ fpgaId, jobId, file, create, limit: limit(), size, clock, events, logger });
      this.#open.set(jobId, log);
    }
    return log;
  }

  /** The same, behind what an earlier start of the service has written. */
  async reopen(fpgaId: number, jobId: string): Promise<JobLog> {
    // Its last lines may still be on their way.
    await this.close(jobId);
    const { file } = this.#options.files.logFile(fpgaId, jobId);
    const size = await fs.stat(file).then(
      (stat) => stat.size,
      () => 0,
    );
    return this.log(fpgaId, jobId, size);
  }

  /** Writes the rest and lets go of it. */
  async close(jobId: string): Promise<void> {
    const log = this.#open.get(jobId);
    await log?.close();
    if (this.#open.get(jobId) === log) this.#open.delete(jobId);
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((jobId) => this.close(jobId)));
  }

  /** The whole log so far; empty where nothing has been written. */
  async read(fpgaId: number, jobId: string): Promise<Buffer> {
    await this.#open.get(jobId)?.flush();
    return await fs.readFile(this.#options.files.logFile(fpgaId, jobId).file).catch(() => Buffer.alloc(0));
  }

  /** From the beginning, then what comes, until the log is closed. `ended` says that the job has ended. */
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
    const { file } = this.#options.files.logFile(fpgaId, jobId);
    let handle: Awaited<ReturnType<typeof fs.open>> | null = null;
    try {
      for (let position = 0; !signal?.aborted; ) {
        // Asked before the file is read: what comes meanwhile is not missed.
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
        if (last || !more) return;
        await Promise.race([more, aborted]);
      }
    } finally {
      await handle?.close().catch(() => {});
    }
  }
}
