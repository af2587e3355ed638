import type { Job } from '../contract/jobs/jobs.ts';
import { ACTIVITY_IN_SNAPSHOT, ACTIVITY_PER_NODE, type ActivityEntry } from '../contract/nodes/activity.ts';
import type { StoredNode } from '../store/index.ts';
import { type Shared, timestamp } from './shared.ts';

/** Why a node or a job changes. `by` is null where the bench acts by itself. */
export type Cause =
  | {
      kind: 'taken' | 'released' | 'reset' | 'expired' | 'replaced' | 'restored';
      by: string | null;
      jobId: string | null;
    }
  | { kind: 'handed_over' | 'declined'; by: string; to: string }
  | { kind: 'cancelled' | 'stopped'; by: string };

/** An activity entry without its number and time. */
type EntryDetails = Omit<ActivityEntry, 'seq' | 'at'>;

/** An activity entry on its way to the disk, with the change that it describes. */
export interface StagedActivity {
  /** The change is on disk: announces the entry. */
  show(): void;
  /** The change failed: removes the entry. */
  undo(): void;
}

/**
 * Describes a change of a node, from the node before the change. Null where there is no activity: a session ends only
 * once.
 */
export function describeActivity(
  node: StoredNode,
  cause: Cause,
  about: { job: Job | undefined; design: string | null; transactions: number },
): EntryDetails | null {
  const { fpga_id, session } = node;
  const { job, transactions } = about;
  const { kind, by } = cause;
  const common = { fpga_id, kind, by, to: 'to' in cause ? cause.to : null };
  if (kind === 'cancelled' || kind === 'stopped') {
    const { owner = null, submit, job_id = null } = job ?? {};
    return { ...common, owner, design: submit?.filename ?? null, transactions: 0, job_id };
  }
  const job_id = 'jobId' in cause ? cause.jobId : null;
  if (kind === 'taken') return { ...common, owner: by, design: about.design, transactions: 0, job_id };
  // A user may reset a node in error whose session is over: that is an activity too.
  if (session === null && (kind !== 'reset' || by === null)) return null;
  const design = node.design?.filename ?? null;
  return { ...common, owner: session?.owner ?? null, design, transactions, job_id };
}

/** The newest activity of each node and of jobs without a node; bench.json holds the newest part of it. */
export class ActivityLog {
  readonly #shared: Shared;
  readonly #byNode = new Map<number | null, ActivityEntry[]>();
  #seq = 0;

  constructor(shared: Shared) {
    this.#shared = shared;
    for (const activityEntry of shared.store.bench.activity) this.#remember(activityEntry);
  }

  /** Adds an entry to the next write of bench.json. */
  stage(details: EntryDetails): StagedActivity {
    const { clock, events, store } = this.#shared;
    const { bench } = store;
    const activityEntry: ActivityEntry = { seq: ++this.#seq, at: timestamp(clock), ...details };
    bench.activity.push(activityEntry);
    return {
      show: () => {
        this.#remember(activityEntry);
        const newest = new Set(this.newest());
        bench.activity = bench.activity.filter((one) => newest.has(one) || !this.#known(one));
        events.publish({ type: 'activity', entry: activityEntry });
      },
      undo: () => {
        bench.activity = bench.activity.filter((one) => one !== activityEntry);
      },
    };
  }

  /** Newest first. */
  of(fpgaId: number | null, limit: number, after = 0): ActivityEntry[] {
    const all = this.#byNode.get(fpgaId) ?? [];
    return all
      .filter(({ seq }) => seq > after)
      .slice(-limit)
      .reverse();
  }

  /** The newest entry of every node and of jobs without a node, newest first. */
  newest(): ActivityEntry[] {
    return [...this.#byNode.values()]
      .flatMap((all) => all.slice(-ACTIVITY_IN_SNAPSHOT))
      .sort((a, b) => b.seq - a.seq);
  }

  #known(activityEntry: ActivityEntry): boolean {
    return this.#byNode.get(activityEntry.fpga_id)?.includes(activityEntry) ?? false;
  }

  #remember(activityEntry: ActivityEntry): void {
    const { fpga_id: fpgaId, seq } = activityEntry;
    const all = this.#byNode.get(fpgaId) ?? [];
    this.#byNode.set(fpgaId, all);
    // Concurrent changes reach the disk in any order: entries keep the order in which the changes began.
    all.splice(all.findLastIndex((one) => one.seq < seq) + 1, 0, activityEntry);
    if (all.length > ACTIVITY_PER_NODE) all.shift();
    this.#seq = Math.max(this.#seq, seq);
  }
}
