import type { BuildReport } from '../contract/designs.ts';
/** Who calls: recorded as owner. Enforcement, when it is on, happens in the API before the pool is called. */
import type { Job, JobStatus, RunDetails, SubmitOptions } from '../contract/jobs.ts';
import type { NodeView } from '../contract/nodes.ts';
export interface Caller {
  /** Username of a minted key, else the header's text, else `anonymous`; `system` for the service itself. */
  owner: string;
}

export interface SubmitInput {
  filename: string;
  source: Uint8Array;
  options: SubmitOptions;
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
  /** Ended jobs that are kept per node, with their logs and results. */
  jobsPerNode: number;
  /** Jobs that may wait for one node. */
  queuedPerNode: number;
}

/**
 * The ten nodes and their jobs: what the API talks to. Every method that is refused throws a BenchError of
 * the jobs area and changes nothing. A promise that resolves means that the change is on disk.
 */
export interface NodePool {
  nodes(): NodeView[];
  node(fpgaId: number): NodeView;

  submit(fpgaId: number, input: SubmitInput, caller: Caller): Promise<Job>;
  run(fpgaId: number, input: RunInput, caller: Caller): Promise<Job>;
  /** Idempotent: a second call while one is pending answers with the pending job. */
  reset(fpgaId: number, caller: Caller): Promise<Job>;
  release(fpgaId: number, caller: Caller): Promise<Job>;
  cancel(fpgaId: number, jobId: string, caller: Caller): Promise<void>;

  /** @throws job_not_found, also for a job of another node. */
  job(fpgaId: number, jobId: string): Job;
  /** A job of whichever node. @throws job_not_found. */
  findJob(jobId: string): Job;
  /** Newest first. */
  jobs(filter: { fpgaId?: number; statuses?: JobStatus[]; limit?: number }): Job[];
  /** Resolves with the job when its status changes or `seconds` have passed, at once if it has ended. */
  waitForChange(fpgaId: number, jobId: string, seconds: number, signal?: AbortSignal): Promise<Job>;

  /** The whole log so far, UTF-8. */
  readLog(fpgaId: number, jobId: string): Promise<Buffer>;
  /** The log from its beginning, then what is appended, until the job ends. */
  followLog(fpgaId: number, jobId: string, signal?: AbortSignal): AsyncIterable<Buffer>;
  /** @throws job_not_complete while the job is queued or running. */
  result(fpgaId: number, jobId: string): Promise<RunResult>;
  /** @throws no_build_report / no_bitstream when the job has none. */
  report(fpgaId: number, jobId: string): Promise<BuildReport>;
  bitstream(fpgaId: number, jobId: string): Promise<Uint8Array>;
  /** The source as submitted. */
  source(fpgaId: number, jobId: string): Promise<{ filename: string; source: Uint8Array }>;

  /** Takes effect for what comes after: sessions and logs that have begun keep their limits. */
  configure(settings: Partial<PoolSettings>): void;

  /**
   * Ends what runs, within 5 s, and takes no more jobs. Queued jobs and sessions stay in the store and go on at
   * the next start. Does not close the store, the boards or the toolchain.
   */
  close(): Promise<void>;
}
