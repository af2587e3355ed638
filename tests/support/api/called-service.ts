import { type Client, createClient } from '../../../server/contract/client/client.ts';
import type { RunRequest, RunResult } from '../../../server/contract/jobs/runs.ts';

/** A service with ten virtual boards and a data directory of its own, as tests call it. */
export abstract class CalledService {
  url = '';

  /** Starts the service, or starts it again on the same port and data; nothing while it runs. */
  abstract resume(): Promise<void>;

  /** Ends the service; what it acknowledged stays on disk. */
  abstract stop(): Promise<void>;

  /** Ends the service and removes its data directory. */
  abstract close(): Promise<void>;

  /** A client of the service; anonymous without a name. @param more headers of every request */
  client(owner?: string, more: Readonly<Record<string, string>> = {}): Client {
    const headers = { ...more, ...(owner !== undefined && { 'x-api-key': owner }) };
    return createClient({ base: this.url, headers: () => headers });
  }

  /** Submits a source as `owner` and waits until its build has ended. Resolves with the job's id. */
  async build(node: number, name: string, contents: string | Uint8Array, owner = 'bob'): Promise<string> {
    const client = this.client(owner);
    const job = await client.submitDesign({ fpga_id: node, body: { file: { name, contents } } });
    await client.jobEnded(job);
    return job.job_id;
  }

  /** Releases a node and waits until it is idle; no effect on an idle one. */
  async free(node: number): Promise<void> {
    const client = this.client();
    if ((await client.getNode({ fpga_id: node })).session === null) return;
    await client.jobEnded(await client.releaseSession({ fpga_id: node }));
  }

  /** Runs a transaction as `owner`. */
  async run(node: number, body: RunRequest, owner = 'bob'): Promise<RunResult> {
    const client = this.client(owner);
    const job = await client.runTransaction({ fpga_id: node, body });
    await client.jobEnded(job);
    return client.getRunResult(job);
  }
}
