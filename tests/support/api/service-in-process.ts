import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type Bench, createBench } from '../../../server/bench.ts';
import { silentLogger } from '../../../server/log.ts';
import { type Built, keepBuilt } from '../built.ts';
import { CalledService } from './called-service.ts';

/**
 * The service in the process of the tests. A process of its own takes 1.7 s of processor to start and to load tools that
 * most tests never use.
 */
export class ServiceInProcess extends CalledService {
  readonly #dataDir: string;
  #port = 0;
  #bench: Bench | undefined;

  private constructor(dataDir: string) {
    super();
    this.#dataDir = dataDir;
  }

  /** @param built designs that the service finds in its cache */
  static async start(built: readonly Built[] = []): Promise<ServiceInProcess> {
    const service = new ServiceInProcess(await mkdtemp(path.join(os.tmpdir(), 'wishbench-e2e-')));
    await keepBuilt(service.#dataDir, built);
    await service.resume();
    return service;
  }

  async resume(): Promise<void> {
    if (this.#bench) return;
    this.#bench = await createBench({
      dataDir: this.#dataDir,
      logger: silentLogger,
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
    await rm(this.#dataDir, { recursive: true, force: true });
  }
}
