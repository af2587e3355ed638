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
 * @param replace takes the place of the design of one's own session, which runs until this one is built
 */
export async function submitDesign(
  client: BenchClient,
  id: number,
  files: readonly DesignFile[],
  options: SubmitOptions,
  replace = false,
): Promise<string> {
  await client.askForName();
  const { job_id } = await client.service.submitDesign({
    fpga_id: id,
    ...(replace && { replace: true }),
    body: { file: await uploadOf(files), ...options },
  });
  client.mine.add(job_id);
  await knowJob(client, id, job_id);
  return job_id;
}

/** Resolves when the job is known: what shows it next has something to show. Where that cannot be asked, the event stream tells. */
async function knowJob(client: BenchClient, fpga_id: number, job_id: string): Promise<void> {
  const job = await client.service.getJobDetails({ fpga_id, job_id }).catch(() => undefined);
  if (job) mergeJobs(client.jobs, [job]);
}

/** Puts a design in line for one node, which takes it as soon as it is free. Rejects with the service's refusal. */
export async function waitForNode(
  client: BenchClient,
  id: number,
  files: readonly DesignFile[],
  options: SubmitOptions,
): Promise<void> {
  const { job_id } = await client.service.submitToAnyNode({
    body: { file: await uploadOf(files), fpga_id: id, ...options },
  });
  client.mine.add(job_id);
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

/** Cancels a queued build. Asks first when it is somebody else's. */
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

/** Stops a build that runs. Asks first when it is somebody else's. */
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
