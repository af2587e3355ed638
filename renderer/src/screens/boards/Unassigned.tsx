import { useState } from 'react';
import type { BoardEntry } from '../../../../server/contract/boards/boards.ts';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { sentences } from '../../../../server/contract/sentences.ts';
import { Button } from '../../components/Button.tsx';
import { Icon } from '../../components/Icon.tsx';
import { useBench } from '../../state/client/context.tsx';
import { text } from '../../text/text.ts';
import { assignBoard } from './assign.ts';

const t = text.boards;

/** An attached board without a slot: its type, and the slot to assign it to. */
function UnassignedBoard({
  board,
  nodes,
  onChange,
}: {
  board: BoardEntry;
  nodes: readonly NodeView[];
  onChange(): void;
}) {
  const client = useBench();
  const free = nodes.filter(({ state, board: own }) => state === 'idle' && own.kind === 'virtual');
  const [slot, setSlot] = useState('');
  const [definition, setDefinition] = useState('');
  const ambiguous = board.definition === null && board.candidates.length > 1;
  const chosen = slot === '' ? free[0]?.fpga_id : Number(slot);
  return (
    <li className="unassigned">
      <div>
        <p className="unassigned-name">
          <Icon name="boards" /> {board.name}
        </p>
        <p className="muted mono">{board.id}</p>
        {board.usb && (
          <p className="muted">
            {[board.usb.manufacturer, board.usb.product].filter(Boolean).join(' ')} ·{' '}
            <span className="mono">
              {board.usb.vendorId.toString(16).padStart(4, '0')}:
              {board.usb.productId.toString(16).padStart(4, '0')}
            </span>
            {board.serialPort && (
              <>
                {' '}
                · <span className="mono">{board.serialPort}</span>
              </>
            )}
          </p>
        )}
        {board.reason && <p className="text-bad">{sentences(board.reason, board.remedy)}</p>}
      </div>
      <div className="row">
        {ambiguous && (
          <select
            className="input unassigned-which"
            aria-label={t.which}
            title={t.ambiguous}
            value={definition}
            onChange={(event) => setDefinition(event.target.value)}
          >
            <option value="">{t.which}</option>
            {board.candidates.map((id) => (
              <option key={id} value={id}>
                {id}
              </option>
            ))}
          </select>
        )}
        <select
          className="input unassigned-slot"
          aria-label={t.chooseSlot}
          value={chosen ?? ''}
          onChange={(event) => setSlot(event.target.value)}
        >
          {free.map(({ fpga_id }) => (
            <option key={fpga_id} value={fpga_id}>
              {t.slot} {fpga_id}
            </option>
          ))}
        </select>
        <Button
          kind="primary"
          disabled={chosen === undefined || (ambiguous && definition === '')}
          onClick={async () => {
            if (chosen === undefined) return;
            await assignBoard(client, chosen, board.name, {
              board: board.id,
              ...(definition && { definition }),
            });
            onChange();
          }}
        >
          {t.put}
        </Button>
      </div>
    </li>
  );
}

export function Unassigned({
  nodes,
  boards,
  onChange,
}: {
  nodes: readonly NodeView[];
  boards: readonly BoardEntry[];
  onChange(): void;
}) {
  const without = boards.filter(({ slot, kind }) => slot === null && kind === 'usb');
  return (
    <section className="panel" aria-label={t.unassigned}>
      <h2>{t.unassigned}</h2>
      {without.length === 0 ? (
        <p className="muted">{t.noneUnassigned}</p>
      ) : (
        <ul className="stack">
          {without.map((board) => (
            <UnassignedBoard key={board.id} board={board} nodes={nodes} onChange={onChange} />
          ))}
        </ul>
      )}
    </section>
  );
}
