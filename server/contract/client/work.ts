import type { Accepted, Job } from '../jobs/jobs.ts';
import type { RunRequest, RunResult } from '../jobs/runs.ts';
import { sentences } from '../sentences.ts';
import type { Client } from './client.ts';
import { errorIn, JobFailedError } from './failed-job.ts';
import { type CallOptions, send } from './request.ts';

/** Lines of a failed job's log that go with the error. */
const LOG_TAIL = 25;
/** Seconds that a run's first request waits for its result. */
const RUN_WAIT_SECONDS = 20;
/** Seconds that one request waits for a change of a job. */
const CHANGE_WAIT_SECONDS = 30;

async function logTail(client: Client, { fpga_id, job_id }: Job): Promise<string[]> {
  // A missing log must not hide the failure.
  const log = await client.getJobLog({ fpga_id, job_id }).catch(() => new Uint8Array());
  const lines = new TextDecoder().decode(log).trimEnd().split('\n');
  return lines.filter((line) => line !== '').slice(-LOG_TAIL);
}

/** The error of an ended job that is not complete; with the end of its log, unless the log was shown. */
export async function failureOf(
  client: Client,
  job: Job,
  { logShown = false } = {},
): Promise<JobFailedError | null> {
  if (job.status === 'complete') return null;
  if (job.status !== 'failed')
    return new JobFailedError(job, `job_${job.status}`, `The job was ${job.status}.`, []);
  const { failure } = job;
  const why = failure ? sentences(failure.message, failure.remedy) : 'see its log.';
  return new JobFailedError(
    job,
    failure?.error ?? 'job_failed',
    `The job failed: ${why}`,
    logShown ? [] : await logTail(client, job),
  );
}

/** A job by its id, and its node; null while it waits for one. */
export interface AnyJobAddress {
  fpga_id: number | null;
  job_id: string;
}

/**
 * Waits until a job for any node gets one. @throws JobFailedError where it is cancelled first, or a remote bench took
 * it.
 */
export async function placed(
  client: Client,
  { fpga_id, job_id }: AnyJobAddress,
  options?: CallOptions,
): Promise<{ fpga_id: number; job_id: string }> {
  for (let node = fpga_id; ; ) {
    if (node !== null) return { fpga_id: node, job_id };
    const seen = await client.findJob({ job_id, wait: CHANGE_WAIT_SECONDS }, options);
    node = seen.fpga_id;
    if (seen.bench)
      throw new JobFailedError(
        seen,
        'job_elsewhere',
        `Another bench took the job: “${seen.bench.name}” at ${seen.bench.address}. It is ${seen.status} there, and can be followed with GET /jobs/${job_id}.`,
        [],
      );
    if (node === null && (seen.status === 'failed' || seen.status === 'cancelled'))
      throw new JobFailedError(
        seen,
        `job_${seen.status}`,
        `The job ${seen.status === 'failed' ? 'failed' : 'was cancelled'} before it had a node.`,
        [],
      );
  }
}

/** Waits for the end of a job. @throws JobFailedError unless it completes. */
export async function completed(
  client: Client,
  address: AnyJobAddress,
  options?: CallOptions & { onChange?: (job: Job) => void },
): Promise<Job> {
  const ended = await client.jobEnded(await placed(client, address, options), options);
  const failure = await failureOf(client, ended);
  if (failure) throw failure;
  return ended;
}

/**
 * One transaction as a run: returns the 32-bit words read, none for a write.
 * @throws JobFailedError where the run failed or the design did not acknowledge.
 */
export async function transact(
  client: Client,
  fpga_id: number,
  body: RunRequest,
  options?: CallOptions,
): Promise<number[]> {
  // A short run ends before the first answer. A header names the job where the answer is only the result.
  const input = { fpga_id, wait: RUN_WAIT_SECONDS, body };
  const response = await send(client.options, 'runTransaction', input, options ?? {});
  // The service's answers follow the contract.
  const answer = (await response.json()) as RunResult | Accepted;
  if ('ok' in answer && answer.ok) return answer.data;
  const job_id = 'job_id' in answer ? answer.job_id : String(response.headers.get('x-job-id'));
  const job = await completed(client, { fpga_id, job_id }, options);
  const { ok, data } = await client.getRunResult({ fpga_id, job_id }, options);
  if (ok) return data;
  const tail = (await logTail(client, job)).slice(-3);
  throw new JobFailedError(job, 'no_acknowledge', faultIn(tail), tail);
}

/** The text in a run's log about a bus fault: its address and kind. */
function faultIn(log: readonly string[]): string {
  const reason = log.map(errorIn).findLast((error) => error !== undefined);
  return reason ? `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.` : 'The design did not acknowledge.';
}
