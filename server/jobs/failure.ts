import type { Failure } from '../contract/diagnostics.ts';
import { BenchError } from '../errors/bench-error.ts';
import { jobsError } from '../errors/jobs.ts';
import type { Logger } from '../log.ts';

/** What a job, a node and its callers are told of an error; one that nobody expected goes to the service's log. */
export function failureOf(error: unknown, logger: Logger): Failure {
  if (error instanceof BenchError) {
    return { error: error.code, message: error.message, remedy: error.remedy };
  }
  logger.error({ err: error }, 'A job ended by an unexpected error.');
  return failureOf(jobsError('job_crashed', { cause: error }), logger);
}
