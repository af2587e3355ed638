import type { Ref } from 'react';
import type { Job, Stage } from '../../../../../server/contract/jobs/jobs.ts';
import { Button, IconButton } from '../../../components/Button.tsx';
import { copyWithToast, saveFile } from '../../../components/clipboard.ts';
import { Segmented } from '../../../components/Segmented.tsx';
import { jobTitle, outcomeOf } from '../../../format/job.ts';
import { formatClock } from '../../../format/time.ts';
import { useBench } from '../../../state/client/context.tsx';
import { LogDocument, type LogLine } from '../../../state/jobs/log-document.ts';
import type { OpenLog } from '../../../state/jobs/open-log.ts';
import { text } from '../../../text/text.ts';
import type { LogFilter } from './search.ts';

const t = text.log;
const LISTED = 100;
const NO_LINES = new LogDocument();

interface Props {
  /** Undefined until the log is open. */
  log: OpenLog | undefined;
  jobId: string;
  job: Job | undefined;
  jobs: readonly Job[];
  search: Ref<HTMLInputElement>;
  query: string;
  onQuery(query: string): void;
  matchText: string;
  onStep(step: number): void;
  filter: LogFilter;
  onFilter(filter: LogFilter): void;
  follow: boolean;
  onFollow(follow: boolean): void;
  /** The lines that match the filter. */
  shown: readonly LogLine[];
  onJob(jobId: string): void;
}

export function LogToolbar(props: Props) {
  const { log, job, jobs, query, filter, follow } = props;
  const client = useBench();
  const document = log?.document ?? NO_LINES;
  const unread = log?.reading.kind !== 'ready';
  const all = props.shown.length === document.lines.length;
  const listed = jobs.slice(0, LISTED);
  if (job && !listed.includes(job)) listed.push(job);
  return (
    <div className="log-bar">
      <select
        className="input log-job"
        aria-label={t.job}
        value={props.jobId}
        onChange={(event) => props.onJob(event.target.value)}
      >
        {listed.map((one) => (
          <option key={one.job_id} value={one.job_id}>
            {formatClock(Date.parse(one.created_at)).slice(0, 8)} {jobTitle(one)},{' '}
            {text.status[outcomeOf(one)]}
          </option>
        ))}
      </select>
      <search className="log-search">
        <input
          ref={props.search}
          type="search"
          className="input"
          data-search=""
          aria-label={t.search}
          placeholder={t.searchPlaceholder}
          value={query}
          onChange={(event) => props.onQuery(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') props.onStep(event.shiftKey ? -1 : 1);
            else if (event.key === 'Escape') {
              if (query === '') event.currentTarget.blur();
              props.onQuery('');
              event.stopPropagation();
            } else return;
            event.preventDefault();
          }}
        />
        <span className="log-count num" role="status">
          {props.matchText}
        </span>
        <IconButton icon="up" label={t.previous} disabled={query === ''} onClick={() => props.onStep(-1)} />
        <IconButton icon="down" label={t.next} disabled={query === ''} onClick={() => props.onStep(1)} />
      </search>
      <Segmented
        label={t.level}
        value={filter.level}
        onChange={(level) => props.onFilter({ ...filter, level })}
        options={(['all', 'warning', 'error'] as const).map((id) => ({ id, label: t.levels[id] }))}
      />
      <select
        className="input log-stage"
        aria-label={t.stage}
        value={filter.stage}
        onChange={(event) => props.onFilter({ ...filter, stage: event.target.value as 'all' | Stage })}
      >
        <option value="all">{t.allStages}</option>
        {document.stages.map(({ stage }) => (
          <option key={stage} value={stage}>
            {text.stage[stage]}
          </option>
        ))}
      </select>
      <span className="log-lines muted">
        {all ? t.lines(props.shown.length) : t.linesShown(props.shown.length, document.lines.length)}
      </span>
      <span className="row push">
        <Button
          icon="down"
          aria-pressed={follow}
          onClick={() => props.onFollow(!follow)}
          title={follow ? t.following : t.followPaused}
        >
          {t.follow}
        </Button>
        <IconButton
          icon="copy"
          label={all ? t.copy : t.copyShown}
          disabled={unread}
          onClick={() =>
            void copyWithToast(
              client.toasts,
              all ? document.text() : props.shown.map((line) => `${line.text}\n`).join(''),
              all ? t.copied : t.copiedShown(props.shown.length),
            )
          }
        />
        <IconButton
          icon="download"
          label={t.save}
          disabled={unread}
          onClick={() => void saveFile(`${props.jobId}.log`, document.text(), 'text/plain')}
        />
      </span>
    </div>
  );
}
