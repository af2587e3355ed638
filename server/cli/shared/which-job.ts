import type { Client } from '../../contract/client/client.ts';
import type { AnyJobAddress } from '../../contract/client/work.ts';
import type { JobType } from '../../contract/jobs/jobs.ts';
import { CommandError, nodeOf } from '../usage.ts';

/** Finds a job by its id, or as the current or newest job of a node. */
export async function whichJob(client: Client, word: string, type?: JobType): Promise<AnyJobAddress> {
  if (word.length > 4) {
    const { fpga_id, job_id } = await client.findJob({ job_id: word });
    return { fpga_id, job_id };
  }
  const fpga_id = nodeOf(word);
  if (type === undefined) {
    const { current_job_id, last_job_id } = await client.getNodeDetails({ fpga_id });
    const job_id = current_job_id ?? last_job_id;
    if (job_id !== null) return { fpga_id, job_id };
  } else {
    const job = (await client.listNodeJobs({ fpga_id, limit: 10_000 })).find((one) => one.type === type);
    if (job) return { fpga_id, job_id: job.job_id };
  }
  throw new CommandError(
    type === undefined ? `Node ${fpga_id} has had no job yet.` : `Node ${fpga_id} has had no build yet.`,
  );
}

/** Finds a job that has a node. */
export async function whichBuild(client: Client, word: string): Promise<{ fpga_id: number; job_id: string }> {
  const { fpga_id, job_id } = await whichJob(client, word, 'build_and_program');
  if (fpga_id === null) {
    const { bench } = await client.findJob({ job_id });
    throw new CommandError(
      bench
        ? `Another bench has this build: call “${bench.name}” with --url ${bench.address}.`
        : 'The job waits for a node and has built nothing yet.',
    );
  }
  return { fpga_id, job_id };
}
