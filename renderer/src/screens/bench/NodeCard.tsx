import { lazy, memo, Suspense } from 'react';
import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import { overallFraction } from '../../../../server/contract/jobs/progress.ts';
import type { LastBuild, NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { sentences } from '../../../../server/contract/sentences.ts';
import { stateIcon, stateTone } from '../../components/Badge.tsx';
import { Icon, type IconName } from '../../components/Icon.tsx';
import { orLoadAnew } from '../../components/missing-module.ts';
import { CardNotice } from '../../components/notices/CardNotice.tsx';
import { Progress } from '../../components/Progress.tsx';
import { Ago, TimeLeft } from '../../components/Time.tsx';
import { useWatch, WatchBadge } from '../../components/WatchBadge.tsx';
import { jobTitle, type Outcome, outcomeOf, scriptOutcome } from '../../format/job.ts';
import { formatPercent } from '../../format/size.ts';
import { useJob } from '../../state/client/context.tsx';
import { useInLine } from '../../state/client/use-in-line.ts';
import { href } from '../../state/page/routes.ts';
import { text } from '../../text/text.ts';
import { useNodeDrop } from './use-node-drop.ts';
import { useNodeSubject } from './use-node-subject.ts';

const t = text.bench;

// Samples of a node load after the first page, and only for nodes with a design.
const PinnedValue = lazy(() => orLoadAnew(() => import('./PinnedValue.tsx')));

/** Stage and percentage of the running job, or its place in the queue. */
function Current({ job }: { job: Job }) {
  const fraction = overallFraction(job);
  const queued = job.status === 'queued';
  const stage = queued || !job.stage ? text.status.queued : text.stage[job.stage];
  const next = job.replaces && (
    <span className="card-next truncate">{t.next(job.submit?.filename ?? '')}</span>
  );
  // The place in the queue takes the room of the progress.
  if (queued && job.in_queue) {
    const standing = t.inQueue(job.in_queue);
    return (
      <span className="card-current">
        {next}
        <span className="card-standing truncate" title={standing}>
          {standing}
        </span>
      </span>
    );
  }
  return (
    <span className="card-current">
      {next}
      <Progress label={`${jobTitle(job)}: ${stage}`} fraction={queued ? 0 : fraction} />
      <span className="card-stage">
        {stage}{' '}
        {job.status === 'running' && fraction !== undefined && (
          <span className="mono">{formatPercent(fraction)}</span>
        )}
      </span>
    </span>
  );
}

const OUTCOMES: Partial<Record<Outcome, { icon: IconName; look: string }>> = {
  complete: { icon: 'complete', look: 'text-good' },
  failed: { icon: 'error', look: 'text-bad' },
  cancelled: { icon: 'cancelled', look: 'text-warn' },
  stopped: { icon: 'cancelled', look: 'text-warn' },
  missed: { icon: 'warning', look: 'text-warn' },
};

/** A message on a file, with the name once: a message with a line begins with it. */
const ofFile = (file: string, message: string) =>
  message.startsWith(`${file}:`) ? message : `${file}: ${message}`;

/**
 * The last build's result and time, with its file and owner unless the card begins with them. It comes with the node,
 * however many jobs follow.
 */
function Last({
  build,
  file,
  owner,
}: {
  build: LastBuild | null;
  file: string | undefined;
  owner: string | undefined;
}) {
  const job = useJob(build?.job_id);
  if (!build) return null;
  const outcome = outcomeOf(build);
  const { icon, look } = OUTCOMES[outcome] ?? { icon: 'info', look: '' };
  const said = build.failure?.message ?? text.status[outcome];
  return (
    <>
      <span className={look}>
        <Icon name={icon} size={13} />
      </span>
      <span className="truncate">
        {build.file === file ? said : ofFile(build.file, said)}
        {job?.script && (
          <span className={job.script.failed > 0 ? 'text-bad' : 'text-good'}> {scriptOutcome(job)}</span>
        )}
      </span>
      <span className="card-when">
        {build.owner !== owner && <span className="truncate">{text.by(build.owner)},</span>}{' '}
        <Ago at={build.at} />
      </span>
    </>
  );
}

/** Speed and utilisation of the design on the board. */
function Figures({ build }: { build: LastBuild }) {
  const { fmax, luts, luts_available: all } = build;
  const missed = outcomeOf(build) === 'missed';
  return (
    <dl className="card-figures">
      {fmax !== null && (
        <div>
          <dt>{t.fmax}</dt>
          <dd className={`num ${missed ? 'text-warn' : ''}`} title={missed ? text.status.missed : undefined}>
            {fmax.toFixed(1)} MHz
          </dd>
        </div>
      )}
      {luts !== null && (
        <div>
          <dt>{t.luts}</dt>
          <dd className="num">{all ? formatPercent(luts / all) : luts}</dd>
        </div>
      )}
    </dl>
  );
}

/** The card of a node: design and owner, state, job or last result. */
export const NodeCard = memo(function NodeCard({ node, selected }: { node: NodeView; selected: boolean }) {
  const watch = useWatch(node.fpga_id);
  const inLine = useInLine(node.fpga_id);
  const { way, over, look, handlers } = useNodeDrop(node);
  const { file, owner, mine, state, job, label } = useNodeSubject(node);
  const { fpga_id: id, session, board, design, error } = node;
  return (
    <li
      className={`card card-${node.resetting ? 'busy' : stateTone(node.state)} ${mine ? 'card-mine' : ''} ${selected ? 'card-selected' : ''} ${look}`}
      {...handlers}
    >
      <span className="card-slot" aria-hidden="true">
        <span className="card-number">{id}</span>
        <Icon name={node.resetting ? 'building' : stateIcon(node.state)} />
      </span>
      <div className="card-body">
        <div className="card-line card-first">
          <span className="card-names">
            <a
              className="card-link"
              href={href({ kind: 'node', node: id, tab: undefined, job: undefined })}
              aria-current={selected ? 'true' : undefined}
              // What one sees on it is part of its name: speech input finds it.
              aria-label={file === undefined ? `${label}, ${t.open}` : label}
            >
              {file === undefined ? (
                <span className="card-open">{t.open}</span>
              ) : (
                <span className="card-design truncate mono">{file}</span>
              )}
            </a>
            {owner !== undefined && (
              <span className="card-owner">
                <Icon name="user" size={14} />
                <span className="truncate">{mine ? t.mine(owner) : owner}</span>
              </span>
            )}
          </span>
          {session && (
            <span className="card-left">
              <TimeLeft at={session.expires_at} /> <span className="muted">{t.left}</span>
            </span>
          )}
        </div>
        <div className="card-line card-second">
          <span className="card-state">{state}</span>
          <span
            className={`card-board truncate ${board.present ? 'muted' : 'text-bad'}`}
            title={board.reason ?? board.id}
          >
            <Icon name={board.present ? 'boards' : 'unplugged'} size={13} />
            <span className="truncate">{board.present ? board.name : `${board.name}: ${t.absent}`}</span>
          </span>
          {watch && <WatchBadge watch={watch} />}
        </div>
        <div className="card-line card-third">
          <CardNotice node={node} />
          {inLine.length > 0 && <span className="card-in-line">{t.inLine(inLine.length)}</span>}
          {job ? (
            <Current job={job} />
          ) : error ? (
            <span className="text-bad truncate" title={sentences(error.message, error.remedy)}>
              {error.message}
            </span>
          ) : (
            <Last build={node.last_build} file={file} owner={owner} />
          )}
        </div>
      </div>
      {/* The room stays without a design: nothing next to it moves. */}
      <div className="card-spare">
        {design && (
          <>
            {node.last_build && <Figures build={node.last_build} />}
            <Suspense>
              <PinnedValue node={id} design={design} />
            </Suspense>
          </>
        )}
      </div>
      {over && (
        <span className="card-drop">
          {way === 'replace'
            ? t.dropReplace(id)
            : way === 'wait'
              ? t.dropWait(id)
              : way === 'submit'
                ? t.dropHere(id)
                : t.dropBusy(id)}
        </span>
      )}
    </li>
  );
});
