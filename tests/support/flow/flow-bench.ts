import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Bench, createBench } from '../../../server/bench.ts';
import { realToolchain } from '../../../server/bench-parts.ts';
import { type Client, createClient } from '../../../server/contract/client/client.ts';
import type { Job, SubmitOptions } from '../../../server/contract/jobs/jobs.ts';
import type { RunRequest, RunResult } from '../../../server/contract/jobs/runs.ts';
import type { FpgaState } from '../../../server/contract/nodes/nodes.ts';
import { silentLogger } from '../../../server/log.ts';
import { keepBoardThread, restSoon } from '../boards/board-thread.ts';
import { type Built, keepBuilt } from '../built.ts';
import { forkWithStoredRuns } from '../toolchain/stored-runs.ts';

/** A job at its end, with its whole log. */
export type EndedJob = Job & { log: string };

/** A bench with everything real (toolchain, virtual boards, store, HTTP), and what a script on the LAN does with it. */
export class FlowBench {
  readonly dataDir: string;
  readonly client: Client;
  readonly #bench: Bench;

  constructor(bench: Bench, dataDir: string) {
    this.#bench = bench;
    this.dataDir = dataDir;
    this.client = createClient({ base: bench.url });
  }

  /** @param built designs that the bench finds in its cache: those whose build is not what is tested */
  static async start(
    built: readonly Built[] = [],
    dataDir = mkdtempSync(path.join(tmpdir(), 'wishbench-flow-')),
  ): Promise<FlowBench> {
    keepBoardThread();
    restSoon();
    // One by one, so that a parallel test waits for one build and not for all.
    for (const design of built) await keepBuilt(dataDir, [design]);
    const bench = await createBench({
      dataDir,
      port: 0,
      logger: silentLogger,
      toolchain: (foundation) => realToolchain(foundation, forkWithStoredRuns),
    });
    return new FlowBench(bench, dataDir);
  }

  /** Ends the bench and, unless it is to start again on them, removes its files. */
  async stop(keepFiles = false): Promise<void> {
    await this.#bench.close();
    if (!keepFiles) rmSync(this.dataDir, { recursive: true, force: true });
  }

  async ended(fpga_id: number, job_id: string): Promise<EndedJob> {
    const job = await this.client.jobEnded({ fpga_id, job_id });
    return { ...job, log: new TextDecoder().decode(await this.client.getJobLog({ fpga_id, job_id })) };
  }

  async submit(
    fpga_id: number,
    name: string,
    contents: string | Uint8Array,
    options: SubmitOptions = {},
  ): Promise<EndedJob> {
    const body = { ...options, file: { name, contents } };
    const { job_id } = await this.client.submitDesign({ fpga_id, body });
    return this.ended(fpga_id, job_id);
  }

  async run(fpga_id: number, body: RunRequest): Promise<EndedJob & RunResult> {
    const { job_id } = await this.client.runTransaction({ fpga_id, body });
    const ended = await this.ended(fpga_id, job_id);
    return { ...ended, ...(await this.client.getRunResult({ fpga_id, job_id })) };
  }

  async state(fpga_id: number): Promise<FpgaState> {
    return (await this.client.getNode({ fpga_id })).state;
  }

  async release(fpga_id: number): Promise<void> {
    const { job_id } = await this.client.releaseSession({ fpga_id });
    const { status, log } = await this.ended(fpga_id, job_id);
    if (status !== 'complete') throw new Error(log);
  }

  async reset(fpga_id: number): Promise<EndedJob> {
    const { job_id } = await this.client.resetNode({ fpga_id });
    return this.ended(fpga_id, job_id);
  }
}
