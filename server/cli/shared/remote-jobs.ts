import type { Client } from '../../contract/client/client.ts';
import type { JobStatus } from '../../contract/jobs/jobs.ts';
import type { JobBench } from '../../contract/remote/benches.ts';
import { sentences } from '../../contract/sentences.ts';
import { printJson, printNotice, progress } from '../output.ts';
import { CommandError, EXIT } from '../usage.ts';
import { interruptible } from './wait.ts';

/** Maximum wait of one request for a change of a job, seconds: no event announces that its bench is gone. */
const WAIT_SECONDS = 5;

/** The place of a remote job, and its state there. */
export function describeRemoteJob({ status }: { status: JobStatus }, bench: JobBench): string {
  const { name, address, fpga_id: node, problem } = bench;
  const where = node === null ? 'without a node yet' : `node ${node}`;
  const why = problem === null ? '' : `  ${problem.error}: ${sentences(problem.message, problem.remedy)}`;
  return `build_and_program ${status}  ${where} of “${name}”, ${address}${why}`;
}

/** Waits for the end of a remote job. @throws CommandError unless it is complete */
export async function waitForRemoteJob(client: Client, job_id: string, json = false): Promise<number> {
  const hint = `The job goes on: “wishbench job ${job_id}” shows it.`;
  const job = await interruptible(hint, async () => {
    for (;;) {
      const seen = await client.findJob({ job_id, wait: WAIT_SECONDS });
      const { status, bench } = seen;
      if (status !== 'queued' && status !== 'running') return seen;
      if (bench) progress.show(bench.problem?.message ?? `${status} on the bench “${bench.name}”`);
    }
  });
  progress.clear();
  if (json) printJson(job);
  const line = job.bench ? describeRemoteJob(job, job.bench) : job.status;
  if (job.status !== 'complete') throw new CommandError(line);
  printNotice(line);
  return EXIT.done;
}
