// The two ways to run a transaction.
import { StreamError } from '../../../../server/contract/client/stream.ts';
import type { RunRequest } from '../../../../server/contract/jobs/runs.ts';
import type { BenchClient } from '../client/bench-client.ts';
import { inTurn } from '../client/in-turn.ts';
import type { Transaction } from './transaction.ts';

/** Error codes of a transaction that reached the design, but got no answer. */
export const NO_ACKNOWLEDGE = ['bus_timeout', 'bus_error', 'bus_fault'];

export type Done = Pick<Transaction, 'state'> & Partial<Pick<Transaction, 'data' | 'failure' | 'jobId'>>;

/** Runs it over the stream of the node. @throws StreamError if the stream or the bench fails, not the design */
async function overStream(client: BenchClient, node: number, request: RunRequest): Promise<Done | null> {
  const stream = await client.lines.of(node).stream();
  if (!stream) return null;
  const { op, address, data = [], count = 1, fixed_address: fixed = false } = request;
  try {
    if (op === 2) return { state: 'ok', data: await stream.read(address, count, { fixed }) };
    await stream.write(address, data, { fixed });
    return { state: 'ok', data };
  } catch (error) {
    if (error instanceof StreamError && NO_ACKNOWLEDGE.includes(error.code))
      return { state: 'not-acknowledged', failure: { message: error.message, remedy: '' } };
    throw error;
  }
}

/** Runs it as a job. One request at a time: HTTP does not keep the order of two. */
async function asRun(client: BenchClient, node: number, request: RunRequest): Promise<Done> {
  const { job_id: jobId } = await inTurn(client, `run ${node}`, () =>
    client.service.runTransaction({ fpga_id: node, body: request }),
  );
  client.mine.add(jobId);
  const address = { fpga_id: node, job_id: jobId };
  const job = await client.service.jobEnded(address);
  const { ok, data } = await client.service.getRunResult(address);
  if (job.status !== 'complete')
    return { state: 'failed', jobId, ...(job.failure && { failure: job.failure }) };
  if (!ok) return { state: 'not-acknowledged', jobId };
  return { state: 'ok', jobId, data: request.op === 2 ? data : (request.data ?? []) };
}

/** Runs a request over the stream of the node, else as a job. @throws the service's refusal */
export const transact = async (client: BenchClient, node: number, request: RunRequest): Promise<Done> =>
  (await overStream(client, node, request)) ?? asRun(client, node, request);
