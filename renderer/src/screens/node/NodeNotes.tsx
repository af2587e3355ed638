import type { ReactNode } from 'react';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { sentence, sentences } from '../../../../server/contract/sentences.ts';
import { Icon } from '../../components/Icon.tsx';
import { Popover } from '../../components/Popover.tsx';
import { useWatch } from '../../components/WatchBadge.tsx';
import { useBench, useBenchStore } from '../../state/client/context.tsx';
import { useInLine } from '../../state/client/use-in-line.ts';
import { eventOf } from '../../state/nodes/activity.ts';
import { href } from '../../state/page/routes.ts';
import { text } from '../../text/text.ts';
import { EventLine } from './EventLine.tsx';
import './node-notes.css';
import { LastChange } from './LastChange.tsx';
import { ReplacingLine } from './ReplacingLine.tsx';
import { WaitingLine } from './WaitingLine.tsx';
import { WatchLine } from './WatchLine.tsx';

const t = text.node;

/** The notes of a node, the most urgent first. */
function useNotes(node: NodeView): ReactNode[] {
  const client = useBench();
  const { fpga_id: id, board, error, replacement } = node;
  const event = useBenchStore(
    ({ activity }) => activity,
    (state) => eventOf(client, state, id),
  );
  const waiting = useInLine(id).length > 0;
  const watch = useWatch(id);
  const notes: ReactNode[] = [];
  if (error)
    notes.push(
      <div key="error" className="node-note node-error" role="alert">
        <Icon name="error" />
        <p title={sentences(error.message, error.remedy)}>
          <strong>{sentence(error.message)}</strong> {error.remedy}
        </p>
      </div>,
    );
  else if (!board.present)
    notes.push(
      <div key="board" className="node-note node-error" role="alert">
        <Icon name="unplugged" />
        <p>
          <strong>{sentence(board.reason ?? t.boardAbsent)}</strong>{' '}
          <a href={href({ kind: 'boards' })}>{t.assign}</a>
        </p>
      </div>,
    );
  if (event) notes.push(<EventLine key="event" node={node} />);
  if (replacement !== null) notes.push(<ReplacingLine key="replacement" jobId={replacement} />);
  if (waiting) notes.push(<WaitingLine key="waiting" node={node} />);
  if (watch) notes.push(<WatchLine key="watch" id={id} />);
  return notes;
}

/**
 * The notes of a node next to its tabs: error, activity, replacement, queue, watched file. They have one line whose
 * room is always there, so no note moves the content; a panel has the others.
 */
export function NodeNotes({ node }: { node: NodeView }) {
  const notes = useNotes(node);
  return (
    <div className={`node-notes ${notes.length === 0 ? 'node-notes-none' : ''}`}>
      <div className="node-notes-first">{notes[0] ?? <LastChange id={node.fpga_id} />}</div>
      {notes.length > 0 && (
        <Popover
          className={`node-notes-all ${notes.length === 1 ? 'node-notes-one' : ''}`}
          icon="info"
          label={t.notes(notes.length)}
          mark={`${notes.length}`}
        >
          {notes}
        </Popover>
      )}
    </div>
  );
}
