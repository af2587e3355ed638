import type { JobStatus, JobType, SubmitOptions } from '../contract/jobs/jobs.ts';
import type { RunDetails } from '../contract/jobs/runs.ts';

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

/** A filter for jobs of the whole bench; an absent field matches every job. */
export interface JobFilter {
  /** Only jobs of this node. */
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
