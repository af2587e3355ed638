import { useRef } from 'react';
import type { BuildReport } from '../../../../server/contract/designs/uploads.ts';
import type { Diagnostic } from '../../../../server/contract/diagnostics.ts';
import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import { type Query, useQuery } from '../../state/client/query.ts';
import { type DesignFile, filesOfBuild } from '../../state/files/design-file.ts';

/** The design misses the clock of its board, and the board was not programmed. */
export const isTooSlow = (job: Job): boolean => job.failure?.error === 'timing_not_met';

/** The report of a build, if there is one. */
export function useReport(job: Job | undefined): Query<BuildReport> {
  const built =
    job?.type === 'build_and_program' && (job.status === 'complete' || isTooSlow(job)) ? job : undefined;
  return useQuery(built && ['report', built.fpga_id, built.job_id], (service, signal, [, fpga_id, job_id]) =>
    service.getBuildReport({ fpga_id, job_id }, { signal }),
  );
}

/** The submitted files of a build: one, or those of a project. */
export function useDesignFiles(job: Job | undefined): Query<readonly DesignFile[]> {
  const build = useRef(job);
  build.current = job;
  return useQuery(job?.submit && ['files', job.fpga_id, job.job_id], (service, signal) =>
    build.current ? filesOfBuild(service, build.current, { signal }) : Promise.resolve([]),
  );
}

const NONE: readonly Diagnostic[] = [];

/** The diagnostics of a build: of its failure, or of its report. */
export const diagnosticsOf = (job: Job | undefined, report: BuildReport | undefined): readonly Diagnostic[] =>
  job?.failure?.diagnostics ?? report?.diagnostics ?? NONE;
