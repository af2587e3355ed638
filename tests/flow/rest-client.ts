import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Bench, createBench } from '../../server/bench.ts';
import { silentLogger } from '../../server/log.ts';

export interface EndedJob {
  job_id: string;
  status: string;
  log: string;
}

/** A bench with everything real (toolchain, virtual boards, store, HTTP), as a script on the LAN would use it. */
export class RestClient {
  private constructor(
    readonly bench: Bench,
    readonly dataDir: string,
  ) {}

  static async start(dataDir = mkdtempSync(path.join(tmpdir(), 'wishbench-flow-'))): Promise<RestClient> {
    return new RestClient(await createBench({ dataDir, port: 0, logger: silentLogger }), dataDir);
  }

  /** Ends the bench and, unless it is to start again on them, removes its files. */
  async stop(keepFiles = false): Promise<void> {
    await this.bench.close();
    if (!keepFiles) rmSync(this.dataDir, { recursive: true, force: true });
  }

  async json<T>(route: string, init?: RequestInit): Promise<T> {
    const answer = await fetch(this.bench.url + route, init);
    if (!answer.ok) throw new Error(`${route}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  }

  async ended(node: number, jobId: string): Promise<EndedJob> {
    for (;;) {
      const { status } = await this.json<{ status: string }>(`/fpga/${node}/jobs/${jobId}?wait=60`);
      if (status === 'queued' || status === 'running') continue;
      const log = await (await fetch(`${this.bench.url}/fpga/${node}/jobs/${jobId}/logs`)).text();
      return { job_id: jobId, status, log };
    }
  }

  async submit(
    node: number,
    filename: string,
    source: string | Buffer,
    fields: Record<string, string> = {},
  ): Promise<EndedJob> {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append('file', new Blob([new Uint8Array(Buffer.from(source))]), filename);
    const { job_id } = await this.json<{ job_id: string }>(`/fpga/${node}/submit`, {
      method: 'POST',
      body: form,
    });
    return this.ended(node, job_id);
  }

  async run(node: number, request: object): Promise<EndedJob & { ok: boolean; data: number[] }> {
    const { job_id } = await this.json<{ job_id: string }>(`/fpga/${node}/run`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
    });
    const job = await this.ended(node, job_id);
    return {
      ...job,
      ...(await this.json<{ ok: boolean; data: number[] }>(`/fpga/${node}/jobs/${job_id}/result`)),
    };
  }

  async state(node: number): Promise<string> {
    return (await this.json<{ state: string }>(`/fpga/${node}`)).state;
  }

  async release(node: number): Promise<void> {
    const { job_id } = await this.json<{ job_id: string }>(`/fpga/${node}/session/release`, {
      method: 'POST',
    });
    const job = await this.ended(node, job_id);
    if (job.status !== 'complete') throw new Error(job.log);
  }
}
