import type { MatchedDesign, ScanResult } from '../../contract/designs/uploads.ts';
import type { Diagnostic } from '../../contract/diagnostics.ts';
import { assertNever, type BenchError } from '../../errors/bench-error.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import type { BuildRequest, ToolContext } from '../build-request.ts';
import { errorsOf } from '../diagnostics/findings.ts';
import { headline, placed } from '../diagnostics/text.ts';
import type { PreparedDesign } from '../intake/prepared-design.ts';
import { isTestFile } from '../languages/test-folders.ts';
import { type DesignScan, findSlave, type Judgement, unreadable } from '../slave/find-slave.ts';
import type { Netlist } from '../slave/netlist.ts';
import type { SlaveProblem } from '../slave/roles.ts';
import type { ToolEngine } from '../tool-engine.ts';
import { reportedName } from '../tool-paths.ts';
import { excludeBroken, slavesOf, vhdlMayBeMeant, withChoice } from './excluded-sources.ts';
import { readWithoutBroken } from './verilog/excluded-sources.ts';
import { scanVerilog } from './verilog/scan-verilog.ts';
import { readWithYosys } from './yosys-form.ts';

export type { DesignScan } from '../slave/find-slave.ts';

/**
 * Elaborates a design, lists its modules and finds the Wishbone slave among them. Its sources are prepared, and
 * translated where needed. Errors in the design become diagnostics, with `matched` null; requireMatch turns them into a
 * BenchError.
 * @param takesLong called, and awaited, before a design is read a second time
 * @throws the engine's errors
 */
export async function scanDesignSources(
  source: PreparedDesign,
  request: Pick<BuildRequest, 'board' | 'options'>,
  engine: ToolEngine,
  context: ToolContext,
  takesLong: () => Promise<void> = async () => {},
): Promise<DesignScan> {
  context.progress('scan', 0);
  for (const note of source.notes) context.log('scan', `note: ${note}`);
  const isVerilog =
    source.netlists === undefined && (source.language === 'verilog' || source.language === 'systemverilog');
  const judged = await (isVerilog ? scanVerilog : readTranslated)(
    source,
    request,
    engine,
    context,
    takesLong,
  );
  const { scan, lines } = judgeWithoutExcluded(judged, source, request.options.top !== undefined);
  for (const line of lines) context.log('scan', line);
  context.progress('scan', 1);
  return scan;
}

/** Time limit of reading a translated design, seconds. It is short: the design is in Yosys's form, or nearly. */
const DEADLINE = 30;

/** Finds the slave in a translated design. @throws the engine's errors */
async function readTranslated(
  source: PreparedDesign,
  request: Pick<BuildRequest, 'board' | 'options'>,
  engine: ToolEngine,
  context: ToolContext,
): Promise<Judgement> {
  if (errorsOf(source.diagnostics).length > 0) return unreadable(source, source.diagnostics);
  const read = (sources: PreparedDesign) => readWithYosys(sources, { deadline: DEADLINE }, engine, context);
  const judge = (design: PreparedDesign, netlist: Netlist, diagnostics: readonly Diagnostic[]) =>
    findSlave({ source: design, netlist, diagnostics }, request);
  const all = await read(source);
  if (all.read) return judge(all.read.design, all.read.netlist, all.diagnostics);
  // Verilog of a project in two languages.
  const rest = await readWithoutBroken(source, all.diagnostics, read);
  if (rest) {
    const { design, netlist } = rest.reading.read;
    const judged = excludeBroken(
      judge(design, netlist, rest.reading.diagnostics),
      rest.excluded,
      request.options.top !== undefined,
      netlist,
    );
    if (judged.kind === 'judged') return judged.judgement;
  }
  return unreadable(source, all.diagnostics);
}

/** Judges a design whose translation excluded sources. */
function judgeWithoutExcluded(judgement: Judgement, source: PreparedDesign, chosen: boolean): Judgement {
  const { excluded } = source;
  if (!excluded) return judgeUntranslated(judgement, source, chosen);
  const rest = excludeBroken(judgement, excluded.sources, chosen, null, 'vhdl');
  if (rest.kind === 'judged') return judgeUntranslated(rest.judgement, source, chosen);
  // Excluded tests cannot be the missing modules.
  if (rest.kind === 'wrong' && excluded.sources.every(({ path }) => isTestFile(reportedName(path))))
    return judgement;
  return unreadable(source, withChoice(excluded.refused, rest.kind === 'meant' ? rest : null));
}

/**
 * Judges a design with entities that could not be translated by themselves. It refuses the design for such an entity
 * when the entity has the ports of a slave and no other slave exists, or when it contains the slave.
 */
