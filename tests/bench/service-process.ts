import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { type Client, createClient } from '../../server/contract/client/client.ts';
import type { RunRequest } from '../../server/contract/jobs.ts';
import { appRoot, distPath } from '../../server/paths.ts';

export interface MonitorReading {
  /** Event-loop delay since the last reset, ms. */
  p99: number;
  max: number;
}

/** The headless service as a process of its own, as `npm run serve` starts it. */
export class ServiceProcess {
  readonly url: string;
  /** From the start of the process to its ready line, ms. */
  readonly startMs: number;
  readonly #child: ChildProcess;
  readonly #data: string;
  readonly #client: Client;

  private constructor(child: ChildProcess, url: string, startMs: number, data: string) {
    this.#child = child;
    this.url = url;
    this.startMs = startMs;
    this.#data = data;
    this.#client = createClient({ base: url });
  }

  static async start(): Promise<ServiceProcess> {
    const data = mkdtempSync(path.join(tmpdir(), 'wishbench-bench-'));
    const started = performance.now();
    const monitor = path.join(appRoot, 'tests', 'bench', 'monitor.mjs');
    const child = spawn(
      process.execPath,
      ['--import', monitor, distPath('server', 'cli.js'), 'serve', '--port', '0', '--data', data],
      // As run.mjs starts it.
      {
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        env: { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072', ...process.env },
      },
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

  /** @throws where the service ends in place of an answer */
  readMonitor(): Promise<MonitorReading> {
    return new Promise((resolve, reject) => {
      const gone = (code: number | null) => reject(new Error(`the service ended with ${code}`));
      this.#child.once('exit', gone);
      this.#child.once('message', (reading) => {
        this.#child.off('exit', gone);
        resolve(reading as MonitorReading);
      });
      this.#child.send('read');
    });
  }

  /** Resident memory of the process at the moment, bytes (Linux: /proc). */
  get residentBytes(): number {
    const [, kilobytes = 0] =
      /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${this.#child.pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) * 1024;
  }

  /** CPU time of each thread so far, milliseconds by its number; the first is the main thread (Linux: /proc). */
  threadMilliseconds(): Map<number, number> {
    const tasks = `/proc/${this.#child.pid}/task`;
    const times = new Map<number, number>();
    for (const thread of readdirSync(tasks))
      try {
        const [nanoseconds] = readFileSync(path.join(tasks, thread, 'schedstat'), 'utf8').split(' ');
        times.set(Number(thread), Number(nanoseconds) / 1e6);
      } catch {
        // It has ended since the list was made.
      }
    return times;
  }

  /** Where the service keeps its files. */
  get dataFolder(): string {
    return this.#data;
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGTERM');
    await ended;
    rmSync(this.#data, { recursive: true, force: true });
  }

  /** Waits until the job has ended; throws with its log when it did not complete. */
  async ended(fpga_id: number, job_id: string): Promise<void> {
    const { status } = await this.#client.jobEnded({ fpga_id, job_id });
    if (status === 'complete') return;
    const log = new TextDecoder().decode(await this.#client.getJobLog({ fpga_id, job_id }));
    throw new Error(`job ${job_id} ${status}:\n${log.slice(-3000)}`);
  }

  async submit(fpga_id: number, name: string, contents: string): Promise<string> {
    return (await this.#client.submitDesign({ fpga_id, body: { file: { name, contents } } })).job_id;
  }

  async run(fpga_id: number, body: RunRequest): Promise<string> {
    return (await this.#client.runTransaction({ fpga_id, body })).job_id;
  }

  async result(fpga_id: number, job_id: string): Promise<number[]> {
    const { ok, data } = await this.#client.getRunResult({ fpga_id, job_id });
    if (!ok) throw new Error(`run ${job_id} was not ok`);
    return data;
  }

  async release(fpga_id: number): Promise<void> {
    await this.ended(fpga_id, (await this.#client.releaseSession({ fpga_id })).job_id);
  }
}
