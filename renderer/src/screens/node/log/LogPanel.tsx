import { useCallback, useMemo, useRef, useState } from 'react';
import type { Job, Stage } from '../../../../../server/contract/jobs/jobs.ts';
import type { NodeView } from '../../../../../server/contract/nodes/nodes.ts';
import { Button } from '../../../components/Button.tsx';
import { EmptyState, ErrorState, Loading } from '../../../components/Empty.tsx';
import { useShortcuts } from '../../../components/shortcuts.ts';
import { navigate } from '../../../state/page/router.ts';
import type { Look } from '../../../state/page/routes.ts';
import { useSharedView } from '../../../state/page/share.ts';
import { text } from '../../../text/text.ts';
import { ErrorSummary } from './ErrorSummary.tsx';
import './log.css';
import { useLog } from '../../../state/client/use-log.ts';
import { diagnosticsOf, useReport } from '../use-build-details.ts';
import { LogLines } from './LogLines.tsx';
import { LogToolbar } from './LogToolbar.tsx';
import { type LogFilter, matchingRows, shownLines } from './search.ts';

const t = text.log;
const NO_FILTER: LogFilter = { level: 'all', stage: 'all' };

const isStage = (name: string): name is Stage => name in text.stage;

/** The filter of a link. */
function filterOf({ level, stage = '' }: Look = {}): LogFilter {
  return {
    level: level === 'warning' || level === 'error' ? level : 'all',
    stage: isStage(stage) ? stage : 'all',
  };
}

/** The job to show without one in the address: the running one, else the newest with a long log. */
function defaultJob(node: NodeView, jobs: readonly Job[]): Job | undefined {
  const current = jobs.find(({ job_id }) => job_id === node.current_job_id);
  return (
    (current?.type === 'run' ? undefined : current) ??
    jobs.find(({ type }) => type === 'build_and_program') ??
    current ??
    jobs[0]
  );
}

/** The Log tab: the log of a job of the node, live. */
export function LogPanel({
  node,
  jobs,
  jobId,
  look,
}: {
  node: NodeView;
  jobs: readonly Job[];
  jobId: string | undefined;
  /** What a link wants to be shown. */
  look?: Look | undefined;
}) {
  const id = node.fpga_id;
  const job =
    jobs.find(({ job_id }) => job_id === jobId) ?? (jobId === undefined ? defaultJob(node, jobs) : undefined);
  const log = useLog(id, job?.job_id ?? jobId);
  const { data: report } = useReport(job);
  const diagnostics = diagnosticsOf(job, report);
  const [filter, setFilter] = useState(() => filterOf(look));
  const [query, setQuery] = useState(look?.['find'] ?? '');
  const [at, setAt] = useState(0);
  const [follow, setFollow] = useState(true);
  const [goTo, setGoTo] = useState<{ row: number } | undefined>();
  useSharedView(() => ({
    job: job?.job_id ?? jobId,
    look: {
      find: query,
      ...(filter.level !== 'all' && { level: filter.level }),
      ...(filter.stage !== 'all' && { stage: filter.stage }),
    },
  }));
  const search = useRef<HTMLInputElement>(null);
  const document = log?.document;
  const version = document?.version ?? 0;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the document changes in place; its version tells
  const shown = useMemo(
    () => (document ? shownLines(document.lines, filter) : []),
    [document, version, filter],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: all lines are one list, which grows in place
  const matches = useMemo(() => matchingRows(shown, query), [shown, version, query]);
  const match = matches.length === 0 ? undefined : Math.min(at, matches.length - 1);

  const go = (step: number) => {
    if (matches.length === 0) return;
    const next = ((match ?? 0) + step + matches.length) % matches.length;
    setAt(next);
    setFollow(false);
    setGoTo({ row: matches[next] ?? 0 });
  };
  const find = (value: string) => {
    setQuery(value);
    setAt(0);
    const [first] = matchingRows(shown, value);
    if (first === undefined) return;
    setFollow(false);
    setGoTo({ row: first });
  };
  useShortcuts([
    {
      keys: 'mod+f',
      label: t.keySearch,
      group: text.shell.shortcutGroups.log,
      run: () => search.current?.focus(),
      always: true,
    },
    { keys: 'n', label: t.keyNext, group: text.shell.shortcutGroups.log, run: () => go(1) },
    { keys: 'shift+n', label: t.keyPrevious, group: text.shell.shortcutGroups.log, run: () => go(-1) },
    { keys: 'f', label: t.keyFollow, group: text.shell.shortcutGroups.log, run: () => setFollow(!follow) },
  ]);

  const readId = job?.job_id ?? jobId;
  const openSource = useCallback(
    (line: number) => navigate({ kind: 'node', node: id, tab: 'design', job: readId, line }),
    [id, readId],
  );
  if (readId === undefined) return <EmptyState icon="log" title={t.none} text={t.noneText} />;
  if (log?.reading.kind === 'failed')
    return <ErrorState error={log.reading.error} onRetry={() => void log.load()} />;
  return (
    <div className="log">
      <LogToolbar
        log={log}
        jobId={readId}
        job={job}
        jobs={jobs}
        search={search}
        query={query}
        onQuery={find}
        matchText={query === '' ? '' : t.matches((match ?? -1) + 1, matches.length)}
        onStep={go}
        filter={filter}
        onFilter={setFilter}
        follow={follow}
        onFollow={setFollow}
        shown={shown}
        onJob={(chosen) => navigate({ kind: 'node', node: id, tab: 'log', job: chosen })}
      />
      {log && (
        <ErrorSummary
          document={log.document}
          version={version}
          diagnostics={diagnostics}
          onLine={(line) => {
            setFilter(NO_FILTER);
            setFollow(false);
            setGoTo({ row: line });
          }}
          onMore={() => {
            setFilter({ level: 'error', stage: 'all' });
            setFollow(false);
          }}
          onSource={openSource}
        />
      )}
      {log?.reading.kind !== 'ready' ? (
        <Loading />
      ) : shown.length === 0 ? (
        <EmptyState
          icon="log"
          title={log.document.lines.length === 0 ? t.empty : t.noneFit}
          action={
            log.document.lines.length > 0 && <Button onClick={() => setFilter(NO_FILTER)}>{t.showAll}</Button>
          }
        />
      ) : (
        <LogLines
          lines={shown}
          diagnostics={diagnostics}
          query={query}
          current={match === undefined ? undefined : matches[match]}
          follow={follow}
          onFollow={setFollow}
          goTo={goTo}
          onSource={openSource}
        />
      )}
    </div>
  );
}
