import { readFileSync } from 'node:fs';
import type { Assignments } from '../../../server/boards/assignments.ts';
import type { BoardPool, ProgramContext } from '../../../server/boards/board.ts';
import { createBoardPool } from '../../../server/boards/board-pool.ts';
import { loadCatalogue } from '../../../server/boards/catalogue/index.ts';
import type { LineRateStore } from '../../../server/boards/line-rates.ts';
import type { OpenFpgaLoader } from '../../../server/boards/programmers/openfpgaloader.ts';
import type { Clock } from '../../../server/clock.ts';
import { silentLogger } from '../../../server/log.ts';
import { resourcePath } from '../../../server/paths.ts';
import { FakeBoard } from '../fake-board.ts';
import { FakeClock } from '../fake-clock.ts';
import { briskNow } from './brisk-clock.ts';
import { type ComputerOptions, EmulatedComputer } from './emulator/computer.ts';
import { Ft2232h, type Ft2232hOptions } from './emulator/ft2232h.ts';
import { Ice40Board } from './emulator/ice40-board.ts';
import { ModelFabric } from './emulator/model-fabric.ts';
import { memoryAssignments } from './memory-assignments.ts';

/** The base bitstream of the iCE40-HX8K Breakout Board. */
export const hx8kBitstream = () =>
  new Uint8Array(readFileSync(resourcePath('base', 'ice40-hx8k-breakout.bin')));

export const quietContext: ProgramContext = { log() {}, progress() {} };

/** A board whose FPGA is a model of the base SoC, ready to be plugged in. */
export function modelBoard(options: Partial<Ft2232hOptions> & { jumpers?: 'sram' | 'flash' } = {}) {
  const fabric = new ModelFabric();
  const board = new Ice40Board({ fabric, jumpers: options.jumpers ?? 'sram', now: briskNow });
  return { fabric, board, chip: new Ft2232h({ board, ...options }) };
}

/** The same board after its plug was pulled: a new chip in the same hardware. */
export function plugAgain(chip: Ft2232h): Ft2232h {
  return new Ft2232h({
    board: chip.board,
    vendorId: chip.vendorId,
    productId: chip.productId,
    release: chip.release,
    speed: chip.speed,
    wire: chip.wire,
    ...chip.strings,
  });
}

interface Lab {
  computer: EmulatedComputer;
  pool: BoardPool;
  /** The stored assignments. */
  kept: { readonly value: Assignments };
  clock: Clock | undefined;
}

const labs: Lab[] = [];

/** A bench's board pool on an emulated computer; `closeLabs` ends it. */
export async function lab(
  options: ComputerOptions & {
    assignments?: Assignments;
    slotBusy?: (slot: number) => boolean;
    computer?: EmulatedComputer;
    loader?: OpenFpgaLoader;
    lineRates?: LineRateStore;
  } = {},
): Promise<Lab> {
  const computer = options.computer ?? new EmulatedComputer(options);
  const assignments = memoryAssignments(options.assignments);
  const pool = await createBoardPool({
    catalogue: loadCatalogue(),
    assignments,
    logger: silentLogger,
    ...(options.clock && { clock: options.clock }),
    ...(options.lineRates && { lineRates: options.lineRates }),
    ...(options.slotBusy && { slotBusy: options.slotBusy }),
    system: {
      bus: computer.bus,
      ports: computer.serialPorts,
      ...(options.loader && { loader: options.loader }),
    },
    virtualBoard: (slot) => new FakeBoard(slot),
  });
  const made = { computer, pool, kept: assignments, clock: options.clock };
  labs.push(made);
  return made;
}

export async function closeLabs(): Promise<void> {
  await Promise.all(labs.splice(0).map(({ pool }) => pool.close()));
}

/**
 * Waits until a condition holds; the time of labs with a FakeClock passes meanwhile, 10 ms in each turn of the event
 * loop. How soon it holds is measured in the benchmark, not here.
 */
export async function eventually(condition: () => boolean, what: string): Promise<void> {
  const fakes = labs.flatMap(({ clock }) => (clock instanceof FakeClock ? [clock] : []));
  const until = performance.now() + 60_000;
  while (!condition()) {
    if (performance.now() > until) throw new Error(`Has not happened: ${what}`);
    for (const clock of fakes) clock.advance(10);
    await new Promise((resolve) => (fakes.length > 0 ? setImmediate(resolve) : setTimeout(resolve, 5)));
  }
}

/** Waits until the pool's list shows a board of that id, attached. */
export const seen = (pool: BoardPool, id: string) =>
  eventually(() => pool.list().some((board) => board.id === id && board.present), `board ${id} is listed`);
