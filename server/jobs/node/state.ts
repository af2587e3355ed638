import type { Clock } from '../../clock.ts';
import type { Job } from '../../contract/jobs/jobs.ts';
import type { ControlRequest } from '../../contract/nodes/control.ts';
import type { BenchError } from '../../errors/bench-error.ts';
import type { PendingLinkUse } from '../../nodes/link-use.ts';
import type { StoredJob, StoredNode } from '../../store/index.ts';
import type { Command, Commit, Reply } from '../commands.ts';
import type { PoolSettings } from '../pool.ts';

/** An accepted job on its way to the disk; callers don't see it yet. */
export interface Arrival {
  readonly stored: StoredJob;
  /** The first line of its log. */
  readonly note?: string;
  /** Absent for the service's own. */
  readonly reply?: Reply<Job>;
}

/** What a board needs before its next use: the session's design, or an identity check. */
type RestoreNeed = 'program' | 'identify';

/** What the node does at the moment: one of these at a time. */
type Turn =
  | { readonly kind: 'job'; readonly jobId: string }
  | { readonly kind: 'restore' }
  | { readonly kind: 'link'; readonly use: PendingLinkUse }
  /** A replacement has the board. */
  | { readonly kind: 'replacement'; readonly jobId: string };

/** A build that continues during the session and then replaces it. */
interface Replacement {
  readonly jobId: string;
  /** It is built and waits for the board: the caller to answer. */
  readonly waiting: Reply<undefined> | null;
  /** The owner whose session it ended; null until then. */
  readonly heir: string | null;
}

/** State of a node that is only in memory and is lost when the service stops: as it is at the start. */
export const EMPTY_MEMORY = {
  /** The service stops: the node takes no more commands. */
  closed: false,
  arriving: [] as readonly Arrival[],
  /** Jobs whose cancellation is on its way to the disk. */
  cancelling: [] as readonly string[],
  /** Commands about a job with a pending change, or a reset on its way: they are taken when it is settled. */
  postponed: [] as readonly Command[],
  turn: null as Turn | null,
  replacement: null as Replacement | null,
  /** The build that was stopped, and who stopped it. */
  stopped: null as { readonly jobId: string; readonly by: string } | null,
  restore: null as RestoreNeed | null,
  /** Pending uses of the link that are no jobs, in order. */
  linkUses: [] as readonly PendingLinkUse[],
  /** The last turn was a link use: a waiting job comes next. */
  usedLink: false,
  /** Why the service's own reset is on its way, or waits for its retry. */
  systemReset: null as string | null,
  /** Control requests, oldest first. */
  controlRequests: [] as readonly ControlRequest[],
  handingOver: false,
  /** The last `seq` that was accepted before the latest hand-over. */
  handedOver: -1,
  /** The last use of the session other than by a job, and when one was last stored; monotonic ms. */
  used: { sessionId: '', at: 0, kept: Number.NEGATIVE_INFINITY },
};
export type Memory = Readonly<typeof EMPTY_MEMORY>;

/** Everything that decides what a command does. */
export interface State {
  /** The node as callers see it. */
  readonly node: StoredNode;
  /** The node as the next write to disk has it, pending changes included. */
  readonly staged: StoredNode;
  /** Jobs that have not ended, in the order of acceptance. */
  readonly jobs: readonly StoredJob[];
  readonly boardPresent: boolean;
  readonly memory: Memory;
}

/** What a node reads from the bench to decide. The same answers give the same decision. */
export interface Bench {
  readonly clock: Clock;
  readonly settings: Readonly<PoolSettings>;
  /** Workers of a farm make the builds. */
  readonly hasFarm: boolean;
  /** A new UUID. */
  newId(): string;
  /** The `seq` of the job accepted last on the whole bench; newSeq gives a new one. */
  lastSeq(): number;
  newSeq(): number;
  /** A job of this node, ended ones included. @throws job_not_found. */
  job(jobId: string): StoredJob;
  /** Jobs of an owner on all nodes that have not ended, counted only where the limit may be reached. */
  unended(owner: string): number;
  /** Milliseconds that a session of an owner may last from now; infinite without a limit. */
  sessionLimitMs(owner: string): number;
  /** @throws storage_low. */
  requireSpace(): void;
}

