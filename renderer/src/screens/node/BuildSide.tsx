import type { BuildReport, MatchedDesign } from '../../../../server/contract/designs/uploads.ts';
import type { Diagnostic } from '../../../../server/contract/diagnostics.ts';
import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { StatusBadge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { jobOutcome } from '../../format/job.ts';
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

/** What a report says of the design, as a scan that found it. */
const matchedScan = (design: MatchedDesign): Scan => ({
  data: { matched: design, modules: [], diagnostics: [] },
  busy: false,
  error: undefined,
});

/** What came of a build. Where findings are why it failed, they stand for its message, which says the same. */
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
  return (
    <section className="design-outcome">
      <div className="row">
        <StatusBadge status={job.status} />
        {/* While it runs, its last lines lead there. */}
        {job.status !== 'running' && (
          <a href={href({ kind: 'node', node: job.fpga_id, tab: 'log', job: job.job_id })}>
            {t.report.toLog}
          </a>
        )}
      </div>
      {outcome && <p className={failure ? 'text-bad' : ''}>{outcome}</p>}
      <Findings diagnostics={diagnostics} project={project} onPlace={onPlace} />
      {failure && <p className="muted">{failure.remedy}</p>}
    </section>
  );
}

/** Beside a design that was submitted: how its build goes or went. */
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
  /** Where the build failed in the scan: what the scan says of the other modules. */
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
      {/* What comes with the end of the build has its place before: nothing below it moves. */}
      {(open || job.status === 'complete') && (
        <Button
          kind={open || runs ? 'primary' : 'plain'}
          icon="plot"
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
