import { useEffect, useRef } from 'react';
import type { Job } from '../../../../server/contract/jobs.ts';
import type { NodeView } from '../../../../server/contract/nodes.ts';
import { StateBadge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { CopyText } from '../../components/CopyText.tsx';
import { Icon } from '../../components/Icon.tsx';
import { Ago, TimeLeft, useNow } from '../../components/Time.tsx';
import { jobTitle } from '../../format/job.ts';
import { cancelJob, releaseNode, resetNode } from '../../state/actions.ts';
import { useBench, useBenchStore, useJob } from '../../state/context.tsx';
import { href } from '../../state/routes.ts';
import { announce } from '../../state/toasts.ts';
import { text } from '../../text/text.ts';
import { WatchLine } from './WatchLine.tsx';

const t = text.node;
/** A service that enforces keys shows this to all but the holder. */
const HIDDEN_SESSION = '00000000-0000-0000-0000-000000000000';
const SOON = 120_000;

/** The newest job of somebody else, so that a change is seen as theirs. */
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

/** Who holds the node, by which id, until when. */
function Session({ node }: { node: NodeView }) {
  const client = useBench();
  const { session, fpga_id: id } = node;
  const now = useNow(session ? 5000 : null);
  const soon = session !== null && Date.parse(session.expires_at) - now < SOON;
  const said = useRef(false);
  useEffect(() => {
    if (soon && !said.current) announce(client.toasts, t.expiring(id));
    said.current = soon;
  }, [client, soon, id]);
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
          {soon && <Icon name="warning" size={14} />} <TimeLeft at={session.expires_at} /> {t.left}
        </dd>
      </div>
    </dl>
  );
}

export function NodeHeader({ node }: { node: NodeView }) {
  const client = useBench();
  const current = useJob(node.current_job_id);
  const { fpga_id: id, board, design, error } = node;
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
        {design && <span className="mono node-file truncate">{design.filename}</span>}
        <span className={`node-board truncate ${board.present ? 'muted' : 'text-bad'}`} title={board.id}>
          <Icon name={board.present ? 'boards' : 'unplugged'} size={14} /> {board.name}
        </span>
        <div className="node-actions">
          {current?.status === 'queued' && current.type === 'build_and_program' && (
            <Button icon="cancelled" onClick={() => void cancelJob(client, current)}>
              {t.cancelJob}
            </Button>
          )}
          {node.session && (
            <Button disabled={node.resetting} onClick={() => releaseNode(client, node)}>
              {t.release}
            </Button>
          )}
          {(node.state === 'reserved' || node.state === 'error') && (
            <Button
              kind={node.state === 'error' ? 'primary' : 'plain'}
              icon="repeat"
              disabled={node.resetting}
              onClick={() => resetNode(client, node)}
            >
              {t.reset}
            </Button>
          )}
        </div>
      </div>
      {node.session && (
        <div className="node-line">
          <Session node={node} />
          <OthersChange id={id} />
        </div>
      )}
      <WatchLine id={id} />
      {error && (
        <div className="node-error" role="alert">
          <Icon name="error" />
          <p>
            <strong>{error.message}</strong> {error.remedy}
          </p>
        </div>
      )}
      {!board.present && !error && (
        <div className="node-error" role="alert">
          <Icon name="unplugged" />
          <p>
            <strong>{board.reason ?? t.boardAbsent}</strong> <a href={href({ kind: 'boards' })}>{t.assign}</a>
          </p>
        </div>
      )}
    </header>
  );
}
