import type { AnyJob, SubmitOptions } from '../../../../server/contract/jobs/jobs.ts';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { text } from '../../text/text.ts';
import type { BenchClient } from '../client/bench-client.ts';
import { showRefusal } from '../client/refusal.ts';
import type { DesignFile } from '../files/design-file.ts';
import { uploadOf } from '../files/upload.ts';
import { mergeJobs } from '../jobs/jobs.ts';
import { askFirst } from '../page/dialogs.ts';

export { showRefusal };

const t = text.nodeActions;

/**
 * Submits a design. Rejects with the service's refusal.
 * @param how `replace`: replaces the design of the own session, which runs until the new one is built; `example`: not a
 *   design of the person, who need not say a name for it
 */
export async function submitDesign(
  client: BenchClient,
  id: number,
  files: readonly DesignFile[],
  options: SubmitOptions,
  { replace = false, example = false }: { replace?: boolean; example?: boolean } = {},
): Promise<string> {
  if (!example) await client.askForName();
  const { job_id } = await client.service.submitDesign({
    fpga_id: id,
    ...(replace && { replace: true }),
    body: { file: await uploadOf(files), ...options },
  });
  client.mine.add(job_id);
  await knowJob(client, id, job_id);
  return job_id;
}

/**
 * Resolves when the page knows the job, for the screen that shows it next. If the request fails, the event stream
 * brings the job.
 */
async function knowJob(client: BenchClient, fpga_id: number, job_id: string): Promise<void> {
  const job = await client.service.getJobDetails({ fpga_id, job_id }).catch(() => undefined);
  if (job) mergeJobs(client.jobs, [job]);
}

/** Queues a design for one node, which builds it when idle. Rejects with the service's refusal. */
export async function waitForNode(
  client: BenchClient,
  id: number,
  files: readonly DesignFile[],
  options: SubmitOptions,
): Promise<void> {
  await client.askForName();
  const { job_id } = await client.service.submitToAnyNode({
    body: { file: await uploadOf(files), fpga_id: id, ...options },
  });
  client.mine.add(job_id);
}

/** Whether another person holds the session. */
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

/** Releases a node. Asks first if another person holds it, or if transactions are not exported. */
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
        client.unsaved.delete(id); // the person has confirmed
        void reset(client, id, 'releaseSession');
      },
    });
  else void reset(client, id, 'releaseSession');
}

/** Flashes the base SoC. Asks first if a session would end; a node in error has nothing to lose. */
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

/** Cancels a queued build. Asks first if it belongs to another person. */
export function cancelJob(client: BenchClient, job: AnyJob): void {
  if (client.mine.has(job.job_id) || job.owner === client.owner) {
    void cancel(client, job);
    return;
  }
  askFirst(client.questions, {
    title: t.cancelTitle(job.owner),
    text: t.cancelOther(job.owner, job.submit?.filename ?? t.noDesign),
    confirm: t.cancelJob,
    run: () => void cancel(client, job),
  });
}

/** Stops a running build. Asks first if it belongs to another person. */
export function stopBuild(client: BenchClient, job: AnyJob): void {
  const { fpga_id, job_id, owner } = job;
  const stopped = async (): Promise<AnyJob> =>
    fpga_id === null
      ? { ...job, ...(await client.service.stopAnyJob({ job_id })) }
      : await client.service.stopJob({ fpga_id, job_id });
  const stop = () =>
    void stopped()
      .then((ended) => mergeJobs(client.jobs, [ended]))
      .catch((error) => showRefusal(client, error));
  if (client.mine.has(job_id) || owner === client.owner) {
    stop();
    return;
  }
  askFirst(client.questions, {
    title: t.stopTitle(owner),
    text: t.stopOther(owner, job.submit?.filename ?? t.noDesign),
    confirm: t.stopBuild,
    run: stop,
  });
}

async function cancel(client: BenchClient, job: AnyJob): Promise<void> {
  try {
    const { fpga_id, job_id } = job;
    if (fpga_id === null) await client.service.cancelAnyJob({ job_id });
    else await client.service.cancelJob({ fpga_id, job_id });
    const { byId, unplaced } = client.jobs.getState();
    const now = byId.get(job_id) ?? unplaced.get(job_id);
    if (now?.status === 'queued')
      mergeJobs(client.jobs, [{ ...now, status: 'cancelled', updated_at: new Date().toISOString() }]);
  } catch (error) {
    showRefusal(client, error);
  }
}
