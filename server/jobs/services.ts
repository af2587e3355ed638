import type { JobLogs } from '../logs/job-logs.ts';
import type { ActivityLog } from './activity.ts';
import type { JobIndex } from './job-index.ts';
import type { Shared } from './shared.ts';

/** What the ten nodes share. */
export interface Services extends Shared {
  readonly jobs: JobIndex;
  readonly logs: JobLogs;
  readonly activity: ActivityLog;
}
