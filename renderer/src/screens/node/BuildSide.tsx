// The side of a submitted design: stages, diagnostics, result.
import type { BuildReport, MatchedDesign } from '../../../../server/contract/designs/uploads.ts';
import type { Diagnostic } from '../../../../server/contract/diagnostics.ts';
import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { StatusBadge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { jobOutcome, outcomeOf } from '../../format/job.ts';
import type { DesignFile } from '../../state/files/design-file.ts';
import { hasEnded } from '../../state/jobs/jobs.ts';
import { navigate } from '../../state/page/router.ts';
import { href } from '../../state/page/routes.ts';
import { text } from '../../text/text.ts';
import { Comparison } from './Comparison.tsx';
import { LogTail } from './LogTail.tsx';
import { Findings, MatchPanel, OtherModules } from './MatchPanel.tsx';
import type { Place } from './place.ts';
import { StageList } from './StageList.tsx';
import { TimingPrompt } from './TimingPrompt.tsx';
import { TrialPanel } from './TrialPanel.tsx';
import { isTooSlow } from './use-build-details.ts';
import type { Scan } from './use-scan.ts';
import type { Version } from './use-versions.ts';

const t = text.node;

/** The matched design of a report, in the form of a scan. */
const matchedScan = (design: MatchedDesign): Scan => ({
  data: { matched: design, modules: [], diagnostics: [] },
  busy: false,
  error: undefined,
});

/** The result of a build. If diagnostics explain the failure, they replace its message. */
function Outcome({
  job,
  diagnostics,
  project,
  onPlace,
}: {
  job: Job;
  diagnostics: readonly Diagnostic[];
  project: boolean;
  onPlace(place: Place): void;
}) {
  const { failure } = job;
  const reasons = failure === undefined ? [] : diagnostics.filter(({ severity }) => severity === 'error');
  const outcome = reasons.length > 0 ? '' : jobOutcome(job);
  const ended = outcomeOf(job);
  return (
    <section className="design-outcome">
      <div className="row">
        <StatusBadge outcome={ended} />
        {/* While the build runs, the end of its log leads to the log. */}
        {job.status !== 'running' && (
          <a href={href({ kind: 'node', node: job.fpga_id, tab: 'log', job: job.job_id })}>
            {t.report.toLog}
          </a>
        )}
      </div>
      {outcome && (
        <p className={ended === 'failed' ? 'text-bad' : ended === 'missed' ? 'text-warn' : ''}>{outcome}</p>
      )}
      <Findings diagnostics={diagnostics} project={project} onPlace={onPlace} />
      {failure && <p className="muted">{failure.remedy}</p>}
    </section>
  );
}

/** The side of a submitted design: its build and the result. */
export function BuildSide({
  node,
  job,
  files,
  report,
  diagnostics,
  scan,
  versions,
  onAddressing,
  onPlace,
}: {
  node: NodeView;
  job: Job;
  files: readonly DesignFile[] | undefined;
  report: BuildReport | undefined;
  diagnostics: readonly Diagnostic[];
  /** The scan of a build that failed there, for the reasons of the other modules. */
  scan: Scan;
  versions: readonly Version[];
  onAddressing(addressing: MatchedDesign['addressing']): void;
  onPlace(place: Place): void;
}) {
  const runs =
    node.state === 'reserved' && job.build_id !== undefined && node.design?.build_id === job.build_id;
  const open = !hasEnded(job);
  return (
    <div className="design-side">
      <Outcome
        job={job}
        diagnostics={diagnostics}
        project={files !== undefined && files.length > 1}
        onPlace={onPlace}
      />
      {/* The room for the result exists before the build ends: nothing below it moves. */}
      {(open || job.status === 'complete') && (
        <Button
          kind={open || runs ? 'primary' : 'plain'}
          icon="registers"
          disabled={!runs}
          onClick={() => navigate({ kind: 'node', node: node.fpga_id, tab: 'registers', job: undefined })}
        >
          {t.readWrite}
        </Button>
      )}
      <Comparison job={job} versions={versions} report={report} />
      {isTooSlow(job) && report && <TimingPrompt node={node} job={job} files={files} report={report} />}
      <TrialPanel job={job} />
      <StageList job={job} />
      {job.status === 'running' && <LogTail job={job} />}
      {report ? (
        <MatchPanel scan={matchedScan(report.design)} onPlace={onPlace} onAddressing={onAddressing} />
      ) : (
        scan.data && <OtherModules result={scan.data} onPlace={onPlace} />
      )}
    </div>
  );
}
