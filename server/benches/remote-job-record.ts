import Type, { type Static } from 'typebox';
import { checkOf } from '../contract/check.ts';
import { Failure } from '../contract/diagnostics.ts';
import { type AnyJob, AnyJobResponse, JobStatus, SubmitDetails } from '../contract/jobs/jobs.ts';
import type { JobBench } from '../contract/remote/benches.ts';
import type { BenchError } from '../errors/bench-error.ts';
import { benchesError } from '../errors/benches.ts';
import { withoutControls } from '../text.ts';

/** Of a sentence that another bench says, characters. */
const MAX_SENTENCE_LENGTH = 2000;

/** A job that another bench took, as it is kept here. */
const StoredRemoteJob = Type.Object({
  job_id: Type.String(),
  owner: Type.String(),
  /** Absent of jobs that were kept before it was; those have the name of their file alone. */
  submit: Type.Optional(SubmitDetails),
  file: Type.Optional(Type.String()),
  bench: Type.String(),
  address: Type.String(),
  /** `sending`: it is not known whether it was accepted. `given_up`: it is to be ended there. */
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
  /** Why it failed there, as that bench says. */
  failure: Type.Optional(
    Type.Object({ error: Type.String(), message: Type.String(), remedy: Type.String() }),
  ),
  /** What came of it there in one line, as that bench says. */
  summary: Type.Optional(Type.String()),
});
export type StoredRemoteJob = Static<typeof StoredRemoteJob>;
export const areStoredRemoteJobs = checkOf(Type.Array(StoredRemoteJob));

/** What another bench answers about a job of its own. */
export const isJob = checkOf(AnyJobResponse);
/** What of its details is kept here. */
export const isOutcome = checkOf(
  Type.Object({ failure: Type.Optional(Failure), summary: Type.Optional(Type.String()) }),
);

/** A job of this bench that another one took, as it is told. */
export type RemoteJob = AnyJob & { fpga_id: null; bench: JobBench };

/** A time as it is kept; null for what is none. */
export const timeOf = (text: string): string | null =>
  Number.isFinite(Date.parse(text)) ? new Date(text).toISOString() : null;

/** One paragraph of what another bench says, bounded. */
export const sentence = (said: string): string => withoutControls(said).slice(0, MAX_SENTENCE_LENGTH);

/** Whether it may change there still. */
export const isOpen = ({ stage }: StoredRemoteJob): boolean => stage === 'sending' || stage === 'there';

const failureOf = ({ code, message, remedy }: BenchError) => ({ error: code, message, remedy });

/** @param trouble what keeps its bench from answering; null where it answers */
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
