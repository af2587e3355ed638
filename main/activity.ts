import { EventEmitter } from 'node:events';
import type { Clock } from '../server/clock.ts';
import type { BenchEvent } from '../server/contract/events/events.ts';
import { hasEnded, type Job, type JobStatus } from '../server/contract/jobs/jobs.ts';
import { overallFraction } from '../server/contract/jobs/progress.ts';
import type { NodeView } from '../server/contract/nodes/nodes.ts';

/** The parts of a bench that are watched. */
export interface WatchedBench {
  readonly pool: { nodes(): NodeView[]; jobs(filter: { statuses: JobStatus[] }): Job[] };
  readonly events: { subscribe(listener: (event: BenchEvent) => void): () => void };
}

/** The activity of the bench, for the tray, the taskbar, the quit guard and the power blocker. */
export interface Activity {
  nodes: NodeView[];
  /** Jobs that are queued or running, oldest first. */
  jobs: Job[];
  /** Mean progress of the running builds, 0 to 1; null when none runs. */
  progress: number | null;
  /** A board is being programmed: the computer must not sleep. */
  programming: boolean;
}

export function readActivity(pool: WatchedBench['pool']): Activity {
  const jobs = pool.jobs({ statuses: ['queued', 'running'] }).reverse();
  const builds = jobs.filter((job) => job.type === 'build_and_program' && job.status === 'running');
  const nodes = pool.nodes();
  const done = builds.reduce((sum, job) => sum + (overallFraction(job) ?? 0), 0);
  return {
    nodes,
    jobs,
    progress: builds.length === 0 ? null : done / builds.length,
    programming:
      nodes.some((node) => node.state === 'programming') ||
      jobs.some((job) => job.type === 'reset' && job.status === 'running'),
  };
}

/** Whether programming of a board begins: with a fast board it may end before the next notification. */
function beginsWriting(event: BenchEvent): boolean {
  if (event.type === 'node') return event.node.state === 'programming';
  return event.type === 'job' && event.job.type === 'reset' && event.job.status === 'running';
}

/** Minimum time between notifications, ms. */
const INTERVAL_MS = 200;

/**
 * Notifies about activity at most every INTERVAL_MS, at once when programming begins, and about every job that ends.
 */
export class ActivityWatch extends EventEmitter<{ activity: [Activity]; ended: [Job] }> {
  readonly #pool: WatchedBench['pool'];
  readonly #unsubscribe: () => void;
  readonly #ended = new Set<string>();
  #cancel: (() => void) | null = null;
  /** A board was being programmed at the last notification. */
  #programming = false;

  constructor({ pool, events }: WatchedBench, clock: Clock) {
    super();
    this.#pool = pool;
    this.#unsubscribe = events.subscribe((event) => {
      if (event.type !== 'node' && event.type !== 'job') return;
      if (event.type === 'job') this.#seeEnd(event.job);
      if (!this.#programming && beginsWriting(event)) this.#notify();
      else this.#cancel ??= clock.after(INTERVAL_MS, () => this.#notify());
    });
  }

  #notify(): void {
    this.#cancel?.();
    this.#cancel = null;
    const activity = this.now();
    this.#programming = activity.programming;
    this.emit('activity', activity);
  }

  now(): Activity {
    return readActivity(this.#pool);
  }

  #seeEnd(job: Job): void {
    if (!hasEnded(job.status) || this.#ended.has(job.job_id)) return;
    this.#ended.add(job.job_id);
    // The list only has to catch repeated announcements, so drop the oldest.
    const [oldest] = this.#ended;
    if (this.#ended.size > 1000 && oldest !== undefined) this.#ended.delete(oldest);
    this.emit('ended', job);
  }

  close(): void {
    this.#unsubscribe();
    this.#cancel?.();
    this.removeAllListeners();
  }
}
