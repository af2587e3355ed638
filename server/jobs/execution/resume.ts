import { DuplicateLines } from '../../logs/duplicate-lines.ts';
import type { StoredJob, StoredNode } from '../../store/index.ts';
import type { Services } from '../services.ts';

/** Whether a build that runs is made by workers, who go on with it when the service ends. */
export const survivesRestart = ({ job, on_farm }: StoredJob): boolean =>
  on_farm === true && job.status === 'running';

/**
 * Whether a build that ran when the service ended is taken up again: nothing of it has come to the board yet. What is
 * built beside a session needs that session, and has come to the board, for all that is known, once it is built.
 */
export function canResume(stored: StoredJob, node: StoredNode | undefined): boolean {
  if (!survivesRestart(stored) || node === undefined) return false;
  if (!stored.job.replaces) return node.state === 'building';
  return node.state === 'reserved' && node.session !== null && stored.job.build_id === undefined;
}

/** Opens the log of a build that is taken up again, behind what it has: what it has is not written a second time. */
export async function resumeBuild({ logs, clock, logger }: Services, { job }: StoredJob): Promise<void> {
  const { fpga_id: fpgaId, job_id: jobId, started_at: began, stage = 'scan' } = job;
  const known = new DuplicateLines((await logs.read(fpgaId, jobId)).toString('utf8'));
  const log = await logs.reopen(fpgaId, jobId);
  const sinceBegun = began ? Math.max(0, clock.now() - Date.parse(began)) : 0;
  log.start(sinceBegun + (known.beganAt ?? 0));
  log.line(stage, 'the service was started again: it takes up this build');
  log.skip(known);
  logger.info(
    { fpga_id: fpgaId, job_id: jobId },
    'A build that was under way on the farm is taken up again.',
  );
}

/**
 * Opens the log of a build that waits on, behind what it has, where it has something: what is told again is not written a
 * second time, and its seconds go on where they were.
 */
export async function resumeWaiting({ logs }: Services, { job }: StoredJob): Promise<void> {
  const { fpga_id: fpgaId, job_id: jobId, type } = job;
  // Of thousands of runs that wait none has said anything.
  if (type !== 'build_and_program') return;
  const text = (await logs.read(fpgaId, jobId)).toString('utf8');
  if (text === '') return;
  const known = new DuplicateLines(text);
  const log = await logs.reopen(fpgaId, jobId);
  log.start(known.lastAt);
  log.line('queue', 'the service was started again: this job goes on waiting');
  log.skip(known);
}
