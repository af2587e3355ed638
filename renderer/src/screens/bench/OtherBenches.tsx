// Other benches on the Bench screen.
import { useEffect, useState } from 'react';
import type { BenchNode, BenchView } from '../../../../server/contract/remote/benches.ts';
import { sentences } from '../../../../server/contract/sentences.ts';
import { stateIcon, stateTone } from '../../components/Badge.tsx';
import { Icon } from '../../components/Icon.tsx';
import { Ago } from '../../components/Time.tsx';
import { useBench, useBenchStore } from '../../state/client/context.tsx';
import { hrefAt } from '../../state/page/at-bench.ts';
import { nodesAsSignedIn } from '../../state/sign-in/signed-in-nodes.ts';
import { text } from '../../text/text.ts';
import './other-benches.css';
import { moveInRack } from './rack-keys.ts';

const t = text.benches;

const KNOWN_BY: Record<BenchView['found'], string> = { own: t.served, settings: t.listed, mdns: t.mdns };

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

/** A node of another bench; a click opens it there. */
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
          <span className="card-state">{text.state[state]}</span>
          <a
            className="card-link"
            href={hrefAt(bench.name, { kind: 'node', node: id, tab: undefined, job: undefined })}
            aria-label={[t.nodeOf(called, id), text.state[state], owner, design].filter(Boolean).join(', ')}
          >
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

/** Whether a bench answers, and when it last did. */
function Health({ bench: { state, last_seen: seen, problem } }: { bench: BenchView }) {
  const live = state === 'live';
  // It answers, but not correctly.
  const strange = problem === null ? undefined : t.strange[problem.error];
  return (
    <>
      <span className={live ? 'text-good' : 'text-bad'}>
        <Icon name={live ? 'complete' : strange ? 'warning' : 'unplugged'} size={13} />{' '}
        {live ? t.live : (strange ?? t.dead)}
      </span>
      {!live && !(strange && seen === null) && (
        <span className="muted">
          {seen === null ? (
            t.never
          ) : (
            <>
              {t.lastSeen} <Ago at={seen} />
            </>
          )}
        </span>
      )}
    </>
  );
}

/** Another bench with its nodes. If it shows them only after sign-in, the window's key for it fetches them. */
function OtherBench({
  bench,
  called,
  query,
  state,
}: {
  bench: BenchView;
  called: string;
  query: string;
  state: string;
}) {
  const client = useBench();
  const { name, address, nodes: announced, problem, version } = bench;
  const [fetched, setFetched] = useState<readonly BenchNode[] | null>(null);
  const own = useBenchStore(
    (store) => store.status,
    (store) => store.status?.version,
  );
  const live = bench.state === 'live';
  const hidden = live && announced === null;
  // A missing key shows with the sign-in link. A refused key of the list is for the operator to fix.
  const refusedKey = problem?.error === 'bench_refuses' && bench.takes_work;
  useEffect(() => {
    setFetched(null);
    if (!hidden) return;
    return nodesAsSignedIn(client, { name, address }, setFetched);
  }, [client, name, address, hidden]);
  const nodes = announced ?? fetched;
  const shown = nodes?.filter((node) => fits(bench, node, query, state));
  const idle = nodes?.filter((node) => node.state === 'idle' && node.present).length ?? 0;
  return (
    <section className={`other-bench other-${bench.state}`} aria-label={called}>
      <header className="other-head">
        <h2>
          <a href={hrefAt(name, { kind: 'bench' })} aria-label={t.open(called)}>
            {called}
          </a>
        </h2>
        <Health bench={bench} />
        {live && nodes && <span className="muted">{t.idle(idle, nodes.length)}</span>}
        {version !== null && own !== undefined && version !== own && (
          <span className="text-warn">{t.version(version, own)}</span>
        )}
        <span className="muted mono truncate" title={KNOWN_BY[bench.found]}>
          {address.replace(/^https?:\/\//, '')}
        </span>
      </header>
      {hidden && fetched === null && (
        <p className="muted">
          {t.wantsKey} <a href={hrefAt(name, { kind: 'bench' })}>{t.signIn(called)}</a>
        </p>
      )}
      {problem !== null && (!live || refusedKey) && (
        <p className="muted">{sentences(problem.message, problem.remedy)}</p>
      )}
      {shown?.length === 0 && <p className="muted">{text.bench.noneFit}</p>}
      {shown !== undefined && shown.length > 0 && (
        <ol className="far-rack" aria-label={t.nodesOf(called)} onKeyDown={moveInRack}>
          {shown.map((node) => (
            <FarNode key={node.fpga_id} bench={bench} called={called} node={node} />
          ))}
        </ol>
      )}
    </section>
  );
}

/** Bench name → title, with the name added if two benches have the same title. */
function titlesOf(benches: readonly BenchView[]): Map<string, string> {
  const counts = new Map<string, number>();
  for (const { title } of benches) counts.set(title, (counts.get(title) ?? 0) + 1);
  return new Map(
    benches.map(({ name, title }) => {
      if (name === 'own') return [name, t.own(title)];
      return [name, counts.get(title) === 1 ? title : t.alike(title, name)];
    }),
  );
}

/** The nodes of all other benches, by bench. A bench that does not answer stays in the list. */
export default function OtherBenches({ query, state }: { query: string; state: string }) {
  const benches = useBenchStore(
    (client) => client.benches,
    (store) => store.benches,
  );
  if (!benches || benches.length === 0) return null;
  const titles = titlesOf(benches);
  return (
    <div className="other-benches">
      {benches.map((bench) => (
        <OtherBench
          key={bench.name}
          bench={bench}
          called={titles.get(bench.name) ?? bench.name}
          query={query}
          state={state}
        />
      ))}
    </div>
  );
}
