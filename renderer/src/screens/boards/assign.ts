import type { AssignRequest } from '../../../../server/contract/boards/boards.ts';
import { showRefusal } from '../../state/actions/actions.ts';
import type { BenchClient } from '../../state/client/bench-client.ts';
import { showToast } from '../../state/page/toasts.ts';
import { text } from '../../text/text.ts';

/** Assigns a board to a slot and shows the result, or the refusal. */
export async function assignBoard(
  client: BenchClient,
  slot: number,
  name: string,
  request: AssignRequest,
): Promise<void> {
  try {
    await client.service.assignBoard({ fpga_id: slot, body: request });
    showToast(client.toasts, { tone: 'good', text: text.boards.assigned(name, slot) });
  } catch (error) {
    showRefusal(client, error);
  }
}
