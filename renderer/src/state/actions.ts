import type { Job, SubmitOptions } from '../../../server/contract/jobs.ts';
import type { NodeView } from '../../../server/contract/nodes.ts';
import { text } from '../text/text.ts';
import type { BenchClient } from './bench-client.ts';
import type { DesignFile } from './design-file.ts';
import { explain } from './explain.ts';
import { mergeJobs } from './jobs.ts';
import { askFirst } from './questions.ts';
import { showToast } from './toasts.ts';

const t = text.node;

/** What the service refused, in its own words. */
export function showRefusal(client: BenchClient, error: unknown): void {
  const { message, remedy } = explain(error);
  showToast(client.toasts, { tone: 'bad', text: message, ...(remedy && { remedy }) });
}

/** Submits a design. Rejects with the service's refusal. */
export async function submitDesign(
  client: BenchClient,
  id: number,
  file: DesignFile,
  options: SubmitOptions,
): Promise<string> {
  const { job_id } = await client.service.submitDesign({ fpga_id: id, body: { file, ...options } });
  client.mine.add(job_id);
  return job_id;
}

/** True when the session is one that this window's person did not begin. */
const heldByOther = (client: BenchClient, node: NodeView): boolean =>
  node.session !== null && node.session.owner !== client.owner;

async function reset(client: BenchClient, id: number, how: 'resetNode' | 'releaseSession'): Promise<void> {
  try {
    const { job_id } = await client.service[how]({ fpga_id: id });
    client.mine.add(job_id);
  } catch (error) {
    showRefusal(client, error);
  }
}

/** Gives a node back. Asks first when somebody else holds it, or transactions that were not saved would go. */
export function releaseNode(client: BenchClient, node: NodeView): void {
  const id = node.fpga_id;
  const { session } = node;
  const unsaved = client.unsavedTransactions(id);
  if (session && heldByOther(client, node))
    askFirst(client.questions, {
      title: t.releaseTitle(id),
      text: t.releaseOther(session.owner, node.design?.filename ?? t.noDesign),
      confirm: t.release,
      run: () => void reset(client, id, 'releaseSession'),
    });
  else if (unsaved > 0)
    askFirst(client.questions, {
      title: t.releaseTitle(id),
      text: t.releaseUnsaved(unsaved),
      confirm: t.release,
      run: () => {
        client.unsaved.delete(id); // asked about once
        void reset(client, id, 'releaseSession');
      },
    });
  else void reset(client, id, 'releaseSession');
}

/** Flashes the base system again. From an error there is nothing to lose; from a session there is. */
export function resetNode(client: BenchClient, node: NodeView): void {
  const id = node.fpga_id;
  if (node.session === null) {
    void reset(client, id, 'resetNode');
    return;
  }
  const other = heldByOther(client, node);
  askFirst(client.questions, {
    title: t.resetTitle(id),
    text: other ? t.resetOther(node.session.owner) : t.resetOwn(node.design?.filename ?? t.noDesign),
    confirm: t.reset,
    run: () => void reset(client, id, 'resetNode'),
  });
}

export async function cancelJob(client: BenchClient, job: Job): Promise<void> {
  try {
    await client.service.cancelJob({ fpga_id: job.fpga_id, job_id: job.job_id });
    const now = client.jobs.getState().byId.get(job.job_id);
    if (now?.status === 'queued')
      mergeJobs(client.jobs, [{ ...now, status: 'cancelled', updated_at: new Date().toISOString() }]);
  } catch (error) {
    showRefusal(client, error);
  }
}
