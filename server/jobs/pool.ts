import type { BuildReport } from '../contract/designs/uploads.ts';
import type { AnyJob, Job, JobStatus, JobType, SubmitOptions, UnplacedJob } from '../contract/jobs/jobs.ts';
import type { RunDetails } from '../contract/jobs/runs.ts';
import type { ScriptReport } from '../contract/jobs/scripts.ts';
import type { ActivityEntry } from '../contract/nodes/activity.ts';
import type { ControlRequest } from '../contract/nodes/control.ts';
import type { NodeView, Session } from '../contract/nodes/nodes.ts';
import type { OpenLog } from '../logs/job-logs.ts';
import type { LinkWork } from '../nodes/link-use.ts';
import type { ProjectFile } from '../toolchain/intake/project.ts';
import type { BenchUse } from './share-policy.ts';

/** The caller, recorded as owner. The API checks permissions before it calls the pool. */
export interface Caller {
  /** Username of a key, else the header's text, else `anonymous`; `system` for the service itself. */
  owner: string;
}

/** Owner of what the service does by itself. */
export const SYSTEM: Caller = { owner: 'system' };

export interface SubmitInput {
  filename: string;
  /** The file, or the archive of a project. */
  source: Uint8Array;
  options: SubmitOptions;
  /** Number of files of a project. */
  files?: number;
  /** Files of a project's upload that are not part of it. */
  ignored?: string[];
  /** The job's id, where the sender chose it: a repeated submit is the same job. */
  jobId?: string;
}

export interface RunInput extends Omit<RunDetails, 'count'> {
  /** Words to write, for op 1. */
  data: Uint32Array;
  /** Words to read, for op 2. */
  count: number;
}

interface RunResult {
  ok: boolean;
  data: Uint32Array;
}

/** A filter for jobs of the whole bench; an absent field matches every job. */
export interface JobFilter {
  /** Only jobs of this node; not for a list with jobs without a node. */
  fpgaId?: number;
  statuses?: readonly JobStatus[];
  types?: readonly JobType[];
  owner?: string;
  limit?: number;
}

/** The settings of nodes and jobs. */
export interface PoolSettings {
  /** Seconds without a run after which a session expires. */
  sessionTtlSeconds: number;
  /** Largest log of one job, bytes. */
  logBytes: number;
  /** Ended runs that each node keeps, with their logs and results, and as many other jobs. */
  jobsPerNode: number;
  /** Days after which an ended job is removed; null for never. */
  jobDays: number | null;
  /** Bytes of the files of all jobs together, beyond which the oldest are removed. */
  jobsBytes: number;
  /** Jobs that may wait for one node. */
  queuedPerNode: number;
  /** Jobs of one owner that may wait or run, on all nodes together. */
  queuedPerOwner: number;
  /** Jobs that may wait without a node. */
  unplaced: number;
  /** The same of one owner. */
  unplacedPerOwner: number;
}

/**
 * The ten nodes and their jobs, as the API uses them. A refused call throws a BenchError of the jobs area and changes
 * nothing. A resolved promise means that the change is on disk.
 */
export interface NodePool {
  nodes(): NodeView[];
  node(fpgaId: number): NodeView;

  /** The job that built the design on the board; null where there is none. */
  designJob(fpgaId: number): string | null;

  /** @throws also share_used_up, nodes_booked. */
  submit(fpgaId: number, input: SubmitInput, caller: Caller): Promise<Job>;
  /**
   * Builds during the session and then replaces it; on an idle node a submit. It ends an earlier replacement: the
   * newest counts.
   * @throws also share_used_up; on an idle node nodes_booked.
   */
  replace(fpgaId: number, input: SubmitInput, caller: Caller): Promise<Job>;
  /**
   * Submits a job for the next idle node, or for one node; until a node takes it, the job has none.
   * @throws also queue_full, too_many_jobs, share_used_up.
   */
  submitToAny(input: SubmitInput, caller: Caller, waitingFor?: number | null): Promise<AnyJob>;
  run(fpgaId: number, input: RunInput, caller: Caller): Promise<Job>;
  /** Idempotent: a second call returns the pending job. */
  reset(fpgaId: number, caller: Caller): Promise<Job>;
  release(fpgaId: number, caller: Caller): Promise<Job>;
  /** Requests control from the holder. @throws no_active_session, already_holder, too_many_control_requests. */
  requestControl(fpgaId: number, caller: Caller, note: string | null): Promise<ControlRequest>;
  /** @throws no_control_request. */
  withdrawControlRequest(fpgaId: number, caller: Caller): Promise<void>;
  /** @throws no_active_session, no_control_request. */
  declineControlRequest(fpgaId: number, owner: string, caller: Caller): Promise<void>;
  /** Renews the session; resolves when that is on disk. @throws no_active_session, share_used_up, store_unavailable, service_stopping. */
  extendSession(fpgaId: number): Promise<void>;
  /**
   * Hands the session over; resolves when that is on disk.
   * @throws no_active_session, fpga_not_reserved, already_holder, session_ended, share_used_up, store_unavailable,
   * service_stopping.
   */
  handOver(fpgaId: number, to: string, caller: Caller): Promise<Session>;
  /** The activity of a node, or of jobs without one; newest first. */
  activity(fpgaId: number | null, limit: number, after?: number): ActivityEntry[];
  /** The newest entry of every node and of jobs without one, newest first. */
  newestActivity(): ActivityEntry[];
  /** The first words that a run wrote or read, available while its end is announced. */
  firstWords(jobId: string): readonly number[];
  /** Node null, here and below: any node, or none. */
  cancel(fpgaId: number | null, jobId: string, caller: Caller): Promise<void>;

