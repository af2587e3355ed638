import type { BuildReport } from '../../../../server/contract/designs.ts';
import type { Diagnostic } from '../../../../server/contract/diagnostics.ts';
import type { Job } from '../../../../server/contract/jobs.ts';
import { type Query, useQuery } from '../../state/query.ts';

/** The report of a build, once there is one. */
export function useReport(job: Job | undefined): Query<BuildReport> {
  const built = job?.type === 'build_and_program' && job.status === 'complete' ? job : undefined;
  return useQuery(built && ['report', built.fpga_id, built.job_id], (service, signal, [, fpga_id, job_id]) =>
    service.getBuildReport({ fpga_id, job_id }, { signal }),
  );
}

/** The source of a build, as it was submitted. */
export const useSource = ({ fpga_id, job_id }: Job): Query<Uint8Array> =>
  useQuery(['source', fpga_id, job_id], (service, signal) =>
    service.getSource({ fpga_id, job_id }, { signal }),
  );

const NONE: readonly Diagnostic[] = [];

/** What the tools found in the design of a build: why it failed, or what its report says. */
export const diagnosticsOf = (job: Job | undefined, report: BuildReport | undefined): readonly Diagnostic[] =>
  job?.failure?.diagnostics ?? report?.diagnostics ?? NONE;
