import type { Job } from '../server/contract/jobs.ts';
import type { NodeView } from '../server/contract/nodes.ts';
import { EventEmitter } from 'node:events';
import type { EventHub } from '../server/events/events.ts';
import type { NodePool } from '../server/jobs/pool.ts';

/** What the bench is doing, as the tray, the taskbar, the quit guard and the power blocker need it. */
export interface Activity {
  nodes: NodeView[];
  /** Jobs that are queued or running, oldest first. */
  jobs: Job[];
  /** Mean progress of the running builds, 0 to 1; null when none runs. */
  progress: number | null;
  /** A board is being written: the computer must not sleep now. */
  programming: boolean;
}

/** Share of a build that has passed when a stage begins; what a technician sees, so roughly by wall time. */
const STAGE_START: Record<string, number> = {
  queue: 0,
  scan: 0,
  synthesis: 0.1,
  place: 0.5,
  route: 0.7,
  pack: 0.85,
  program: 0.9,
  identify: 0.98,
};
const STAGES = Object.keys(STAGE_START);

/** Progress of a whole build from its stage and the progress within it, 0 to 1. */
export function buildProgress(job: Pick<Job, 'stage' | 'fraction'>): number {
  const index = STAGES.indexOf(job.stage ?? 'queue');
  if (index < 0) return 0;
  const from = STAGE_START[STAGES[index] ?? 'queue'] ?? 0;
  const to = STAGE_START[STAGES[index + 1] ?? ''] ?? 1;
  return from + (to - from) * Math.min(1, Math.max(0, job.fraction ?? 0));
}

export function readActivity(pool: Pick<NodePool, 'nodes' | 'jobs'>): Activity {
  const jobs = pool.jobs({ statuses: ['queued', 'running'] }).reverse();
  const builds = jobs.filter((job) => job.type === 'build_and_program' && job.status === 'running');
  const nodes = pool.nodes();
  const done = builds.reduce((sum, job) => sum + buildProgress(job), 0);
  return {
    nodes,
    jobs,
    progress: builds.length === 0 ? null : done / builds.length,
    programming:
      nodes.some((node) => node.state === 'programming') ||
      jobs.some((job) => job.type === 'reset' && job.status === 'running'),
  };
}

/** Tells about activity at most every 200 ms, and about every job that ends. */
export class ActivityWatch extends EventEmitter<{ activity: [Activity]; ended: [Job] }> {
  readonly #pool: NodePool;
  readonly #unsubscribe: () => void;
  readonly #ended = new Set<string>();
  #timer: NodeJS.Timeout | null = null;

  constructor(pool: NodePool, events: EventHub) {
    super();
    this.#pool = pool;
    this.#unsubscribe = events.subscribe((event) => {
      if (event.type !== 'node' && event.type !== 'job') return;
      if (event.type === 'job') this.#seeEnd(event.job);
      this.#timer ??= setTimeout(() => {
        this.#timer = null;
        this.emit('activity', this.now());
      }, 200).unref();
    });
  }

  now(): Activity {
    return readActivity(this.#pool);
  }

  #seeEnd(job: Job): void {
    if (job.status === 'queued' || job.status === 'running' || this.#ended.has(job.job_id)) return;
    this.#ended.add(job.job_id);
    // Only double announcements must be told apart, not all of history.
    if (this.#ended.size > 1000) this.#ended.delete(this.#ended.values().next().value ?? '');
    this.emit('ended', job);
  }

  close(): void {
    this.#unsubscribe();
    if (this.#timer) clearTimeout(this.#timer);
    this.removeAllListeners();
  }
}
