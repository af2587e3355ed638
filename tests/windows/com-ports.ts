import { createBoardPool } from '../../server/boards/board-pool.ts';
import { loadCatalogue } from '../../server/boards/catalogue/index.ts';
import { nativeSerialPorts } from '../../server/boards/discovery/serial-ports.ts';
import { silentLogger } from '../../server/log.ts';
import { EmulatedComputer } from '../support/boards/emulator/computer.ts';
import { modelBoard, plugAgain } from '../support/boards/lab.ts';
import { memoryAssignments } from '../support/boards/memory-assignments.ts';
import { FakeBoard } from '../support/fake-board.ts';

/**
 * Runs on Windows: `node run.mjs script tests/windows/com-ports.ts SERIAL…`. Emulated boards are on
 * the USB; their serial ports are those of Windows, with its listing and its driver. Prints a line of JSON for each step.
 */

const WORDS = Uint32Array.from({ length: 300 }, (_, at) => (at * 2_654_435_761) >>> 0);

/** Outcome of work that may fail: its result, or the code of its error. */
const outcomeOf = (work: Promise<unknown>) =>
  work.then(
    (result) => result,
    (error: { code?: string }) => error.code ?? String(error),
  );

export default async function comPorts(args: string[]): Promise<number> {
  const boards = args.map((serial, at) => ({ serial, place: `1-${at + 1}`, ...modelBoard({ serial }) }));
  const print = (step: string, value: unknown) =>
    process.stdout.write(`${JSON.stringify({ step, value })}\n`);
  const ports = nativeSerialPorts();
  print('listed', await ports.list());

  const computer = new EmulatedComputer({ system: 'windows' });
  for (const { place, chip } of boards) computer.plug(place, chip);
  const pool = await createBoardPool({
    catalogue: loadCatalogue(),
    assignments: memoryAssignments(),
    logger: silentLogger,
    system: { bus: computer.bus, ports },
    virtualBoard: (slot) => new FakeBoard(slot),
  });
  const echoes = async (slot: number) => {
    const link = await pool.board(slot).openLink();
    try {
      await link.write(0, WORDS);
      const read = await link.read(0, WORDS.length);
      return { same: read.ok && WORDS.every((word, at) => read.data[at] === word), rate: link.lineRate };
    } finally {
      await link.close();
    }
  };
  const seen = (wanted: number) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (pool.list().filter(({ id, present }) => id.startsWith('usb:') && present).length === wanted)
          resolve();
        else setTimeout(look, 50);
      };
      look();
    });
  try {
    await seen(boards.length);
    for (const [slot, { serial }] of boards.entries()) {
      await pool.assign(slot, `usb:${serial}`, { definition: 'ice40-hx8k-breakout' });
      print('runs', await outcomeOf(echoes(slot)));
    }
    const [first] = boards;
    if (!first) return 0;
    computer.unplug(first.place);
    await seen(boards.length - 1);
    print('unplugged', await outcomeOf(echoes(0)));
    computer.plug(first.place, plugAgain(first.chip));
    await seen(boards.length);
    print('replugged', await outcomeOf(echoes(0)));
  } finally {
    await pool.close();
  }
  return 0;
}
