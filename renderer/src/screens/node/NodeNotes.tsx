import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { sentence, sentences } from '../../../../server/contract/sentences.ts';
import { Icon } from '../../components/Icon.tsx';
import { href } from '../../state/page/routes.ts';
import { text } from '../../text/text.ts';
import { EventLine } from './EventLine.tsx';
import { WaitingLine } from './WaitingLine.tsx';
import { WatchLine } from './WatchLine.tsx';

const t = text.node;

/** The notes of a node: error, activity, queue, watched file. */
export function NodeNotes({ node }: { node: NodeView }) {
  const { fpga_id: id, board, error } = node;
  return (
    <div className="node-notes">
      <EventLine node={node} />
      <WaitingLine node={node} />
      {error && (
        <div className="node-note node-error" role="alert">
          <Icon name="error" />
          <p title={sentences(error.message, error.remedy)}>
            <strong>{sentence(error.message)}</strong> {error.remedy}
          </p>
        </div>
      )}
      {!board.present && !error && (
        <div className="node-note node-error" role="alert">
          <Icon name="unplugged" />
          <p>
            <strong>{sentence(board.reason ?? t.boardAbsent)}</strong>{' '}
            <a href={href({ kind: 'boards' })}>{t.assign}</a>
          </p>
        </div>
      )}
      <WatchLine id={id} />
    </div>
  );
}
