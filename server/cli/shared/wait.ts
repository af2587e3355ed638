import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../contract/client/client.ts';
import { type AnyJobAddress, failureOf, placed } from '../../contract/client/work.ts';
import type { Job, Stage } from '../../contract/jobs/jobs.ts';
import { progress } from '../output.ts';
import { EXIT } from '../usage.ts';

export const STAGE_NAMES: Record<Stage, string> = {
  queue: 'waiting for a worker',
  scan: 'finding the Wishbone slave',
  synthesis: 'synthesis',
  place: 'placement',
  route: 'routing',
  pack: 'packing the bitstream',
  program: 'programming the board',
  identify: 'checking the design on the board',
  script: 'running the script of the design',
  transfer: 'reading and writing',
};

/** What a queued build waits for; undefined if unknown. */
function waitsFor({ status, in_queue }: Job): string | undefined {
  if (status !== 'queued' || !in_queue) return undefined;
  const { place, held } = in_queue;
  if (held === 'owner_limit')
    return `waiting: its owner has reached the limit of builds (${place} of the owner’s)`;
  if (held === 'no_worker') return `waiting: no worker can build it now (${place} in the queue)`;
  return `${STAGE_NAMES.queue} (${place} in the queue)`;
}

/** Poll interval of a job with shown progress, ms. */
const LOOK_MS = 150;

const hasEnded = ({ status }: Job): boolean => status !== 'queued' && status !== 'running';

/** Runs `work`; Ctrl-C ends the command with a hint on what goes on without it. */
export async function interruptible<T>(hint: string, work: () => Promise<T>): Promise<T> {
  const interrupted = () => {
    progress.clear();
    process.stderr.write(`${hint}\n`);
    process.exit(EXIT.interrupted);
  };
  process.once('SIGINT', interrupted);
  try {
    return await work();
  } finally {
    process.off('SIGINT', interrupted);
  }
}

/**
 * Waits for a job and shows its stages.
 * @param shown printed part of the job's log
 * @throws JobFailedError unless it completes
 */
export async function untilEnded(
  client: Client,
  address: AnyJobAddress,
  shown: { logShown?: boolean } = {},
): Promise<Job> {
  const { job_id } = address;
  const hint = `The job goes on: “wishbench job ${job_id}” shows it.`;
  const job = await interruptible(hint, async () => {
    if (address.fpga_id === null) progress.show('waiting for an idle node');
    const { fpga_id } = await placed(client, address);
    for (;;) {
      const seen = await client.getJobDetails({ fpga_id, job_id });
      if (hasEnded(seen)) return seen;
      const { stage, fraction } = seen;
      const percent = fraction === undefined ? '' : ` ${Math.round(100 * fraction)} %`;
      if (seen.type === 'build_and_program')
        progress.show(waitsFor(seen) ?? STAGE_NAMES[stage ?? 'queue'], percent);
      await sleep(LOOK_MS);
    }
  });
  progress.clear();
  const failure = await failureOf(client, job, shown);
  if (failure) throw failure;
  return job;
}
