import type { Diagnostic } from '../../../contract/diagnostics.ts';
import { BenchError } from '../../../errors/bench-error.ts';
import { toolchainError } from '../../../errors/toolchain.ts';
import type { ToolContext } from '../../build-request.ts';
import { errorsOf } from '../../diagnostics/findings.ts';
import type { PreparedDesign } from '../../intake/prepared-design.ts';
import { languageOfName } from '../../languages/language.ts';
import { parseNetlist } from '../../slave/netlist.ts';
import { NO_CELLS, type PartCells } from '../../slave/part-cells.ts';
import type { ToolEngine, ToolFiles } from '../../tool-engine.ts';
import { INCLUDE_FOLDER, PROJECT_FOLDER, reportedName } from '../../tool-paths.ts';
import type { Reading } from '../reading.ts';
import { tooDeep } from '../too-deep.ts';
import { withFittingFiles } from './memory-files.ts';
import { SlangOutput } from './slang-diagnostics.ts';
import { placeSignals } from './source-places.ts';

/** Seconds of one run; most take a tenth of one. */
const DEADLINE = 30;

/** A design as it was read, in Yosys's own form, and the same as JSON. */
const DESIGN = 'wishbench_design.il';
const NETLIST = 'wishbench_design.json';

/** Where a project has what it includes, which sources may name with either kind of brackets. */
const INCLUDES = [PROJECT_FOLDER, INCLUDE_FOLDER].flatMap((folder) => ['-I', folder, '--isystem', folder]);

const OPTIONS = [
  ...['-j', '1'], // WebAssembly has no threads.
  '--single-unit',
  // What other tools accept beyond the standard.
  '--allow-use-before-declare',
  '--allow-merging-ansi-ports',
  '--allow-dup-initial-drivers',
  '--allow-genblk-reference',
  '--relax-enum-conversions',
  // Yosys's own reader defines it, and sources ask for it.
  ...['-D', 'YOSYS=1'],
  // What is for simulation only; those of `translate_off` behind the usual words are known to slang.
  ...['synthesis', 'synopsys', 'pragma', 'rtl_synthesis'].flatMap((word) => [
    ...['--translate-off-format', `${word},off,on`],
  ]),
  ...['--translate-off-format', 'rtl_synthesis,translate_off,translate_on'],
  '--ignore-assertions',
  ...['--max-generate-steps', '262144'],
  ...['--max-hierarchy-depth', '250'],
  // Errors by default that the standard lets pass.
  ...['-Wno-misplaced-trailing-separator', '-Wno-cannot-index-scalar'],
  ...['-Wno-error=index-oob', '-Wno-error=range-oob'],
  ...['--error-limit', '1000', '--diag-json', '-'],
];

/**
 * Passes of all loops of a block at most. A table may have more than the first, with a bound that is constant; a loop that ends by a
 * signal, or never, takes seconds to come to either, where slang names it.
 */
const PASSES = { few: 16_384, many: 70_000 };
const MANY_PASSES = /^unroll limit/;
/** Seconds for many passes: 65,536 take eight. */
const MANY_PASSES_DEADLINE = 12;

/** Whether a design was refused for a loop that has more passes than are tried at first. */
export const hasManyPasses = ({ diagnostics }: Reading): boolean =>
  diagnostics.some(({ message }) => MANY_PASSES.test(message));

/** Delays, and events within blocks, which are for simulation only. */
const IGNORE_TIMING = '--ignore-timing';
const TIMING = /^unsynthesizable timing control/;

/** Keeps modules apart, so that each can be looked at by itself. */
const HIERARCHY = '--best-effort-hierarchy';
/** What cannot be read with modules kept apart, and may be without: one reaches into another, or has a port of a kind. */
const NEEDS_FLAT = /preserved module boundary|slang cannot read what is here/;

/** For names that are words of SystemVerilog, or of Verilog's configurations, such as `logic`, `design` and `cell`. */
const VERILOG_WORDS = ['--std', '1364-2005', '--map-keyword-version', '1364-2001-noconfig+...'];

export interface ReadOptions {
  /** The modules that are wanted; every one that nothing instantiates when absent. */
  tops?: readonly string[];
  /** Cells of the part. */
  cells?: PartCells;
  /** Takes the time for loops of very many passes. */
  manyPasses?: boolean;
}

