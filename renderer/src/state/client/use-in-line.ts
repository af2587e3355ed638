import { useMemo } from 'react';
import type { AnyJob } from '../../../../server/contract/jobs/jobs.ts';
import { hasEnded } from '../jobs/jobs.ts';
import { useBenchStore } from './context.tsx';

/** The queue of one node, next job first. */
export function useInLine(node: number): readonly AnyJob[] {
  const unplaced = useBenchStore(
    ({ jobs }) => jobs,
    (state) => state.unplaced,
  );
  return useMemo(
    () =>
      [...unplaced.values()]
        .filter((job) => job.waiting_for === node && !hasEnded(job))
        .sort((a, b) => (a.place ?? 0) - (b.place ?? 0)),
    [unplaced, node],
  );
}