/** The job whose turn it is; null without one, or while an earlier one is on its way to the disk. */
export function nextJob({ jobs, memory }: State): StoredJob | null {
  const head = jobs.find(({ job }) => !job.replaces);
  if (!head || memory.cancelling.includes(head.job.job_id)) return null;
  return memory.arriving.some(({ stored }) => stored.seq < head.seq && !stored.job.replaces) ? null : head;
}

/** Replacements that have not ended, in the order of acceptance. */
export const replacements = ({ jobs, memory }: State): StoredJob[] =>
  jobs.filter(({ job }) => job.replaces && !memory.cancelling.includes(job.job_id));

/** The reset or release that is queued or running. */
export const resetJob = ({ jobs }: State): StoredJob | null =>
  jobs.find(({ job }) => job.type === 'reset') ?? null;

/** The reset or release that is on its way to the disk. */
export const arrivingReset = ({ memory }: State): Arrival | null =>
  memory.arriving.find(({ stored }) => stored.job.type === 'reset') ?? null;

/** A reset or release is queued, running, or on its way. */
export const isResetting = (state: State): boolean =>
  arrivingReset(state) !== null || resetJob(state) !== null;

/** A replacement is built and takes the session's place when earlier work has ended. */
export const isYielding = ({ jobs, memory: { replacement } }: State): boolean =>
  replacement !== null &&
  (replacement.waiting !== null || replacement.heir !== null) &&
  jobs.some(({ job }) => job.job_id === replacement.jobId);

/** A change of this job is pending. */
export const isPending = ({ memory }: State, jobId: string): boolean =>
  memory.cancelling.includes(jobId) || memory.arriving.some(({ stored }) => stored.job.job_id === jobId);

/** Whether running work on a job ends when the board disappears: a build needs the board only for programming. */
export function usesBoard({ node, memory: { replacement } }: State, { job }: StoredJob): boolean {
  if (job.replaces) return replacement?.jobId === job.job_id && replacement.heir !== null;
  return job.type !== 'build_and_program' || node.state === 'programming';
}

/** Whether work on a job is in progress. */
export const isWorkedAt = ({ memory: { turn, replacement } }: State, jobId: string): boolean =>
  (turn?.kind === 'job' && turn.jobId === jobId) || replacement?.jobId === jobId;

/** A decision: the new memory, the changes to commit and the effects to start. */
export interface Decision {
  readonly memory: Memory;
  readonly changes: readonly Commit[];
  readonly effects: readonly Effect[];
}

/** Work to start after the changes. What takes time answers with a command. */
export type Effect =
  | { kind: 'answer'; reply: Reply<unknown>; value: unknown }
  | { kind: 'refuse'; reply: Reply<unknown>; error: unknown }
  /** Takes the command again, at once. */
  | { kind: 'retake'; command: Command }
  | { kind: 'later'; ms: number; command: Command }
  | { kind: 'remove_files'; jobId: string }
  | { kind: 'log'; jobId: string; line: string }
  /** A job ended without having run: archives its record and closes its log. */
  | { kind: 'archive'; stored: StoredJob; line: string }
  /** Answers `begin`, `learn`, `built`, `take_turn`, `take_place`, `end`, and finally `job_left`. */
  | { kind: 'work'; stored: StoredJob }
  | { kind: 'abort_job'; jobId: string; reason: BenchError | undefined }
  /** Answers `restored`. */
  | { kind: 'restore'; need: RestoreNeed }
  | { kind: 'abort_restore'; reason: BenchError }
  /** Answers `link_left`. */
  | { kind: 'use_link'; use: PendingLinkUse; holder: string | null }
  | { kind: 'want_link'; use: PendingLinkUse }
  | { kind: 'abort_link'; use: PendingLinkUse; reason: BenchError }
  | { kind: 'drop_link' }
  /** Callers see the node as it is at this point. */
  | { kind: 'publish' }
  | { kind: 'note'; level: 'info' | 'warn'; facts: object; message: string };
