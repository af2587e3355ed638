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
import type { JobFilter } from './job-index.ts';

/** Who calls: recorded as owner. Enforcement, when it is on, happens in the API before the pool is called. */
export interface Caller {
  /** Username of a minted key, else the header's text, else `anonymous`; `system` for the service itself. */
  owner: string;
}

/** Owner of what the service does by itself. */
export const SYSTEM: Caller = { owner: 'system' };

export interface SubmitInput {
  filename: string;
  /** The file, or the archive that a project is kept as. */
  source: Uint8Array;
  options: SubmitOptions;
  /** Files of a project. */
  files?: number;
  /** What was sent with a project and is no part of it. */
  ignored?: string[];
  /** The id of its job, where somebody else has chosen it: sent twice, it is one job. */
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

/** What an operator can set about nodes and jobs. */
export interface PoolSettings {
  /** Seconds after which a session without a run expires. */
  sessionTtlSeconds: number;
  /** Largest log of one job, bytes. */
  logBytes: number;
  /** Ended runs that are kept per node, with their logs and results, and as many other jobs. */
  jobsPerNode: number;
  /** Days after which an ended job is not kept any more; null for never. */
  jobDays: number | null;
  /** Bytes of the files of all jobs together, beyond which the oldest are not kept any more. */
  jobsBytes: number;
  /** Jobs that may wait for one node. */
  queuedPerNode: number;
  /** Jobs of one owner that may wait or run, on all nodes together. */
  queuedPerOwner: number;
  /** Jobs that may wait for an idle node. */
  unplaced: number;
  /** Of these, jobs of one owner. */
  unplacedPerOwner: number;
}

/**
 * The ten nodes and their jobs: what the API talks to. Every method that is refused throws a BenchError of
 * the jobs area and changes nothing. A promise that resolves means that the change is on disk.
 */
export interface NodePool {
  nodes(): NodeView[];
  node(fpgaId: number): NodeView;

  /** The job that built the design on the board; null where there is none. */
  designJob(fpgaId: number): string | null;

  submit(fpgaId: number, input: SubmitInput, caller: Caller): Promise<Job>;
  /**
   * Builds beside the session that holds the node, then takes its place; on an idle node a submit. One that is under
   * way already is ended: the newest counts.
   */
  replace(fpgaId: number, input: SubmitInput, caller: Caller): Promise<Job>;
  /**
   * For whichever node is idle next, or for one that it waits for: the job has no node until then.
   * @throws also queue_full, too_many_jobs.
   */
  submitToAny(input: SubmitInput, caller: Caller, waitingFor?: number | null): Promise<AnyJob>;
  run(fpgaId: number, input: RunInput, caller: Caller): Promise<Job>;
  /** Idempotent: a second call while one is pending answers with the pending job. */
  reset(fpgaId: number, caller: Caller): Promise<Job>;
  release(fpgaId: number, caller: Caller): Promise<Job>;
  /** Asks the holder for control. @throws no_active_session, already_holder, too_many_control_requests. */
  requestControl(fpgaId: number, caller: Caller, note: string | null): Promise<ControlRequest>;
  /** @throws no_control_request. */
  withdrawControlRequest(fpgaId: number, caller: Caller): Promise<void>;
  /**
   * Makes somebody else the holder; resolves when that is on disk.
   * @throws no_active_session, fpga_not_reserved, already_holder, session_ended, store_unavailable, service_stopping.
   */
  handOver(fpgaId: number, to: string, caller: Caller): Promise<Session>;
  /** What happened on a node, or to jobs without one; newest first. */
  activity(fpgaId: number | null, limit: number, after?: number): ActivityEntry[];
  /** The newest of every node and of jobs without one, newest first. */
  newestActivity(): ActivityEntry[];
  /** The first words that a run wrote or read: known while its end is announced. */
  firstWords(jobId: string): readonly number[];
  /** Node null, here and below: whichever it is of, or none yet. */
  cancel(fpgaId: number | null, jobId: string, caller: Caller): Promise<void>;

