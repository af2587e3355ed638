import { checkOf, parseAs } from '../contract/check.ts';
import { BuildReport } from '../contract/designs/uploads.ts';
import type { Failure } from '../contract/diagnostics.ts';
import type { Job } from '../contract/jobs/jobs.ts';
import { jobsError } from '../errors/jobs.ts';
import type { JobFiles, StoredJob } from '../store/index.ts';
import { failureOf } from './execution/end.ts';
import { wordsToBytes } from './execution/words.ts';

const isBuildReport = checkOf(BuildReport);

/** Parses a job's stored report; null where it is damaged. */
export const parseBuildReport = (text: string): BuildReport | null => parseAs(text, isBuildReport);

/** Only the record names the owner of a job. */
const UNKNOWN_OWNER = 'unknown';

/** Log lines from which a record can be rebuilt. The handlers in execution/ write them. */
const LINES = {
  source: /^\[ *[\d.]+ queue\] (.+) \((\d+) bytes\) for /m,
  transfer: /\] (?:wrote|read) (\d+) words? (to|from) (0x[0-9A-F_]+)( \(fixed\))? in [\d.]+ ms(?:: (.*))?$/m,
  fault: /\] error: bus fault at byte address (0x[0-9A-F_]+)/,
  cancelled: /\] cancelled by (.*) before it started$/m,
  programmed: /\] the board runs build /,
  reset: /\] (?:flashing the base SoC|reset by the service)/,
  resetDone: /\] the board runs the base SoC/,
  failure: /\] error: (.*)\n.*\] note: (.*)\n*$/,
} as const;

/**
 * Rebuilds the record of an ended job from the files in its folder. Lost are its owner, the options of a build, and
 * words of a short run beyond those in its log. Null for a folder with only an upload, which an unfinished request
 * leaves.
 */
export async function rebuiltJob(
  files: JobFiles,
  fpgaId: number,
  jobId: string,
  options: { unfinished: boolean },
): Promise<Omit<StoredJob, 'seq'> | null> {
  const listed = await files.list(fpgaId, jobId);
  const has = (name: string) => listed.some((file) => file.name === name);
  if (listed.length === 0) return null;
  if (!has('log.txt') && !has('report.json') && !has('result') && !options.unfinished) return null;
  const times = listed.map(({ mtimeMs }) => mtimeMs);
  const log = (await files.readLog(fpgaId, jobId).catch(() => null))?.toString('utf8') ?? '';
  const base = {
    job_id: jobId,
    fpga_id: fpgaId,
    created_at: new Date(Math.min(...times)).toISOString(),
    updated_at: new Date(Math.max(...times)).toISOString(),
    owner: UNKNOWN_OWNER,
  };
  const bytes = listed.reduce((sum, { size }) => sum + size, 0);
  const source = listed.find(({ name }) => name === 'source');
  if (source) {
    const [, filename = 'source'] = LINES.source.exec(log) ?? [];
    const text = await files.read(fpgaId, jobId, 'report.json').catch(() => null);
    const { build_id } = (text && parseBuildReport(text.toString('utf8'))) ?? {};
    return {
      job: {
        ...base,
        type: 'build_and_program',
        ...outcome(log, LINES.programmed.test(log)),
        submit: { filename, size: source.size, options: {} },
        ...(build_id && /^[0-9a-f]{64}$/.test(build_id) ? { build_id } : {}),
      },
      bytes,
    };
  }
  if (LINES.reset.test(log))
    return { job: { ...base, type: 'reset', ...outcome(log, LINES.resetDone.test(log)) }, bytes };
  const { job, ...result } = runOf(log);
  return { job: { ...base, type: 'run', ...job }, ...result, bytes };
}

/** A run: one line of its log describes it. */
function runOf(log: string): { job: Partial<Job> & Pick<Job, 'status'>; result?: string } {
  const [, words = '', direction, place = '', fixed, preview = ''] = LINES.transfer.exec(log) ?? [];
  const [, fault] = LINES.fault.exec(log) ?? [];
  if (fault !== undefined)
    return { job: { status: 'complete', ok: false, summary: `bus fault at ${fault}` } };
  if (direction === undefined) return { job: outcome(log, log.includes('] nothing to transfer')) };
  const count = Number(words);
  const op = direction === 'to' ? 1 : 2;
  const address = Number(place.replaceAll('_', ''));
  const shown =
    preview.match(/0x[0-9A-F]{4}_[0-9A-F]{4}/g)?.map((word) => Number(word.replaceAll('_', ''))) ?? [];
  const whole = op === 2 && count > 0 && shown.length === count;
  return {
    job: { status: 'complete', ok: true, run: { op, address, count, fixed_address: fixed !== undefined } },
    ...(whole ? { result: wordsToBytes(Uint32Array.from(shown)).toString('base64') } : {}),
  };
}

function outcome(log: string, done: boolean): Pick<Job, 'status' | 'ok' | 'failure' | 'cancelled_by'> {
  const [, cancelledBy] = LINES.cancelled.exec(log) ?? [];
  if (cancelledBy !== undefined) return { status: 'cancelled', cancelled_by: cancelledBy };
  const [, message, remedy] = LINES.failure.exec(log) ?? [];
  const stopped: Failure = failureOf(jobsError('service_stopped'));
  if (message !== undefined && remedy !== undefined)
    return {
      status: 'failed',
      failure: message === stopped.message ? stopped : { error: 'job_data_missing', message, remedy },
    };
  return done ? { status: 'complete', ok: true } : { status: 'failed', failure: stopped };
}
