import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import type { BoardDefinition } from '../../../boards/definition.ts';
import { toolchainError } from '../../../errors/toolchain.ts';
import { resourcePath } from '../../../paths.ts';
import type { ToolContext } from '../../build-request.ts';
import { BASE_GATES, type Family, PART_CELLS } from '../../families/family.ts';
import type { ToolEngine, ToolFiles } from '../../tool-engine.ts';
import {
  GATEWARE_PARAMETERS,
  GATEWARE_TOP,
  gatewareParameters,
  gatewareSources,
  noDesignSource,
  shortBuildId,
} from '../gateware.ts';
import { aheadName, asBlackBox, asModule, derivedModules } from './rtlil-modules.ts';

/** Placeholder for the build id in the gates. It is random, so that nothing else equals it. */
const NO_BUILD = '9d3f61c8a7e2540b';

/** Limit of a board's gates, bytes; those of an HX8K have 0.4 MB. */
const MAX_BYTES = 16 * 2 ** 20;

/**
 * Modules of the base SoC that no design changes, with their source files. The rest is small and differs from build to
 * build: the port block, the capture core, LEDs and bound ports.
 */
const AHEAD: Readonly<Record<string, readonly string[]>> = {
  wishbench_uart_rx: ['wishbench_uart_rx.v'],
  wishbench_fifo: ['wishbench_fifo.v'],
  wishbench_bridge: ['wishbench_bridge.v', 'wishbench_constants.v'],
};

const MODULES = Object.keys(AHEAD);
const SOURCES = new Set(Object.values(AHEAD).flat());

/** Black boxes that stand for the modules until the design is gates, too. */
const BLACK_BOXES = 'wishbench_boxes.il';

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

/** File of a board's base gates: RTLIL in brotli, after a line with the digest of its inputs. */
export const gatesFile = ({ id }: Pick<BoardDefinition, 'id'>): string => resourcePath('base', `${id}.il.br`);

/** Inputs of a board's base gates. */
export interface AheadInputs {
  board: BoardDefinition;
  family: Family;
  /** By tool. */
  versions: Readonly<Record<string, string>>;
}

interface Synthesis {
  files: ToolFiles;
  script: string[];
  /** SHA-256 of everything that the gates depend on. */
  madeFrom: string;
}

/** Inputs of the gates' synthesis; null for a family without base gates. */
async function synthesisOf({ board, family, versions }: AheadInputs): Promise<Synthesis | null> {
  if (family.ahead === null) return null;
  const [gateware, noDesign] = await Promise.all([gatewareSources(), noDesignSource()]);
  const script = [
    ...family.ahead.cells(board),
    'design -reset',
    ...Object.keys(noDesign).map((name) => `read_verilog -lib ${name}`),
    ...Object.keys(gateware).map((name) => `read_verilog ${name}`),
    ...family.ahead.synthesis(board, GATEWARE_TOP, MODULES),
  ];
  const files = {
    ...gateware,
    ...noDesign,
    ...family.synthesisFiles,
    [GATEWARE_PARAMETERS]: gatewareParameters(board, NO_BUILD),
  };
  const inputs = JSON.stringify([files, script, 'embedded', versions['yosys'] ?? null]);
  return { files, script, madeFrom: createHash('sha256').update(inputs).digest('hex') };
}

/**
 * Synthesises the base gates of a board for resources/base.
 * @throws the engine's errors; tool_failed when nothing was written
 */
export async function makeBaseGates(
  inputs: AheadInputs & { engine: ToolEngine; deadline: number; context: ToolContext },
): Promise<Uint8Array> {
  const synthesis = await synthesisOf(inputs);
  if (synthesis === null) throw new Error(`The family of ${inputs.board.id} has no base gates.`);
  const { files, script, madeFrom } = synthesis;
  const { context } = inputs;
  const result = await inputs.engine.run({
    tool: 'yosys',
    args: ['-s', 'ahead.ys'],
    files: { ...files, 'ahead.ys': `${script.join('\n')}\n` },
    outputs: [BASE_GATES, PART_CELLS],
    deadline: inputs.deadline,
    onLine: (line) => context.log('synthesis', line),
    ...(context.signal && { signal: context.signal }),
  });
  const modules = derivedModules(Buffer.from(result.files[BASE_GATES] ?? []).toString()).filter(({ name }) =>
    MODULES.includes(name),
  );
  const cells = Buffer.from(result.files[PART_CELLS] ?? []).toString();
  if (modules.length !== MODULES.length || cells === '')
    throw toolchainError('tool_failed', {
      message: 'Yosys did not write the gates of the base SoC or the cells of the part.',
    });
  const text = [
    `# ${madeFrom}`,
    ...modules.map(({ name, parameters }) => `# ${name} ${parameters.join(' ')}`),
    `${modules.map(asBlackBox).join('')}# gates`,
    `${modules.map(asModule).join('')}# cells`,
    cells,
  ].join('\n');
  return compress(text, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: text.length } });
}

