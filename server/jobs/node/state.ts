import type { Clock } from '../../clock.ts';
import type { Job } from '../../contract/jobs/jobs.ts';
import type { ControlRequest } from '../../contract/nodes/control.ts';
import type { BenchError } from '../../errors/bench-error.ts';
import type { PendingLinkUse } from '../../nodes/link-use.ts';
import type { StoredJob, StoredNode } from '../../store/index.ts';
import type { PoolSettings } from '../pool.ts';
import type { Command, Commit, Reply } from './commands.ts';

/** A job that was accepted and is on its way to the disk: nobody sees it before it is there. */
export interface Arrival {
  readonly stored: StoredJob;
  readonly commit: Commit;
  /** It has files of its own, which are written first. */
  readonly hasFiles: boolean;
  /** The first line of its log. */
  readonly note?: string;
  /** Everybody who is answered with it; the second and later asked for a reset that was on its way. */
  readonly replies: readonly Reply<Job>[];
}

/** What the board of a reserved node needs before its next use: the session's design, or to be asked what it runs. */
type RestoreNeed = 'program' | 'identify';

/** What the node is at. It does one of these at a time. */
type Turn =
  | { readonly kind: 'job'; readonly jobId: string }
  | { readonly kind: 'restore' }
  | { readonly kind: 'link'; readonly use: PendingLinkUse }
  /** The build beside the session has the board. */
  | { readonly kind: 'replacement'; readonly jobId: string };

/** A build that goes on beside the session, to take its place. */
interface Replacement {
  readonly jobId: string;
  /** It is built: answered when the board is its own. */
  readonly waiting: Reply<undefined> | null;
  /** Whose session it has ended; null until then. */
  readonly heir: string | null;
}

/** What of a node is only in memory. Nothing of it outlives the service. */
export interface Memory {
  /** The service ends: nothing more is taken. */
  readonly closed: boolean;
  readonly arriving: readonly Arrival[];
  /** Jobs whose cancellation is on its way to the disk. */
  readonly cancelling: readonly string[];
  /** Commands about a job whose change is on its way to the disk: they are taken when it is there. */
  readonly postponed: readonly Command[];
  readonly turn: Turn | null;
  readonly replacement: Replacement | null;
  /** Who stopped which build. */
  readonly stopped: { readonly jobId: string; readonly by: string } | null;
  readonly restore: RestoreNeed | null;
  /** Uses of the link that are no jobs, in the order in which they were asked for. */
  readonly linkUses: readonly PendingLinkUse[];
  /** The last turn was one at the link: the next is a job's, if one waits. */
  readonly usedLink: boolean;
  /** The service's own reset is on its way, or waits to be tried again. */
  readonly systemReset: boolean;
  /** Who asks for control, oldest first. */
  readonly controlRequests: readonly ControlRequest[];
  readonly handingOver: boolean;
  /** The last `seq` of a job that was accepted before the session was handed over last. */
  readonly handedOver: number;
  /** When something that is no job last used the session, and when that was last kept; monotonic ms. */
  readonly used: { readonly sessionId: string; readonly at: number; readonly kept: number };
}

export const EMPTY_MEMORY: Memory = {
  closed: false,
  arriving: [],
  cancelling: [],
  postponed: [],
  turn: null,
  replacement: null,
  stopped: null,
  restore: null,
  linkUses: [],
  usedLink: false,
  systemReset: false,
  controlRequests: [],
  handingOver: false,
  handedOver: -1,
  used: { sessionId: '', at: 0, kept: Number.NEGATIVE_INFINITY },
};

/** Everything that decides what a node does with a command. */
export interface State {
  /** As everybody sees it. */
  readonly node: StoredNode;
  /** As the next write to disk has it, with all that is on its way. */
  readonly staged: StoredNode;
  /** Jobs that have not ended, in the order of acceptance. */
  readonly jobs: readonly StoredJob[];
  readonly boardPresent: boolean;
  readonly memory: Memory;
}

