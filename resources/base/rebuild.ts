// Rebuilds the base bitstreams: `node run.mjs script resources/base/rebuild.ts [board…]`.
import { writeFileSync } from 'node:fs';
import { runIcepack, runNextpnrIce40 } from '@yowasp/nextpnr-ice40';
import { runYosys } from '@yowasp/yosys';
import { constraintsOf, loadCatalogue } from '../../server/boards/catalogue/index.ts';
import type { BoardDefinition } from '../../server/boards/definition.ts';
import { resourcePath } from '../../server/paths.ts';
import {
  GATEWARE_PARAMETERS,
  GATEWARE_TOP,
  gatewareParameters,
  gatewareSources,
  noDesignSource,
} from '../../server/toolchain/gateware.ts';

type Tree = Record<string, unknown>;

/** Runs one tool; what it says is kept back and becomes part of the error when it fails. */
async function runTool(run: typeof runYosys, args: string[], files: Tree): Promise<Tree> {
  const said: string[] = [];
  const keep = (bytes: Uint8Array | null) => {
    if (bytes) said.push(Buffer.from(bytes).toString());
  };
  try {
    return (await run(args, files as never, { stdout: keep, stderr: keep })) as Tree;
  } catch (cause) {
    throw new Error(`${args.join(' ')}\n${said.join('')}`, { cause });
  }
}

/** The boards that have a base bitstream in this folder: those the embedded toolchain can build for. */
export const basedBoards = (): BoardDefinition[] =>
  loadCatalogue().boards.filter((board) => board.fpga.family === 'ice40');

/**
 * The bitstream without a user design for one iCE40 board. Same sources and same tools give the same bytes.
 */
export async function buildBase(board: BoardDefinition): Promise<Uint8Array> {
  const sources = { ...(await gatewareSources()), ...(await noDesignSource()) };
  const synthesised = await runTool(
    runYosys,
    [
      '-q',
      '-p',
      `read_verilog ${Object.keys(sources).join(' ')}; synth_ice40 -top ${GATEWARE_TOP} -json base.json`,
    ],
    { ...sources, [GATEWARE_PARAMETERS]: gatewareParameters(board, '0') },
  );
  const routed = await runTool(
    runNextpnrIce40,
    [
      `--${board.fpga.part}`,
      ...['--package', board.fpga.package, '--seed', '1', '--freq', String(board.clock.hz / 1e6)],
      ...['--json', 'base.json', '--pcf', 'base.pcf', '--asc', 'base.asc'],
    ],
    { 'base.json': synthesised['base.json'], 'base.pcf': constraintsOf(board) },
  );
  const packed = await runTool(runIcepack, ['base.asc', 'base.bin'], { 'base.asc': routed['base.asc'] });
  return packed['base.bin'] as Uint8Array;
}

export default async function rebuild(names: string[]): Promise<void> {
  for (const board of basedBoards()) {
    if (names.length > 0 && !names.includes(board.id)) continue;
    const bitstream = await buildBase(board);
    writeFileSync(resourcePath('base', `${board.id}.bin`), bitstream);
    process.stdout.write(`${board.id}: ${bitstream.length} bytes\n`);
  }
}
