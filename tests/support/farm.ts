import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { loadCatalogue } from '../../server/boards/catalogue/index.ts';
import { type Clock, pause, systemClock } from '../../server/clock.ts';
import type { InQueue } from '../../server/contract/jobs/in-queue.ts';
import type { SubmitOptions } from '../../server/contract/jobs/jobs.ts';
import type { BuildEstimate } from '../../server/contract/jobs/utilisation.ts';
import { silentLogger } from '../../server/log.ts';
import { appRoot, distPath } from '../../server/paths.ts';
import type { BuildResult } from '../../server/toolchain/build-request.ts';
import { BuildFarm } from '../../server/toolchain/farm/farm.ts';
import { createToolchain, type LocalToolchain } from '../../server/toolchain/index.ts';
import type { StubOptions } from './stub-worker.ts';
import { temporaryFolder } from './temporary.ts';

let loaded: ReturnType<typeof loadCatalogue> | null = null;
const boards = () => {
  loaded ??= loadCatalogue();
  return loaded;
};

/** Deadline for a worker's expected line, ms; a fifth of it is much on a busy computer. */
const LATE_MS = 100_000;

/** A worker as a process of its own. */
export class WorkerProcess {
  readonly child: ChildProcess;
  output = '';
  readonly ended: Promise<number | null>;

  /** `folder` is removed at its end; `within` is the start of the command. */
  private constructor(
    args: readonly string[],
    environment: Record<string, string>,
    folder: string | null = null,
    within: readonly string[] = [],
  ) {
    const [program = '', ...rest] = [...within, process.execPath, ...args];
    this.child = spawn(program, rest, {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (text) => {
        this.output += text;
      });
    const gone = () => {
      if (folder !== null) rmSync(folder, { recursive: true, force: true });
    };
    const kill = () => {
      this.child.kill('SIGKILL');
      gone();
    };
    process.once('exit', kill);
    // Once all its output has been read, too.
    this.ended = new Promise((resolve) =>
      this.child.once('close', (code) => {
        process.off('exit', kill);
        gone();
        resolve(code);
      }),
    );
  }

  /** `wishbench worker`, as users run it. */
  static command(
    url: string,
    args: readonly string[],
    environment: Record<string, string> = {},
  ): WorkerProcess {
    const program = distPath('server', 'cli.js');
    return new WorkerProcess([program, 'worker', ...args], { ...environment, WISHBENCH_QUEUE: url });
  }

  /** The same. Resolves when it is ready. */
  static async real(url: string, args: readonly string[]): Promise<WorkerProcess> {
    const worker = WorkerProcess.command(url, args);
    await worker.says('wishbench worker ready');
    return worker;
  }

  /**
   * The same with tools that build nothing: see stub-worker.ts. Resolves when it is ready. @param within see LanHost
   */
  static async stub(
    options: Partial<Omit<StubOptions, 'dataDir'>> & { url: string },
    node: string[] = [],
    environment: Record<string, string> = {},
    within: readonly string[] = [],
  ): Promise<WorkerProcess> {
    const run = path.join(appRoot, 'tests', 'support', 'run-typescript.mjs');
    const folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-stub-'));
    const all: StubOptions = {
      dataDir: options.built ?? folder,
      name: 'stub',
      slots: 1,
      // No build moves to another worker because the machine paused for seconds.
      lease: 30,
      buildMs: 1,
      journal: null,
      flow: null,
      otherIds: false,
      language: null,
      built: null,
      gate: null,
      ...options,
    };
    const worker = new WorkerProcess(
      [...node, run, 'tests/support/stub-worker.ts', JSON.stringify(all)],
      // It finds no installed tools: looking for them takes longer than all else.
      { ...(within.length === 0 && { PATH: '' }), ...environment },
      folder,
      within,
    );
    await worker.says('ready\n');
    return worker;
  }

  /** Another program: the default export of a TypeScript module. */
  static async script(
    file: string,
    args: string[],
    environment: Record<string, string> = {},
  ): Promise<WorkerProcess> {
    return new WorkerProcess(
      [path.join(appRoot, 'tests', 'support', 'run-typescript.mjs'), file, ...args],
      environment,
    );
  }

  async says(text: string): Promise<void> {
    const late = performance.now() + LATE_MS;
    while (!this.output.includes(text)) {
      if (this.child.exitCode !== null) throw new Error(`the worker has ended:\n${this.output}`);
      if (performance.now() > late) throw new Error(`the worker does not say ${text}:\n${this.output}`);
      await pause(systemClock, 20);
    }
  }

  async end(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
    this.child.kill(signal);
    return await this.ended;
  }
}

interface Limits {
  waiting: number;
  ofOwner: number;
  running?: number;
}

export interface FollowedBuild {
  lines: string[];
  progress: string[];
  estimates: BuildEstimate[];
  standings: InQueue[];
  started: boolean;
  result: Promise<BuildResult>;
  stop(reason?: unknown): void;
  /** Resolves when a line of the log contains the text. */
  says(text: string): Promise<void>;
}

/** The toolchain of a bench whose builds are made on a farm. */
export class FarmBench {
  readonly farm: BuildFarm;
  readonly toolchain: LocalToolchain;
  readonly #folder: string;

  private constructor(farm: BuildFarm, toolchain: LocalToolchain, folder: string) {
    this.farm = farm;
    this.toolchain = toolchain;
    this.#folder = folder;
  }

  static async open(
    address: string,
    bench = 'bench1',
    {
      limits = { waiting: 100_000, ofOwner: 100_000 } as Limits,
      clock = systemClock as Clock,
      /** Test sources are seldom designs, so there is no early check before a worker has them. */
      lookEarly = false,
    } = {},
  ): Promise<FarmBench> {
    const folder = temporaryFolder('farm');
    const farm = BuildFarm.open({
      address,
      bench,
      logger: silentLogger,
      clock,
      limits: () => ({ running: 0, ...limits }),
    });
    const toolchain = createToolchain({
      dataDir: folder,
      logger: silentLogger,
      farm,
      lookEarly,
    });
    return new FarmBench(farm, toolchain, folder);
  }

  build(
    source: string | Uint8Array,
    { owner = 'lab-1', filename = 'design.v', options = {} as SubmitOptions } = {},
  ): FollowedBuild {
    const board = boards().get('virtual-hx8k');
    if (!board) throw new Error('no board');
    const ends = new AbortController();
    const lines: string[] = [];
    const followed: FollowedBuild = {
      lines,
      progress: [],
      estimates: [],
      standings: [],
      started: false,
      stop: (reason) => ends.abort(reason),
      async says(text) {
        while (!lines.some((line) => line.includes(text))) await pause(systemClock, 10);
      },
      result: this.toolchain.build(
        {
          source: typeof source === 'string' ? Buffer.from(source) : source,
          filename,
          board,
          options,
          owner,
        },
        {
          log: (stage, line) => lines.push(`${stage}: ${line}`),
          progress: (stage, fraction) => followed.progress.push(`${stage} ${fraction}`),
          estimated: (estimate) => followed.estimates.push(estimate),
          started: async () => {
            followed.started = true;
          },
          waiting: (standing) => followed.standings.push(standing),
          signal: ends.signal,
        },
      ),
    };
    followed.result.catch(() => {});
    return followed;
  }

  async close(): Promise<void> {
    await this.toolchain.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
