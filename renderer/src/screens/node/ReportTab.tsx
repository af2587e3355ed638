// The Report tab: the report of a build.
import type { BuildReport } from '../../../../server/contract/designs/uploads.ts';
import type { Job, Stage } from '../../../../server/contract/jobs/jobs.ts';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { sentences } from '../../../../server/contract/sentences.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { CopyText } from '../../components/CopyText.tsx';
import { saveFile } from '../../components/clipboard.ts';
import { EmptyState, ErrorState, Loading } from '../../components/Empty.tsx';
import { Meter } from '../../components/Progress.tsx';
import { formatBytes } from '../../format/size.ts';
import { formatDuration } from '../../format/time.ts';
import { showRefusal } from '../../state/actions/actions.ts';
import { useBench } from '../../state/client/context.tsx';
import { hasEnded } from '../../state/jobs/jobs.ts';
import { navigate } from '../../state/page/router.ts';
import { href } from '../../state/page/routes.ts';
import { text } from '../../text/text.ts';
import { BuildBefore } from './BuildBefore.tsx';
import { CaptureCorePart } from './CaptureCorePart.tsx';
import { EstimatePart } from './Estimate.tsx';
import { MatchPanel } from './MatchPanel.tsx';
import { SlowestPaths } from './SlowestPaths.tsx';
import { UtilisationTable } from './UtilisationTable.tsx';
import { useBuildBefore } from './use-build-before.ts';
import './report.css';
import { isTooSlow, useReport } from './use-build-details.ts';

const t = text.node.report;

