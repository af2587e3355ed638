// Builds the base bitstreams and the base gates: `npm run generate -- base`.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { constraintsOf, loadCatalogue } from '../../server/boards/catalogue/index.ts';
import type { BoardDefinition } from '../../server/boards/definition.ts';
import { systemClock } from '../../server/clock.ts';
import { DEFAULT_SETTINGS } from '../../server/contract/bench/settings.ts';
import { createLogger } from '../../server/log.ts';
import { resourcePath } from '../../server/paths.ts';
import { gatesFile, makeBaseGates } from '../../server/toolchain/build/ahead/base-gates.ts';
import { createEmbeddedEngine } from '../../server/toolchain/engines/embedded/embedded-engine.ts';
import { embeddedVersion } from '../../server/toolchain/engines/embedded/tool-packages.ts';
import { familyOf } from '../../server/toolchain/families/index.ts';
import { GATEWARE_PARAMETERS, gatewareHash, gatewareParameters, noDesignSource } from '../../server/toolchain/build/gateware.ts';
import { buildBaseSoc } from '../../server/toolchain/build/run-build.ts';
import type { ToolEngine } from '../../server/toolchain/tool-engine.ts';

/** The boards with a base bitstream and base gates here: those that the embedded tools build for. */
export const basedBoards = (): BoardDefinition[] =>
  loadCatalogue().boards.filter((board) => board.fpga.family === 'ice40');

/** SHA-256 of all inputs of a board's base bitstream and gates, by board. */
const BUILT_FROM = 'built-from.json';

export const builtFrom = (): Record<string, string> =>
  JSON.parse(readFileSync(resourcePath('base', BUILT_FROM), 'utf8')) as Record<string, string>;

async function sourcesOf(board: BoardDefinition): Promise<string> {
  const parts = {
    gateware: await gatewareHash(),
    ...(await noDesignSource()),
    [GATEWARE_PARAMETERS]: gatewareParameters(board, '0'),
    constraints: constraintsOf(board),
    part: board.fpga,
    tools: [embeddedVersion('yosys'), embeddedVersion('nextpnr-ice40')],
  };
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** Builds the contents of gatesFile(). */
export const buildGates = async (board: BoardDefinition, engine: ToolEngine): Promise<Uint8Array> =>
  makeBaseGates({
    board,
    family: familyOf(board),
    engine,
    versions: await engine.versions(),
    deadline: DEFAULT_SETTINGS.toolchain.stage_deadline_seconds,
    context: { log: () => {}, progress: () => {} },
  });

interface Built {
  board: BoardDefinition;
  bitstream: Uint8Array;
  gates: Uint8Array;
  seconds: number;
}

/**
 * Builds the base bitstreams, with the embedded tools and the stages of every build, and the base gates. The same sources
 * and tools give the same bytes.
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
        stageDeadline: DEFAULT_SETTINGS.toolchain.stage_deadline_seconds,
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

/** Contents of BUILT_FROM when nothing is out of date. */
export const currentSources = async (): Promise<Record<string, string>> =>
  Object.fromEntries(
    await Promise.all(basedBoards().map(async (board) => [board.id, await sourcesOf(board)] as const)),
  );

/** Rebuilds the boards whose sources or tools have changed. */
export default async function rebuildBases(): Promise<void> {
  const sources = await currentSources();
  const before = builtFrom();
  const stale = basedBoards().filter(({ id }) => before[id] !== sources[id]);
  for await (const { board, bitstream, gates, seconds } of buildBases(stale)) {
    writeFileSync(resourcePath('base', `${board.id}.bin`), bitstream);
    writeFileSync(gatesFile(board), gates);
    process.stdout.write(`${board.id}: ${bitstream.length} bytes in ${seconds.toFixed(1)} s\n`);
  }
  writeFileSync(resourcePath('base', BUILT_FROM), `${JSON.stringify(sources, null, 2)}\n`);
}
