import type { RegisterMap } from '../../../../server/contract/designs/register-map.ts';
import { Button } from '../../components/Button.tsx';
import { text } from '../../text/text.ts';

const t = text.node;

const byteAddress = (address: number): string => `0x${address.toString(16).toUpperCase().padStart(2, '0')}`;

/** The inferred map of a source before its build: each register links to its line, and none is accepted yet. */
export function InferredMap({
  map,
  onPlace,
}: {
  map: RegisterMap;
  onPlace: ((place: { file: string; line: number }) => void) | undefined;
}) {
  return (
    <details className="match-part">
      <summary>
        {t.proposedRegisters} ({map.registers.length})
      </summary>
      <p className="muted">{t.proposedHint}</p>
      <ul className="match-list">
        {map.registers.map(({ name, address, source }) => (
          <li key={`${address} ${name}`}>
            <code>{byteAddress(address)}</code>
            {source && onPlace ? (
              <Button kind="quiet" className="mono" onClick={() => onPlace(source)}>
                {name}
              </Button>
            ) : (
              <span className="mono">{name}</span>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}