/** The base SoC for one build. */
export interface BaseSources {
  files: ToolFiles;
  /** Yosys commands that read it. */
  read: string[];
  /** Commands that insert the base gates: SynthesisSteps.atGates. */
  atGates: string[];
  /** The files include PART_CELLS. */
  cells: boolean;
}

/**
 * The base SoC for a build, with base gates under the build's id and the rest as sources.
 *
 * @param sources the base SoC's sources for this build, in reading order
 * @returns null when the board has no gates, or gates of other sources, parameters or tools: then the base SoC must be
 *   synthesised together with the design
 */
export async function baseAhead(
  inputs: AheadInputs,
  buildId: string,
  sources: Readonly<Record<string, string>>,
): Promise<BaseSources | null> {
  const { board, family } = inputs;
  const file = gatesFile(board);
  if (family.ahead === null || !existsSync(file)) return null;
  const synthesis = await synthesisOf(inputs);
  const kept = (await decompress(await readFile(file), { maxOutputLength: MAX_BYTES })).toString();
  if (synthesis === null || !kept.startsWith(`# ${synthesis.madeFrom}\n`)) return null;
  const [boxes = '', gates = '', cells = ''] = kept.split(/^# (?:gates|cells)\n/m);
  const rest = leftOf(sources);
  return {
    files: {
      ...Object.fromEntries(rest),
      [BLACK_BOXES]: boxes,
      [BASE_GATES]: family.ahead.replaceBuildId(gates, NO_BUILD, shortBuildId(buildId)),
      [PART_CELLS]: cells,
    },
    cells: true,
    read: [
      `read_rtlil ${BLACK_BOXES}`,
      ...rest.map(([name]) => `read_verilog ${name}`),
      ...[...boxes.matchAll(/^# (wishbench_\w+) (.+)$/gm)].flatMap(([, module = '', parameters = '']) => {
        const instances = `${GATEWARE_TOP}/t:${module}`;
        // The gates have these parameters already.
        const unset = parameters.split(' ').map((name) => `-unset ${name}`);
        return [`setparam ${unset.join(' ')} ${instances}`, `chtype -set ${aheadName(module)} ${instances}`];
      }),
    ],
    atGates: [
      `delete ${MODULES.map((name) => `=${aheadName(name)}`).join(' ')}`,
      `read_rtlil ${BASE_GATES}`,
      `hierarchy -top ${GATEWARE_TOP}`,
      'flatten',
      // Simplifies what a design leaves constant, and its flip-flops. The gates themselves are optimised already.
      'opt_expr',
      'opt_dff',
    ],
  };
}

/** The sources that a build still reads, including those of modules that another module instantiates. */
function leftOf(sources: Readonly<Record<string, string>>): [name: string, text: string][] {
  const all = Object.entries(sources);
  const others = all.filter(([name]) => !SOURCES.has(name) && name !== `${GATEWARE_TOP}.v`);
  const inUse = Object.entries(AHEAD).filter(([module]) => others.some(([, text]) => text.includes(module)));
  const needed = new Set(inUse.flatMap(([, files]) => files));
  return all.filter(([name]) => !SOURCES.has(name) || needed.has(name));
}

/** Hashes by path, valid until the file is written again. */
const hashes = new Map<string, { written: number; hash: Promise<string> }>();

/** SHA-256 of a board's base gates for the build id; null when there are none. */
export async function baseGatesHash(board: Pick<BoardDefinition, 'id'>): Promise<string | null> {
  const file = gatesFile(board);
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) return null;
  const known = hashes.get(file);
  if (known?.written === found.mtimeMs) return known.hash;
  const hash = readFile(file).then((bytes) => createHash('sha256').update(bytes).digest('hex'));
  hashes.set(file, { written: found.mtimeMs, hash });
  hash.catch(() => hashes.delete(file));
  return hash;
}
