import { readFileSync } from 'node:fs';
import type { BoardPool, ProgramContext } from '../../../server/boards/board.ts';
import { createBoardPool } from '../../../server/boards/board-pool.ts';
import { loadCatalogue } from '../../../server/boards/catalogue/index.ts';
import type { ProgrammingMode } from '../../../server/boards/definition.ts';
import { BenchError } from '../../../server/errors/bench-error.ts';
import { silentLogger } from '../../../server/log.ts';
import { memoryAssignments } from '../../support/boards/memory-assignments.ts';
import { FakeBoard } from '../../support/fake-board.ts';

/**
 * Runs in the guest: `board-tool link|program BOARD DEFINITION MODE [BITSTREAM]` accesses a board as the service does,
 * without the service. It is for boards whose flash another program has written, or for which no tool can build a
 * design, so that no job can. Prints one line of JSON: the design's identity and whether 256 words came back as
 * written, or the error.
 */

const WORDS = Uint32Array.from({ length: 256 }, (_, at) => (at * 2_654_435_761) >>> 0);
/** Milliseconds that udev and the kernel have to bring a board up. */
const ARRIVAL = 30_000;

async function present(pool: BoardPool): Promise<void> {
  if (pool.board(0).view.present) return;
  await new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('The board has not come.')), ARRIVAL);
    const stop = pool.onChange(({ slot, present }) => {
      if (slot !== 0 || !present) return;
      clearTimeout(late);
      stop();
      resolve();
    });
  });
}

async function speak(pool: BoardPool) {
  const link = await pool.board(0).openLink();
  const identity = await link.identity();
  const written = await link.write(0, WORDS);
  const read = await link.read(0, WORDS.length);
  await link.close();
  const same = written.ok && read.ok && Buffer.compare(Buffer.from(read.data), Buffer.from(WORDS)) === 0;
  return { identity, same };
}

const [what, board = '', definition = '', mode, file = ''] = process.argv.slice(2);
const log: string[] = [];
const context: ProgramContext = { log: (line) => log.push(line), progress() {} };
const pool = await createBoardPool({
  catalogue: loadCatalogue(),
  assignments: memoryAssignments({ 0: { board, definition, mode: mode as ProgrammingMode } }),
  logger: silentLogger,
  virtualBoard: (slot) => new FakeBoard(slot),
});
try {
  await present(pool);
  if (what === 'program') await pool.board(0).program(new Uint8Array(readFileSync(file)), context);
  process.stdout.write(`${JSON.stringify({ ...(await speak(pool)), log })}\n`);
} catch (error) {
  const code = error instanceof BenchError ? error.code : null;
  process.stdout.write(`${JSON.stringify({ code, message: String(error), log })}\n`);
}
await pool.close();
process.exit();