  /**
   * Work over the board's link that is no job, in its turn between two jobs, while this session holds the node.
   * @throws fpga_not_reserved, service_stopping, and what the link throws.
   */
  overLink<T>(fpgaId: number, sessionId: string, work: LinkWork<T>): Promise<T>;

  /**
   * Something that is no job uses the session and is not refused: it is renewed, as by a run. Cheap enough for every word;
   * for longer work see workInSession.
   */
  renewSession(fpgaId: number, sessionId: string): void;

  /** @throws job_not_found, also for a job of another node. */
  job(fpgaId: number, jobId: string): Job;
  /** A job of whichever node, or of none yet. @throws job_not_found. */
  findJob(jobId: string): AnyJob;
  /** Whether such a job is kept. */
  knows(jobId: string): boolean;
  /** Newest first. */
  jobs(filter: {
    fpgaId?: number;
    statuses?: JobStatus[];
    types?: readonly JobType[];
    limit?: number;
  }): Job[];
  /**
   * Ends a build that runs; resolves with the job when it has failed for that.
   * @throws job_not_found, job_not_stoppable
   */
  stopBuild(fpgaId: number, jobId: string, caller: Caller): Promise<Job>;

  /** Jobs without a node: those that wait for one, and those that were cancelled before. Newest first. */
  unplacedJobs(filter: { limit: number }): UnplacedJob[];
  /** The same of all nodes, and jobs without one. */
  allJobs(filter: JobFilter): AnyJob[];
  /** Resolves with the job when its status changes or `seconds` have passed, at once if it has ended. */
  waitForChange(fpgaId: number, jobId: string, seconds: number, signal?: AbortSignal): Promise<Job>;

  /** The same for a job of whichever node, and also when a node takes it. */
  waitForAny(jobId: string, seconds: number, signal?: AbortSignal): Promise<AnyJob>;
  /** Resolves with the job when it has ended, or `seconds` have passed. */
  waitForEnd(jobId: string, seconds: number, signal?: AbortSignal): Promise<AnyJob>;

  /** The whole log so far, UTF-8. */
  readLog(fpgaId: number, jobId: string): Promise<Buffer>;
  /** The log as it is now: its bytes, and a stream of them from `offset` on, read in chunks of so many. */
  openLog(fpgaId: number | null, jobId: string): Promise<OpenLog>;
  /** The log from its beginning, then what is appended, until the job ends. */
  followLog(fpgaId: number | null, jobId: string, signal?: AbortSignal): AsyncIterable<Buffer>;
  /** @throws job_not_complete while the job is queued or running. */
  result(fpgaId: number | null, jobId: string): Promise<RunResult>;
  /** @throws no_build_report / no_bitstream when the job has none. */
  report(fpgaId: number, jobId: string): Promise<BuildReport>;
  bitstream(fpgaId: number, jobId: string): Promise<Uint8Array>;
  /** How the script of the design went after the build; null where there was none. */
  scriptReport(fpgaId: number, jobId: string): Promise<ScriptReport | null>;
  /** The source as submitted; of a project, its archive. */
  source(fpgaId: number, jobId: string): Promise<{ filename: string; source: Uint8Array; project: boolean }>;
  /** The files of a design, by path. @throws no_source. */
  designFiles(fpgaId: number, jobId: string): Promise<readonly ProjectFile[]>;

  /**
   * Gives every session a new id, because others have seen the old one. Resolves when that is on disk.
   * @throws store_unavailable.
   */
  renewSessionIds(): Promise<void>;

  /** Takes effect for what comes after: sessions and logs that have begun keep their limits. */
  configure(settings: Partial<PoolSettings>): void;

  /**
   * Ends what runs, within 5 s, and takes no more jobs. Queued jobs and sessions stay in the store and go on at
   * the next start. Does not close the store, the boards or the toolchain.
   */
  close(): Promise<void>;
}
