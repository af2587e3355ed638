import { type Bench, createBench } from '../../../server/bench.ts';
import { isAssignments } from '../../../server/boards/assignments.ts';
import { createBoardPool } from '../../../server/boards/board-pool.ts';
import { loadCatalogue } from '../../../server/boards/catalogue/index.ts';
import type { BoardCheck, CheckStep } from '../../../server/contract/boards/board-checks.ts';
import { type Client, createClient } from '../../../server/contract/client/client.ts';
import { silentLogger } from '../../../server/log.ts';
import { briskClock } from '../boards/brisk-clock.ts';
import { EmulatedComputer } from '../boards/emulator/computer.ts';
import type { Ft2232h } from '../boards/emulator/ft2232h.ts';
import type { Ice40Board } from '../boards/emulator/ice40-board.ts';
import type { ModelFabric } from '../boards/emulator/model-fabric.ts';
import { eventually, modelBoard } from '../boards/lab.ts';
import { FakeBoard } from '../fake-board.ts';
import { FakeToolchain } from '../fake-toolchain.ts';
import { temporaryFolder } from '../temporary.ts';
import { CheckDesignModel } from './check-design.ts';

export interface CheckBench {
  bench: Bench;
  computer: EmulatedComputer;
  toolchain: FakeToolchain;
  chip: Ft2232h;
  board: Ice40Board;
  fabric: ModelFabric;
  design: CheckDesignModel;
  folder: string;
  client(owner?: string): Client;
  /** Starts a check of slot 2 and follows it to its end. */
  check(): Promise<BoardCheck>;
  /** Follows the check of slot 2 to its end. */
  ended(): Promise<BoardCheck>;
}

const SLOT = 2;
const benches: Bench[] = [];

/** A bitstream of the fake toolchain in flash or SRAM; the identity block then shows its build. */
function takeFakeBitstreams(fabric: ModelFabric): void {
  fabric.accepts = (bytes) => {
    const text = Buffer.from(bytes.subarray(0, 68)).toString('latin1');
    if (!text.startsWith('FAKE')) return false;
    fabric.buildId = text.slice(-16);
    return bytes.length >= 2_048;
  };
}

/**
 * A bench with an iCE40-HX8K Breakout Board in slot 2, plugged into an emulated computer: the production code from the
 * HTTP request to the USB, with a model of the base SoC and the check design.
 */
export async function checkBench(
  options: { folder?: string; plugged?: boolean; permitted?: boolean } = {},
): Promise<CheckBench> {
  const folder = options.folder ?? temporaryFolder('check');
  const computer = new EmulatedComputer();
  computer.permitted = options.permitted ?? true;
  const { chip, board, fabric } = modelBoard({ serial: 'LAT001' });
  const design = new CheckDesignModel();
  fabric.design = design;
  takeFakeBitstreams(fabric);
  if (options.plugged ?? true) computer.plug('1-2', chip);
  const toolchain = new FakeToolchain();
  const bench = await createBench({
    dataDir: folder,
    logger: silentLogger,
    host: '127.0.0.1',
    port: 0,
    toolchain: async () => toolchain,
    boards: async ({ store, logger }, slotBusy) => {
      const kept = await store.document('boards', {}, isAssignments);
      await kept.write({ [SLOT]: { board: 'usb:LAT001', definition: 'ice40-hx8k-breakout' } });
      return createBoardPool({
        catalogue: loadCatalogue(),
        assignments: kept,
        logger,
        slotBusy,
        clock: briskClock,
        system: { bus: computer.bus, ports: computer.serialPorts },
        virtualBoard: (slot) => new FakeBoard(slot),
      });
    },
  });
  benches.push(bench);
  const client = (owner = 'alice') =>
    createClient({ base: bench.url, headers: () => ({ 'x-api-key': owner }) });
  const ended = async () => {
    for (;;) {
      const check = await client().getBoardCheck({ fpga_id: SLOT });
      if (check && check.state !== 'running') return check;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  if (options.plugged ?? true)
    await eventually(() => bench.pool.node(SLOT).board.present, 'the board is present');
  return {
    bench,
    computer,
    toolchain,
    chip,
    board,
    fabric,
    design,
    folder,
    client,
    ended,
    async check() {
      await client().startBoardCheck({ fpga_id: SLOT });
      return ended();
    },
  };
}

/** Ends the benches of a test. */
export async function closeBenches(): Promise<void> {
  for (const bench of benches.splice(0)) await bench.close();
}

/** Name of a step → its result, with its rate for the line rates. */
export const states = ({ steps }: BoardCheck): Record<string, CheckStep['state']> =>
  Object.fromEntries(steps.map(({ step, baud, state }) => [baud ? `${step} ${baud}` : step, state]));

/** The one step that failed. */
export function failedStep({ steps }: BoardCheck): { step: string; error: string | undefined } | null {
  const failed = steps.find(({ state }) => state === 'failed');
  return failed ? { step: failed.step, error: failed.failure?.error } : null;
}
