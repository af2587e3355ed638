import { appendFileSync, existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Writable } from 'node:stream';
import { type App, dialog, shell } from 'electron';
import type { Clock } from '../server/clock.ts';
import { createLogger, type Logger, RecentLines } from '../server/log.ts';

/** Size at which a log file ends and the next one begins, bytes. */
const LOG_FILE_LIMIT = 2 * 1024 * 1024;
/** Number of old log files that stay. */
const LOG_FILES_KEPT = 4;

/** A writable file that is renamed to `.1`, `.2` … when it is full; the oldest is removed. */
export class RotatingFile extends Writable {
  readonly #file: string;
  readonly #limit: number;
  readonly #kept: number;
  readonly #rename: typeof renameSync;
  #size: number;

  constructor(file: string, limit = LOG_FILE_LIMIT, kept = LOG_FILES_KEPT, rename = renameSync) {
    super();
    this.#rename = rename;
    this.#file = file;
    this.#limit = limit;
    this.#kept = kept;
    mkdirSync(path.dirname(file), { recursive: true });
    this.#size = existsSync(file) ? statSync(file).size : 0;
  }

  // Synchronous, because the last lines before a crash matter most.
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    try {
      if (this.#size > 0 && this.#size + chunk.length > this.#limit) this.#rotate();
      appendFileSync(this.#file, chunk);
      this.#size += chunk.length;
    } catch {
      // A full disk must not end the bench; the service reports its own store.
    }
    done();
  }

  /**
   * Moves the ended files up by one. On Windows another program may hold one of them: then the file goes on to grow,
   * and the next line tries again. A file that was moved already leaves a gap, from which that goes on.
   */
  #rotate(): void {
    const name = (i: number) => (i === 0 ? this.#file : `${this.#file}.${i}`);
    let free = 1;
    while (free < this.#kept && existsSync(name(free))) free++;
    try {
      rmSync(name(free), { force: true });
      for (; free > 0; free--) this.#rename(name(free - 1), name(free));
      this.#size = 0;
    } catch {
      // What is to be written now is not lost for it.
    }
  }
}

export interface Logs {
  readonly folder: string;
  readonly logger: Logger;
  /** The newest log lines. */
  readonly recent: RecentLines;
  /** Opens the folder of the log files in the file browser. */
  show(): Promise<void>;
}

/**
 * Log files with rotation, and the handling of bugs. A bug is logged with its stack, and a dialog names the log. Then
 * the application ends, because its state can't be trusted.
 */
export function setupCrashLog(app: App, clock: Clock): Logs {
  const folder = app.getPath('logs');
  const recent = new RecentLines();
  const logger = createLogger('info', new RotatingFile(path.join(folder, 'wishbench.log')), recent);
  const crash = (error: unknown) => {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    logger.fatal({ err: error }, 'crash');
    const file = path.join(folder, `crash-${new Date(clock.now()).toISOString().replaceAll(':', '-')}.log`);
    try {
      writeFileSync(
        file,
        `${app.getName()} ${app.getVersion()} on ${process.platform} ${process.arch}\n\n${text}\n`,
      );
    } catch {
      // No further remedy is left.
    }
    dialog.showErrorBox(
      'Wishbench has to close',
      `An unexpected error occurred. Acknowledged changes are saved; the next start marks running jobs as failed.\n\nThe report is in ${folder}.`,
    );
    app.exit(1);
  };
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
  app.on('child-process-gone', (_event, details) =>
    logger.error(
      { type: details.type, reason: details.reason, exit_code: details.exitCode },
      'child process gone',
    ),
  );
  return {
    folder,
    logger,
    recent,
    show: async () => {
      await shell.openPath(folder);
    },
  };
}
