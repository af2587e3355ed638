import type { Utilisation } from '../../../../server/contract/jobs/utilisation.ts';
import { Meter } from '../../components/Progress.tsx';
import { formatCount } from '../../format/size.ts';
import { text } from '../../text/text.ts';

const t = text.node.report;

/** A nearly full part routes badly. Global buffers are different: the tools use all of them. */
const toneOf = (resource: string, share: number) =>
  resource === 'global buffer' || share <= 0.8 ? 'busy' : share <= 0.95 ? 'warn' : 'error';

/** The utilisation of a part, by resource. */
export function UtilisationTable({ rows }: { rows: readonly Utilisation[] }) {
  // Reports of earlier versions do not separate design and bench.
  const split = rows.some(({ design }) => design !== undefined);
  return (
    <section className="report-part">
      <h3>{t.utilisation}</h3>
      <div className="scroll-x">
        <table className="figures">
          <thead>
            <tr>
              <th scope="col">{t.resource}</th>
              <th scope="col" className="figures-bar">
                <span className="sr-only">{t.share}</span>
              </th>
              <th scope="col" className="num">
                {t.share}
              </th>
              {split && (
                <>
                  <th scope="col" className="num">
                    {t.ofDesign}
                  </th>
                  <th scope="col" className="num">
                    {t.ofBench}
                  </th>
                </>
              )}
              <th scope="col" className="num figures-of">
                {t.usedOf}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ resource, used, available, design }) => {
              const share = available > 0 ? used / available : 0;
              return (
                <tr key={resource}>
                  <th scope="row">{t.resources[resource] ?? resource}</th>
                  <td className="figures-bar">
                    <Meter label={resource} value={used} max={available} tone={toneOf(resource, share)} />
                  </td>
                  <td className="num">{(share * 100).toFixed(share < 0.1 ? 1 : 0)} %</td>
                  {split && (
                    <>
                      <td className="num">{design === undefined ? '' : formatCount(design)}</td>
                      <td className="num">{design === undefined ? '' : formatCount(used - design)}</td>
                    </>
                  )}
                  <td className="num figures-of">
                    {formatCount(used)} / {formatCount(available)}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}
