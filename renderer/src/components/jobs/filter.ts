import type { AnyJob, JobType } from '../../../../server/contract/jobs/jobs.ts';
import { jobOutcome, jobTitle, type Outcome, outcomeOf } from '../../format/job.ts';
import { hasEnded } from '../../state/jobs/jobs.ts';

export const JOB_STATUS_FILTERS = ['all', 'open', 'complete', 'failed', 'cancelled'] as const;

export interface JobFilter {
  /** `open`: queued or running. */
  status: (typeof JOB_STATUS_FILTERS)[number];
  type: 'all' | JobType;
  node: 'all' | number;
  /** Words that must all be found in title, owner, outcome or id. */
  query: string;
}

/** The filter of an outcome: a stopped build is next to the cancelled ones, a slow one next to the complete ones. */
function groupOf(job: AnyJob): Outcome {
  const outcome = outcomeOf(job);
  return outcome === 'stopped' ? 'cancelled' : outcome === 'missed' ? 'complete' : outcome;
}

export function jobFits(job: AnyJob, { status, type, node, query }: JobFilter): boolean {
  if (node !== 'all' && job.fpga_id !== node) return false;
  if (type !== 'all' && job.type !== type) return false;
  if (status === 'open' ? hasEnded(job) : status !== 'all' && groupOf(job) !== status) return false;
  if (query.trim() === '') return true;
  const all = `${jobTitle(job)} ${job.owner} ${jobOutcome(job)} ${job.job_id}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}
