import type { Diagnostic } from '../../../contract/diagnostics.ts';
import { BenchError } from '../../../errors/bench-error.ts';
import { toolchainError } from '../../../errors/toolchain.ts';
import type { ToolContext } from '../../build-request.ts';
import { errorsOf } from '../../diagnostics/findings.ts';
import { headline } from '../../diagnostics/text.ts';
import type { PreparedDesign } from '../../intake/prepared-design.ts';
import { languageOfName } from '../../languages/language.ts';
import { parseNetlist } from '../../slave/netlist.ts';
import { NO_CELLS, type PartCells } from '../../slave/part-cells.ts';
import type { ToolEngine, ToolFiles } from '../../tool-engine.ts';
import { INCLUDE_FOLDER, PROJECT_FOLDER, reportedName } from '../../tool-paths.ts';
import type { Reading } from '../reading.ts';
import { tooDeep } from '../too-deep.ts';
import { enumWidthOptions, withEnumWidths } from './enum-widths.ts';
import { oversizedArray } from './large-arrays.ts';
import { withFittingFiles } from './memory-files.ts';
import { SIGNED_TYPES, withSignedTypes } from './signed-types.ts';
import { SlangOutput } from './slang-diagnostics.ts';
import { placeSignals } from './source-places.ts';
import { WORD_MACROS, withWordMacros } from './word-macros.ts';

/** Time limit of one run, seconds; most take a tenth of one. */
const DEADLINE = 30;

/** Files of a readable design: Yosys's form, and the same as JSON. */
const DESIGN = 'wishbench_design.il';
const NETLIST = 'wishbench_design.json';

/** Include paths of a project, for both kinds of brackets. */
const INCLUDES = [PROJECT_FOLDER, INCLUDE_FOLDER].flatMap((folder) => ['-I', folder, '--isystem', folder]);

const OPTIONS = [
  ...['-j', '1'], // WebAssembly has no threads.
  '--single-unit',
  // Other tools accept these beyond the standard.
  '--allow-use-before-declare',
  '--allow-merging-ansi-ports',
  '--allow-dup-initial-drivers',
  '--allow-genblk-reference',
  // The slave's bus may be an interface: its signals become ports such as `bus.ack`.
  '--allow-toplevel-iface-ports',
  '--relax-enum-conversions',
  // Yosys's own reader defines it, and sources test it.
  ...['-D', 'YOSYS=1'],
  // Simulation only. slang itself knows `translate_off` after the usual words.
  ...['synthesis', 'synopsys', 'pragma', 'rtl_synthesis'].flatMap((word) => [
    ...['--translate-off-format', `${word},off,on`],
  ]),
  ...['--translate-off-format', 'rtl_synthesis,translate_off,translate_on'],
  '--ignore-assertions',
  ...['--max-generate-steps', '262144'],
  ...['--max-hierarchy-depth', '250'],
  // slang's default errors that the standard allows.
  ...['-Wno-misplaced-trailing-separator', '-Wno-cannot-index-scalar'],
  ...['-Wno-error=index-oob', '-Wno-error=range-oob'],
  ...['--error-limit', '1000', '--diag-json', '-'],
];

/**
 * Limits of the passes of a block's loops. A table with a constant bound may need more than `few`. A loop that ends by a
 * signal, or never, takes seconds to reach either limit.
 */
const PASSES = { few: 16_384, many: 70_000 };
const MANY_PASSES = /^unroll limit/;
/** Time limit with many passes, seconds: 65,536 take eight. */
const MANY_PASSES_DEADLINE = 12;

/** Whether slang refused a loop with more passes than `few`. */
export const hasManyPasses = ({ diagnostics }: Reading): boolean =>
  diagnostics.some(({ message }) => MANY_PASSES.test(message));

/** Whether slang gave up within a module, without naming the top: the other tops may be readable. */
export const gaveUp = ({ diagnostics }: Reading): boolean =>
  diagnostics.some(
    ({ code, message }) => code === 'build_too_large' || MANY_PASSES.test(message) || NOT_READ.test(message),
  );

/** Ignores delays, and events inside blocks: they are for simulation only. */
const IGNORE_TIMING = '--ignore-timing';
const TIMING = /^unsynthesizable timing control/;

