import { type ComparedFigure, compareReports } from '../../../../server/contract/client/compare-reports.ts';
import type { BuildReport } from '../../../../server/contract/designs/uploads.ts';
import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import { useQuery } from '../../state/client/query.ts';

/** A build compared with the one before of its design. */
interface BuildBefore {
  /** Absent for a first build, or if the report before is gone. */
  figures: readonly ComparedFigure[] | undefined;
  /** The answer is still on its way: what shows it waits, so that nothing moves later. */
  busy: boolean;
}

/** Loads the report of the build before and compares it with a report. */
export function useBuildBefore(build: Job | undefined, report: BuildReport | undefined): BuildBefore {
  const { data, busy } = useQuery(
    report && build?.design_id ? ['report before', build.design_id, build.job_id] : undefined,
    async (service, signal, [, design_id, job_id]) => {
      const { versions } = await service.getDesign({ design_id }, { signal });
      const { before } = versions.find((version) => version.job_id === job_id) ?? {};
      const earlier = versions.find((version) => version.job_id === before?.job_id);
      if (!earlier) return null;
      const { fpga_id, job_id: beforeId } = earlier;
      return await service.getBuildReport({ fpga_id, job_id: beforeId }, { signal });
    },
  );
  return { figures: report && data ? compareReports(report, data) : undefined, busy };
}
