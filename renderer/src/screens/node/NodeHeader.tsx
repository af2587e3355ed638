import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { sentences } from '../../../../server/contract/sentences.ts';
import { StateBadge, StatusBadge } from '../../components/Badge.tsx';
import { Icon } from '../../components/Icon.tsx';
import { useEndsSoon } from '../../components/notices/CardNotice.tsx';
import { ExtendAction } from '../../components/notices/NoticeActions.tsx';
import { TimeLeft } from '../../components/Time.tsx';
import { outcomeOf } from '../../format/job.ts';
import { useJob } from '../../state/client/context.tsx';
import { href } from '../../state/page/routes.ts';
import { text } from '../../text/text.ts';
import { NodeActions } from './NodeActions.tsx';
import { NodeMenu } from './NodeMenu.tsx';

const t = text.node;

/** The time left of the session; near its end it warns, and the holder can extend it. */
function SessionLeft({ node, expiresAt }: { node: NodeView; expiresAt: string }) {
  const soon = useEndsSoon(node);
  return (
    <span className={`node-left ${soon ? 'node-soon' : ''}`} title={t.expiresHint}>
      {soon && <Icon name="warning" size={14} />} <TimeLeft at={expiresAt} />{' '}
      <span className="node-left-word">{t.left}</span> {soon && <ExtendAction node={node.fpga_id} />}
    </span>
  );
}

/** The design on the node, its owner and the time left; without a session, the build under way or that it is idle. */
function Subject({ node, current }: { node: NodeView; current: Job | undefined }) {
  const { session, design, error, resetting } = node;
  const build = current?.type === 'build_and_program' ? current : undefined;
  const file = design?.filename ?? (session ? undefined : build?.submit?.filename);
  const owner = session?.owner ?? build?.owner;
  if (file === undefined && owner === undefined)
    return (
      <p className={`node-subject truncate ${error ? 'text-bad' : 'muted'}`}>
        {resetting
          ? t.resetting
          : error
            ? sentences(error.message, error.remedy)
            : node.state === 'error'
              ? t.takesNone
              : t.free}
      </p>
    );
  return (
    <p className="node-subject">
      {file !== undefined && (
        <span className="node-file mono truncate" title={file}>
          {file}
        </span>
      )}
      {owner !== undefined && (
        <span className="node-owner" title={owner}>
          <Icon name="user" size={14} />
          <span className="sr-only">{t.owner} </span>
          <span className="truncate">{owner}</span>
        </span>
      )}
      {session && <SessionLeft node={node} expiresAt={session.expires_at} />}
    </p>
  );
}

/** The header of a node, in one line: state, design, owner, time left, actions. */
export function NodeHeader({ node }: { node: NodeView }) {
  const current = useJob(node.current_job_id);
  return (
    <header className="node-head">
      <a
        className="node-back"
        href={href({ kind: 'bench' })}
        aria-label={t.backToBench}
        title={t.backToBench}
      >
        <Icon name="left" />
      </a>
      <h1>{t.header(node.fpga_id)}</h1>
      <StateBadge state={node.state} resetting={node.resetting} />
      {node.session && node.last_build && outcomeOf(node.last_build) === 'missed' && (
        <StatusBadge outcome="missed" />
      )}
      <Subject node={node} current={current} />
      <NodeActions node={node} />
      <NodeMenu node={node} />
    </header>
  );
}
