import type { Diagnostic } from '../../contract/diagnostics.ts';
import { BenchError } from '../../errors/bench-error.ts';
import { SlangOutput } from '../frontends/verilog/slang-diagnostics.ts';
import { placeSignals } from '../frontends/verilog/source-places.ts';
import { type Netlist, parseNetlist } from '../slave/netlist.ts';
import type { ToolContext, ToolEngine } from '../toolchain.ts';
import { languageOfName } from './language.ts';
import type { PreparedDesign } from './prepared-design.ts';

/** Seconds. It takes a tenth of one for most designs; who is to be refused waits for it. */
const DEADLINE = 10;

/** The design as it was read: units of this kind are in Yosys's own form. */
const DESIGN = 'wishbench_design.il';
const NETLIST = 'wishbench_design.json';

const OPTIONS = [
  // WebAssembly has no threads.
  ...['-j', '1'],
  '--single-unit',
  // What other tools accept beside the standard.
  '--allow-use-before-declare',
  '--allow-merging-ansi-ports',
  '--allow-dup-initial-drivers',
  '--allow-genblk-reference',
  '--relax-enum-conversions',
  // What is for simulations alone.
  '--ignore-timing',
  '--ignore-assertions',
  // Loops with more passes than slang's default of 4,000 are built by other tools.
  ...['--unroll-limit', '262144'],
  // Errors by default that the standard lets pass.
  ...['index-oob', 'range-oob', 'misplaced-trailing-separator', 'cannot-index-scalar'].map(
    (warning) => `-Wno-${warning}`,
  ),
  ...['--error-limit', '0'],
  ...['--diag-json', '-'],
  // Modules stay modules, so that each can be looked at by itself.
  '--best-effort-hierarchy',
];

/** Sources with names that are words of SystemVerilog. */
const VERILOG_ONLY = ['--std', '1364-2005'];

/** What came of a design. */
export interface ReadBySlang {
  /** Null where it is not read. */
  design: PreparedDesign | null;
  netlist: Netlist | null;
  diagnostics: readonly Diagnostic[];
}

/** Whether every unit is named as Verilog before SystemVerilog. */
const isPlainVerilog = ({ units, language }: PreparedDesign): boolean =>
  units.every((unit) => (languageOfName(unit) ?? language) === 'verilog');

/**
 * Reads a design in Verilog or SystemVerilog with slang.
 * @param top the module that is wanted; every one that nothing instantiates where there is none
 * @returns also what slang has to say of it; no design where it does not read it
 * @throws build_aborted, and what is not about the design
 */
export async function readBySlang(
  source: PreparedDesign,
  top: string | undefined,
  engine: ToolEngine,
  context: ToolContext,
): Promise<ReadBySlang> {
  const first = await read(source, top, [], engine, context);
  if (first.design !== null || !isPlainVerilog(source)) return first;
  const second = await read(source, top, VERILOG_ONLY, engine, context);
  return second.design === null ? first : second;
}

async function read(
  source: PreparedDesign,
  top: string | undefined,
  standard: readonly string[],
  engine: ToolEngine,
  context: ToolContext,
): Promise<ReadBySlang> {
  const options = [
    ...OPTIONS,
    ...standard,
    ...(top !== undefined && /^[A-Za-z_]\w*$/.test(top) ? ['--top', top] : []),
  ];
  const output = new SlangOutput(source.uploaded);
  const sources = { ...source.files, ...source.asWritten };
  try {
    const { files } = await engine.run({
      tool: 'yosys',
      args: ['-p', [['read_slang', ...options, ...source.units].join(' '), `write_rtlil ${DESIGN}`, `write_json ${NETLIST}`].join('; ')],
      files: sources,
      outputs: [DESIGN, NETLIST],
      deadline: DEADLINE,
      onLine: (line) => output.add(line),
      ...(context.signal && { signal: context.signal }),
    });
    const [rtlil, json] = [files[DESIGN], files[NETLIST]];
    if (!rtlil || !json) return { design: null, netlist: null, diagnostics: output.diagnostics };
    const text = placeSignals(Buffer.from(rtlil).toString(), sources);
    const { asWritten: _, edition: __, ...rest } = source;
    return {
      design: { ...rest, files: { ...source.files, [DESIGN]: text }, units: [DESIGN] },
      netlist: parseNetlist(json),
      diagnostics: output.diagnostics,
    };
  } catch (error) {
    if (!(error instanceof BenchError) || error.code === 'build_aborted') throw error;
    return { design: null, netlist: null, diagnostics: output.diagnostics };
  }
}