function judgeUntranslated(judgement: Judgement, source: PreparedDesign, chosen: boolean): Judgement {
  const slaves = slavesOf(judgement.scan);
  const { outcome } = judgement.scan;
  const { kind } = outcome;
  // A visible bus that cannot be connected is the reason, whatever else is wrong.
  if (kind === 'none' && outcome.nearest?.problem.bus) return judgement;
  if (chosen || !(kind === 'none' || kind === 'matched' || kind === 'ambiguous')) return judgement;
  const meant = source.unbuilt?.find(({ text }) => vhdlMayBeMeant(text, slaves, slaves.length === 0));
  if (!meant) return judgement;
  const [slave] = slaves;
  const message =
    slave === undefined
      ? meant.error.message
      : `${meant.error.message}; top=${slave} builds only ${slave}, a part of it`;
  return unreadable(source, [{ ...meant.error, message }, ...source.diagnostics]);
}

/** The slave of a scanned design. @throws BenchError of a design_ code, or build_too_large, when there is none */
export function requireMatch({ outcome, misfit, modules, diagnostics }: DesignScan): MatchedDesign {
  switch (outcome.kind) {
    case 'matched':
      if (misfit)
        throw toolchainError('build_too_large', {
          message: headline(misfit.diagnostic, 1),
          remedy: misfit.remedy,
          diagnostics,
        });
      return outcome.design;
    case 'invalid':
      throw invalid(outcome.errors, diagnostics);
    case 'none':
      throw toolchainError('design_no_slave', {
        message: explainNoSlave(modules, diagnostics),
        ...remedyOf(outcome.nearest?.problem),
        diagnostics,
      });
    case 'ambiguous':
      throw toolchainError('design_ambiguous', {
        message: `The design has more than one Wishbone slave: ${outcome.candidates.join(', ')}.`,
        remedy: `Choose one with the form field top, for example top=${outcome.candidates[0]}.`,
        details: { candidates: outcome.candidates },
        diagnostics,
      });
    case 'unknown top':
      throw toolchainError('design_top_unknown', {
        message: `The design has no module ${outcome.top}; it has ${outcome.modules.slice(0, 20).join(', ') || 'none'}.`,
        diagnostics,
      });
    case 'top is no slave':
      throw toolchainError('design_no_slave', {
        message: `Module ${outcome.top} is not a Wishbone slave: ${outcome.problem.text}.`,
        ...remedyOf(outcome.problem),
        diagnostics,
      });
    case 'bad tie':
      throw toolchainError('design_bad_tie', {
        message: `The form field ${outcome.field}: ${outcome.problem}.`,
        diagnostics,
      });
    default:
      return assertNever(outcome);
  }
}

/** Codes of diagnostics that are also error codes. */
const OWN_FAILURES = ['design_file_reference', 'design_no_slave', 'build_too_large'] as const;

/** Builds the error of an invalid design; its first error decides the code. */
function invalid(errors: Diagnostic[], diagnostics: Diagnostic[]): BenchError {
  const [first] = errors;
  const code = OWN_FAILURES.find((one) => one === first?.code) ?? 'design_invalid';
  return toolchainError(code, {
    ...(first && { message: headline(first, errors.length) }),
    diagnostics,
  });
}

function explainNoSlave(modules: ScanResult['modules'], diagnostics: readonly Diagnostic[]): string {
  const nearest = diagnostics.find(({ code }) => code === 'design_no_slave');
  if (modules.length === 0)
    return nearest?.file === undefined ? 'The source defines no module.' : `${placed(nearest)}.`;
  const [only] = modules;
  if (modules.length === 1 && only)
    return `Module ${only.name} is not a Wishbone slave: ${nearest?.message.replace(`module ${only.name}: `, '') ?? only.problem ?? 'unknown'}.`;
  return `None of the ${modules.length} modules of the design is a Wishbone slave${nearest ? `. The closest: ${placed(nearest)}` : ''}.`;
}

/** Remedy for a bus that is not one slave's; empty where the catalogue's remedy fits. */
function remedyOf(problem: SlaveProblem | undefined): { remedy?: string } {
  switch (problem?.bus?.kind) {
    case 'other':
      return {
        remedy: `Put a bridge from Wishbone to ${problem.bus.name} in front of it, in a top module with the ports that the log prints.`,
      };
    case 'master':
      return {
        remedy:
          'The bench itself is the master: instantiate this module in a top module that is a slave, with the ports that the log prints, together with what the master reads and writes.',
      };
    case 'several':
      return {
        remedy:
          'Instantiate it in a top module that has one of these buses as its ports and connects or ties off the others.',
      };
    default:
      return {};
  }
}
