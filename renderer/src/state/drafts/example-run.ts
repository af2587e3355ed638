import { createStore } from 'zustand/vanilla';
import type { Example } from '../../../../server/contract/designs/uploads.ts';
import type { ScriptReport } from '../../../../server/contract/jobs/scripts.ts';
import { showRefusal, submitDesign } from '../actions/actions.ts';
import type { BenchClient } from '../client/bench-client.ts';
import { navigateLater } from '../page/router.ts';
import { showDraft } from './open-drafts.ts';

/** A try of an example on a node: its build, then its script. */
export interface ExampleRun {
  jobId: string;
  title: string;
  progress:
    | { kind: 'building' }
    | { kind: 'running' }
    | { kind: 'ended'; report: ScriptReport }
    | { kind: 'refused'; error: unknown };
}

/** Node → its last try, while the page is open. */
export const exampleRuns = createStore<Partial<Record<number, ExampleRun>>>(() => ({}));

/** Builds an example on an idle node and runs its script. */
export async function runExample(client: BenchClient, id: number, example: Example): Promise<void> {
  const { file, title, script } = example;
  const goOn = navigateLater();
  let trial: ExampleRun;
  try {
    const contents = await client.service.getExample({ file });
    showDraft(id, undefined);
    const jobId = await submitDesign(client, id, [{ name: file, contents }], {}, { example: true });
    trial = { jobId, title, progress: { kind: 'building' } };
  } catch (error) {
    showRefusal(client, error);
    return;
  }
  const show = (progress: ExampleRun['progress']) => exampleRuns.setState({ [id]: { ...trial, progress } });
  show(trial.progress);
  goOn({ kind: 'node', node: id, tab: 'design', job: undefined });
  try {
    const job = await client.service.jobEnded({ fpga_id: id, job_id: trial.jobId });
    if (job.status !== 'complete') {
      exampleRuns.setState({ [id]: undefined }); // the build shows the reason
      return;
    }
    show({ kind: 'running' });
    const report = await client.service.runScript({ fpga_id: id, body: { script } });
    show({ kind: 'ended', report });
  } catch (error) {
    show({ kind: 'refused', error });
  }
}
