import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Bench, createBench } from '../../../server/bench.ts';
import { realToolchain } from '../../../server/bench-parts.ts';
import { isAssignments } from '../../../server/boards/assignments.ts';
import { createBoardPool } from '../../../server/boards/board-pool.ts';
import { loadCatalogue } from '../../../server/boards/catalogue/index.ts';
import { createFabric } from '../../../server/boards/virtual/create-fabric.ts';
import { type Client, createClient } from '../../../server/contract/client/client.ts';
import { silentLogger } from '../../../server/log.ts';
import { type Design, keepBuilt } from '../built.ts';
import { forkWithStoredRuns } from '../toolchain/stored-runs.ts';
import { restSoon } from './board-thread.ts';
import { EmulatedComputer } from './emulator/computer.ts';
import { Ft2232h } from './emulator/ft2232h.ts';
import { Ice40Board } from './emulator/ice40-board.ts';
import type { Wire } from './emulator/wire-time.ts';
import { NoisyWire } from './noisy-wire.ts';

/** The board of `EmulatedBench`. */
const EMULATED_BOARD = 'ice40-hx8k-breakout';
const PORT = '1-2';

export interface EmulatedBenchOptions {
  /** Designs that the service finds in its cache. */
  built?: readonly Design[];
  wire?: Wire;
  /** Bits a second above which the wires damage bytes: the board settles at what is not faster. */
  fastest?: number;
}

/**
 * A service whose node 2 has an iCE40-HX8K Breakout Board on an emulated FT2232H. The service takes it for a real
 * board; its fabric executes the bitstream.
 */
export class EmulatedBench {
  readonly fpga_id = 2;
  readonly client: Client;
  readonly #bench: Bench;
  readonly #dataDir: string;
  readonly #computer: EmulatedComputer;
  readonly #chip: Ft2232h;

  /** Use `start`. */
  constructor(bench: Bench, dataDir: string, computer: EmulatedComputer, chip: Ft2232h) {
    this.#bench = bench;
    this.#dataDir = dataDir;
    this.#computer = computer;
    this.#chip = chip;
    this.client = createClient({ base: bench.url });
  }

  static async start({
    built = [],
    wire = 'instant',
    fastest,
  }: EmulatedBenchOptions = {}): Promise<EmulatedBench> {
    const computer = new EmulatedComputer();
    const catalogue = loadCatalogue();
    restSoon();
    const definition = catalogue.get(EMULATED_BOARD);
    if (!definition) throw new Error(`The catalogue has no ${EMULATED_BOARD}.`);
    const dataDir = mkdtempSync(path.join(os.tmpdir(), 'wishbench-emulated-'));
    if (built.length > 0) await keepBuilt(dataDir, built, definition.id);
    const bench = await createBench({
      dataDir,
      logger: silentLogger,
      host: '127.0.0.1',
      port: 0,
      toolchain: (foundation) => realToolchain(foundation, forkWithStoredRuns),
      boards: async ({ store, logger }, slotBusy) =>
        createBoardPool({
          catalogue,
          assignments: await store.document('boards', {}, isAssignments),
          logger,
          slotBusy,
          system: { bus: computer.bus, ports: computer.serialPorts },
        }),
    });
    const { fpga, clock, serial } = definition;
    const chips = createFabric({ package: fpga.package, clock, rx: serial.rx, tx: serial.tx });
    const fabric = fastest === undefined ? chips : new NoisyWire(chips, { limit: fastest });
    const chip = new Ft2232h({ board: new Ice40Board({ fabric, jumpers: 'sram' }), serial: 'LAT001', wire });
    const emulated = new EmulatedBench(bench, dataDir, computer, chip);
    await emulated.#plug();
    return emulated;
  }

  get url(): string {
    return this.#bench.url;
  }

  async #plug(): Promise<void> {
    this.#computer.plug(PORT, this.#chip);
    while (!(await this.client.listBoards()).boards.some(({ id }) => id === 'usb:LAT001'))
      await new Promise((resolve) => setTimeout(resolve, 20));
    const body = { board: 'usb:LAT001', definition: EMULATED_BOARD };
    await this.client.assignBoard({ fpga_id: this.fpga_id, body });
  }

  /** Submits a design to the board and waits until it runs. @throws with the reason, when it does not */
  async submit({ filename, source, options = {} }: Design): Promise<string> {
    const { client, fpga_id } = this;
    const body = { ...options, file: { name: filename, contents: source } };
    const { job_id } = await client.submitDesign({ fpga_id, body });
    const job = await client.jobEnded({ fpga_id, job_id });
    if (job.status !== 'complete') throw new Error(job.failure?.message);
    return job_id;
  }

  /** Writes words over the bus of the design. @throws when the run does not complete */
  async write(address: number, data: number[]): Promise<void> {
    const { client, fpga_id } = this;
    const { job_id } = await client.runTransaction({ fpga_id, body: { op: 1, address, data } });
    const { status, failure } = await client.jobEnded({ fpga_id, job_id });
    if (status !== 'complete') throw new Error(failure?.message);
  }

  /** Pulls the plug. */
  unplug(): void {
    this.#computer.unplug(PORT);
  }

  async close(): Promise<void> {
    await this.#bench.close();
    await this.#chip.board.fabric.close();
    rmSync(this.#dataDir, { recursive: true, force: true });
  }
}
