import { useMemo, useState } from 'react';
import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import { useQuery } from '../../state/client/query.ts';
import { decodeSource } from '../../state/drafts/drafts.ts';

/** Two versions of a source: the shown one, and the one that its differences are from. */
export interface VersionChoice {
  /** Build of the version to show; undefined for the source of the view. */
  shown: string | undefined;
  /** Build of the version to compare with; undefined for none. */
  original: string | undefined;
}

/** The source of a version of a build's design, once it is there. */
function useVersionSource(job: Job | undefined, version: string | undefined): string | undefined {
  const { data } = useQuery(
    version !== undefined && job?.design_id !== undefined ? ['version', job.design_id, version] : undefined,
    (service, signal, [, design_id, job_id]) => service.getDesignSource({ design_id, job_id }, { signal }),
  );
  return useMemo(() => data && decodeSource(data), [data]);
}

/** The comparison of two versions of a build's design. */
export function useComparison(job: Job | undefined) {
  const [choice, choose] = useState<VersionChoice>({ shown: undefined, original: undefined });
  const shown = useVersionSource(job, choice.shown);
  const original = useVersionSource(job, choice.original);
  return { choice, choose, shown, original };
}
