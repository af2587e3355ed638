// Rebuilds the base bitstreams and what of the base SoC is synthesised ahead: `npm run build`, then `node run.mjs script resources/base/rebuild.ts [board…]`.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { constraintsOf, loadCatalogue } from '../../server/boards/catalogue/index.ts';
import type { BoardDefinition } from '../../server/boards/definition.ts';
import { systemClock } from '../../server/clock.ts';
import { DEFAULT_SETTINGS } from '../../server/contract/settings.ts';
import { createLogger } from '../../server/log.ts';
import { resourcePath } from '../../server/paths.ts';
import { gatesFile, makeBaseGates } from '../../server/toolchain/build/ahead/base-gates.ts';
import { createEmbeddedEngine } from '../../server/toolchain/engines/embedded/embedded-engine.ts';
import { familyOf } from '../../server/toolchain/families/index.ts';
import { GATEWARE_PARAMETERS, gatewareHash, gatewareParameters, noDesignSource } from '../../server/toolchain/build/gateware.ts';
import { buildBaseSoc } from '../../server/toolchain/build/run-build.ts';
import { DEFAULT_DEADLINES } from '../../server/toolchain/build/stage-context.ts';
import type { ToolEngine } from '../../server/toolchain/tool-engine.ts';

/** The boards that have a base bitstream and gates in this folder: those that the embedded tools build for. */
export const basedBoards = (): BoardDefinition[] =>
  loadCatalogue().boards.filter((board) => board.fpga.family === 'ice40');

/** Board → SHA-256 of everything of ours that its base bitstream is built from. */
const BUILT_FROM = 'built-from.json';

export const builtFrom = (): Record<string, string> =>
  JSON.parse(readFileSync(resourcePath('base', BUILT_FROM), 'utf8')) as Record<string, string>;

/** What BUILT_FROM says of a bitstream that is not out of date. */
export async function sourcesOf(board: BoardDefinition): Promise<string> {
  const parts = {
    gateware: await gatewareHash(),
    ...(await noDesignSource()),
    [GATEWARE_PARAMETERS]: gatewareParameters(board, '0'),
    constraints: constraintsOf(board),
    part: board.fpga,
  };
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** What gatesFile() is to hold: what designs are joined with. */
export const buildGates = async (board: BoardDefinition, engine: ToolEngine): Promise<Uint8Array> =>
  makeBaseGates({
    board,
    family: familyOf(board),
    engine,
    versions: await engine.versions(),
    deadline: DEFAULT_DEADLINES.synthesis,
    context: { log: () => {}, progress: () => {} },
  });

interface Built {
  board: BoardDefinition;
  bitstream: Uint8Array;
  gates: Uint8Array;
  seconds: number;
}

/**
 * The bitstreams without a user design, by the embedded tools and the steps of every other build, and the gates. Same sources and
 * same tools give the same bytes.
 */
async function* buildBases(boards: Iterable<BoardDefinition>): AsyncGenerator<Built> {
  const engine = createEmbeddedEngine({
    logger: createLogger('warn'),
    clock: systemClock,
    memoryLimit: DEFAULT_SETTINGS.toolchain.memory_bytes,
  });
  try {
    for (const board of boards) {
      const start = systemClock.monotonic();
      const context = { log: () => {}, progress: () => {} };
      const constraints = constraintsOf(board);
      const bitstream = await buildBaseSoc({
        board,
        constraints,
        engine,
        deadlines: DEFAULT_DEADLINES,
        context,
        clock: systemClock,
      });
      const gates = await buildGates(board, engine);
      yield { board, bitstream, gates, seconds: (systemClock.monotonic() - start) / 1000 };
    }
  } finally {
    await engine.close();
  }
}

export default async function rebuild(names: string[]): Promise<void> {
  const wanted = basedBoards().filter(({ id }) => names.length === 0 || names.includes(id));
  const from = names.length === 0 ? {} : builtFrom();
  for await (const { board, bitstream, gates, seconds } of buildBases(wanted)) {
    writeFileSync(resourcePath('base', `${board.id}.bin`), bitstream);
    writeFileSync(gatesFile(board), gates);
    from[board.id] = await sourcesOf(board);
    process.stdout.write(`${board.id}: ${bitstream.length} bytes in ${seconds.toFixed(1)} s\n`);
  }
  writeFileSync(resourcePath('base', BUILT_FROM), `${JSON.stringify(from, null, 2)}\n`);
}
