// The stages of a build.
import type { Job, Stage } from '../../../../server/contract/jobs/jobs.ts';
import { Icon, type IconName } from '../../components/Icon.tsx';
import { Progress } from '../../components/Progress.tsx';
import { durationTick, Elapsed, useNow } from '../../components/Time.tsx';
import { outcomeOf } from '../../format/job.ts';
import { formatPercent } from '../../format/size.ts';
import { formatDuration } from '../../format/time.ts';
import { useLog } from '../../state/client/use-log.ts';
import { hasEnded } from '../../state/jobs/jobs.ts';
import { text } from '../../text/text.ts';
import { EstimateLine } from './Estimate.tsx';
import './stages.css';

const t = text.node;

const BUILD_STAGES: readonly Stage[] = [
  'scan',
  'synthesis',
  'place',
  'route',
  'pack',
  'program',
  'identify',
  'script',
];

/** Only a design with a script has the script stage. */
const stagesOf = ({ stage, script }: Job): readonly Stage[] =>
  stage === 'script' || script ? BUILD_STAGES : BUILD_STAGES.filter((one) => one !== 'script');

type Mark = 'done' | 'now' | 'failed' | 'stopped' | 'waiting' | 'never' | 'skipped';

const ICONS: Record<Mark, IconName> = {
  done: 'complete',
  now: 'building',
  failed: 'error',
  stopped: 'cancelled',
  waiting: 'idle',
  never: 'idle',
  skipped: 'complete',
};

const WORDS: Record<Mark, string> = {
  done: t.stageDone,
  now: t.stageNow,
  failed: t.stageFailed,
  stopped: text.status.stopped,
  waiting: t.stageWaiting,
  never: t.stageNever,
  skipped: t.stageSkipped,
};

/**
 * The state of a stage. `begun` has the stages of the log with the second of their first line: exact, and there after a
 * reload.
 */
function markOf(stage: Stage, job: Job, begun: ReadonlyMap<Stage, number>): Mark {
  const at = BUILD_STAGES.indexOf(stage);
  const current = job.stage ? BUILD_STAGES.indexOf(job.stage) : -1;
  if (job.status === 'cancelled') return 'never';
  if (job.status === 'queued') return 'waiting';
  if (job.status === 'complete') return begun.has(stage) || !job.cached ? 'done' : 'skipped';
  if (at < current) return job.cached && !begun.has(stage) ? 'skipped' : 'done';
  if (at > current) return job.status === 'failed' ? 'never' : 'waiting';
  const outcome = outcomeOf(job);
  return outcome === 'failed' || outcome === 'stopped' ? outcome : 'now';
}

/** The stages of a build, live: their state, progress and duration. */
export function StageList({ job }: { job: Job }) {
  const log = useLog(job.fpga_id, job.job_id);
  const running = job.status === 'running';
  const started = job.started_at ? Date.parse(job.started_at) : undefined;
  const now = useNow(running ? durationTick(started ?? Date.now()) : null);
  const begun = new Map(log?.document.stages.map(({ stage, seconds }) => [stage, seconds]) ?? []);
  const ended = hasEnded(job) ? Date.parse(job.updated_at) : now;
  const secondsOf = (stage: Stage, mark: Mark): number | undefined => {
    // The first stage begins with the job, also where its first line is the error that ends it.
    const from = stage === BUILD_STAGES[0] ? 0 : begun.get(stage);
    if (
      from === undefined ||
      started === undefined ||
      mark === 'waiting' ||
      mark === 'never' ||
      mark === 'skipped'
    )
      return undefined;
    const later = [...begun.values()].filter((seconds) => seconds > from);
    const to = mark === 'done' && later.length > 0 ? Math.min(...later) : (ended - started) / 1000;
    return Math.max(0, to - from);
  };
  return (
    <section className="stages" aria-label={t.stages}>
      <h3>{t.stages}</h3>
      {job.status === 'queued' ? (
        <p className="muted">
          {job.in_queue ? text.bench.inQueue(job.in_queue) : t.waiting} <Elapsed from={job.created_at} />
        </p>
      ) : (
        <ol>
          {stagesOf(job).map((stage) => {
            const mark = markOf(stage, job, begun);
            const seconds = secondsOf(stage, mark);
            return (
              <li
                key={stage}
                className={`stage stage-${mark}`}
                aria-current={mark === 'now' ? 'step' : undefined}
              >
                <Icon name={ICONS[mark]} size={14} />
                <span className="stage-name">{text.stage[stage]}</span>
                <span className="stage-middle">
                  {mark === 'now' ? (
                    <>
                      <Progress label={text.stage[stage]} fraction={job.fraction} />
                      {job.fraction !== undefined && (
                        <span className="num">{formatPercent(job.fraction)}</span>
                      )}
                    </>
                  ) : (
                    <span className={mark === 'done' ? 'sr-only' : 'muted'}>{WORDS[mark]}</span>
                  )}
                </span>
                <span className="num stage-time">{seconds === undefined ? '' : formatDuration(seconds)}</span>
              </li>
            );
          })}
          {job.started_at && (
            <li className="stage stage-total">
              <span />
              <span className="stage-name">{t.total}</span>
              <span className="stage-middle" />
              <span className="num stage-time">
                <Elapsed from={job.started_at} to={hasEnded(job) ? job.updated_at : undefined} />
              </span>
            </li>
          )}
        </ol>
      )}
      {job.estimate && <EstimateLine estimate={job.estimate} />}
    </section>
  );
}
