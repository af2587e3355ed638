import type { Diagnostic } from '../../contract/diagnostics.ts';
import { BenchError } from '../../errors/bench-error.ts';
import { Findings } from '../diagnostics/findings.ts';
import type { ToolContext, ToolEngine } from '../toolchain.ts';
import { languageOfName } from './language.ts';
import type { PreparedDesign } from './prepared-design.ts';
import { reportedName } from './tool-paths.ts';
import { checkedAgain } from './translated-source.ts';

/** Seconds. It takes a tenth of one for most designs; who is to be refused waits for it. */
const DEADLINE = 10;

const VERILOG = 'wishbench_slang.v';

/** What is accepted beside the standard because other tools do, and what is for simulations alone. */
const OPTIONS = [
  '--single-unit',
  '--allow-use-before-declare',
  '--relax-enum-conversions',
  '--ignore-assertions',
  '--ignore-timing',
];

/** Colours, which slang writes wherever it is run. */
const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

/** How slang says where something is and what. Source: slang, `source/diagnostics/TextDiagnosticClient.cpp`. */
const SAID = /^(?<path>[^:]+):(?<line>\d+):(?<column>\d+): (?<severity>error|warning): (?<message>.*)$/;

/** Whether some of a design is SystemVerilog, by the names of its files or as it was read. */
export const isSystemVerilog = ({ units, edition, language, verilog }: PreparedDesign): boolean =>
  verilog === undefined &&
  units.some((unit) => (edition ?? languageOfName(unit) ?? language) === 'systemverilog');

function findingOf(text: string, { uploaded }: PreparedDesign): Diagnostic | null {
  const { path = '', line, column, severity, message = '' } = SAID.exec(text)?.groups ?? {};
  const file = reportedName(path);
  if (!uploaded.includes(file)) return null;
  return {
    severity: severity === 'error' ? 'error' : 'warning',
    code: `slang_${severity}`,
    message,
    file,
    line: Number(line),
    column: Number(column),
  };
}

/** The module of the sources of which one that was read apart is an instance. */
export const moduleOf = (apart: string): string => apart.replace(/\$.*$/, '');

/** What came of a design. */
export interface ReadBySlang {
  design: PreparedDesign | null;
  diagnostics: readonly Diagnostic[];
}

/**
 * Reads a design in SystemVerilog with slang, which knows all of the language, and makes plain Verilog of it. Places are those of the
 * sources.
 * @param how `top`: the module that is wanted; every one that nothing instantiates where there is none. `apart`: the modules below are
 *   there as well, each as it is instantiated and with the place of the instance in its name (see moduleOf); else they are in their top.
 * @returns also what slang has to say of it; no design where it does not read it
 * @throws build_aborted, and what is not about the design
 */
export async function readBySlang(
  source: PreparedDesign,
  { top, apart = false }: { top?: string | undefined; apart?: boolean },
  engine: ToolEngine,
  context: ToolContext,
): Promise<ReadBySlang> {
  const options = [
    ...OPTIONS,
    ...(apart ? ['--best-effort-hierarchy'] : []),
    ...(top !== undefined && /^[A-Za-z_]\w*$/.test(top) ? ['--top', top] : []),
  ];
  const findings = new Findings();
  const refused = () => ({ design: null, diagnostics: findings.all });
  try {
    const { files } = await engine.run({
      tool: 'slang',
      args: [
        '-q',
        '-p',
        [
          ['read_slang', ...options, ...source.units].join(' '),
          'opt_expr',
          'opt_clean',
          // Verilog has no operator for it.
          'simplemap t:$bwmux',
          'memory_collect',
          `write_verilog -norename ${VERILOG}`,
        ].join('; '),
      ],
      files: { ...source.files, ...source.asWritten },
      outputs: [VERILOG],
      deadline: DEADLINE,
      onLine(line) {
        const finding = findingOf(line.replace(COLOURS, ''), source);
        if (finding) findings.add(finding);
      },
      ...(context.signal && { signal: context.signal }),
    });
    const verilog = files[VERILOG];
    if (verilog === undefined) return refused();
    const { asWritten: _, edition: __, ...rest } = source;
    const design = checkedAgain({
      ...rest,
      language: 'verilog',
      files: { [VERILOG]: Buffer.from(verilog).toString() },
      units: [VERILOG],
      diagnostics: [...source.diagnostics, ...findings.all],
    });
    return { design, diagnostics: findings.all };
  } catch (error) {
    if (!(error instanceof BenchError) || error.code === 'build_aborted') throw error;
    return refused();
  }
}
