import type {
  BoardCapabilities,
  Proof,
  SystemName,
} from '../../../../server/contract/boards/capabilities.ts';
import { useQuery } from '../../state/client/query.ts';
import { text } from '../../text/text.ts';

const t = text.proven;

/** Strongest first. */
const PROOFS: readonly Proof[] = ['board', 'kernel', 'emulated', 'build'];
const SYSTEMS: readonly SystemName[] = ['linux', 'win32', 'darwin'];

/** The proofs of a board on one operating system, one line per kind. */
function OnSystem({ board, system }: { board: BoardCapabilities; system: SystemName }) {
  const own = board.proven.filter((one) => one.system === system);
  if (own.length === 0) return <span className="muted">{t.nothing}</span>;
  return PROOFS.map((proof) => {
    const names = own
      .filter((one) => one.proof === proof)
      .map(({ capability }) => t.capabilities[capability]);
    if (names.length === 0) return null;
    return (
      <div key={proof}>
        <strong>{t.proofs[proof]}:</strong> {names.join(', ')}
      </div>
    );
  });
}

/** The verified hardware: each board of the catalogue, with the systems and kinds of proof. */
export function Proven() {
  const { data } = useQuery(['capabilities'], (service, signal) => service.getCapabilities({}, { signal }));
  if (!data) return null;
  return (
    <section className="panel" aria-label={t.title}>
      <h2>{t.title}</h2>
      <p className="muted">{t.text}</p>
      <div className="scroll-x">
        <table className="figures proven">
          <thead>
            <tr>
              <th scope="col">{t.board}</th>
              {SYSTEMS.map((system) => (
                <th key={system} scope="col">
                  {t.systems[system]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.boards.map((board) => (
              <tr key={board.board}>
                <th scope="row">
                  {board.name}
                  {board.tested_on_hardware && <div className="muted">{t.tested}</div>}
                </th>
                {SYSTEMS.map((system) => (
                  <td key={system}>
                    <OnSystem board={board} system={system} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
