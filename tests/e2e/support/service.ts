import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { distPath } from '../../../server/paths.ts';

/** The built service as a process of its own, with ten virtual boards and a data directory that is removed. */
export class ServiceProcess {
  url = '';
  readonly #dataDir: string;
  #port = 0;
  #child: ChildProcess | undefined;
  #log = '';

  private constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  static async start(): Promise<ServiceProcess> {
    const service = new ServiceProcess(await mkdtemp(path.join(os.tmpdir(), 'wishbench-e2e-')));
    await service.resume();
    return service;
  }

  /** Starts the service again on the same port and data. */
  async resume(): Promise<void> {
    const args = ['serve', '--port', String(this.#port), '--data', this.#dataDir];
    const child = spawn(process.execPath, [distPath('server', 'cli.js'), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    child.stderr.on('data', (chunk) => {
      this.#log = (this.#log + chunk).slice(-20_000);
    });
    this.url = await new Promise<string>((resolve, reject) => {
      let text = '';
      child.stdout.on('data', (chunk) => {
        text += chunk;
        const match = /listening on (http:\S+)/.exec(text);
        if (match?.[1]) resolve(match[1]);
      });
      child.on('exit', (code) => reject(new Error(`the service ended with ${code}\n${this.#log}`)));
    });
    this.#port = Number(new URL(this.url).port);
  }

  /** Ends the process; what it was told stays on disk. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  async close(): Promise<void> {
    await this.stop();
    await rm(this.#dataDir, { recursive: true, force: true });
  }

  async json<T>(address: string, init?: RequestInit): Promise<T> {
    const response = await fetch(this.url + address, init);
    if (!response.ok) throw new Error(`${address}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  /** Submits a source in somebody's name and waits until its build has ended. Resolves with the job's id. */
  async build(
    node: number,
    name: string,
    source: string | Uint8Array<ArrayBuffer>,
    owner = 'bob',
  ): Promise<string> {
    const form = new FormData();
    form.set('file', new File([source], name));
    const { job_id } = await this.json<{ job_id: string }>(`/fpga/${node}/submit`, {
      method: 'POST',
      body: form,
      headers: { 'x-api-key': owner },
    });
    await this.#ended(node, job_id);
    return job_id;
  }

  async #ended(node: number, jobId: string): Promise<void> {
    for (;;) {
      const { status } = await this.json<{ status: string }>(`/fpga/${node}/jobs/${jobId}?wait=30`);
      if (status !== 'queued' && status !== 'running') return;
    }
  }

  /** Gives a node back and waits until it is idle; nothing when it is. */
  async free(node: number): Promise<void> {
    const address = `/fpga/${node}/session/release`;
    const response = await fetch(this.url + address, { method: 'POST' });
    if (response.ok) await this.#ended(node, ((await response.json()) as { job_id: string }).job_id);
  }

  /** Runs a transaction in somebody's name. */
  async run(node: number, request: object, owner = 'bob'): Promise<{ ok: boolean; data: number[] }> {
    const { job_id } = await this.json<{ job_id: string }>(`/fpga/${node}/run`, {
      method: 'POST',
      body: JSON.stringify(request),
      headers: { 'x-api-key': owner, 'content-type': 'application/json' },
    });
    await this.#ended(node, job_id);
    return this.json(`/fpga/${node}/jobs/${job_id}/result`);
  }
}
