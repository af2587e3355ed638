import type { DesignDetails } from '../../../../server/contract/designs/designs.ts';
import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import { useQuery } from '../../state/client/query.ts';
import { hasEnded } from '../../state/jobs/jobs.ts';

/** A build of a design, with the figures of the previous one. */
export type Version = DesignDetails['versions'][number];

/** The versions of a build's design, newest first; loaded again at the end of the build. */
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
