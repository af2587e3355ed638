import { memo, useState } from 'react';
import type { Job } from '../../../../server/contract/jobs.ts';
import type { NodeView } from '../../../../server/contract/nodes.ts';
import { overallFraction } from '../../../../server/contract/progress.ts';
import { StateBadge, stateTone } from '../../components/Badge.tsx';
import { Icon } from '../../components/Icon.tsx';
import { Progress } from '../../components/Progress.tsx';
import { Ago, TimeLeft } from '../../components/Time.tsx';
import { useWatch, WatchBadge } from '../../components/WatchBadge.tsx';
import { jobTitle } from '../../format/job.ts';
import { formatPercent } from '../../format/size.ts';
import { useBench, useJob } from '../../state/context.tsx';
import { takeFiles } from '../../state/drafts.ts';
import { href } from '../../state/routes.ts';
import { text } from '../../text/text.ts';

const t = text.bench;

/** Stage and percentage of the job that runs, or its place in the queue. */
function Current({ job }: { job: Job }) {
  const fraction = overallFraction(job);
  const stage = job.status === 'queued' || !job.stage ? text.status.queued : text.stage[job.stage];
  return (
    <span className="card-current">
      <Progress label={`${jobTitle(job)}: ${stage}`} fraction={job.status === 'queued' ? 0 : fraction} />
      <span className="card-stage">
        {stage}{' '}
        {job.status === 'running' && fraction !== undefined && (
          <span className="mono">{formatPercent(fraction)}</span>
        )}
      </span>
    </span>
  );
}

/** What the last job came to, whose it was and when. */
function Last({ job }: { job: Job | undefined }) {
  if (!job) return <span className="muted">{t.free}</span>;
  const good = job.status === 'complete' && job.ok !== false;
  const what =
    job.failure?.message ??
    job.summary ??
    (job.ok === false ? text.job.notAcknowledged : text.status[job.status]);
  return (
    <>
      <span className={good ? 'text-good' : job.status === 'cancelled' ? 'text-warn' : 'text-bad'}>
        <Icon name={good ? 'complete' : job.status === 'cancelled' ? 'cancelled' : 'error'} size={13} />
      </span>
      <span className="truncate">
        {jobTitle(job)}: {what}
      </span>
      <span className="card-when">
        {text.by(job.owner)}, <Ago at={job.updated_at} />
      </span>
    </>
  );
}

/** One node of the rack: an instrument's front with its state, its holder, its work and its last result. */
export const NodeCard = memo(function NodeCard({ node, selected }: { node: NodeView; selected: boolean }) {
  const client = useBench();
  const current = useJob(node.current_job_id);
  const last = useJob(node.last_job_id);
  const watch = useWatch(node.fpga_id);
  const [over, setOver] = useState(false);
  const { fpga_id: id, session, board, design, error } = node;
  const droppable = node.state === 'idle';
  const working = current !== undefined && (current.status === 'running' || current.status === 'queued');
  const owner = session?.owner ?? (working ? current?.owner : undefined);
  return (
    <li
      className={`card card-${node.resetting ? 'busy' : stateTone(node.state)} ${selected ? 'card-selected' : ''} ${over ? (droppable ? 'card-over' : 'card-refuse') : ''}`}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = droppable ? 'copy' : 'none';
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (droppable) void takeFiles(client, id, event.dataTransfer.files);
      }}
    >
      <span className="card-slot" aria-hidden="true">
        {id}
      </span>
      <div className="card-body">
        <div className="card-line">
          <StateBadge state={node.state} resetting={node.resetting} />
          <a
            className="card-link"
            href={href({ kind: 'node', node: id, tab: undefined, job: undefined })}
            aria-current={selected ? 'true' : undefined}
            aria-label={`${t.node(id)}, ${node.resetting ? text.state.resetting : text.state[node.state]}${session ? `, ${session.owner}` : ''}${design ? `, ${design.filename}` : ''}`}
          >
            <span className="card-design truncate mono">
              {design?.filename ?? (working ? current?.submit?.filename : '') ?? ''}
            </span>
          </a>
          {session ? (
            <span className="card-left">
              <TimeLeft at={session.expires_at} /> <span className="muted">{t.left}</span>
            </span>
          ) : (
            <span className="card-left" />
          )}
        </div>
        <div className="card-line card-second">
          <span
            className={`card-board truncate ${board.present ? 'muted' : 'text-bad'}`}
            title={board.reason ?? board.id}
          >
            <Icon name={board.present ? 'boards' : 'unplugged'} size={13} />
            {board.present ? board.name : `${board.name}: ${t.absent}`}
          </span>
          {watch && <WatchBadge watch={watch} />}
          <span className="card-owner truncate">
            {owner !== undefined && (
              <>
                <Icon name="user" size={13} />
                {owner}
              </>
            )}
          </span>
        </div>
        <div className="card-line card-third">
          {working && current ? (
            <Current job={current} />
          ) : error ? (
            <span className="text-bad truncate" title={`${error.message} ${error.remedy}`}>
              {error.message}
            </span>
          ) : (
            <Last job={last} />
          )}
        </div>
      </div>
      {over && <span className="card-drop">{droppable ? t.dropHere(id) : t.dropBusy(id)}</span>}
    </li>
  );
});
