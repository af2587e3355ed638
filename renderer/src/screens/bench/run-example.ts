import { formatDuration } from '../../format/time.ts';
import { hexAddress, hexWord } from '../../format/words.ts';
import { showRefusal, submitDesign } from '../../state/actions/actions.ts';
import type { BenchClient } from '../../state/client/bench-client.ts';
import { setDraft } from '../../state/drafts/drafts.ts';
import { navigate } from '../../state/page/router.ts';
import { showToast } from '../../state/page/toasts.ts';
import { runTransaction } from '../../state/registers/transactions.ts';
import { text } from '../../text/text.ts';

const t = text.bench;

/** The example of the first run: a memory that returns what was written. */
const FIRST_EXAMPLE = 'echo.v';
const ADDRESS = 0x10;
const WORD = 0xcafe_f00d;

/** Builds the example on an idle virtual board, writes a word and reads it back. */
export async function runExample(client: BenchClient): Promise<void> {
  const started = performance.now();
  const node = client.nodes
    .getState()
    .nodes?.find(({ state, board }) => state === 'idle' && board.kind === 'virtual');
  if (!node) {
    showToast(client.toasts, { tone: 'bad', text: t.noIdle });
    return;
  }
  const id = node.fpga_id;
  try {
    const contents = await client.service.getExample({ file: FIRST_EXAMPLE });
    setDraft(id, undefined);
    const jobId = await submitDesign(client, id, [{ name: FIRST_EXAMPLE, contents }], {});
    navigate({ kind: 'node', node: id, tab: 'design', job: undefined });
    const job = await client.service.jobEnded({ fpga_id: id, job_id: jobId });
    if (job.status !== 'complete') return; // the node's own screen shows the reason
    navigate({ kind: 'node', node: id, tab: 'registers', job: undefined });
    await runTransaction(client, id, { op: 1, address: ADDRESS, data: [WORD] });
    const read = await runTransaction(client, id, { op: 2, address: ADDRESS, count: 1 });
    const answer = read.data[0];
    const seconds = formatDuration((performance.now() - started) / 1000);
    if (answer === WORD)
      showToast(client.toasts, {
        tone: 'good',
        text: t.firstDone(hexWord(WORD), hexAddress(ADDRESS), hexWord(answer), seconds),
      });
    else
      showToast(client.toasts, {
        tone: 'bad',
        text: t.firstWrong(hexWord(WORD), answer === undefined ? '–' : hexWord(answer)),
      });
  } catch (error) {
    showRefusal(client, error);
  }
}
