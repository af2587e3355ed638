import type { BoardEntry } from '../../../../server/contract/boards/boards.ts';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { sentences } from '../../../../server/contract/sentences.ts';
import { Badge, StateBadge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { CopyText } from '../../components/CopyText.tsx';
import { useBench } from '../../state/client/context.tsx';
import { text } from '../../text/text.ts';
import { assignBoard } from './assign.ts';

const t = text.boards;

/** The boards for a slot: its own, its virtual one, and those without a slot. */
function choices(slot: number, boards: readonly BoardEntry[]): BoardEntry[] {
  return boards.filter((board) => board.slot === slot || (board.slot === null && board.kind === 'usb'));
}

function SlotRow({
  node,
  boards,
  onChange,
  onCheck,
  editable,
}: {
  node: NodeView;
  boards: readonly BoardEntry[];
  onChange(): void;
  onCheck(slot: number): void;
  editable: boolean;
}) {
  const client = useBench();
  const { fpga_id: slot, board } = node;
  const known = boards.find(({ id }) => id === board.id);
  const idle = node.state === 'idle' || node.state === 'error';
  const choose = async (id: string) => {
    if (id === board.id) return;
    const chosen = boards.find((one) => one.id === id);
    const [definition] = chosen?.candidates ?? [];
    const name = chosen?.name ?? t.virtualBoard;
    await assignBoard(client, slot, name, {
      board: id === '' ? null : id,
      ...(chosen && chosen.definition === null && definition !== undefined && { definition }),
    });
    onChange();
  };
  return (
    <tr>
      <th scope="row" className="num slot-number">
        {slot}
      </th>
      <td>
        {editable && (board.kind === 'usb' || choices(slot, boards).some(({ kind }) => kind === 'usb')) ? (
          <select
            className="input slot-board"
            aria-label={t.assign(slot)}
            title={idle ? undefined : t.busy}
            disabled={!idle}
            value={board.kind === 'virtual' ? '' : board.id}
            onChange={(event) => void choose(event.target.value)}
          >
            <option value="">{board.kind === 'virtual' ? board.name : t.virtualBoard}</option>
            {board.kind === 'usb' && !known && <option value={board.id}>{board.name}</option>}
            {choices(slot, boards)
              .filter(({ kind }) => kind === 'usb')
              .map(({ id, name }) => (
                <option key={id} value={id}>
                  {name} ({id})
                </option>
              ))}
          </select>
        ) : (
          board.name
        )}
      </td>
      <td>
        <CopyText value={board.id} label={t.identity} />
      </td>
      <td>
        {board.present ? (
          <Badge
            tone={board.kind === 'virtual' ? 'idle' : 'reserved'}
            icon={board.kind === 'virtual' ? 'idle' : 'complete'}
          >
            {board.kind === 'virtual' ? t.virtual : t.present}
          </Badge>
        ) : (
          <Badge tone="error" icon="unplugged">
            {t.absent}
          </Badge>
        )}
        {known?.line_rate && (
          <span className="slot-rate muted" title={t.lineRateHint}>
            {t.lineRate(known.line_rate)}
          </span>
        )}
        {(board.reason ?? known?.reason) && (
          <p className="slot-reason">{sentences(board.reason ?? known?.reason, known?.remedy)}</p>
        )}
      </td>
      <td>
        <StateBadge state={node.state} resetting={node.resetting} />
      </td>
      <td>
        {editable && known?.mode && (
          <select
            className="input"
            aria-label={`${t.mode} ${slot}`}
            disabled={!idle}
            value={known.mode}
            onChange={async (event) => {
              await assignBoard(client, slot, known.name, {
                board: known.id,
                mode: event.target.value as 'sram' | 'flash',
              });
              onChange();
            }}
          >
            {(['sram', 'flash'] as const).map((mode) => (
              <option key={mode} value={mode}>
                {t.modes[mode]}
              </option>
            ))}
          </select>
        )}
      </td>
      <td>
        {editable && (
          <Button kind="quiet" aria-label={text.check.openFor(slot)} onClick={() => onCheck(slot)}>
            {text.check.open}
          </Button>
        )}
      </td>
    </tr>
  );
}

/** The ten slots and their boards. */
export function SlotTable(props: {
  nodes: readonly NodeView[];
  boards: readonly BoardEntry[];
  onChange(): void;
  onCheck(slot: number): void;
  editable: boolean;
}) {
  return (
    <section className="panel" aria-label={t.slots}>
      <h2>{t.slots}</h2>
      <div className="scroll-x">
        <table className="figures slots">
          <thead>
            <tr>
              <th scope="col" className="num">
                {t.slot}
              </th>
              <th scope="col">{t.board}</th>
              <th scope="col">{t.identity}</th>
              <th scope="col">{t.stateColumn}</th>
              <th scope="col">{text.jobs.node}</th>
              <th scope="col">
                <span className={props.boards.some(({ mode }) => mode) ? '' : 'sr-only'}>{t.mode}</span>
              </th>
              <th scope="col">
                <span className={props.editable ? '' : 'sr-only'}>{text.check.column}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {props.nodes.map((node) => (
              <SlotRow key={node.fpga_id} {...props} node={node} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
