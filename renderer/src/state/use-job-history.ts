import { useMemo } from 'react';
import type { AnyJob, Job } from '../../../server/contract/jobs.ts';
import { useBench, useBenchStore } from './context.tsx';
import { listAllJobs, listJobs, mergeJobs } from './jobs.ts';
import { useQuery } from './query.ts';

/** More than the service keeps by default: of one node, and of ten. */
const MOST_OF_NODE = 1000;
const MOST = 5000;

export interface JobHistory<T extends AnyJob = Job> {
  /** Newest first. */
  list: T[];
  loaded: boolean;
  error: unknown;
  retry(): void;
}

/** Brings what the service keeps of the jobs of a node, or of all of them, beside what the stream brought. */
function useKeptJobs(node?: number): Omit<JobHistory, 'list'> {
  const client = useBench();
  const { data, error, reload } = useQuery(
    ['jobs', node],
    async (service, signal) => {
      const jobs =
        node === undefined
          ? await service.listJobs({ owner: '*', limit: MOST }, { signal })
          : await service.listNodeJobs({ fpga_id: node, limit: MOST_OF_NODE }, { signal });
      mergeJobs(client.jobs, jobs);
      return jobs.length;
    },
    { live: true },
  );
  return { loaded: data !== undefined, error, retry: reload };
}

/** The jobs of a node. */
export function useJobHistory(node: number): JobHistory {
  const kept = useKeptJobs(node);
  const byId = useBenchStore(
    ({ jobs }) => jobs,
    (state) => state.byId,
  );
  const list = useMemo(() => listJobs(byId, node), [byId, node]);
  return { ...kept, list };
}

/** The jobs of all nodes, and those that have none. */
export function useBenchHistory(): JobHistory<AnyJob> {
  const kept = useKeptJobs();
  const state = useBenchStore(
    ({ jobs }) => jobs,
    (jobs) => jobs,
  );
  const list = useMemo(() => listAllJobs(state), [state]);
  return { ...kept, list };
}
