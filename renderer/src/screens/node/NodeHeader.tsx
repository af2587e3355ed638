import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import { overallFraction } from '../../../../server/contract/jobs/progress.ts';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { StateBadge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { CopyText } from '../../components/CopyText.tsx';
import { Icon } from '../../components/Icon.tsx';
import { useEndsSoon } from '../../components/notices/CardNotice.tsx';
import { ExtendAction } from '../../components/notices/NoticeActions.tsx';
import { Progress } from '../../components/Progress.tsx';
import { Ago, TimeLeft } from '../../components/Time.tsx';
import { isBuilding, jobTitle } from '../../format/job.ts';
import { cancelJob, releaseNode, resetNode, stopBuild } from '../../state/actions/actions.ts';
import { useBench, useBenchStore, useJob } from '../../state/client/context.tsx';
import { href } from '../../state/page/routes.ts';
import { text } from '../../text/text.ts';

const t = text.node;
/** A service that enforces keys shows this id to everybody but the holder. */
const HIDDEN_SESSION = '00000000-0000-0000-0000-000000000000';

/** The newest job of another owner. */
function useOthersLast(id: number): Job | undefined {
  const client = useBench();
  return useBenchStore(
    ({ jobs }) => jobs,
    ({ byId }) => {
      let last: Job | undefined;
      for (const job of byId.values())
        if (job.fpga_id === id && (last === undefined || job.created_at > last.created_at)) last = job;
      return last && !client.mine.has(last.job_id) && last.owner !== client.owner ? last : undefined;
    },
  );
}

function OthersChange({ id }: { id: number }) {
  const job = useOthersLast(id);
  if (!job) return null;
  return (
    <span className="node-others" role="status">
      <Icon name="eye" size={14} />
      {t.lastChange(job.owner, jobTitle(job))}, <Ago at={job.created_at} />
    </span>
  );
}

/** The session: owner, id, expiry. */
function Session({ node }: { node: NodeView }) {
  const { session, fpga_id: id } = node;
  const soon = useEndsSoon(node);
  if (!session) return null;
  return (
    <dl className="facts node-session" aria-label={t.session}>
      <div>
        <dt>{t.owner}</dt>
        <dd>{session.owner}</dd>
      </div>
      <div>
        <dt>{t.session}</dt>
        <dd>
          {session.session_id === HIDDEN_SESSION ? (
            <span className="muted">{t.sessionHidden}</span>
          ) : (
            <CopyText value={session.session_id} label={t.sessionId} />
          )}
        </dd>
      </div>
      <div className={soon ? 'node-soon' : ''} title={t.expiresHint}>
        <dt>{t.expires}</dt>
        <dd>
          {soon && <Icon name="warning" size={14} />} <TimeLeft at={session.expires_at} /> {t.left}{' '}
          {soon && <ExtendAction node={id} />}
        </dd>
      </div>
    </dl>
  );
}

/** The line of a node without a session: its current build, or that it is idle. */
function Without({ node, current }: { node: NodeView; current: Job | undefined }) {
  if (current && current.type === 'build_and_program')
    return (
      <p className="truncate">
        {t.underWay(current.owner, jobTitle(current))}
        {current.status === 'queued' && <span className="muted"> {t.waiting}</span>}
      </p>
    );
  if (node.resetting) return <p className="muted truncate">{t.resetting}</p>;
  return <p className="muted truncate">{node.state === 'error' ? t.takesNone : t.free}</p>;
}

/** The replacement that is being built while the design runs. */
function Replacing({ job }: { job: Job }) {
  const fraction = overallFraction(job);
  const stage = job.status === 'queued' || !job.stage ? text.status.queued : text.stage[job.stage];
  const file = job.submit?.filename ?? text.nodeActions.noDesign;
  return (
    <span className="node-replacing" role="status" title={t.replacing(file, job.owner)}>
      <Icon name="building" size={14} />
      <span className="truncate">{t.replacedBy(file)}</span>
      <Progress label={`${jobTitle(job)}: ${stage}`} fraction={job.status === 'queued' ? 0 : fraction} />
      <span className="node-replacing-stage">{stage}</span>
    </span>
  );
}

export function NodeHeader({ node }: { node: NodeView }) {
  const client = useBench();
  const current = useJob(node.current_job_id);
  const replacement = useJob(node.replacement);
  const waiting = [current, replacement].find(
    (job) => job?.status === 'queued' && job.type === 'build_and_program',
  );
  const building = [current, replacement].find((job) => job && isBuilding(job));
  const { fpga_id: id, board, design } = node;
  return (
    <header className="node-head">
      <div className="node-title">
        <a
          className="node-back"
          href={href({ kind: 'bench' })}
          aria-label={t.backToBench}
          title={t.backToBench}
        >
          <Icon name="left" />
        </a>
        <h1>{t.header(id)}</h1>
        <StateBadge state={node.state} resetting={node.resetting} />
        <span className={`node-board truncate ${board.present ? 'muted' : 'text-bad'}`} title={board.id}>
          <Icon name={board.present ? 'boards' : 'unplugged'} size={14} /> {board.name}
        </span>
        {design && <span className="mono node-file truncate">{design.filename}</span>}
        <div className="node-actions">
          {waiting && (
            <Button icon="cancelled" onClick={() => cancelJob(client, waiting)}>
              {text.nodeActions.cancelJob}
            </Button>
          )}
          {building && (
            <Button icon="cancelled" onClick={() => stopBuild(client, building)}>
              {text.nodeActions.stopBuild}
            </Button>
          )}
          {node.session && (
            <Button disabled={node.resetting} onClick={() => releaseNode(client, node)}>
              {text.nodeActions.release}
            </Button>
          )}
          {(node.state === 'reserved' || node.state === 'error') && (
            <Button
              kind={node.state === 'error' ? 'primary' : 'plain'}
              icon="repeat"
              disabled={node.resetting}
              onClick={() => resetNode(client, node)}
            >
              {text.nodeActions.reset}
            </Button>
          )}
        </div>
      </div>
      {/* Always there: what is below stays in place. */}
      <div className="node-line">
        {node.session ? <Session node={node} /> : <Without node={node} current={current} />}
        {replacement ? <Replacing job={replacement} /> : <OthersChange id={id} />}
      </div>
    </header>
  );
}
