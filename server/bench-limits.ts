import type { Settings } from './contract/bench/settings.ts';
import type { PoolSettings } from './jobs/pool.ts';

/** Runs that may wait for one node: more than a person means, few enough to be kept. */
const QUEUED_PER_NODE = 4096;
/** …and of one owner on all nodes: two nodes' worth. */
const QUEUED_PER_OWNER = 8192;

/** Designs that may wait for an idle node… */
const UNPLACED = 1000;
/** …and of one owner: others are to have their turn. */
const UNPLACED_PER_OWNER = 250;

/** What the pool of nodes goes by: the settings' limits, and those that nobody sets. */
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
