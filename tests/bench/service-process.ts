import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from '../../server/contract/client/client.ts';
import type { RunRequest } from '../../server/contract/jobs/runs.ts';
import { appRoot, distPath } from '../../server/paths.ts';
import { ONE_MEMORY_POOL } from '../../server/toolchain/engines/embedded/fork-tools.ts';

export interface MonitorReading {
  /** Event-loop delay since the last reset, ms. */
  p99: number;
  max: number;
}

/** Runs of a service by which V8 has compiled most of what they go through. */
export const RUNS_UNTIL_SETTLED = 1200;

/** Seconds that a request waits for the end of its run. */
const WAIT_SECONDS = 30;

/** Processor time of a thread. */
export interface ThreadTime {
  /** `main`, or what the system calls it. */
  name: string;
  milliseconds: number;
}

/** Contents of a file of /proc; empty if its process has ended. */
function contentsOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
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
      [
        '--max-semi-space-size=4',
        '--heap-growing-percent=100',
        '--always-sparkplug',
        '--max-inlined-bytecode-size-cumulative=200',
        '--import',
        monitor,
        distPath('server', 'cli.js'),
        'serve',
        '--port',
        '0',
        '--data',
        data,
      ],
      // As run.mjs starts it.
      {
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        env: { ...ONE_MEMORY_POOL, ...process.env },
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

  /** Resident memory of the service's processes at the moment, bytes (Linux: /proc). */
  get residentBytes(): number {
    const kilobytes = this.#processes().map((pid) => {
      const [, resident = 0] = /^VmRSS:\s+(\d+)/m.exec(contentsOf(`/proc/${pid}/status`)) ?? [];
      return Number(resident);
    });
    return kilobytes.reduce((all, resident) => all + resident, 0) * 1024;
  }

  /**
   * Waits until the service has no other process: the tools' process ends after a while at rest.
   * @param most milliseconds
   */
  async alone(most: number): Promise<void> {
    const until = performance.now() + most;
    while (this.#processes().length > 1 && performance.now() < until) await sleep(500);
  }

  /** CPU time of each thread of the service's processes so far, by its number (Linux: /proc). */
  threadTimes(): Map<number, ThreadTime> {
    const times = new Map<number, ThreadTime>();
    for (const pid of this.#processes())
      for (const thread of namesIn(`/proc/${pid}/task`)) {
        const [nanoseconds] = contentsOf(`/proc/${pid}/task/${thread}/schedstat`).split(' ');
        if (!nanoseconds) continue;
        const own = contentsOf(`/proc/${pid}/task/${thread}/comm`).trim();
        const name = Number(thread) === this.#child.pid ? 'main' : own;
        times.set(Number(thread), { name, milliseconds: Number(nanoseconds) / 1e6 });
      }
    return times;
  }

  /** The service and all its descendant processes. */
  #processes(): number[] {
    const found = [this.#child.pid ?? 0];
    for (const pid of found)
      for (const thread of namesIn(`/proc/${pid}/task`))
        found.push(
          ...contentsOf(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
        );
    return found;
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

  /** A run whose answer is its result. */
  async runAndWait(fpga_id: number, body: RunRequest): Promise<void> {
    const answer = await this.#client.runTransaction({ fpga_id, body, wait: WAIT_SECONDS });
    if (!('ok' in answer && answer.ok)) throw new Error('a run was not ok within its request');
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
