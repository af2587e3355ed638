import { parseAs } from '../contract/check.ts';
import { BenchError } from '../errors/bench-error.ts';
import { connectionErrorOf } from './connection-errors.ts';
import { FORWARDED_BY } from './remote-bench.ts';
import { isOutcome, type StoredRemoteJob, sentence } from './remote-job-record.ts';
import type { WatchedBench } from './watched-bench.ts';

const ASK_TIMEOUT_MS = 5_000;
export const MAX_ANSWER_BYTES = 64 * 1024;
/** Maximum bytes of a job's details, diagnostics included. */
export const MAX_DETAILS_BYTES = 1024 * 1024;

/** Headers of a request on behalf of an owner. @param from the id of this bench */
export function headersFor(from: string, { known }: WatchedBench, owner: string): Record<string, string> {
  // Header values are Latin-1; a name is sent as UTF-8.
  const name = Buffer.from(owner, 'utf8').toString('latin1');
  return {
    accept: '*/*',
    [FORWARDED_BY]: from,
    'x-api-key': known.key ?? name,
    'x-job-owner': name,
  };
}

/**
 * Asks a remote bench about one of its jobs.
 * @throws bench_dead, bench_not_trusted, bench_answer_refused: also for more than `maxBytes`
 */
export async function askAboutJob(
  from: string,
  bench: WatchedBench,
  { job_id: jobId, owner }: Pick<StoredRemoteJob, 'job_id' | 'owner'>,
  method: string,
  path: string,
  maxBytes = MAX_ANSWER_BYTES,
): Promise<{ status: number; text: string }> {
  const headers = headersFor(from, bench, owner);
  try {
    return await bench.far.ask({ method, path, headers }, { timeoutMs: ASK_TIMEOUT_MS, maxBytes });
  } catch (cause) {
    bench.lookNow();
    throw connectionErrorOf(cause, bench.known, jobId);
  }
}

/** The outcome of a job that has ended there; empty where that bench does not give it. */
export async function outcomeOfJob(
  from: string,
  bench: WatchedBench,
  job: StoredRemoteJob,
): Promise<Pick<StoredRemoteJob, 'failure' | 'summary'>> {
  const path = `/fpga/${job.fpga_id}/jobs/${job.job_id}/details`;
  try {
    const { status, text } = await askAboutJob(from, bench, job, 'GET', path, MAX_DETAILS_BYTES);
    const { failure, summary } = (status === 200 && parseAs(text, isOutcome)) || {};
    return {
      ...(failure && {
        failure: {
          error: sentence(failure.error),
          message: sentence(failure.message),
          remedy: sentence(failure.remedy),
        },
      }),
      ...(summary === undefined ? {} : { summary: sentence(summary) }),
    };
  } catch (error) {
    if (!(error instanceof BenchError)) throw error;
    return {}; // its log has it as well
  }
}
