import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { constraintsOf } from '../../server/boards/catalogue/index.ts';
import type { BoardDefinition } from '../../server/boards/definition.ts';
import {
  GATEWARE_PARAMETERS,
  GATEWARE_TOP,
  gatewareParameters,
  gatewareSources,
  noDesignSource,
} from '../../server/toolchain/build/gateware.ts';

const run = promisify(execFile);

const TOOLS = ['yosys', 'nextpnr-ice40', 'icepack'];

/**
 * The installed tools by themselves, from the sources of the base SoC to a bitstream: the speed of the machine without
 * the bench.
 */
export class NativePeer {
  readonly #folder: string;
  readonly #board: BoardDefinition;

  private constructor(folder: string, board: BoardDefinition) {
    this.#folder = folder;
    this.#board = board;
  }

  /** @returns null where a tool is not installed */
  static async open(folder: string, board: BoardDefinition): Promise<NativePeer | null> {
    if (TOOLS.some((tool) => spawnSync('which', [tool]).status !== 0)) return null;
    mkdirSync(folder);
    const sources = { ...(await gatewareSources()), ...(await noDesignSource()) };
    const script = [
      ...Object.keys(sources).map((name) => `read_verilog ${name}`),
      `synth_ice40 -device ${board.fpga.part.slice(0, 2)} -top ${GATEWARE_TOP}`,
    ];
    const files = {
      ...sources,
      [GATEWARE_PARAMETERS]: gatewareParameters(board, '0'),
      'design.pcf': constraintsOf(board),
      'build.ys': `${script.join('\n')}\n`,
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
    return new NativePeer(folder, board);
  }

  /** Builds one by one. @param name distinguishes it from parallel ones */
  async builds(name: string, count: number): Promise<void> {
    const out = path.join(this.#folder, name);
    mkdirSync(out, { recursive: true });
    const { part, package: housing } = this.#board.fpga;
    const within = { cwd: this.#folder, maxBuffer: 64 << 20 };
    const synthesis = `script build.ys; write_json ${name}/netlist.json`;
    for (let i = 0; i < count; i++) {
      await run('yosys', ['-q', '-p', synthesis], within);
      const files = ['--json', `${name}/netlist.json`, '--pcf', 'design.pcf', '--asc', `${name}/design.asc`];
      await run(
        'nextpnr-ice40',
        [`--${part}`, '--package', housing, ...files, '--timing-allow-fail'],
        within,
      );
      await run('icepack', [`${name}/design.asc`, `${name}/design.bin`], within);
    }
  }
}
