import { type DragEvent, useState } from 'react';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { useBench } from '../../state/client/context.tsx';
import { showRefusal } from '../../state/client/refusal.ts';
import { droppedFiles } from '../../state/drafts/dropped-files.ts';
import { submitKind } from '../../state/drafts/submit-kind.ts';
import { navigateLater } from '../../state/page/router.ts';

/** Takes files dropped on a card: what a drop does, whether files are over it, and the handlers of the card. */
export function useNodeDrop(node: NodeView) {
  const client = useBench();
  const [over, setOver] = useState(false);
  const way = submitKind(node, client.owner);
  const handlers = {
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes('Files')) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = way === 'never' ? 'none' : 'copy';
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      if (way === 'never') return;
      const go = navigateLater();
      // The files must be read during the event; the rest loads afterwards.
      Promise.all([droppedFiles(event.dataTransfer), import('../../state/drafts/submission.ts')])
        .then(([files, { dropOn }]) => dropOn(client, node, files, go))
        .catch((refusal: unknown) => showRefusal(client, refusal));
    },
  };
  const look = !over ? '' : way === 'never' ? 'card-refuse' : 'card-over';
  return { way, over, look, handlers };
}
