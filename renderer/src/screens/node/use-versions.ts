import type { DesignDetails } from '../../../../server/contract/designs/designs.ts';
import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import { useQuery } from '../../state/client/query.ts';
import { hasEnded } from '../../state/jobs/jobs.ts';

/** One build of a design, with the figures of the one before. */
export type Version = DesignDetails['versions'][number];

/** The versions of the design that a build is of, newest first; asked for again when the build has ended. */
export function useVersions(job: Job | undefined): readonly Version[] {
  const design = job?.design_id;
  const { data } = useQuery(
    design === undefined || job === undefined ? undefined : ['versions', design, job.job_id, hasEnded(job)],
    (service, signal, [, design_id]) => service.getDesign({ design_id }, { signal }),
    { keep: true },
  );
  return data?.design_id === design ? (data?.versions ?? NONE) : NONE;
}

const NONE: readonly Version[] = [];