/** Keeps modules separate, to judge each by itself. */
const HIERARCHY = '--best-effort-hierarchy';
/** SlangOutput's message for what slang does not implement. */
const NOT_READ = /^slang cannot read this construct/;
/** slang's error for a reference into another module. Like some special ports, only separate modules have it. */
const NEEDS_FLAT = /preserved module boundary/;

/** For names that are keywords of SystemVerilog or of configurations, such as `logic`, `design` and `cell`. */
const VERILOG_WORDS = ['--std', '1364-2005', '--map-keyword-version', '1364-2001-noconfig+...'];

/** Options of readWithSlang. */
export interface ReadOptions {
  /** The modules to read; when absent, every module that is not instantiated. */
  tops?: readonly string[];
  /** Cells of the part. */
  cells?: PartCells;
  /** Allows loops with very many passes, which takes longer. */
  manyPasses?: boolean;
}

/** Remedy for a source that slang cannot read in time; slang itself limits loops and recursion. */
const TOO_LARGE =
  'Something in the source becomes very large, such as nested macros, includes or instances, or a memory whose words are reset: make it smaller. On a busy computer, submit it again.';

const MANY_BRANCHES =
  'It has more branches than Yosys can translate in that time: assign fewer signals in one block, or decide in two steps, with a signal for the first one.';

/** Follows the block that Yosys is translating. */
class OpenBlock {
  #module = '';
  /** In words; empty when it is none. */
  words = '';

  read(line: string): void {
    this.#module = /^Creating decoders for process `\\([^$']+)/.exec(line)?.[1] ?? this.#module;
    const [, signal] = /^ +\d+\/\d+: \$(?:\d+\\)?(\w+)/.exec(line) ?? [];
    if (signal !== undefined) this.words = `the block of ${this.#module} that assigns ${signal}`;
    else if (line.includes(' Executing ')) this.words = '';
  }
}

/** Names that need no quotes in a script of Yosys. */
const PLAIN_NAME = /^[A-Za-z_]\w*$/;

/** Whether every unit is Verilog and none SystemVerilog, by its file name. */
const isPlainVerilog = ({ units, language }: PreparedDesign): boolean =>
  units.every((unit) => (languageOfName(unit) ?? language) === 'verilog');

/**
 * Reads a design in Verilog or SystemVerilog with slang. If slang refuses a design in plain Verilog, it reads it again
 * with the keywords of Verilog 2001 only.
 * @throws build_aborted; errors that are not about the design
 */
export async function readWithSlang(
  source: PreparedDesign,
  options: ReadOptions,
  engine: ToolEngine,
  context: ToolContext,
): Promise<Reading> {
  const passes = options.manyPasses ? PASSES.many : PASSES.few;
  const run = async (more: readonly string[]) => {
    const flags = [IGNORE_TIMING, '--unroll-limit', `${passes}`, ...more];
    return withSignedTypes(source.files, async (sources) => {
      const slang = (files: ToolFiles) => runSlang({ ...source, files }, options, flags, engine, context);
      return withFittingFiles(await slang(sources), sources, slang);
    });
  };
  const read = async (more: readonly string[]) => {
    const hierarchical = await run([HIERARCHY, ...more]);
    const needsFlat =
      hierarchical.read === null &&
      hierarchical.diagnostics.some(({ message }) => NEEDS_FLAT.test(message) || NOT_READ.test(message));
    return needsFlat ? run(more) : hierarchical;
  };
  const first = await read([]);
  if (first.read !== null || hasManyPasses(first) || !isPlainVerilog(source)) return first;
  const second = await read(VERILOG_WORDS);
  return second.read !== null || reachOf(second, source) > reachOf(first, source) ? second : first;
}

/** A possible event inside a block. */
const WAITS = /(?:\bbegin|\belse|[;:)=])\s*@/;