/** What a node asks of the bench while it decides. The same answers give the same decision. */
export interface Bench {
  readonly clock: Clock;
  readonly settings: Readonly<PoolSettings>;
  /** Builds are made by workers. */
  readonly hasFarm: boolean;
  /** A new UUID. */
  newId(): string;
  /** The place of the job that was accepted last in the order of acceptance on the whole bench, and the next one. */
  lastSeq(): number;
  newSeq(): number;
  /** A job of this node, also one that has ended. @throws job_not_found. */
  job(jobId: string): StoredJob;
  /** Jobs of an owner on all nodes that have not ended, counted only where it may matter. */
  unended(owner: string): number;
  /** @throws storage_low. */
  requireSpace(): void;
}

/** The job whose turn it is; null while there is none, or one before it is on its way to the disk. */
export function nextJob({ jobs, memory }: State): StoredJob | null {
  const head = jobs.find(({ job }) => !job.replaces);
  if (!head || memory.cancelling.includes(head.job.job_id)) return null;
  return memory.arriving.some(({ stored }) => stored.seq < head.seq && !stored.job.replaces) ? null : head;
}

/** Builds that are to take the session's place and have not ended, in the order of acceptance. */
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

/** A design is built and takes the session's place as soon as nothing is before it. */
export const isYielding = ({ jobs, memory: { replacement } }: State): boolean =>
  replacement !== null &&
  (replacement.waiting !== null || replacement.heir !== null) &&
  jobs.some(({ job }) => job.job_id === replacement.jobId);

/** The change of this job is on its way to the disk. */
export const isPending = ({ memory }: State, jobId: string): boolean =>
  memory.cancelling.includes(jobId) || memory.arriving.some(({ stored }) => stored.job.job_id === jobId);

/** Whether a job that is being worked at ends with the board: a build needs it only when it comes to programming. */
export function usesBoard({ node, memory: { replacement } }: State, { job }: StoredJob): boolean {
  if (job.replaces) return replacement?.jobId === job.job_id && replacement.heir !== null;
  return job.type !== 'build_and_program' || node.state === 'programming';
}

/** Whether a job is being worked at. */
export const isWorkedAt = ({ memory: { turn, replacement } }: State, jobId: string): boolean =>
  (turn?.kind === 'job' && turn.jobId === jobId) || replacement?.jobId === jobId;

/** What a decision consists of: the memory afterwards, changes to be committed, and what else is to be done. */
export interface Decision {
  readonly memory: Memory;
  readonly changes: readonly Commit[];
  readonly effects: readonly Effect[];
}

/** What is to be done after the changes are made or on their way. What takes time answers with a command. */
export type Effect =
  | { kind: 'answer'; reply: Reply<unknown>; value: unknown }
  | { kind: 'refuse'; reply: Reply<unknown>; error: unknown }
  /** The command is taken once more, now. */
  | { kind: 'retake'; command: Command }
  | { kind: 'later'; ms: number; command: Command }
  /** The service asks for a reset of its own. */
  | { kind: 'request_reset'; why: string }
  /** The job is on its way, or not any more: its id is taken meanwhile. */
  | { kind: 'expect' | 'unexpect'; jobId: string }
  /** Writes a file of a job, or moves those of a job that had no node: `files_written` or `files_failed`. */
  | { kind: 'write_files'; arrival: Arrival; file: JobUpload | null }
  | { kind: 'remove_files'; jobId: string }
  | { kind: 'log'; jobId: string; line: string }
  /** A job has ended without having been worked at: its record goes to the history and its log is closed. */
  | { kind: 'archive'; stored: StoredJob; line: string }
  /** `begin`, `learn`, `built`, `take_turn`, `take_place`, `end`, and `job_left` at last. */
  | { kind: 'work'; stored: StoredJob }
  | { kind: 'abort_job'; jobId: string; reason: BenchError | undefined }
  /** `restored` */
  | { kind: 'restore'; need: RestoreNeed }
  | { kind: 'abort_restore'; reason: BenchError }
  /** `link_left` */
  | { kind: 'use_link'; use: PendingLinkUse; holder: string | null }
  | { kind: 'want_link'; use: PendingLinkUse }
  | { kind: 'abort_link'; use: PendingLinkUse; reason: BenchError }
  | { kind: 'drop_link' }
  /** Callers see the node as it is now. */
  | { kind: 'publish' }
  | { kind: 'note'; level: 'info' | 'warn'; facts: object; message: string };

/** What is kept of a request in a file of its own. */
export interface JobUpload {
  readonly name: 'source' | 'request';
  readonly contents: Uint8Array;
}