  /**
   * Uses the board's link between two jobs, while this session holds the node.
   * @throws fpga_not_reserved, service_stopping, and what the link throws.
   */
  overLink<T>(fpgaId: number, sessionId: string, work: LinkWork<T>): Promise<T>;

  /**
   * Renews the session after use other than by a job, as a run does. Cheap enough for every word; for longer work see
   * workInSession.
   */
  renewSession(fpgaId: number, sessionId: string): void;

  /** Who holds and who waits. */
  use(): BenchUse;
  /**
   * Whether another bench may take a job of the owner: its share has room for one more node.
   * @param elsewhere its open jobs on other benches @throws share_used_up where it may not even wait here.
   */
  maySendAway(owner: string, elsewhere: number): boolean;
  /** Milliseconds since the last access to a node by a user. */
  idleMs(fpgaId: number): number;
  /** Leaves a session no more than this. The next access renews it, unless its share forbids. */
  shortenSession(fpgaId: number, ms: number): void;
  /** Gives waiting jobs to idle nodes, because the shares have changed. */
  placeWaiting(): void;

  /** @throws job_not_found, also for a job of another node. */
  job(fpgaId: number, jobId: string): Job;
  /** A job of any node, or of none. @throws job_not_found. */
  findJob(jobId: string): AnyJob;
  /** Whether the job is stored. */
  knows(jobId: string): boolean;
  /** Newest first. */
  jobs(filter: JobFilter): Job[];
  /**
   * Ends a running build; resolves with the failed job.
   * @throws job_not_found, job_not_stoppable
   */
  stopBuild(fpgaId: number, jobId: string, caller: Caller): Promise<Job>;

  /** Jobs without a node: waiting ones, and those that ended before they had one. Newest first. */
  unplacedJobs(filter: { limit?: number }): UnplacedJob[];
  /** Jobs of all nodes and jobs without one. */
  allJobs(filter: JobFilter): AnyJob[];
  /**
   * Resolves with the job when its status changes, a node takes it or `seconds` have passed; at once if it has ended.
   */
  waitForChange(jobId: string, seconds: number, signal?: AbortSignal): Promise<AnyJob>;
  /** Resolves with the job when it has ended, or `seconds` have passed. */
  waitForEnd(jobId: string, seconds: number, signal?: AbortSignal): Promise<AnyJob>;

  /** The whole log so far, UTF-8. */
  readLog(fpgaId: number, jobId: string): Promise<Buffer>;
  /** The log's bytes at the moment of the call, and a stream of them from `offset`, in chunks of the given size. */
  openLog(fpgaId: number | null, jobId: string): Promise<OpenLog>;
  /** The log from its beginning, then each addition, until the job ends. */
  followLog(fpgaId: number | null, jobId: string, signal?: AbortSignal): AsyncIterable<Buffer>;
  /** @throws job_not_complete while the job is queued or running. */
  result(fpgaId: number | null, jobId: string): Promise<RunResult>;
  /** @throws no_build_report or no_bitstream when the job has none. */
  report(fpgaId: number, jobId: string): Promise<BuildReport>;
  bitstream(fpgaId: number, jobId: string): Promise<Uint8Array>;
  /** The report of the design's script after the build; null where there was none. */
  scriptReport(fpgaId: number, jobId: string): Promise<ScriptReport | null>;
  /** The uploaded source; of a project, its archive. @throws job_not_found, no_source. */
  source(
    fpgaId: number | null,
    jobId: string,
  ): Promise<{ filename: string; source: Uint8Array; project: boolean }>;
  /** The files of a design, by path. @throws no_source. */
  designFiles(fpgaId: number, jobId: string): Promise<readonly ProjectFile[]>;

  /**
   * Gives every session a new id, because the old ones were exposed. Resolves when that is on disk.
   * @throws store_unavailable.
   */
  renewSessionIds(): Promise<void>;

  /** Applies to later work: present sessions and logs keep their limits. */
  configure(settings: Partial<PoolSettings>): void;

  /**
   * Ends running work within 5 s and takes no more jobs. Queued jobs and sessions stay in the store until the next
   * start. It closes neither the store, the boards nor the toolchain.
   */
  close(): Promise<void>;
}
