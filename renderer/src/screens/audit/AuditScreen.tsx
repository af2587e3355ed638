import { useState } from 'react';
import type { AuditChain, AuditEntry, AuditQuery } from '../../../../server/contract/bench/audit.ts';
import { AUDIT, AUDIT_ACTIONS, type AuditAction } from '../../../../server/contract/bench/audited.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { CopyText } from '../../components/CopyText.tsx';
import { EmptyState, ErrorState, Loading } from '../../components/Empty.tsx';
import { Segmented } from '../../components/Segmented.tsx';
import { Ago } from '../../components/Time.tsx';
import { showRefusal } from '../../state/actions/actions.ts';
import { useBench } from '../../state/client/context.tsx';
import { useQuery } from '../../state/client/query.ts';
import { href } from '../../state/page/routes.ts';
import { text } from '../../text/text.ts';
import { describeDetails } from './details.ts';
import './audit.css';

const t = text.audit;

/** Entries of one request. */
const PAGE = 100;
/** Milliseconds between an answer and the next request for the newest entries. */
const RENEW_MS = 5_000;

type Outcome = 'all' | 'done' | 'refused';

interface Filter {
  owner: string;
  action: AuditAction | 'all';
  outcome: Outcome;
}

const ALL: Filter = { owner: '', action: 'all', outcome: 'all' };

const queryOf = ({ owner, action, outcome }: Filter, limit: number): AuditQuery => ({
  limit,
  ...(owner.trim() === '' ? {} : { owner: owner.trim() }),
  ...(action === 'all' ? {} : { action: [action] }),
  ...(outcome === 'all' ? {} : { done: outcome === 'done' }),
});

/** The Audit screen: who did what on the bench, newest first. Only the operator sees it. */
export default function AuditScreen() {
  const client = useBench();
  const [filter, setFilter] = useState(ALL);
  const [limit, setLimit] = useState(PAGE);
  const [checked, setChecked] = useState<AuditChain>();
  const { data, error, reload, busy } = useQuery(
    ['audit', filter.owner, filter.action, filter.outcome, limit],
    (service, signal) => service.getAudit(queryOf(filter, limit), { signal }),
    { keep: true, live: true, every: RENEW_MS },
  );
  const choose = (change: Partial<Filter>) => {
    setLimit(PAGE);
    setFilter({ ...filter, ...change });
  };
  const check = async () => {
    try {
      setChecked(await client.service.verifyAudit({}));
      reload();
    } catch (reason) {
      showRefusal(client, reason);
    }
  };
  return (
    <section className="screen" aria-label={t.title}>
      <header className="screen-head">
        <h1>{t.title}</h1>
        <p className="muted" role="status">
          {data ? t.shown(data.entries.length, data.more) : ''}
        </p>
        <div className="row push">
          <input
            type="search"
            className="input audit-owner"
            data-search=""
            aria-label={t.filterOwner}
            placeholder={t.filterOwner}
            value={filter.owner}
            onChange={(event) => choose({ owner: event.target.value })}
          />
          <select
            className="input audit-action"
            aria-label={t.filterAction}
            value={filter.action}
            onChange={(event) =>
              choose({ action: AUDIT_ACTIONS.find((id) => id === event.target.value) ?? 'all' })
            }
          >
            <option value="all">{t.everything}</option>
            {AUDIT_ACTIONS.map((id) => (
              <option key={id} value={id}>
                {AUDIT[id].title}
              </option>
            ))}
          </select>
          <Segmented
            label={t.outcome}
            value={filter.outcome}
            onChange={(outcome) => choose({ outcome })}
            options={(['all', 'done', 'refused'] as const).map((id) => ({ id, label: t.outcomes[id] }))}
          />
        </div>
      </header>
      <div className="screen-body">
        <p className="muted">{t.intro}</p>
        {data && <Chain chain={checked ?? data.chain} checked={checked !== undefined} onCheck={check} />}
        {error !== undefined && !data ? (
          <ErrorState error={error} onRetry={reload} />
        ) : !data ? (
          <Loading />
        ) : data.entries.length === 0 ? (
          <EmptyState
            icon="search"
            title={t.none}
            action={<Button onClick={() => choose(ALL)}>{t.clearFilter}</Button>}
            text={t.noneText}
          />
        ) : (
          <>
            <Entries entries={data.entries} />
            {data.more && (
              <p className="audit-more">
                <Button
                  disabled={busy || limit >= 1000}
                  onClick={() => setLimit(Math.min(1000, limit + PAGE))}
                >
                  {t.older}
                </Button>
              </p>
            )}
          </>
        )}
      </div>
    </section>
  );
}

function Chain({ chain, checked, onCheck }: { chain: AuditChain; checked: boolean; onCheck(): void }) {
  return (
    <div className="row audit-chain">
      <Badge tone={chain.intact ? 'reserved' : 'error'} icon={chain.intact ? 'complete' : 'error'}>
        {chain.intact ? t.intact : t.broken}
      </Badge>
      <span role="status">
        {chain.problem !== null
          ? t.brokenText(chain.problem)
          : checked
            ? t.checked(chain.first, chain.last)
            : ''}
      </span>
      <span className="row push" title={t.headHint}>
        <span className="muted">{t.head}</span>
        <CopyText value={chain.head} label={t.head} />
        <Button onClick={onCheck}>{t.check}</Button>
      </span>
    </div>
  );
}

function Entries({ entries }: { entries: readonly AuditEntry[] }) {
  const { columns } = t;
  return (
    <div className="scroll-x">
      <table className="figures figures-dense figures-stacked" aria-label={t.title}>
        <thead>
          <tr>
            <th scope="col">{columns.time}</th>
            <th scope="col">{columns.who}</th>
            <th scope="col">{columns.what}</th>
            <th scope="col">{columns.where}</th>
            <th scope="col">{columns.about}</th>
            <th scope="col">{columns.outcome}</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.seq}>
              <td className="nowrap">
                <Ago at={entry.time} />
              </td>
              <td title={entry.from ?? undefined}>
                {entry.owner}
                {entry.operator && <span className="muted"> · {t.operator}</span>}
              </td>
              <td>{AUDIT[entry.action].title}</td>
              <td className="nowrap">
                {entry.fpga_id !== null && (
                  <a href={href({ kind: 'node', node: entry.fpga_id, tab: undefined, job: undefined })}>
                    {text.bench.node(entry.fpga_id)}
                  </a>
                )}
              </td>
              <td className="audit-about">
                {describeDetails(entry.details).join(' · ')}
                {entry.job_id !== null && entry.done && (
                  <>
                    {Object.keys(entry.details).length > 0 && ' · '}
                    <a href={href({ kind: 'job', job: entry.job_id })}>{t.job}</a>
                  </>
                )}
              </td>
              <td className={entry.done ? 'muted' : 'audit-refused'}>
                {entry.done ? t.done : `${entry.code ?? t.outcomes.refused}${t.times(entry.times)}`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
