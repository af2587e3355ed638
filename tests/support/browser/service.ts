import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { distPath } from '../../../server/paths.ts';
import { CalledService } from '../api/called-service.ts';
import { type Built, keepBuilt } from '../built.ts';

/** The built service as a process of its own, with ten virtual boards and a data directory that is removed. */
export class ServiceProcess extends CalledService {
  readonly #dataDir: string;
  readonly #env: Readonly<Record<string, string>>;
  #port = 0;
  #child: ChildProcess | undefined;
  #log = '';

  /** Use `start`, which makes the directory and waits until the service listens. */
  constructor(dataDir: string, env: Readonly<Record<string, string>> = {}) {
    super();
    this.#dataDir = dataDir;
    this.#env = env;
  }

  /** @param built designs that the service finds in its cache @param env besides the environment of the test */
  static async start(
    built: readonly Built[] = [],
    env: Readonly<Record<string, string>> = {},
  ): Promise<ServiceProcess> {
    const service = new ServiceProcess(await mkdtemp(path.join(os.tmpdir(), 'wishbench-e2e-')), env);
    await keepBuilt(service.#dataDir, built);
    await service.resume();
    return service;
  }

  get #running(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** The process; 0 while none runs. */
  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Starts the service again on the same port and data; no effect while it runs. */
  async resume(): Promise<void> {
    if (this.#running) return;
    const args = ['serve', '--port', String(this.#port), '--data', this.#dataDir];
    const child = spawn(process.execPath, [distPath('server', 'cli.js'), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...this.#env },
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

  /** Ends the process; acknowledged changes stay on disk. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (!child || !this.#running) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  async close(): Promise<void> {
    await this.stop();
    await rm(this.#dataDir, { recursive: true, force: true });
  }

  /** The file of a job's log; it may be written while the job does not run. */
  logFile(node: number, jobId: string): string {
    return path.join(this.#dataDir, 'jobs', String(node), jobId, 'log.txt');
  }

  /** The jobs and nodes on disk at this moment: a change without an acknowledgement gets there a little later. */
  get benchFile(): string {
    return path.join(this.#dataDir, 'bench.json');
  }
}
