import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { appRoot, distPath } from '../../server/paths.ts';

export interface MonitorReading {
  /** Event-loop delay since the last reset, ms. */
  p99: number;
  max: number;
  /** Resident memory, bytes. */
  rss: number;
}

/** The headless service as a process of its own, as `npm run serve` starts it. */
export class ServiceProcess {
  readonly url: string;
  /** From the start of the process to its ready line, ms. */
  readonly startMs: number;
  readonly #child: ChildProcess;
  readonly #data: string;

  private constructor(child: ChildProcess, url: string, startMs: number, data: string) {
    this.#child = child;
    this.url = url;
    this.startMs = startMs;
    this.#data = data;
  }

  static async start(): Promise<ServiceProcess> {
    const data = mkdtempSync(path.join(tmpdir(), 'wishbench-bench-'));
    const started = performance.now();
    const monitor = path.join(appRoot, 'tests', 'bench', 'monitor.mjs');
    const child = spawn(
      process.execPath,
      ['--import', monitor, distPath('server', 'cli.js'), 'serve', '--port', '0', '--data', data],
      { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
    );
    const errors: string[] = [];
    child.stderr?.on('data', (text) => errors.push(String(text)));
    for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
      const url = /^wishbench listening on (\S+)$/.exec(line)?.[1];
      if (url !== undefined) return new ServiceProcess(child, url, performance.now() - started, data);
    }
    throw new Error(`the service did not start: ${errors.join('')}`);
  }

  resetMonitor(): void {
    this.#child.send('reset');
  }

  /** Ends the measuring of event-loop delay for good. */
  pauseMonitor(): void {
    this.#child.send('pause');
  }

  readMonitor(): Promise<MonitorReading> {
    return new Promise((resolve) => {
      this.#child.once('message', (reading) => resolve(reading as MonitorReading));
      this.#child.send('read');
    });
  }

  /** CPU time of the process with all its threads so far, seconds (Linux: /proc, 100 ticks a second). */
  cpuSeconds(): number {
    const stat = readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGTERM');
    await ended;
    rmSync(this.#data, { recursive: true, force: true });
  }

  async json<T>(route: string, init?: RequestInit): Promise<T> {
    const response = await fetch(this.url + route, init);
    if (!response.ok)
      throw new Error(`${init?.method ?? 'GET'} ${route}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  /** Waits until the job has ended; throws with its log when it did not complete. */
  async ended(node: number, jobId: string): Promise<void> {
    for (;;) {
      const job = await this.json<{ status: string }>(`/fpga/${node}/jobs/${jobId}?wait=60`);
      if (job.status === 'complete') return;
      if (job.status !== 'queued' && job.status !== 'running') {
        const log = await (await fetch(`${this.url}/fpga/${node}/jobs/${jobId}/logs`)).text();
        throw new Error(`job ${jobId} ${job.status}:\n${log.slice(-3000)}`);
      }
    }
  }

  async submit(node: number, filename: string, source: string): Promise<string> {
    const form = new FormData();
    form.append('file', new Blob([source]), filename);
    const { job_id } = await this.json<{ job_id: string }>(`/fpga/${node}/submit`, {
      method: 'POST',
      body: form,
    });
    return job_id;
  }

  async run(node: number, request: object): Promise<string> {
    const { job_id } = await this.json<{ job_id: string }>(`/fpga/${node}/run`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
    });
    return job_id;
  }

  async result(node: number, jobId: string): Promise<number[]> {
    const { ok, data } = await this.json<{ ok: boolean; data: number[] }>(
      `/fpga/${node}/jobs/${jobId}/result`,
    );
    if (!ok) throw new Error(`run ${jobId} was not ok`);
    return data;
  }

  async release(node: number): Promise<void> {
    const { job_id } = await this.json<{ job_id: string }>(`/fpga/${node}/session/release`, {
      method: 'POST',
    });
    await this.ended(node, job_id);
  }
}
