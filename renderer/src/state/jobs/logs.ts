import type { LogEvent } from '../../../../server/contract/events/events.ts';
import type { OpenLog } from './open-log.ts';

/** The open logs, shared by all views. */
export class OpenLogs {
  readonly #open = new Map<string, { log: OpenLog; users: number }>();

  /** @param open opens a log that no view shows yet */
  acquire(jobId: string, open: () => OpenLog): OpenLog {
    const entry = this.#open.get(jobId) ?? { log: open(), users: 0 };
    entry.users += 1;
    this.#open.set(jobId, entry);
    return entry.log;
  }

  release(jobId: string): void {
    const entry = this.#open.get(jobId);
    if (entry === undefined) return;
    entry.users -= 1;
    if (entry.users > 0) return;
    entry.log.close();
    this.#open.delete(jobId);
  }

  take(events: readonly LogEvent[]): void {
    const byJob = new Map<string, LogEvent[]>();
    for (const event of events) {
      if (!this.#open.has(event.job_id)) continue;
      const list = byJob.get(event.job_id);
      if (list) list.push(event);
      else byJob.set(event.job_id, [event]);
    }
    for (const [jobId, list] of byJob) this.#open.get(jobId)?.log.take(list);
  }

  /** Reads all logs again: after a lost connection the page may have missed text. */
  reload(): void {
    for (const { log } of this.#open.values()) void log.load();
  }
}
