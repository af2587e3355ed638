import {
  type ComparedFigure,
  compareReports,
  DIGITS,
} from '../../../../server/contract/client/compare-reports.ts';
import type { BuildReport } from '../../../../server/contract/designs/uploads.ts';
import type { Job, Stage } from '../../../../server/contract/jobs/jobs.ts';
import { signed } from '../../format/difference.ts';
import { formatDuration } from '../../format/time.ts';
import { useQuery } from '../../state/client/query.ts';
import { text } from '../../text/text.ts';
import type { Version } from './use-versions.ts';

const t = text.node.comparison;

/** Resources to list even without a change. */
const ALWAYS = new Set(['LUT', 'FF', 'BRAM']);
/** Minimum difference of a stage to list it, s. */
const NOTICEABLE = 0.1;
/** Maximum stages in the line, those with the largest difference; the title has all. */
const MAX_STAGES = 2;

const isStage = (name: string): name is Stage => name in text.stage;

/** The text of a figure in the line; empty if one build lacks it or it is not worth a mention. */
function partOf({ group, name, unit, now, difference }: ComparedFigure): string | null {
  if (now === null || difference === null) return null;
  const change = signed(difference, DIGITS[unit]);
  switch (group) {
    case 'timing':
      return (name === 'fmax' ? t.fmax : t.fmaxOfDesign)(now.toFixed(1), change);
    case 'resource':
      return ALWAYS.has(name) || difference !== 0 ? t.resource(name, now, change) : null;
    case 'design':
      return null;
    case 'stage':
      return isStage(name) && Math.abs(difference) >= NOTICEABLE
        ? t.stage(text.stage[name], formatDuration(now), signed(difference, 1))
        : null;
  }
}

/** Stages with a different duration, the largest difference first. */
const stageDifferences = (compared: readonly ComparedFigure[]): string[] =>
  compared
    .flatMap(({ group, name, difference }) =>
      group === 'stage' && isStage(name) && difference !== null && Math.abs(difference) >= NOTICEABLE
        ? { name, difference }
        : [],
    )
    .sort((a, b) => Math.abs(b.difference) - Math.abs(a.difference))
    .slice(0, MAX_STAGES)
    .map(({ name, difference }) => `${text.stage[name]} ${signed(difference, 1)}`);

/** A build compared with the previous one of its design, in one line: speed, size, time. */
export function Comparison({
  job,
  versions,
  report,
}: {
  job: Job;
  versions: readonly Version[];
  report: BuildReport | undefined;
}) {
  const now = versions.find(({ job_id }) => job_id === job.job_id);
  const { before } = now ?? {};
  const earlier = versions.find(({ job_id }) => job_id === before?.job_id);
  const { data } = useQuery(
    earlier && ['report', earlier.fpga_id, earlier.job_id],
    (service, signal, [, fpga_id, job_id]) => service.getBuildReport({ fpga_id, job_id }, { signal }),
  );
  // Keeps the room while the build is not among the versions yet.
  if (!now && versions.length > 0 && job.status !== 'failed' && job.status !== 'cancelled')
    return (
      <p className="comparison" aria-hidden="true">
        &nbsp;
      </p>
    );
  if (!now || !before) return null;
  const compared = report && data && compareReports(report, data);
  const seconds = t.seconds(
    formatDuration(now.seconds),
    signed(now.seconds - before.seconds, 1),
    stageDifferences(compared ?? []),
  );
  const stages = compared?.filter(({ group }) => group === 'stage').map(partOf) ?? [];
  const parts = compared
    ? [...compared.filter(({ group }) => group !== 'stage').map(partOf), seconds]
    : [
        now.fmax !== null && before.fmax !== null
          ? t.fmax(now.fmax.toFixed(1), signed(now.fmax - before.fmax, 1))
          : null,
        now.luts !== null && before.luts !== null
          ? t.luts(now.luts, signed(now.luts - before.luts, 0))
          : null,
        seconds,
      ];
  return (
    <p className="comparison" title={[t.title, ...stages.filter((part) => part !== null)].join('\n')}>
      <span className="muted">{t.title}:</span> {parts.filter((part) => part !== null).join(', ')}
    </p>
  );
}
