import { useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { MatchedDesign } from '../../../../server/contract/designs.ts';
import type { Job } from '../../../../server/contract/jobs.ts';
import type { NodeView } from '../../../../server/contract/nodes.ts';
import { Badge, StatusBadge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { EmptyState, InlineError, Loading } from '../../components/Empty.tsx';
import { SourceEditor } from '../../components/editor/SourceEditor.tsx';
import { useFirstFocus } from '../../components/use-first-focus.ts';
import { jobOutcome } from '../../format/job.ts';
import { formatBytes } from '../../format/size.ts';
import { submitDesign } from '../../state/actions.ts';
import { useBench } from '../../state/context.tsx';
import { hasEnded } from '../../state/jobs.ts';
import { href } from '../../state/routes.ts';
import { text } from '../../text/text.ts';
import './design.css';
import { type Draft, decodeSource, drafts, setDraft } from '../../state/drafts.ts';
import { DropLine, DropZone } from './DropZone.tsx';
import { LogTail } from './LogTail.tsx';
import { Diagnostics, MatchPanel } from './MatchPanel.tsx';
import { OptionsForm } from './OptionsForm.tsx';
import { StageList } from './StageList.tsx';
import { diagnosticsOf, useReport, useSource } from './use-build-details.ts';
import { type Scan, useScan } from './use-scan.ts';
import { WatchSwitch } from './WatchSwitch.tsx';

const t = text.node;

/** A file that was chosen: its text, what the matcher finds in it, and the one action: submit. */
function DraftView({ node, draft }: { node: NodeView; draft: Draft }) {
  const client = useBench();
  const id = node.fpga_id;
  const scan = useScan(draft.file, draft.options);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [goTo, setGoTo] = useState<{ line: number } | undefined>();
  const source = useMemo(() => decodeSource(draft.file.contents), [draft.file]);
  const button = useRef<HTMLButtonElement>(null);
  useFirstFocus(button);
  const submit = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await submitDesign(client, id, draft.file, draft.options);
      setDraft(id, undefined);
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  const free = node.state === 'idle' && node.board.present;
  return (
    <div className="design">
      <div className="design-source">
        <div className="design-bar">
          <span className="mono truncate design-name">{draft.file.name}</span>
          <span className="muted">{formatBytes(draft.file.contents.length)}</span>
          <Button kind="quiet" onClick={() => setDraft(id, undefined)}>
            {t.discard}
          </Button>
        </div>
        <SourceEditor
          text={source}
          filename={draft.file.name}
          label={t.sourceOf(draft.file.name)}
          diagnostics={scan.data?.diagnostics ?? []}
          goTo={goTo}
        />
      </div>
      <div className="design-side">
        <div className="design-submit">
          <Button
            kind="primary"
            icon="upload"
            keys="Enter"
            data-submit=""
            ref={button}
            busy={busy}
            disabled={busy || !free}
            onClick={() => void submit()}
          >
            {busy ? t.submitting : t.submitTo(id)}
          </Button>
          {!free && (
            <p className="muted">{node.board.present ? t.notIdle(text.state[node.state]) : t.boardAbsent}</p>
          )}
          {error !== undefined && <InlineError error={error} />}
          {draft.path !== undefined && <WatchSwitch id={id} path={draft.path} options={draft.options} />}
        </div>
        <MatchPanel
          scan={scan}
          onLine={(line) => setGoTo({ line })}
          draft={draft}
          onOptions={(options) => setDraft(id, { ...draft, options })}
        />
        <OptionsForm
          options={draft.options}
          modules={scan.data?.modules.map(({ name }) => name) ?? []}
          onChange={(options) => setDraft(id, { ...draft, options })}
        />
      </div>
    </div>
  );
}

/** What a report says of the design, as a scan that found it. */
const matchedScan = (design: MatchedDesign): Scan => ({
  data: { matched: design, modules: [], diagnostics: [] },
  busy: false,
  error: undefined,
});

/** A design that was submitted: how its build goes or went. */
function BuildView({ node, job, line }: { node: NodeView; job: Job; line: number | undefined }) {
  const id = node.fpga_id;
  const { data: source, error } = useSource(job);
  const { data: report } = useReport(job);
  const diagnostics = diagnosticsOf(job, report);
  const [goTo, setGoTo] = useState<{ line: number } | undefined>();
  const asked = useMemo(() => (line === undefined ? undefined : { line }), [line]);
  const filename = job.submit?.filename ?? '';
  const outcome = jobOutcome(job);
  // A build that failed in the scan has no report: the matcher is asked again, so that its answer can be seen.
  const unmatched = job.status === 'failed' && job.stage === 'scan' && source !== undefined;
  const file = useMemo(
    () => (unmatched && source ? { name: filename, contents: source } : undefined),
    [unmatched, source, filename],
  );
  const scan = useScan(file, job.submit?.options ?? {});
  return (
    <div className="design">
      <div className="design-source">
        <div className="design-bar">
          <span className="mono truncate design-name">{filename}</span>
          <span className="muted">{job.submit ? formatBytes(job.submit.size) : ''}</span>
          {node.state === 'idle' && node.board.present && (
            <span className="push row">
              {source !== undefined && (
                <Button
                  icon="repeat"
                  onClick={() =>
                    setDraft(id, {
                      file: { name: filename, contents: source },
                      options: job.submit?.options ?? {},
                    })
                  }
                >
                  {t.again}
                </Button>
              )}
              <DropLine id={id} />
            </span>
          )}
        </div>
        {source !== undefined ? (
          <SourceEditor
            text={decodeSource(source)}
            filename={filename}
            label={t.sourceOf(filename)}
            diagnostics={diagnostics}
            goTo={goTo ?? asked}
          />
        ) : error !== undefined ? (
          <EmptyState icon="file" title={t.noSource} />
        ) : (
          <Loading />
        )}
      </div>
      <div className="design-side">
        <section className="design-outcome">
          <div className="row">
            <StatusBadge status={job.status} />
            {job.cached && (
              <Badge tone="idle" icon="store">
                {text.job.cached}
              </Badge>
            )}
            {hasEnded(job) && (
              <a href={href({ kind: 'node', node: id, tab: 'log', job: job.job_id })}>{t.report.toLog}</a>
            )}
          </div>
          {outcome && <p className={job.failure ? 'text-bad' : ''}>{outcome}</p>}
          {job.failure && <p className="muted">{job.failure.remedy}</p>}
        </section>
        <StageList job={job} />
        {job.status === 'running' && <LogTail job={job} />}
        {!file && <Diagnostics diagnostics={diagnostics} onLine={(to) => setGoTo({ line: to })} />}
        {report ? (
          <MatchPanel scan={matchedScan(report.design)} onLine={() => {}} />
        ) : (
          file && <MatchPanel scan={scan} onLine={(to) => setGoTo({ line: to })} />
        )}
      </div>
    </div>
  );
}

/** The design of a node: choose one, submit it, watch it build, see what was built. */
export function DesignTab({
  node,
  build,
  line,
  chosen,
}: {
  node: NodeView;
  build: Job | undefined;
  line: number | undefined;
  /** The address names this build: it is shown even beside a draft. */
  chosen: boolean;
}) {
  const draft = useStore(drafts, (state) => state[node.fpga_id]);
  const shown =
    build && (chosen || node.state !== 'idle' || build.status === 'failed' || build.status === 'cancelled');
  if (draft && !chosen) return <DraftView node={node} draft={draft} />;
  if (shown && build) return <BuildView key={build.job_id} node={node} job={build} line={line} />;
  return <DropZone id={node.fpga_id} />;
}
