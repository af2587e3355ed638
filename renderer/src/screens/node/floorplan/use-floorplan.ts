import { ServiceError } from '../../../../../server/contract/client/failures.ts';
import type { Job } from '../../../../../server/contract/jobs/jobs.ts';
import type { Floorplan } from '../../../../../server/contract/signals/floorplan.ts';
import { type Query, useQuery } from '../../../state/client/query.ts';
import { isTooSlow } from '../use-build-details.ts';

/** Whether a build has come far enough to have a floorplan. */
export const isPlaced = (job: Job | undefined): job is Job =>
  job?.type === 'build_and_program' && (job.status === 'complete' || isTooSlow(job));

/** The floorplan of a build; null where none is kept. */
export function useFloorplan(job: Job | undefined): Query<Floorplan | null> {
  return useQuery(
    isPlaced(job) ? ['floorplan', job.fpga_id, job.job_id] : undefined,
    async (service, signal, [, fpga_id, job_id]) => {
      try {
        return await service.getBuildFloorplan({ fpga_id, job_id }, { signal });
      } catch (error) {
        if (error instanceof ServiceError && error.code === 'no_floorplan') return null;
        throw error;
      }
    },
  );
}
