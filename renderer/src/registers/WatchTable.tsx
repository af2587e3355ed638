import { useMemo } from 'react';
import { IconButton } from '../components/Button.tsx';
import { CopyText } from '../components/CopyText.tsx';
import { formatClock } from '../format/time.ts';
import { formatWord, hexAddress, plainWord } from '../format/words.ts';
import { showRefusal } from '../node/actions.ts';
import { useBench, usePreference } from '../state/context.tsx';
import { text } from '../text/text.ts';
import { runTransaction, type Transaction } from './transactions.ts';

const t = text.registers;

interface Row {
  address: number;
  value: number;
  at: number;
  changed: boolean;
}

/** The last word seen at every address of single reads and short bursts. */
function rowsOf(list: readonly Transaction[]): Row[] {
  const rows = new Map<number, Row>();
  for (const { request, state, data, at } of list) {
    if (state !== 'ok' || data.length > 16) continue;
    data.forEach((value, index) => {
      const address = request.address + (request.fixed_address ? 0 : 4 * index);
      const before = rows.get(address);
      rows.set(address, { address, value, at, changed: before !== undefined && before.value !== value });
    });
  }
  return [...rows.values()].sort((a, b) => a.address - b.address);
}

export function WatchTable({
  node,
  list,
  ready,
}: {
  node: number;
  list: readonly Transaction[];
  ready: boolean;
}) {
  const client = useBench();
  const format = usePreference('numberFormat');
  const rows = useMemo(() => rowsOf(list), [list]);
  return (
    <section className="registers-watch" aria-label={t.watch}>
      <h3>{t.watch}</h3>
      {rows.length === 0 ? (
        <p className="muted">{t.watchNone}</p>
      ) : (
        <table className="figures">
          <thead>
            <tr>
              <th scope="col">{t.address}</th>
              <th scope="col" className="num">
                {t.value}
              </th>
              <th scope="col" className="num">
                {t.time}
              </th>
              <td />
            </tr>
          </thead>
          <tbody>
            {rows.map(({ address, value, at, changed }) => (
              <tr key={address}>
                <th scope="row" className="mono">
                  {hexAddress(address)}
                </th>
                <td
                  className={`num ${changed ? 'value-changed' : ''}`}
                  title={changed ? t.changed : undefined}
                >
                  <CopyText
                    value={plainWord(value, format)}
                    shown={formatWord(value, format)}
                    label={t.value}
                  />
                </td>
                <td className="num muted">{formatClock(at)}</td>
                <td>
                  <IconButton
                    icon="repeat"
                    label={t.readAgain(hexAddress(address))}
                    disabled={!ready}
                    onClick={() =>
                      runTransaction(client, node, { op: 2, address, count: 1 }).catch((error) =>
                        showRefusal(client, error),
                      )
                    }
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