function Timing({ timing }: { timing: BuildReport['timing'] }) {
  const { fmax_mhz: fmax, target_mhz: target, met } = timing;
  const own = timing.design?.fmax_mhz ?? null;
  const widest = Math.max(fmax ?? 0, own ?? 0, target) * 1.1;
  const slack = fmax === null ? undefined : 1000 / target - 1000 / fmax;
  return (
    <section className="report-part">
      <h3>
        {t.timing}
        <Badge tone={met ? 'reserved' : 'warn'} icon={met ? 'complete' : 'warning'}>
          {fmax === null ? t.noPath : met ? t.met : t.missed}
        </Badge>
      </h3>
      <table className="figures">
        <tbody>
          {fmax !== null && (
            <tr>
              <th scope="row">{t.fmax}</th>
              <td className="figures-bar">
                <Meter label={t.fmax} value={fmax} max={widest} tone={met ? 'reserved' : 'warn'} />
              </td>
              <td className="num">{fmax.toFixed(1)} MHz</td>
            </tr>
          )}
          {own !== null && (
            <tr>
              <th scope="row">{t.fmaxOfDesign}</th>
              <td className="figures-bar">
                <Meter
                  label={t.fmaxOfDesign}
                  value={own}
                  max={widest}
                  tone={own >= target ? 'reserved' : 'warn'}
                />
              </td>
              <td className="num">{own.toFixed(1)} MHz</td>
            </tr>
          )}
          <tr>
            <th scope="row">{t.target}</th>
            <td className="figures-bar">
              <Meter label={t.target} value={target} max={widest} tone="idle" />
            </td>
            <td className="num">{target.toFixed(1)} MHz</td>
          </tr>
          {slack !== undefined && (
            <tr>
              <th scope="row">{t.slack}</th>
              <td className="figures-bar" />
              <td className="num">
                {slack < 0 ? '−' : ''}
                {Math.abs(slack).toFixed(2)} ns
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </section>
  );
}

function StageSeconds({ report }: { report: BuildReport }) {
  const stages = Object.entries(report.seconds) as [Stage, number][];
  const longest = Math.max(0.001, ...stages.map(([, seconds]) => seconds));
  return (
    <section className="report-part">
      <h3>{t.stages}</h3>
      {report.cached && <p className="muted">{t.cached}</p>}
      <table className="figures">
        <tbody>
          {stages.map(([stage, seconds]) => (
            <tr key={stage}>
              <th scope="row">{text.stage[stage]}</th>
              <td className="figures-bar">
                <Meter label={text.stage[stage]} value={seconds} max={longest} tone="idle" />
              </td>
              <td className="num">{formatDuration(seconds)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Toolchain({ report, job }: { report: BuildReport; job: Job }) {
  const client = useBench();
  const download = async () => {
    try {
      const bytes = await client.service.getBitstream({ fpga_id: job.fpga_id, job_id: job.job_id });
      const base = (job.submit?.filename ?? 'design').replace(/\.[^.]+$/, '');
      await saveFile(`${base}.bin`, bytes, 'application/octet-stream');
    } catch (error) {
      showRefusal(client, error);
    }
  };
  return (
    <section className="report-part">
      <h3>{t.toolchain}</h3>
      <dl className="facts facts-column">
        <div>
          <dt>{t.part}</dt>
          <dd>{report.part}</dd>
        </div>
        <div>
          <dt>{t.engine}</dt>
          <dd>{report.engine}</dd>
        </div>
        {Object.entries(report.versions).map(([tool, version]) => (
          <div key={tool}>
            <dt>{tool}</dt>
            <dd className="mono">{version}</dd>
          </div>
        ))}
        {report.peak_memory_bytes !== undefined && (
          <div>
            <dt>{t.memory}</dt>
            <dd>{formatBytes(report.peak_memory_bytes)}</dd>
          </div>
        )}
        <div>
          <dt>{t.bitstream}</dt>
          <dd>{formatBytes(report.bitstream_size)}</dd>
        </div>
        <div>
          <dt>Id</dt>
          <dd>
            <CopyText value={report.build_id} shown={`${report.build_id.slice(0, 16)}…`} label={t.buildId} />
          </dd>
        </div>
      </dl>
      <Button icon="download" onClick={() => void download()}>
        {t.download}
      </Button>
    </section>
  );
}

/** The Report tab: utilisation, timing, stages, toolchain. */
export function ReportTab({ node, build }: { node: NodeView; build: Job | undefined }) {
  const { data: report, error } = useReport(build);
  const before = useBuildBefore(build, report);
  const toLog = build && (
    <a href={href({ kind: 'node', node: node.fpga_id, tab: 'log', job: build.job_id })}>{t.toLog}</a>
  );
  if (!build) return <EmptyState icon="report" title={t.none} text={t.noneText} />;
  if (!hasEnded(build))
    return (
      <div className="report">
        <EmptyState icon="building" title={t.none} action={toLog} text={t.building} />
        {build.estimate && <EstimatePart estimate={build.estimate} />}
      </div>
    );
  if (build.status !== 'complete' && !isTooSlow(build))
    return (
      <div className="report">
        <EmptyState
          icon="error"
          title={t.none}
          action={toLog}
          text={sentences(build.failure?.message, t.failed)}
        />
        {build.estimate && <EstimatePart estimate={build.estimate} />}
      </div>
    );
  if (error !== undefined) return <ErrorState error={error} />;
  if (!report || before.busy) return <Loading />;
  return (
    <div className="report">
      <div className="report-columns">
        <div className="report-column">
          <Timing timing={report.timing} />
          <StageSeconds report={report} />
          {before.figures && <BuildBefore figures={before.figures} />}
          {report.capture_core && <CaptureCorePart core={report.capture_core} />}
        </div>
        <div className="report-column">
          <UtilisationTable rows={report.utilisation} />
          <Toolchain report={report} job={build} />
        </div>
      </div>
      <SlowestPaths timing={report.timing} />
      <div className="report-part report-design">
        <MatchPanel
          scan={{
            data: { matched: report.design, modules: [], diagnostics: report.diagnostics },
            busy: false,
            error: undefined,
          }}
          onPlace={({ file, line }) =>
            navigate({
              kind: 'node',
              node: build.fpga_id,
              tab: 'design',
              job: build.job_id,
              line,
              ...(file !== undefined && { file }),
            })
          }
        />
      </div>
    </div>
  );
}
