import { useMemo } from 'react';
import type { Job } from '../../../server/contract/jobs.ts';
import { useBench, useBenchStore } from './context.tsx';
import { listJobs, mergeJobs } from './jobs.ts';
import { useQuery } from './query.ts';

/** More than the service keeps by default: of one node, and of ten. */
const MOST_OF_NODE = 1000;
const MOST = 5000;

export interface JobHistory {
  /** Newest first. */
  list: Job[];
  loaded: boolean;
  error: unknown;
  retry(): void;
}

/** All jobs, or those of a node: what the stream brought, and what the service keeps besides. */
export function useJobHistory(node?: number): JobHistory {
  const client = useBench();
  const byId = useBenchStore(
    ({ jobs }) => jobs,
    (state) => state.byId,
  );
  const { data, error, reload } = useQuery(
    ['jobs', node],
    async (service, signal) => {
      const jobs =
        node === undefined
          ? await service.listJobs({ limit: MOST }, { signal })
          : await service.listNodeJobs({ fpga_id: node, limit: MOST_OF_NODE }, { signal });
      mergeJobs(client.jobs, jobs);
      return jobs.length;
    },
    { live: true },
  );
  const list = useMemo(() => listJobs(byId, node), [byId, node]);
  return { list, loaded: data !== undefined, error, retry: reload };
}
