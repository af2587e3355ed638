import Type, { type Static } from 'typebox';
import { checkOf } from '../contract/check.ts';
import { Failure } from '../contract/diagnostics.ts';
import { type AnyJob, AnyJobResponse, JobStatus, SubmitDetails } from '../contract/jobs/jobs.ts';
import type { JobBench } from '../contract/remote/benches.ts';
import type { BenchError } from '../errors/bench-error.ts';
import { benchesError } from '../errors/benches.ts';
import { withoutControls } from '../text.ts';

/** Maximum characters of a remote bench's sentence. */
const MAX_SENTENCE_LENGTH = 2000;

/** A remote job as it is stored here. */
const StoredRemoteJob = Type.Object({
  job_id: Type.String(),
  owner: Type.String(),
  /** Absent in older records, which have only the file name. */
  submit: Type.Optional(SubmitDetails),
  file: Type.Optional(Type.String()),
  bench: Type.String(),
  address: Type.String(),
  /** `sending`: it is not known whether it was accepted. `given_up`: it must be ended there. */
  stage: Type.Union([
    Type.Literal('sending'),
    Type.Literal('there'),
    Type.Literal('given_up'),
    Type.Literal('over'),
  ]),
  status: JobStatus,
  created_at: Type.String(),
  updated_at: Type.String(),
  fpga_id: Type.Union([Type.Null(), Type.Integer()]),
  /** Since when its bench has not answered, ms since the epoch. */
  silent: Type.Union([Type.Null(), Type.Number()]),
  code: Type.Union([Type.Null(), Type.Literal('job_bench_lost'), Type.Literal('job_not_taken')]),
  /** Why it failed, from the remote bench. */
  failure: Type.Optional(
    Type.Object({ error: Type.String(), message: Type.String(), remedy: Type.String() }),
  ),
  /** A one-line summary, from the remote bench. */
  summary: Type.Optional(Type.String()),
});
export type StoredRemoteJob = Static<typeof StoredRemoteJob>;
export const areStoredRemoteJobs = checkOf(Type.Array(StoredRemoteJob));

/** Checks a remote bench's answer about its own job. */
export const isJob = checkOf(AnyJobResponse);
/** Checks the part of its details that is stored here. */
export const isOutcome = checkOf(
  Type.Object({ failure: Type.Optional(Failure), summary: Type.Optional(Type.String()) }),
);

/** A remote job as the API shows it. */
export type RemoteJob = AnyJob & { fpga_id: null; bench: JobBench };

/** A time in stored form; null for an invalid one. */
export const timeOf = (text: string): string | null =>
  Number.isFinite(Date.parse(text)) ? new Date(text).toISOString() : null;

/** One paragraph from a remote bench, cut to length. */
export const sentence = (said: string): string => withoutControls(said).slice(0, MAX_SENTENCE_LENGTH);

/** Whether it may still change there. */
export const isOpen = ({ stage }: StoredRemoteJob): boolean => stage === 'sending' || stage === 'there';

const failureOf = ({ code, message, remedy }: BenchError) => ({ error: code, message, remedy });

/** @param trouble why its bench does not answer; null where it does */
export function viewOf(job: StoredRemoteJob, trouble: BenchError | null): RemoteJob {
  const { submit = job.file === undefined ? undefined : { filename: job.file, size: 0, options: {} } } = job;
  const failure = job.code === null ? job.failure : failureOf(benchesError(job.code));
  const state = trouble === null || trouble.code === 'bench_refuses' ? 'live' : 'dead';
  const problem = failure ?? (trouble !== null && isOpen(job) ? failureOf(trouble) : null);
  return {
    job_id: job.job_id,
    fpga_id: null,
    type: 'build_and_program',
    status: job.status,
    created_at: job.created_at,
    updated_at: job.updated_at,
    owner: job.owner,
    bench: { name: job.bench, address: job.address, fpga_id: job.fpga_id, state, problem },
    ...(submit && { submit }),
    ...(failure && { failure }),
    ...(job.summary === undefined ? {} : { summary: job.summary }),
  };
}
