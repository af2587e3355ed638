import { text } from '../../text/text.ts';
import { showRefusal, submitDesign } from '../actions/actions.ts';
import type { BenchClient } from '../client/bench-client.ts';
import { navigateLater } from '../page/router.ts';
import { showToast } from '../page/toasts.ts';
import { runTransaction } from '../registers/transactions.ts';
import { showDraft } from './open-drafts.ts';

/** The example of the first run: a memory that returns what was written. */
const FIRST_EXAMPLE = 'echo.v';
/** What the first run writes and reads back. */
export const FIRST_ADDRESS = 0x10;
export const FIRST_WORD = 0xcafe_f00d;

/** Builds the example on an idle virtual board, writes a word and reads it back. The node's screen shows the result. */
export async function runFirstExample(client: BenchClient): Promise<void> {
  const started = performance.now();
  const node = client.nodes
    .getState()
    .nodes?.find(({ state, board }) => state === 'idle' && board.kind === 'virtual');
  if (!node) {
    showToast(client.toasts, { tone: 'bad', text: text.bench.noIdle });
    return;
  }
  const id = node.fpga_id;
  const { preferences } = client;
  const goOn = navigateLater();
  try {
    const contents = await client.service.getExample({ file: FIRST_EXAMPLE });
    showDraft(id, undefined);
    const file = { name: FIRST_EXAMPLE, contents };
    const job_id = await submitDesign(client, id, [file], {}, { example: true });
    preferences.setState({ firstRun: { job_id, read: null, seconds: null } });
    goOn({ kind: 'node', node: id, tab: 'design', job: undefined });
    const job = await client.service.jobEnded({ fpga_id: id, job_id });
    if (job.status !== 'complete') {
      preferences.setState({ firstRun: null }); // the node's own screen shows the reason
      return;
    }
    goOn({ kind: 'node', node: id, tab: 'registers', job: undefined });
    await runTransaction(client, id, { op: 1, address: FIRST_ADDRESS, data: [FIRST_WORD] });
    const { data } = await runTransaction(client, id, { op: 2, address: FIRST_ADDRESS, count: 1 });
    const seconds = (performance.now() - started) / 1000;
    preferences.setState({ firstRun: { job_id, read: data[0] ?? null, seconds } });
  } catch (error) {
    preferences.setState({ firstRun: null });
    showRefusal(client, error);
  }
}
