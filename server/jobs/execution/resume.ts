import { DuplicateLines } from '../../logs/duplicate-lines.ts';
import type { StoredJob, StoredNode } from '../../store/index.ts';
import type { Services } from '../services.ts';

/** Whether workers of the farm make this build: they continue it while the service is down. */
export const survivesRestart = ({ job, on_farm }: StoredJob): boolean =>
  on_farm === true && job.status === 'running';

/**
 * Whether a build that ran when the service stopped can be resumed. It must not have reached the board. A replacement
 * also needs its session, and once it is built it may have reached the board.
 */
export function canResume(stored: StoredJob, node: StoredNode): boolean {
  if (!survivesRestart(stored)) return false;
  if (!stored.job.replaces) return node.state === 'building';
  return node.state === 'reserved' && node.session !== null && stored.job.build_id === undefined;
}

/**
 * Opens the log of a build that is resumed, or that still waits and has lines in its log, and appends to it. Lines that
 * are in it already are dropped, and its seconds continue.
 */
export async function continueLog({ logs, clock, logger }: Services, { job }: StoredJob): Promise<void> {
  const { fpga_id: fpgaId, job_id: jobId, started_at: began, stage = 'scan', type, status } = job;
  // A queued run has no log lines, and thousands may wait.
  if (type !== 'build_and_program') return;
  const waits = status === 'queued';
  const text = (await logs.read(fpgaId, jobId)).toString('utf8');
  if (waits && text === '') return;
  const known = new DuplicateLines(text);
  const log = await logs.reopen(fpgaId, jobId);
  const sinceBegun = began ? Math.max(0, clock.now() - Date.parse(began)) : 0;
  log.start(waits ? known.lastAt : sinceBegun + (known.beganAt ?? 0));
  const now = waits ? 'this job still waits' : 'this build is resumed';
  log.line(waits ? 'queue' : stage, `the service was restarted: ${now}`);
  log.skip(known);
  if (!waits) logger.info({ fpga_id: fpgaId, job_id: jobId }, 'A build on the farm is resumed.');
}
