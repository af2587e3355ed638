import type { Diagnostic } from '../../../contract/diagnostics.ts';
import { BenchError } from '../../../errors/bench-error.ts';
import type { ToolContext } from '../../build-request.ts';
import type { PreparedDesign, VerilogPart } from '../../intake/prepared-design.ts';
import { piecesOf } from '../../languages/verilog/outline-lexer.ts';
import { vhdlEntities } from '../../languages/vhdl/vhdl.ts';
import { vhdlSource } from '../../languages/vhdl/vhdl-places.ts';
import { hasSlavePorts, vhdlHasSlavePorts } from '../../slave/slave-ports.ts';
import type { ToolFiles } from '../../tool-engine.ts';
import { reportedName } from '../../tool-paths.ts';

/** Explains a missing entity that is a module in Verilog: GHDL can only use it as a component. */
export function ofOtherLanguage(finding: Diagnostic, verilog: VerilogPart | undefined): Diagnostic {
  const [, name = ''] = /^`(\w+)` is in none of the uploaded files/.exec(finding.message) ?? [];
  const path = verilog?.modules.get(name.toLowerCase());
  return path === undefined
    ? finding
    : {
        ...finding,
        message: `\`${name}\` is a Verilog module (${path}): declare it as a \`component\`, and write \`: ${name}\` instead of \`: entity work.${name}\``,
      };
}

/** Files of a design without its VHDL units. */
function withoutUnits({ files, units }: PreparedDesign): ToolFiles {
  const rest: ToolFiles = { ...files };
  for (const unit of units) delete rest[unit];
  return rest;
}

/** Whether a Verilog source may have the slave. */
const mayBeMeant = ({ files }: PreparedDesign, { units }: VerilogPart): boolean =>
  units.some((unit) => hasSlavePorts(piecesOf(String(files[unit] ?? ''))));

/**
 * Translates the VHDL of a project in two languages, for a scan together with its Verilog. If that fails, the slave may
 * need only the Verilog; the scan judges that.
 * @param top the module or entity that the request names
 * @param translate translates the VHDL only; null when no tool may read it
 * @throws the translation's error, when the slave is in VHDL or nowhere
 */
export async function translateForVerilog(
  source: PreparedDesign,
  verilog: VerilogPart,
  top: string | undefined,
  context: ToolContext,
  translate: (context: ToolContext) => Promise<PreparedDesign | null>,
): Promise<PreparedDesign> {
  const chosen = top === undefined ? mayBeMeant(source, verilog) : verilog.modules.has(top.toLowerCase());
  const entities = entitiesOf(source);
  if (chosen && !isNeeded(source, verilog, entities, top)) {
    context.log('scan', 'note: the VHDL sources are not read, because the Verilog does not use them');
    return withoutVhdl(source, verilog);
  }
  // Errors in the VHDL are logged only when they matter.
  const lines: Parameters<ToolContext['log']>[] = [];
  const flushLog = () => {
    for (const line of lines) context.log(...line);
  };
  let translated: PreparedDesign | null = null;
  let reason = 'it accesses files, which a design must not do';
  try {
    translated = await translate({ ...context, log: (...line) => lines.push(line) });
  } catch (error) {
    if (!chosen || !(error instanceof BenchError) || error.code === 'build_aborted') {
      flushLog();
      throw error;
    }
    reason = error.message;
  }
  if (translated !== null) {
    flushLog();
    return {
      ...translated,
      language: 'verilog',
      files: { ...withoutUnits(source), ...translated.files },
      units: verilog.units,
      diagnostics: [...verilog.diagnostics, ...translated.diagnostics],
    };
  }
  // When the slave can only be in the VHDL, the scan reports why no tool may read it.
  if (!chosen) return source;
  context.log('scan', `note: the VHDL sources are not read: ${reason}`);
  return withoutVhdl(source, { ...verilog, unread: { reason, entities } });
}

const withoutVhdl = (source: PreparedDesign, verilog: VerilogPart): PreparedDesign => ({
  ...source,
  language: 'verilog',
  files: withoutUnits(source),
  units: verilog.units,
  diagnostics: verilog.diagnostics,
  verilog,
});

/** Whether the Verilog may instantiate entities, or an entity may be a slave as well. */
function isNeeded(
  { units, files }: PreparedDesign,
  verilog: VerilogPart,
  entities: ReadonlyMap<string, string>,
  top: string | undefined,
): boolean {
  const textOf = (unit: string) => String(files[unit] ?? '');
  const other = (name: string) => entities.has(name) && !verilog.modules.has(name);
  return (
    verilog.units.some((unit) =>
      piecesOf(textOf(unit)).some(({ kind, text }) => kind === 'word' && other(text.toLowerCase())),
    ) ||
    (top === undefined && units.some((unit) => vhdlHasSlavePorts(vhdlSource(textOf(unit)).tokens)))
  );
}

const entitiesOf = ({ units, files }: PreparedDesign): Map<string, string> =>
  new Map(
    units.flatMap((unit) =>
      vhdlEntities(String(files[unit] ?? '')).map((name): [string, string] => [name, reportedName(unit)]),
    ),
  );

/** Whether a warning is about a component without an entity that is a module in Verilog. */
export function isBoundThere({ message }: Diagnostic, verilog: VerilogPart | undefined): boolean {
  if (verilog === undefined) return false;
  // This line only adds to an earlier warning.
  if (message.startsWith('(in default configuration of ')) return true;
  const [, component = ''] = /^instance "[^"]+" of component "([^"]+)" is not bound/.exec(message) ?? [];
  return verilog.modules.has(component.toLowerCase());
}
