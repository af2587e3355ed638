import type { Job } from '../../../../server/contract/jobs.ts';
import { useEffect, useMemo, useState } from 'react';
import { useBench, useBenchStore } from '../../state/context.tsx';
import { listJobs, mergeJobs } from '../../state/jobs.ts';

/** More than the service keeps of one node by default. */
const MOST = 1000;

export interface NodeJobs {
  /** Newest first. */
  list: Job[];
  loaded: boolean;
  error: unknown;
  retry(): void;
}

/** The whole history of a node: what the stream brought, and what GET /fpga/{id}/jobs has besides. */
export function useNodeJobs(id: number): NodeJobs {
  const client = useBench();
  const byId = useBenchStore(
    ({ jobs }) => jobs,
    (state) => state.byId,
  );
  const live = useBenchStore(
    ({ connection }) => connection,
    ({ connection }) => (connection.state === 'live' ? connection.since : undefined),
  );
  const [loaded, setLoaded] = useState(false);
  const [error, setError] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt and a new connection ask again
  useEffect(() => {
    if (live === undefined) return;
    let over = false;
    client.service.nodeJobs(id, MOST).then(
      (jobs) => {
        if (over) return;
        mergeJobs(client.jobs, jobs);
        setLoaded(true);
        setError(undefined);
      },
      (reason) => !over && setError(reason),
    );
    return () => {
      over = true;
    };
  }, [client, id, attempt, live]);
  const list = useMemo(() => listJobs(byId, id), [byId, id]);
  return { list, loaded, error, retry: () => setAttempt(attempt + 1) };
}