/** What to do about a source that slang does not read in time; it has limits of its own for loops and recursion. */
const TOO_LARGE =
  'Something in the source becomes very large, such as macros, includes or instances within each other, or a memory of which a reset sets words: make it smaller. On a busy computer, submit it again.';

/** Names that can stand in a script of Yosys as they are. */
const PLAIN_NAME = /^[A-Za-z_]\w*$/;

/** Whether every unit is named as Verilog before SystemVerilog. */
const isPlainVerilog = ({ units, language }: PreparedDesign): boolean =>
  units.every((unit) => (languageOfName(unit) ?? language) === 'verilog');

/**
 * Reads a design in Verilog or SystemVerilog with slang; where slang refuses and all of it is Verilog, once more with the words of
 * Verilog 2001 alone.
 * @throws build_aborted, and what is not about the design
 */
export async function readWithSlang(
  source: PreparedDesign,
  options: ReadOptions,
  engine: ToolEngine,
  context: ToolContext,
): Promise<Reading> {
  const passes = options.manyPasses ? PASSES.many : PASSES.few;
  const run = async (more: readonly string[]) => {
    const asked = [IGNORE_TIMING, '--unroll-limit', `${passes}`, ...more];
    const slang = (files: ToolFiles) => runSlang({ ...source, files }, options, asked, engine, context);
    return withFittingFiles(await slang(source.files), source.files, slang);
  };
  const read = async (more: readonly string[]) => {
    const kept = await run([HIERARCHY, ...more]);
    const needsFlat = kept.read === null && kept.diagnostics.some(({ message }) => NEEDS_FLAT.test(message));
    return needsFlat ? run(more) : kept;
  };
  const first = await read([]);
  if (first.read !== null || hasManyPasses(first) || !isPlainVerilog(source)) return first;
  const second = await read(VERILOG_WORDS);
  return second.read !== null || reachOf(second, source) > reachOf(first, source) ? second : first;
}

/** What may be an event within a block. */
const WAITS = /(?:\bbegin|\belse|[;:)=])\s*@/;

/** Errors for the events that a design waits for within its blocks: they are ignored where it is read, as delays are. */
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
      // It is placed at the event, behind the `@` and its bracket.
      TIMING.test(message) && /@\s*\(?\s*$/.test(lines.get(file)?.[line - 1]?.slice(0, column - 1) ?? ''),
  );
}

/** How far a reader came before its first error: units before it, and lines. Who came farther understood more. */
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
    ...(Object.keys(source.files).some((path) => path.startsWith(INCLUDE_FOLDER)) ? INCLUDES : []),
    ...more,
    ...tops.filter((top) => PLAIN_NAME.test(top)).flatMap((top) => ['--top', top]),
    ...cells.libraries.flatMap((library) => ['-v', library]),
    ...cells.names.flatMap((name) => ['--blackboxed-module', name]),
    ...source.units,
  ];
  const output = new SlangOutput(source.uploaded);
  try {
    const { files } = await engine.run({
      tool: 'yosys',
      args: ['-p', [command.join(' '), `write_rtlil ${DESIGN}`, `write_json ${NETLIST}`].join('; ')],
      files: { ...source.files },
      outputs: [DESIGN, NETLIST],
      deadline: manyPasses ? MANY_PASSES_DEADLINE : DEADLINE,
      onLine: (line) => output.add(line),
      ...(context.signal && { signal: context.signal }),
    });
    const [rtlil, json] = [files[DESIGN], files[NETLIST]];
    if (!rtlil || !json) return { read: null, diagnostics: output.diagnostics };
    const placed = placeSignals(Buffer.from(rtlil).toString(), source.files, !more.includes(HIERARCHY));
    const design = { ...source, files: { ...source.files, [DESIGN]: placed }, units: [], netlists: [DESIGN] };
    return { read: { design, netlist: parseNetlist(json) }, diagnostics: output.diagnostics };
  } catch (error) {
    if (!(error instanceof BenchError)) throw error;
    const { code } = error;
    if (code === 'tool_deadline' || code === 'tool_memory')
      throw toolchainError(code, { message: error.message, remedy: TOO_LARGE, cause: error });
    if (code === 'tool_crashed') return { read: null, diagnostics: [tooDeep(source)] };
    if (code !== 'tool_failed') throw error;
    return { read: null, diagnostics: output.diagnostics, failing: output.failing };
  }
}
