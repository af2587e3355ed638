import type { Settings } from './contract/bench/settings.ts';
import type { PoolSettings } from './jobs/pool.ts';

/** Maximum runs that wait for one node: more than any user needs, few enough to store. */
const QUEUED_PER_NODE = 4096;
/** …and of one owner on all nodes: two nodes' worth. */
const QUEUED_PER_OWNER = 8192;

/** Maximum designs that wait for an idle node… */
const UNPLACED = 1000;
/** …and of one owner, so that others get their turn. */
const UNPLACED_PER_OWNER = 250;

/** The limits of the node pool: from the settings, and fixed ones. */
export const poolSettings = ({ sessions, limits }: Settings): PoolSettings => ({
  sessionTtlSeconds: sessions.ttl_seconds,
  logBytes: limits.log_bytes,
  jobsPerNode: limits.jobs_per_node,
  jobDays: limits.job_days,
  jobsBytes: limits.jobs_bytes,
  queuedPerNode: QUEUED_PER_NODE,
  queuedPerOwner: QUEUED_PER_OWNER,
  unplaced: UNPLACED,
  unplacedPerOwner: UNPLACED_PER_OWNER,
});
