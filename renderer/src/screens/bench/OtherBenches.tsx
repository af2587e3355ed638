import { useEffect, useState } from 'react';
import type { BenchNode, BenchView } from '../../../../server/contract/benches.ts';
import { stateIcon, stateTone } from '../../components/Badge.tsx';
import { Icon } from '../../components/Icon.tsx';
import { Ago } from '../../components/Time.tsx';
import { hrefAt } from '../../state/at-bench.ts';
import { useBench, useBenchStore } from '../../state/context.tsx';
import { nodesAsSignedIn } from '../../state/signed-in-nodes.ts';
import { text } from '../../text/text.ts';
import './other-benches.css';

const t = text.benches;

const KNOWN_BY: Record<BenchView['found'], string> = { own: t.served, settings: t.listed, mdns: t.heard };

const fits = (bench: BenchView, node: BenchNode, query: string, state: string): boolean => {
  const group =
    node.state === 'idle' || node.state === 'reserved' || node.state === 'error' ? node.state : 'busy';
  if (state !== 'all' && group !== state) return false;
  const all = [bench.name, bench.title, node.fpga_id, node.state, node.owner, node.board, node.design]
    .join(' ')
    .toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
};

/** One node of another bench: a click opens it there. */
function FarNode({ bench, called, node }: { bench: BenchView; called: string; node: BenchNode }) {
  const { fpga_id: id, state, owner, board, present, design } = node;
  const { owner: me } = useBench();
  return (
    <li className={`far card-${bench.state === 'dead' ? 'stale' : stateTone(state)}`}>
      <span className="card-slot" aria-hidden="true">
        <span className="far-number">{id}</span>
        <Icon name={stateIcon(state)} size={13} />
      </span>
      <span className="far-body">
        <span className="card-line">
          <a
            className="card-link"
            href={hrefAt(bench.name, { kind: 'node', node: id, tab: undefined, job: undefined })}
            aria-label={[t.nodeOf(called, id), text.state[state], owner, design].filter(Boolean).join(', ')}
          >
            <span className="card-state">{text.state[state]}</span>
            <span className="card-design truncate mono">{design ?? ''}</span>
          </a>
        </span>
        <span className="card-line">
          {owner !== null && (
            <span className="far-owner truncate">{owner === me ? text.bench.mine(owner) : owner}</span>
          )}
          <span className={`truncate ${present ? 'muted' : 'text-bad'}`}>
            {present ? board : `${board}: ${t.absent}`}
          </span>
        </span>
      </span>
    </li>
  );
}

/** Another bench with its nodes; where it tells them only to those who sign in there, with the window's key for it. */
function OtherBench({ bench, query, state }: { bench: BenchView; query: string; state: string }) {
  const client = useBench();
  const { name, title, address, nodes: told, problem } = bench;
  const [asked, setAsked] = useState<readonly BenchNode[] | null>(null);
  const live = bench.state === 'live';
  const hidden = live && told === null;
  useEffect(() => {
    setAsked(null);
    if (!hidden) return;
    return nodesAsSignedIn(client, { name, address }, setAsked);
  }, [client, name, address, hidden]);
  const nodes = told ?? asked;
  const called = name === 'own' ? t.own(title) : title;
  const idle = nodes?.filter((node) => node.state === 'idle' && node.present).length ?? 0;
  return (
    <section className={`other-bench other-${bench.state}`} aria-label={called}>
      <header className="other-head">
        <h2>
          <a href={hrefAt(name, { kind: 'bench' })} aria-label={t.open(called)}>
            {called}
          </a>
        </h2>
        <span className={live ? 'text-good' : 'text-bad'}>
          <Icon name={live ? 'complete' : 'unplugged'} size={13} /> {live ? t.live : t.dead}
        </span>
        {!live && (
          <span className="muted">
            {bench.last_seen === null ? (
              t.never
            ) : (
              <>
                {t.lastSeen} <Ago at={bench.last_seen} />
              </>
            )}
          </span>
        )}
        {live && nodes && <span className="muted">{t.idle(idle, nodes.length)}</span>}
        <span className="muted mono truncate" title={KNOWN_BY[bench.found]}>
          {address.replace(/^https?:\/\//, '')}
        </span>
      </header>
      {nodes === null && (
        <p className="muted">
          {hidden ? t.wantsKey : problem?.message}{' '}
          {hidden && <a href={hrefAt(name, { kind: 'bench' })}>{t.signIn(called)}</a>}
          {!hidden && problem?.remedy}
        </p>
      )}
      {nodes !== null && (
        <ol className="far-rack" aria-label={t.nodesOf(called)}>
          {nodes
            .filter((node) => fits(bench, node, query, state))
            .map((node) => (
              <FarNode key={node.fpga_id} bench={bench} called={called} node={node} />
            ))}
        </ol>
      )}
    </section>
  );
}

/** The nodes of all other benches, by bench. A dead one is shown as dead and hides nothing else. */
export function OtherBenches({ query, state }: { query: string; state: string }) {
  const benches = useBenchStore(
    (client) => client.benches,
    (store) => store.benches,
  );
  if (!benches || benches.length === 0) return null;
  return (
    <div className="other-benches">
      {benches.map((bench) => (
        <OtherBench key={bench.name} bench={bench} query={query} state={state} />
      ))}
    </div>
  );
}
