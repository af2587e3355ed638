import { BenchError } from '../../errors/bench-error.ts';
import type { ToolContext } from '../build-request.ts';
import { Findings } from '../diagnostics/findings.ts';
import { toolMessage } from '../diagnostics/tool-message.ts';
import type { PreparedDesign } from '../intake/prepared-design.ts';
import { parseNetlist } from '../slave/netlist.ts';
import type { ToolEngine } from '../tool-engine.ts';
import { INCLUDE_FOLDER, PROJECT_FOLDER } from '../tool-paths.ts';
import type { Reading } from './reading.ts';

const DESIGN = 'wishbench_design.il';
const NETLIST = 'wishbench_design.json';

/** The commands by which Yosys reads a design: what of it is Verilog still, and what is in Yosys's own form. */
export const readCommands = ({
  units,
  netlists = [],
}: Pick<PreparedDesign, 'units' | 'netlists'>): string[] => [
  ...units.map((path) => `read_verilog -sv -I ${PROJECT_FOLDER} -I ${INCLUDE_FOLDER} ${path}`),
  ...netlists.map((path) => `${path.endsWith('.json') ? 'read_json' : 'read_rtlil'} ${path}`),
];

export interface YosysReadOptions {
  /** A module that is made with all below it; every one with the defaults of its parameters when absent. */
  top?: string | undefined;
  /** Seconds. */
  deadline: number;
  /** Files of Yosys that describe cells of the part. */
  libraries?: readonly string[];
}

/**
 * Reads units with Yosys's own commands: what a front end wrote in Yosys's form, and Verilog that slang does not read.
 * @throws build_aborted, and what is not about the design
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
        if (finding) findings.add(finding);
      },
      ...(context.signal && { signal: context.signal }),
    });
    const [rtlil, json] = [files[DESIGN], files[NETLIST]];
    if (!rtlil || !json) return { read: null, diagnostics: findings.all };
    // Modules of Verilog are made once more with the parameters of their instances, for which Yosys needs their text.
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
