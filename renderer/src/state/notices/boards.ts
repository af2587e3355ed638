import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { sentence } from '../../../../server/contract/sentences.ts';
import { text } from '../../text/text.ts';
import type { BenchClient } from '../client/bench-client.ts';
import { retractToast } from '../page/toasts.ts';
import { isOpenNode, notify } from './notify.ts';

const t = text.changes;

/** Whether the person works on the node: holds it, or builds for it. */
function isAtWork(client: BenchClient, { session, current_job_id: job }: NodeView): boolean {
  return session?.owner === client.owner || (job !== null && client.mine.has(job));
}

/**
 * Tells of boards that go and come back, and of an own node in error. Others' boards concern only the operator, as an
 * entry of the list. Returns a function that ends it.
 */
export function watchBoards(client: BenchClient): () => void {
  return client.nodes.subscribe(({ nodes }, { nodes: before }) => {
    for (const old of before ?? []) {
      const { fpga_id: id, board } = old;
      const now = nodes?.[id];
      if (now === undefined || now === old) continue;
      const mine = isAtWork(client, old) || isAtWork(client, now);
      const toast = mine && !isOpenNode(id) ? 'new' : 'never';
      const about = { kind: 'node', node: id } as const;
      const operator = client.status.getState().status?.caller?.operator === true;
      if (board.present !== now.board.present && (mine || operator)) {
        const { present, reason } = now.board;
        const key = `board ${id} ${present} ${Date.now()}`;
        const why = reason === undefined ? undefined : sentence(reason);
        const toastKey = `board ${id}`;
        if (present) {
          retractToast(client.toasts, toastKey);
          notify(client, { key, tone: 'good', text: t.boardBack(id), about }, { toast });
        } else {
          const notice = { key, tone: 'bad', text: t.boardGone(id, why), about } as const;
          notify(client, { ...notice, ...(mine && { remedy: t.boardGoneRemedy }) }, { toast, toastKey });
        }
      }
      if (mine && old.state === 'reserved' && now.state === 'error' && now.error) {
        const { message, remedy } = now.error;
        const key = `error ${id} ${Date.now()}`;
        const notice = { key, tone: 'bad', text: t.ofNode(id, sentence(message)), about } as const;
        notify(client, { ...notice, ...(remedy && { remedy }) }, { toast, toastKey: `error ${id}` });
      } else if (now.state !== 'error') retractToast(client.toasts, `error ${id}`);
    }
  });
}
