import type { Diagnostic } from '../../contract/diagnostics.ts';
import { BenchError } from '../../errors/bench-error.ts';
import type { ToolContext } from '../build-request.ts';
import { errorsOf, Findings } from '../diagnostics/findings.ts';
import { toolMessage } from '../diagnostics/tool-message.ts';
import type { PreparedDesign } from '../intake/prepared-design.ts';
import { parseNetlist } from '../slave/netlist.ts';
import type { ToolEngine } from '../tool-engine.ts';
import { INCLUDE_FOLDER, PROJECT_FOLDER } from '../tool-paths.ts';
import type { Reading } from './reading.ts';

const DESIGN = 'wishbench_design.il';
const NETLIST = 'wishbench_design.json';

/** Yosys commands that read a design's Verilog and its netlists in Yosys's form. */
export const readCommands = ({
  units,
  netlists = [],
}: Pick<PreparedDesign, 'units' | 'netlists'>): string[] => [
  ...units.map((path) => `read_verilog -sv -I ${PROJECT_FOLDER} -I ${INCLUDE_FOLDER} ${path}`),
  ...netlists.map((path) => `${path.endsWith('.json') ? 'read_json' : 'read_rtlil'} ${path}`),
];

/** Warnings of Yosys's reader that mean a wrong or an impossible circuit, with advice. */
const DOUBTFUL: readonly (readonly [message: RegExp, advice: string])[] = [
  [/^Identifier .*\..* is implicitly declared/, 'connect it through ports'],
  [/^Async reset value .* is not constant/, 'reset it to a constant, or with a clock'],
];

/** A message of Yosys's reader; a doubtful warning is an error. */
function judged(finding: Diagnostic): Diagnostic {
  const [, advice] = DOUBTFUL.find(([message]) => message.test(finding.message)) ?? [];
  return advice === undefined
    ? finding
    : { ...finding, severity: 'error', code: 'yosys_error', message: `${finding.message}: ${advice}` };
}

/** Options of readWithYosys. */
export interface YosysReadOptions {
  /** The module to elaborate with all below it. When absent: every module, with default parameters. */
  top?: string | undefined;
  /** Time limit, seconds. */
  deadline: number;
  /** Library files of Yosys with the cells of the part. */
  libraries?: readonly string[];
}

/**
 * Reads a design with Yosys's own commands: netlists of a front end, and Verilog that slang refuses.
 * @throws build_aborted; errors that are not about the design
 */
export async function readWithYosys(
  source: PreparedDesign,
  { top, deadline, libraries = [] }: YosysReadOptions,
  engine: ToolEngine,
  context: ToolContext,
): Promise<Reading> {
  const findings = new Findings();
  const script = [
    ...libraries.map((library) => `read_verilog -lib ${library}`),
    ...readCommands(source),
    ...(top === undefined ? [] : [`hierarchy -check -top ${top}`]),
    'proc -noopt',
    `write_rtlil ${DESIGN}`,
    `write_json ${NETLIST}`,
  ];
  try {
    const { files } = await engine.run({
      tool: 'yosys',
      args: ['-q', '-p', script.join('; ')],
      files: { ...source.files },
      outputs: [DESIGN, NETLIST],
      deadline,
      onLine(line) {
        const finding = toolMessage(line, 'yosys', source.uploaded);
        if (finding) findings.add(judged(finding));
      },
      ...(context.signal && { signal: context.signal }),
    });
    const [rtlil, json] = [files[DESIGN], files[NETLIST]];
    if (!rtlil || !json || errorsOf(findings.all).length > 0)
      return { read: null, diagnostics: findings.all };
    // Yosys needs the text of a Verilog module again for each set of parameters.
    const isFinal = source.units.length === 0;
    const design = isFinal
      ? { ...source, files: { ...source.files, [DESIGN]: rtlil }, netlists: [DESIGN] }
      : source;
    return { read: { design, netlist: parseNetlist(json) }, diagnostics: findings.all };
  } catch (error) {
    if (!(error instanceof BenchError) || error.code === 'build_aborted') throw error;
    return { read: null, diagnostics: findings.all };
  }
}
