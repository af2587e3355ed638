import type { Diagnostic } from '../../contract/diagnostics.ts';
import { BenchError } from '../../errors/bench-error.ts';
import { errorsOf, Findings, withFindings } from '../diagnostics/findings.ts';
import { toolMessage } from '../diagnostics/tool-message.ts';
import type { ToolContext, ToolEngine } from '../toolchain.ts';
import type { PreparedSource } from './source.ts';

/** Seconds; elaboration of a sensible design takes a fraction of one. */
const SCAN_DEADLINE = 30;

const OUTPUT = 'scan.il';

/** The command by which Yosys reads a prepared Verilog source. */
export const readCommand = (source: PreparedSource): string =>
  `read_verilog ${source.language === 'systemverilog' ? '-sv ' : ''}${source.filename}`;

/**
 * The Yosys script of the scan. Every module is elaborated with the default values of its parameters, and the
 * netlist is written as it is: no process is converted, no memory expanded, so that the time is that of reading.
 * @param keepMemories leave memories alone even where Yosys would make registers of them while it reads: minutes,
 *   for a large one with a reset. Designs that assign an array inside a combinational process need them made.
 */
const scanScript = (source: PreparedSource, keepMemories = true): string =>
  `${readCommand(source).replace('read_verilog', keepMemories ? 'read_verilog -nomem2reg' : '$&')}; write_rtlil ${OUTPUT}`;

/** What Yosys says of an array that it would have to make registers of. */
const NEEDS_REGISTERS = /does map to an unexpanded memory/;

export interface Reading {
  /** Null when the source could not be read. */
  rtlil: Uint8Array | null;
  diagnostics: readonly Diagnostic[];
}

/** Runs Yosys on the source, and once more with the other edition of the language when that fails. */
export async function elaborate(
  source: PreparedSource,
  engine: ToolEngine,
  context: ToolContext,
): Promise<Reading & { source: PreparedSource }> {
  const first = await readOnce(source, engine, context);
  if (first.rtlil !== null || source.language === 'vhdl' || source.language === 'amaranth')
    return { source, ...first };
  // Verilog 2001 may use words of SystemVerilog as names; and many .v files hold SystemVerilog.
  const other: PreparedSource = {
    ...source,
    language: source.language === 'verilog' ? 'systemverilog' : 'verilog',
  };
  const second = await readOnce(other, engine, context);
  if (second.rtlil !== null) {
    context.log(
      'scan',
      `note: read as ${other.language === 'verilog' ? 'Verilog 2005' : 'SystemVerilog'}, not as the file name says`,
    );
    return { source: other, ...second };
  }
  // Whichever edition came farther understood more of the file: its message is the telling one.
  const reach = ({ diagnostics }: Reading) => errorsOf(diagnostics)[0]?.line ?? 0;
  return reach(second) > reach(first) ? { source: other, ...second } : { source, ...first };
}

async function readOnce(
  source: PreparedSource,
  engine: ToolEngine,
  context: ToolContext,
  keepMemories = true,
): Promise<Reading> {
  const findings = new Findings();
  try {
    const { files } = await engine.run({
      tool: 'yosys',
      args: ['-q', '-p', scanScript(source, keepMemories)],
      files: { [source.filename]: source.text },
      outputs: [OUTPUT],
      deadline: SCAN_DEADLINE,
      onLine(line) {
        const finding = toolMessage(line, 'yosys', source.filename);
        if (finding !== null) findings.add(finding);
      },
      ...(context.signal && { signal: context.signal }),
    });
    const rtlil = files[OUTPUT];
    if (rtlil !== undefined) return { rtlil, diagnostics: findings.all };
  } catch (error) {
    if (!(error instanceof BenchError) || error.code !== 'tool_failed')
      throw withFindings(error, findings.all);
  }
  if (keepMemories && findings.all.some(({ message }) => NEEDS_REGISTERS.test(message)))
    return readOnce(source, engine, context, false);
  if (errorsOf(findings.all).length === 0)
    findings.add({
      severity: 'error',
      code: 'yosys_error',
      file: source.filename,
      message: 'Yosys could not read it',
    });
  return { rtlil: null, diagnostics: findings.all };
}
