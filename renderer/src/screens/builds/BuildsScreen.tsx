import type { BuildsView } from '../../../../server/contract/bench/builds.ts';
import { toolsOf } from '../../../../server/contract/bench/worker-tools.ts';
import { Badge } from '../../components/Badge.tsx';
import { ErrorState, Loading } from '../../components/Empty.tsx';
import { formatBytes } from '../../format/size.ts';
import { useBench } from '../../state/client/context.tsx';
import { useQuery } from '../../state/client/query.ts';
import { text } from '../../text/text.ts';
import './builds.css';

const t = text.builds;

/** Maximum queued builds on display; the screen counts the others. */
const SHOWN = 100;
/** Milliseconds between an answer and the next request. */
const RENEW_MS = 2_000;

/** The Builds screen: workers, running builds and the queue. */
export default function BuildsScreen() {
  const client = useBench();
  const { data, error, reload } = useQuery(
    ['builds'],
    (service, signal) => service.listBuilds({ limit: SHOWN }, { signal }),
    { keep: true, live: true, every: RENEW_MS },
  );
  return (
    <section className="screen" aria-label={t.title}>
      <header className="screen-head">
        <h1>{t.title}</h1>
        <p className="muted" role="status">
          {data ? t.summary(...slots(data), data.waiting) : ''}
        </p>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and holds nothing else that takes the focus */}
      <section className="screen-body" aria-label={t.figures} tabIndex={0}>
        {error !== undefined && !data ? (
          <ErrorState error={error} onRetry={reload} />
        ) : data ? (
          <Farm view={data} own={client.owner} />
        ) : (
          <Loading />
        )}
      </section>
    </section>
  );
}

const slots = ({ workers }: BuildsView): [number, number] => [
  workers.reduce((sum, { busy }) => sum + busy, 0),
  workers.reduce((sum, { slots: of }) => sum + of, 0),
];

function Farm({ view, own }: { view: BuildsView; own: string }) {
  const { queue, problem, workers, building, line, owners, waiting, rates, kept } = view;
  return (
    <>
      <p className="muted">
        {queue === null ? t.here : t.queue(queue)}
        {rates && ` ${t.rates(rates.built_per_minute, rates.failed_per_minute, rates.mean_seconds)}`}
        {kept && ` ${t.kept(kept.builds, formatBytes(kept.bytes))}`}
      </p>
      {problem !== null && (
        <p className="builds-problem" role="alert">
          {t.problem(problem)}
        </p>
      )}
      {workers.length === 0 && <p className="builds-problem">{t.noWorkers}</p>}
      <div className="builds-columns">
        <div>
          <Workers workers={workers} />
          {owners.length > 0 && (
            <Table title={t.byOwner} columns={[t.owner, t.waits]} numbers={[t.waits]}>
              {owners.map((one) => (
                <tr key={one.owner} className={one.owner === own ? 'builds-own' : undefined}>
                  <td>{one.owner}</td>
                  <td className="num">{one.waiting}</td>
                </tr>
              ))}
            </Table>
          )}
        </div>
        <div>
          {building.length > 0 && (
            <Table title={t.building} columns={[t.file, t.owner, t.worker, t.since]} numbers={[t.since]}>
              {building.map((one) => (
                <tr
                  key={`${one.build_id} ${one.file} ${one.owner} ${one.worker}`}
                  className={one.owner === own ? 'builds-own' : undefined}
                >
                  <td className="mono">{one.file}</td>
                  <td>{one.owner}</td>
                  <td>{one.worker}</td>
                  <td className="num nowrap">{t.age(one.seconds)}</td>
                </tr>
              ))}
            </Table>
          )}
          {waiting === 0 && (
            <>
              <h2 className="builds-title">{t.waiting}</h2>
              <p className="muted">{t.nothingWaits}</p>
            </>
          )}
          <Line title={t.waiting} line={line.filter(({ held }) => held !== 'owner_limit')} own={own} />
          <Line title={t.limited} line={line.filter(({ held }) => held === 'owner_limit')} own={own} />
          {waiting > line.length && <p className="muted">{t.more(waiting - line.length)}</p>}
        </div>
      </div>
    </>
  );
}

/** Queued builds; those at their owner's limit have their own places. */
function Line({ title, line, own }: { title: string; line: BuildsView['line']; own: string }) {
  if (line.length === 0) return null;
  return (
    <Table title={title} columns={[t.place, t.file, t.owner, t.kind, t.since]} numbers={[t.place, t.since]}>
      {line.map((one) => (
        <tr
          key={`${one.kind} ${one.held} ${one.owner} ${one.place}`}
          className={one.owner === own ? 'builds-own' : undefined}
        >
          <td className="num">{one.place}</td>
          <td className="mono">{one.file}</td>
          <td>
            {one.owner}
            {one.batch && <span className="muted"> · {t.batch}</span>}
          </td>
          <td className="muted nowrap">
            {one.kind}
            {one.held === 'no_worker' && <span className="text-warn"> · {t.noWorker}</span>}
          </td>
          <td className="num nowrap">{t.age(one.seconds)}</td>
        </tr>
      ))}
    </Table>
  );
}

function Workers({ workers }: { workers: BuildsView['workers'] }) {
  return (
    <Table title={t.workers} columns={[t.worker, t.busy, t.builds, t.done]} numbers={[t.busy, t.done]}>
      {workers.map((worker, index) => (
        // Names may repeat, and a worker has no other key.
        // biome-ignore lint/suspicious/noArrayIndexKey: rows hold nothing of their own
        <tr key={index}>
          <td>
            {worker.name}{' '}
            {worker.leaving && (
              <Badge tone="warn" icon="queued">
                {t.leaving}
              </Badge>
            )}
          </td>
          <td className="num nowrap">
            {worker.busy}/{worker.slots}
          </td>
          <td className="muted">
            {[...new Set(worker.builds.map(({ family, language }) => `${family} ${language}`))].join(', ')}
            <div className="builds-tools">{toolsOf(worker)}</div>
          </td>
          <td className="num nowrap">{t.counts(worker.built, worker.failed)}</td>
        </tr>
      ))}
    </Table>
  );
}

function Table({
  title,
  columns,
  numbers,
  children,
}: {
  title: string;
  columns: readonly string[];
  /** Columns with numbers. */
  numbers: readonly string[];
  children: React.ReactNode;
}) {
  return (
    <>
      <h2 className="builds-title">{title}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways on a telephone, by keyboard as well */}
      <section className="scroll-x" aria-label={title} tabIndex={0}>
        <table className="figures figures-dense" aria-label={title}>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col" className={numbers.includes(column) ? 'num' : undefined}>
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </section>
    </>
  );
}
