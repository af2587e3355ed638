import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type Bench, type BenchOptions, createBench } from '../../../server/bench.ts';
import { realToolchain } from '../../../server/bench-parts.ts';
import { silentLogger } from '../../../server/log.ts';
import type { Toolchain } from '../../../server/toolchain/toolchain.ts';
import { restSoon } from '../boards/board-thread.ts';
import { type Built, keepBuilt } from '../built.ts';
import { passed } from '../fake-board.ts';
import { forkWithStoredRuns } from '../toolchain/stored-runs.ts';
import { CalledService } from './called-service.ts';

type ServiceOptions = Pick<BenchOptions, 'operatorToken'>;

/**
 * The service in the process of the tests. A process of its own takes 1.7 s of processor to start and to load tools that
 * most tests never use. Runs of the embedded tools are stored results, so a build ends at once: a test that watches one
 * pauses the builds.
 */
export class ServiceInProcess extends CalledService {
  readonly dataDir: string;
  readonly #options: ServiceOptions;
  #port = 0;
  #bench: Bench | undefined;
  /** Builds wait in their first stage until it is open. */
  #gate: Promise<void> | undefined;

  private constructor(dataDir: string, options: ServiceOptions) {
    super();
    this.dataDir = dataDir;
    this.#options = options;
  }

  /** @param built designs that the service finds in its cache */
  static async start(built: readonly Built[] = [], options: ServiceOptions = {}): Promise<ServiceInProcess> {
    const service = new ServiceInProcess(await mkdtemp(path.join(os.tmpdir(), 'wishbench-e2e-')), options);
    await keepBuilt(service.dataDir, built);
    await service.resume();
    return service;
  }

  /** Builds that begin from now on wait in their first stage, until the returned function is called. */
  pauseBuilds(): () => void {
    let goOn = () => {};
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    this.#gate = gate;
    return () => {
      if (this.#gate === gate) this.#gate = undefined;
      goOn();
    };
  }

  /** Puts the gate in front of the builds of a toolchain. */
  #withGate(toolchain: Toolchain): Toolchain {
    const build = toolchain.build.bind(toolchain);
    toolchain.build = async (request, context) => {
      const gate = this.#gate;
      if (gate === undefined) return build(request, context);
      await context.started();
      context.progress('scan', 0);
      await passed(gate, context.signal);
      return build(request, { ...context, started: async () => {} });
    };
    return toolchain;
  }

  async resume(): Promise<void> {
    if (this.#bench) return;
    restSoon();
    this.#bench = await createBench({
      ...this.#options,
      dataDir: this.dataDir,
      logger: silentLogger,
      toolchain: async (foundation) => this.#withGate(await realToolchain(foundation, forkWithStoredRuns)),
      port: this.#port,
      warm: false,
      // Benches of other tests on this computer are not to find this one.
      multicast: { interface: '127.0.0.1', port: 20_000 + Math.floor(Math.random() * 12_000) },
    });
    this.url = this.#bench.url;
    this.#port = this.#bench.port;
  }

  async stop(): Promise<void> {
    const bench = this.#bench;
    this.#bench = undefined;
    await bench?.close();
  }

  async close(): Promise<void> {
    await this.stop();
    await rm(this.dataDir, { recursive: true, force: true });
  }
}