/** Errors for events inside blocks. The reading itself ignores them, as it ignores delays. */
export async function findWaits(
  source: PreparedDesign,
  options: ReadOptions,
  engine: ToolEngine,
  context: ToolContext,
): Promise<readonly Diagnostic[]> {
  const lines = new Map(
    source.units.map((unit) => [reportedName(unit), String(source.files[unit] ?? '').split('\n')]),
  );
  if (![...lines.values()].some((text) => WAITS.test(text.join('\n')))) return [];
  const { diagnostics } = await runSlang(source, options, [HIERARCHY], engine, context);
  return diagnostics.filter(
    ({ message, file = '', line = 0, column = 0 }) =>
      // slang places it at the event, after the `@` and its bracket.
      TIMING.test(message) && /@\s*\(?\s*$/.test(lines.get(file)?.[line - 1]?.slice(0, column - 1) ?? ''),
  );
}

/** How far a reading came before its first error: units and lines. The reading that came farther understood more. */
function reachOf({ diagnostics }: Reading, { units }: PreparedDesign): number {
  const reaches = errorsOf(diagnostics).flatMap(({ file, line = 0 }) => {
    const unit = units.findIndex((path) => reportedName(path) === file);
    return unit < 0 ? [] : [unit * 2 ** 32 + line];
  });
  return Math.min(...reaches);
}

async function runSlang(
  source: PreparedDesign,
  { tops = [], cells = NO_CELLS, manyPasses }: ReadOptions,
  more: readonly string[],
  engine: ToolEngine,
  context: ToolContext,
): Promise<Reading> {
  const command = [
    'read_slang',
    ...OPTIONS,
    ...WORD_MACROS,
    ...SIGNED_TYPES,
    ...enumWidthOptions(source.files),
    ...(Object.keys(source.files).some((path) => path.startsWith(INCLUDE_FOLDER)) ? INCLUDES : []),
    ...more,
    ...tops.filter((top) => PLAIN_NAME.test(top)).flatMap((top) => ['--top', top]),
    ...cells.libraries.flatMap((library) => ['-v', library]),
    ...cells.names.flatMap((name) => ['--blackboxed-module', name]),
    ...source.units,
  ];
  const output = new SlangOutput(source.uploaded);
  const block = new OpenBlock();
  try {
    const { files } = await engine.run({
      tool: 'yosys',
      args: ['-p', [command.join(' '), `write_rtlil ${DESIGN}`, `write_json ${NETLIST}`].join('; ')],
      files: withWordMacros(source.files),
      outputs: [DESIGN, NETLIST],
      deadline: manyPasses ? MANY_PASSES_DEADLINE : DEADLINE,
      onLine: (line) => {
        output.add(line);
        block.read(line);
      },
      ...(context.signal && { signal: context.signal }),
    });
    const [rtlil, json] = [files[DESIGN], files[NETLIST]];
    const diagnostics = withEnumWidths(output.diagnostics, source.files);
    if (!rtlil || !json) return { read: null, diagnostics };
    const placed = placeSignals(Buffer.from(rtlil).toString(), source.files, !more.includes(HIERARCHY));
    const design = { ...source, files: { ...source.files, [DESIGN]: placed }, units: [], netlists: [DESIGN] };
    return { read: { design, netlist: parseNetlist(json) }, diagnostics };
  } catch (error) {
    if (!(error instanceof BenchError)) throw error;
    const { code } = error;
    const array = oversizedArray(source);
    if (code === 'tool_deadline' && block.words !== '')
      throw toolchainError(code, {
        message: `${error.message} It was translating ${block.words}.`,
        remedy: MANY_BRANCHES,
        cause: error,
      });
    if ((code === 'tool_deadline' || code === 'tool_memory') && array)
      throw toolchainError('build_too_large', {
        message: headline(array, 1),
        diagnostics: [array],
        cause: error,
      });
    if (code === 'tool_deadline' || code === 'tool_memory')
      throw toolchainError(code, { message: error.message, remedy: TOO_LARGE, cause: error });
    if (code === 'tool_crashed') return { read: null, diagnostics: [tooDeep(source)] };
    if (code !== 'tool_failed') throw error;
    const found = withEnumWidths(output.diagnostics, source.files);
    const diagnostics = found.map((one) => (NOT_READ.test(one.message) && array) || one);
    return { read: null, diagnostics, failing: output.failing };
  }
}
