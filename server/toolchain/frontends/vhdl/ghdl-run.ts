import type { Clock } from '../../../clock.ts';
import type { Diagnostic } from '../../../contract/diagnostics.ts';
import type { BenchError } from '../../../errors/bench-error.ts';
import { toolchainError } from '../../../errors/toolchain.ts';
import type { ToolContext } from '../../build-request.ts';
import { causeFirst, errorsOf, type Findings, withFindings } from '../../diagnostics/findings.ts';
import { diagnosticLine, headline, placed } from '../../diagnostics/text.ts';
import { toolMessage } from '../../diagnostics/tool-message.ts';
import { installationOf } from '../../engines/executables.ts';
import { environmentIn, requireExit, runTool } from '../../engines/run-tool.ts';
import type { Sandbox } from '../../engines/sandbox/bubblewrap.ts';
import type { PreparedDesign } from '../../intake/prepared-design.ts';
import { reportedName } from '../../tool-paths.ts';
import { tooDeep } from '../too-deep.ts';
import { vhdlInPlainWords, vhdlWarning } from './hints.ts';
import { isBoundThere, ofOtherLanguage } from './two-languages.ts';

/** An installed GHDL. */
export interface Ghdl {
  path: string;
  version: string;
}

const DEADLINE = 60;
export const MEMORY = 2 ** 30;
/** Limit of GHDL's output, bytes; sensible designs stay far below. */
const MAX_OUTPUT = 256 * 2 ** 20;

/**
 * Options for older sources: Synopsys's packages in the library `ieee`, and rules of VHDL-93 such as unprotected
 * shared variables.
 */
const LENIENT = ['-fsynopsys', '-frelaxed'];

/** GHDL's message when its stack is exhausted. */
const OUT_OF_STACK = /\bSTORAGE_ERROR\b/;

/**
 * Runs a command through `cat`, and exits with the command's status. GHDL writes each name with a call of its own,
 * hundreds of thousands of them. Into a pipe that costs a fifth of writing into the socket that Node gives a child.
 */
const THROUGH_PIPE = 'exec 3>&1; status=$( { { "$@" 3>&-; echo $? >&4; } | cat >&3; } 4>&1 ); exit "$status"';

/** Remarks without use: attributes for other tools, and the origin of an earlier warning. */
const NOISE =
  /^(?:unhandled attribute |attribute "[^"]+" for .+ is not kept in the netlist|\(in default configuration of )/;

/** GHDL's line after the message of an assertion. */
const ASSERTION_FAILED = /^error due to assertion failure$/;

/** GHDL's message for a bug of its own. */
const OWN_DEFECT = /\bGHDL Bug occurred\b/;

/** GHDL reported a bug of its own. Its message is GHDL's output. */
export class GhdlDefect extends Error {}

/** What a run of GHDL needs. */
export interface GhdlHost {
  ghdl: Ghdl;
  /** Null: GHDL runs as the service's user. */
  sandbox: Sandbox | null;
  clock: Clock;
}

/** Parameters of one run of GHDL. */
export interface Translation extends GhdlHost {
  folder: string;
  source: PreparedDesign;
  /** Text of each unit as GHDL reads it. */
  texts: readonly string[];
  /** The top; undefined for the entity that no other one contains. */
  entity: string | undefined;
  context: ToolContext;
  /** Diagnostics of all runs together. */
  findings: Findings;
}

/**
 * Runs GHDL once.
 * @returns its output, as ISO 8859-1
 * @param format `dump`: the netlist of `--out=raw` with each gate separate, and with places
 * @param memories false: GHDL makes registers of all memories, and names each statement that it executes
 * @throws design_invalid with diagnostics; GhdlDefect; tool_deadline, tool_memory, tool_crashed, build_aborted
 */
export async function runGhdl(
  { ghdl, sandbox, clock, folder, source, texts, entity, context, findings }: Translation,
  format: 'dump' | 'verilog',
  memories = true,
): Promise<string> {
  const args = [
    '--synth',
    '--std=08',
    // Assertions are for simulation, and Yosys refuses the `$fatal` that each would become.
    '--no-formal',
    // Without the choices that GHDL makes of variable indexes and rotations: some of them are wrong.
    '-de',
    ...LENIENT,
    ...(memories ? [] : ['-dm', '-t']),
    `--out=${format}`,
    ...source.units,
    '-e',
    ...(entity ? [entity] : []),
  ];
  const confined = sandbox?.wrap({
    command: '/bin/sh',
    args: ['-c', THROUGH_PIPE, 'sh', ghdl.path, ...args],
    folder,
    writable: false,
    show: [await installationOf(ghdl.path)],
    env: {},
    limits: { memory: 2 * MEMORY, cpu: DEADLINE, file: MAX_OUTPUT, processes: 32 },
  });
  let outOfStack = false;
  let defect = false;
  const { end, output } = await runTool({
    ...(confined ?? { command: ghdl.path, args }),
    cwd: folder,
    env: environmentIn(folder),
    clock,
    deadline: DEADLINE,
    limits: { memory: MEMORY, output: MAX_OUTPUT },
    onLine(line) {
      outOfStack ||= OUT_OF_STACK.test(line);
      defect ||= OWN_DEFECT.test(line);
      const message = toolMessage(line, 'ghdl', source.uploaded);
      const finding = message && vhdlWarning(message);
      if (!finding || isBoundThere(finding, source.verilog)) return;
      if (ASSERTION_FAILED.test(finding.message) && errorsOf(findings.all).length > 0) return;
      if (!NOISE.test(finding.message)) findings.add(finding);
      if (finding.severity !== 'error') context.log('scan', diagnosticLine(finding));
    },
    ...(context.signal && { signal: context.signal }),
  });
  try {
    requireExit(end, 'ghdl', DEADLINE);
  } catch (error) {
    throw withFindings(error, findings.all);
  }
  if (outOfStack) findings.add(tooDeep(source));
  else if (defect && errorsOf(findings.all).length === 0) throw new GhdlDefect(output.toString('latin1'));
  if (end.code === 0 && errorsOf(findings.all).length === 0) return output.toString('latin1');
  const textByFile = new Map(source.units.map((unit, n) => [reportedName(unit), texts[n] ?? '']));
  const plain = vhdlInPlainWords(findings.all, textByFile).map((one) => ofOtherLanguage(one, source.verilog));
  for (const raw of errorsOf(findings.all))
    if (!plain.includes(raw)) context.log('scan', `ghdl: ${placed(raw)}`);
  throw unreadable(errorsOf(plain), plain, context);
}

/** Logs the errors and builds design_invalid. @param found all diagnostics, the errors included */
export function unreadable(
  errors: readonly Diagnostic[],
  found: readonly Diagnostic[],
  context: ToolContext,
): BenchError {
  for (const error of errors) context.log('scan', diagnosticLine(error));
  const [first] = errors;
  return toolchainError('design_invalid', {
    message: first ? headline(first, errors.length) : 'GHDL could not read the design.',
    diagnostics: causeFirst(found),
  });
}
