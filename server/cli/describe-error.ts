import { JobFailedError } from '../contract/client/failed-job.ts';
import { ServiceError } from '../contract/client/failures.ts';
import { StreamError } from '../contract/client/stream.ts';
import { sentences } from '../contract/sentences.ts';
import { BenchError } from '../errors/bench-error.ts';
import { systemReason } from '../store/filesystem.ts';
import { progress } from './output.ts';
import { NoServiceError } from './service-client.ts';
import { CommandError, EXIT, UsageError } from './usage.ts';

/** The form of the service's errors: scripts read one form. */
const envelope = (error: string, message: string, more: object = {}): string =>
  JSON.stringify({ detail: { error, message, ...more } });

/** The text of an error for standard error, and the exit code. */
export function describeError(error: unknown, json: boolean): { text: string; code: number } {
  progress.clear();
  const { code, id, more } = kindOf(error);
  const message = sentenceOf(error);
  if (error instanceof JobFailedError && !json) return { text: [...tailOf(error), message].join('\n'), code };
  if (json) return { text: envelope(id, message, more), code };
  if (!(error instanceof ServiceError)) return { text: message, code };
  // A single field is in the sentence already.
  const fields = error.fields.length < 2 ? [] : error.fields;
  return { text: [message, ...fields.map(({ loc, msg }) => `  ${loc.join('.')}: ${msg}`)].join('\n'), code };
}

/** The end of the log, without lines that the sentence repeats. */
const tailOf = ({ logTail, sentence }: JobFailedError): readonly string[] =>
  logTail.filter((line) => {
    const message = /\] (?:error|note): (.+)$/.exec(line)?.[1];
    return message === undefined || !sentence.toLowerCase().includes(message.toLowerCase());
  });

/** An error of the system about a file or a connection, which is no fault of the command. */
const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'errno' in error && 'syscall' in error;

function sentenceOf(error: unknown): string {
  if (error instanceof JobFailedError) return error.sentence;
  if (error instanceof BenchError) return sentences(error.message, error.remedy);
  if (isSystemError(error)) return `${error.path ?? 'A file'} cannot be used: ${systemReason(error)}.`;
  const expected = [UsageError, CommandError, ServiceError, StreamError].some((one) => error instanceof one);
  if (error instanceof Error) return expected ? error.message : (error.stack ?? error.message);
  return String(error);
}

function kindOf(error: unknown): { code: number; id: string; more: object } {
  if (error instanceof UsageError) return { code: EXIT.usage, id: 'usage', more: {} };
  if (error instanceof NoServiceError) return { code: EXIT.unreachable, id: 'unreachable', more: {} };
  if (error instanceof BenchError) return { code: EXIT.failed, id: error.code, more: {} };
  if (error instanceof JobFailedError)
    return { code: EXIT.failed, id: error.code, more: { job_id: error.job.job_id } };
  if (error instanceof StreamError) return { code: EXIT.failed, id: error.code, more: {} };
  if (error instanceof ServiceError) {
    const job = error.jobId === undefined ? {} : { job_id: error.jobId };
    const errors = error.fields.length === 0 ? {} : { errors: error.fields };
    return { code: EXIT.failed, id: error.code, more: { ...job, ...errors } };
  }
  return { code: EXIT.failed, id: 'failed', more: {} };
}
