import { useMemo } from 'react';
import type { AnyJob, Job } from '../../../../server/contract/jobs/jobs.ts';
import { hasEnded, isRemote, listAllJobs, listJobs, mergeJobs } from '../jobs/jobs.ts';
import { useBench, useBenchStore } from './context.tsx';
import { useQuery } from './query.ts';

/** More than the service keeps by default, of one node and of ten. */
const MAX_JOBS_PER_NODE = 1000;
const MOST = 5000;
/** Poll interval of the jobs at other benches, ms: no event announces them. */
const LOOK_ELSEWHERE_MS = 2000;

export interface JobHistory<T extends AnyJob = Job> {
  /** Newest first. */
  list: T[];
  loaded: boolean;
  error: unknown;
  retry(): void;
}

/** Loads the stored jobs of a node, or of all nodes, to those of the event stream. */
function useStoredJobs(node?: number): Omit<JobHistory, 'list'> {
  const client = useBench();
  const { data, error, reload } = useQuery(
    ['jobs', node],
    async (service, signal) => {
      const jobs =
        node === undefined
          ? await service.listJobs({ owner: '*', limit: MOST }, { signal })
          : await service.listNodeJobs({ fpga_id: node, limit: MAX_JOBS_PER_NODE }, { signal });
      const listed = new Set(jobs.map(({ job_id }) => job_id));
      const gone = [...client.jobs.getState().unplaced.values()]
        .filter((job) => node === undefined && isRemote(job) && !listed.has(job.job_id))
        .map(({ job_id }) => job_id);
      mergeJobs(client.jobs, jobs, gone);
      return jobs.length;
    },
    { live: true },
  );
  return { loaded: data !== undefined, error, retry: reload };
}

/** The jobs of a node. */
export function useJobHistory(node: number): JobHistory {
  const history = useStoredJobs(node);
  const byId = useBenchStore(
    ({ jobs }) => jobs,
    (state) => state.byId,
  );
  const list = useMemo(() => listJobs(byId, node), [byId, node]);
  return { ...history, list };
}

/** Polls the jobs at other benches, if there are any. @param reload loads all jobs again */
function useJobsElsewhere(reload: () => void): void {
  const client = useBench();
  const others = useBenchStore(
    ({ benches }) => benches,
    ({ benches }) => (benches?.length ?? 0) > 0,
  );
  useQuery(
    others ? ['jobs elsewhere'] : undefined,
    async (service, signal) => {
      const status = ['queued', 'running'] as const;
      const open = await service.listJobs({ owner: '*', status: [...status], limit: MOST }, { signal });
      const away = open.filter(isRemote);
      mergeJobs(client.jobs, away);
      const still = new Set(away.map(({ job_id }) => job_id));
      const known = [...client.jobs.getState().unplaced.values()];
      if (known.some((job) => isRemote(job) && !hasEnded(job) && !still.has(job.job_id))) reload();
    },
    { every: LOOK_ELSEWHERE_MS },
  );
}

/** The jobs of all nodes, and those without a node. */
export function useBenchHistory(): JobHistory<AnyJob> {
  const history = useStoredJobs();
  useJobsElsewhere(history.retry);
  const state = useBenchStore(({ jobs }) => jobs);
  const list = useMemo(() => listAllJobs(state), [state]);
  return { ...history, list };
}
