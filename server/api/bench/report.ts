import { supportBundle } from '../../report/support-bundle.ts';
import type { ApiContext } from '../context.ts';
import type { Caller } from '../edge/caller.ts';
import { benchStatus } from './status.ts';

/** Newest jobs in the report, and failed ones that come with their logs. */
const JOBS = 100;
const FAILED_LOGS = 10;
/** The part of each log that goes into the report, bytes. */
const LOG_TAIL = 256 * 1024;

/** The support bundle: a zip file with the state of the bench and without secrets. */
export async function makeReport(context: ApiContext, caller: Caller): Promise<Uint8Array> {
  const { pool, boards, settings, clock } = context;
  const jobs = pool.jobs({ limit: JOBS });
  const failed = jobs.filter(({ status }) => status === 'failed').slice(0, FAILED_LOGS);
  const jobLogs: Record<string, Uint8Array> = {};
  for (const { fpga_id, job_id } of failed) {
    // A log that was removed meanwhile, or that is unreadable, is left out.
    const log = await pool.readLog(fpga_id, job_id).catch(() => null);
    if (log) jobLogs[`node-${fpga_id}-${job_id}`] = log.subarray(Math.max(0, log.length - LOG_TAIL));
  }
  const [status, doctor] = await Promise.all([benchStatus(context, caller), context.doctor()]);
  return await supportBundle({
    now: clock.now(),
    answers: {
      status,
      settings: settings.shown,
      notices: [...context.storeNotices, ...settings.notices, ...context.networkProblems()],
      nodes: pool.nodes(),
      boards: { boards: boards.list(), problems: boards.problems() },
      doctor,
      jobs,
      audit: context.audit.chain,
    },
    log: context.recentLog(),
    jobLogs,
  });
}
