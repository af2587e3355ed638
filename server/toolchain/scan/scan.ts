import type { MatchedDesign, ScanResult } from '../../contract/designs.ts';
import type { Diagnostic } from '../../contract/diagnostics.ts';
import { assertNever, BenchError } from '../../errors/bench-error.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import { errorsOf, withReasons } from '../diagnostics/findings.ts';
import { headline, placed } from '../diagnostics/text.ts';
import type { SlaveProblem } from '../match/roles.ts';
import type { BuildRequest, ToolContext, ToolEngine } from '../toolchain.ts';
import { prepareDesign } from './design.ts';
import { elaborate, elaborateBelow, inPlainLanguage, type Reading } from './elaborate.ts';
import { refusedByComputations, refusedByInstances } from './goes-on.ts';
import { inTime } from './in-time.ts';
import { type DesignScan, type Judgement, judge, judgeMemories, unreadable } from './judge.ts';
import { type Beside, besideBroken, causeOf, withoutBroken } from './left-out.ts';
import { tooLongPiece } from './long-pieces.ts';
import { modulesBelow } from './missing-modules.ts';
import {
  leavingInitial,
  MADE,
  readNeeded,
  readWithoutInitial,
  refusedByLoops,
  refusedByMacros,
  refusedByPorts,
  withoutUnread,
} from './parts.ts';
import type { PreparedDesign } from './prepared-design.ts';
import { parseRtlil } from './rtlil.ts';
import { withMore } from './said-more.ts';
import { instancesOfThemselves } from './self-instances.ts';
import { readBySlang } from './slang.ts';
import { findSlave } from '../slave/find-slave.ts';
import { isBeside } from './test-folders.ts';
import { refusedByNesting, slowNesting } from './too-deep.ts';
import { reportedName } from './tool-paths.ts';
import { besideUnbuilt } from './unbuilt.ts';

export { readCommands } from './elaborate.ts';
export type { DesignScan } from './judge.ts';

/** Seconds in which nearly every design is read whole: a sensible one takes a tenth. */
const SOON = 1;
/** Seconds that reading all of a design may take, and where something of it is known already. */
const WHOLE = 30;
const WHOLE_BESIDE_PART = 5;

export interface ScanOptions {
  /** Called, and waited for, before the whole of a design is read that takes long. */
  takesLong?: () => Promise<void>;
  /** Synthesis follows, which reads everything: `initial` blocks that take long may be left to it. */
  toBeBuilt?: boolean;
}

/**
 * Elaborates a design, lists its modules and finds the Wishbone slave among them.
 *
 * Errors in the design come back as diagnostics, with `matched` null; requireMatch turns them into a BenchError.
 * VHDL and Amaranth are to be translated first: scanDesignSources takes the Verilog that came out.
 * @throws design_empty, design_binary, design_too_large, design_language; what the engine rejects with
 */
export async function scanDesign(
  request: BuildRequest,
  engine: ToolEngine,
  context: ToolContext,
): Promise<DesignScan> {
  const { design } = await prepareDesign(request, undefined, async () => engine.name === 'embedded');
  return scanDesignSources(design, request, engine, context);
}

/**
 * As scanDesign, with sources that have been prepared (and translated) already.
 *
 * A design whose elaboration takes long, for its loops or for its size, is read in parts: its ports alone, which may
 * be enough to refuse it, then everything but its long loops and `initial` blocks, which may be enough to see that a
 * loop has too many passes or that its memories do not fit. So what cannot be right is told within seconds.
 */
export async function scanDesignSources(
  source: PreparedDesign,
  request: Pick<BuildRequest, 'board' | 'options'>,
  engine: ToolEngine,
  context: ToolContext,
  how: ScanOptions = {},
): Promise<DesignScan> {
  context.progress('scan', 0);
  for (const note of source.notes) context.log('scan', `note: ${note}`);
  const bySlang = await readFirst(source, request, engine, context);
  if (bySlang) {
    for (const line of bySlang.lines) context.log('scan', line);
    context.progress('scan', 1);
    return bySlang.scan;
  }
  const chosen = request.options.top !== undefined;
  const judged = await readDesign(source, request, engine, context, how).catch(async (error: unknown) => {
    // What takes all of the stack, the tool says no line of.
    const crashed = error instanceof BenchError && error.code === 'tool_crashed';
    const why = crashed
      ? (refusedByNesting(source, true) ?? (await refusedByComputations(source, engine, context)))
      : null;
    if (why) return why;
    const told = error instanceof BenchError && error.diagnostics.length > 0;
    throw told ? error : withReasons(error, () => instancesOfThemselves(source));
  });
  const { scan, lines } = besideLeftOut(judged, source, chosen);
  for (const line of lines) context.log('scan', line);
  context.progress('scan', 1);
  return scan;
}

/** The design as slang reads it; null where it is no Verilog, or slang does not read it. */
async function readFirst(
  source: PreparedDesign,
  request: Pick<BuildRequest, 'board' | 'options'>,
  engine: ToolEngine,
  context: ToolContext,
): Promise<Pick<Judgement, 'scan' | 'lines'> | null> {
  const isVerilog = source.language === 'verilog' || source.language === 'systemverilog';
  if (!isVerilog || errorsOf(source.diagnostics).length > 0) return null;
  const judged = async (top?: string) => {
    const { design, netlist, diagnostics } = await readBySlang(source, top, engine, context);
    return design && netlist ? { netlist, ...findSlave({ source: design, netlist, diagnostics }, request) } : null;
  };
  const { top } = request.options;
  const all = await judged();
  if (all === null) return top === undefined ? null : judged(top);
  const { outcome, modules } = all.scan;
  if (outcome.kind !== 'matched' || all.netlist.get(outcome.design.module)?.isTop) return all;
  // A module below another: by itself, with its own values of its parameters.
  const alone = await judged(outcome.design.module);
  return alone && { ...alone, scan: { ...alone.scan, modules } };
}

async function readDesign(
  source: PreparedDesign,
  request: Pick<BuildRequest, 'board' | 'options'>,
  engine: ToolEngine,
  context: ToolContext,
  { takesLong = async () => {}, toBeBuilt = false }: ScanOptions,
): Promise<Judgement> {
  const refusedAsMade = async ({ scan: { matched, source: read }, overrides, recursive }: Judgement) =>
    matched && (overrides || recursive) ? refusedByInstances(read, matched.module, engine, context) : null;
  const leavingOut = async (first: Pick<Reading, 'diagnostics'> & { source: PreparedDesign }) => {
    let patient = true;
    const { reading, left } = await withoutBroken(source, first, async (one) => {
      const soon = await inTime(elaborate(one, engine, context, SOON));
      if (soon || !patient) return soon;
      // A large design, or a busy machine: what is left may be as right as any other. Once, for it is a refusal that waits.
      patient = false;
      await takesLong();
      return inTime(elaborate(one, engine, context, WHOLE_BESIDE_PART));
    });
    const chosen = request.options.top !== undefined;
    const beside: Beside | null =
      reading && besideBroken(judge(reading, request), left, chosen, belowIn(reading.rtlil));
    if (beside?.kind === 'judged') return beside;
    const cause = causeOf(left, beside?.meant);
    const slaves = beside?.kind === 'meant' ? beside.slaves : [];
    return { kind: 'refused' as const, slaves, found: cause?.found ?? first };
  };
  const refuse = async ({ slaves, found }: { slaves: string[]; found: Parameters<typeof leavingOut>[0] }) => {
    const plain = await inPlainLanguage({ rtlil: null, ...found }, engine, context);
    return unreadable(source, withChoice(plain, { slaves }));
  };
  const conclude = async (whole: Reading & { source: PreparedDesign }) => {
    const { rtlil, diagnostics } = whole;
    if (rtlil !== null) return concludeJudged(withMore(judge({ ...whole, rtlil }, request), rtlil));
    const rest = await leavingOut({ source: whole.source, diagnostics });
    return rest.kind === 'judged' ? concludeJudged(rest.judgement) : refuse(rest);
  };
  const concludeJudged = async (judgement: Judgement) => {
    context.progress('scan', 0.8);
    const refused = await refusedAsMade(judgement);
    if (refused) return refused;
    const { matched } = judgement.scan;
    if (!matched || !judgement.sizesMemories) return judgement;
    const made = await elaborateBelow(matched.module, judgement.scan.source, engine, context, MADE);
    return made ? judgeMemories(judgement, made, request) : judgement;
  };
  if (errorsOf(source.diagnostics).length > 0) {
    const rest = await leavingOut({ source, diagnostics: source.diagnostics });
    return rest.kind === 'judged' ? concludeJudged(rest.judgement) : refuse(rest);
  }
  const long = tooLongPiece(source);
  if (long) return unreadable(source, [...source.diagnostics, long]);
  const left = toBeBuilt ? await leavingInitial(source, request, engine, context) : null;
  if (left) return (await refusedAsMade(left)) ?? left;
  const soon = await inTime(elaborate(source, engine, context, SOON));
  if (soon) return conclude(soon);

  const refused =
    refusedByMacros(source) ??
    // Installed tools have a stack of another size.
    (engine.name === 'embedded' ? refusedByNesting(source, false) : null) ??
    (await refusedByLoops(source, request, engine, context, 'endless')) ??
    (await refusedByComputations(source, engine, context)) ??
    (await refusedByPorts(source, request, engine, context)) ??
    (await refusedByLoops(source, request, engine, context)) ??
    (await refusedByLoops(source, request, engine, context, 'initial'));
  if (refused) return refused;
  const part = await readWithoutInitial(source, request, engine, context);
  if (part?.scan.misfit) return part;
  const needed = part && (await readNeeded(part, request, engine, context));
  if (needed) return concludeJudged(needed);
  const unread = part ? null : await withoutUnread(source, engine, context);
  if (unread) {
    const { rest, reading, left } = unread;
    const chosen = request.options.top !== undefined;
    const besideLeft = (one: Judgement) => besideBroken(one, left, chosen, belowIn(reading.rtlil));
    // Before all of it is read: what is left may be nothing.
    let beside = besideLeft(judge(reading, request));
    if (beside.kind === 'judged')
      beside = besideLeft(await readDesign(rest, request, engine, context, { takesLong, toBeBuilt }));
    if (beside.kind === 'judged') return beside.judgement;
    const found = causeOf(left, beside.meant)?.found;
    if (found) return refuse({ slaves: beside.kind === 'meant' ? beside.slaves : [], found });
  }
  await takesLong();
  const whole = await inTime(elaborate(source, engine, context, part ? WHOLE_BESIDE_PART : WHOLE));
  if (whole) return conclude(whole);
  if (part) return (await refusedAsMade(part)) ?? part;
  throw toolchainError('tool_deadline', {
    message: `yosys was ended after ${WHOLE} s.`,
    details: { tool: 'yosys', deadline: WHOLE },
    diagnostics: slowNesting(source),
  });
}

/** The judgement of a design of which the translation left out sources, or the refusal for them. */
function besideLeftOut(judgement: Judgement, source: PreparedDesign, chosen: boolean): Judgement {
  const { leftOut } = source;
  if (!leftOut) return besideUnbuilt(judgement, source, chosen);
  const rest = besideBroken(judgement, leftOut.left, chosen, () => new Set(), 'vhdl');
  if (rest.kind === 'judged') return besideUnbuilt(rest.judgement, source, chosen);
  // Tests are not what is missing there.
  if (rest.kind === 'wrong' && leftOut.left.every(({ path }) => isBeside(reportedName(path))))
    return judgement;
  return unreadable(source, withChoice(leftOut.refused, rest.kind === 'meant' ? rest : null));
}

/** The modules that one of a design needs, and itself. */
function belowIn(rtlil: Uint8Array): (slave: string) => ReadonlySet<string> {
  const modules = new Map(parseRtlil(rtlil, () => false).map((module) => [module.name, module]));
  return (slave) => modulesBelow(slave, modules);
}

/** What was found wrong, the first of it with the slave that could be built without its file. */
function withChoice(
  diagnostics: readonly Diagnostic[],
  rest: { slaves: readonly string[] } | null,
): Diagnostic[] {
  const [slave, ...others] = rest?.slaves ?? [];
  const one = others.length > 0 ? ', for example,' : '';
  const first = errorsOf(diagnostics)[0];
  return diagnostics.map((found) =>
    found === first && slave !== undefined
      ? { ...found, message: `${found.message}; top=${slave}${one} builds ${slave} without this file` }
      : found,
  );
}

/** The slave of a scanned design, or the reason why there is none, as a BenchError of the design_ codes. */
export function requireMatch({ outcome, misfit, modules, diagnostics }: DesignScan): MatchedDesign {
  switch (outcome.kind) {
    case 'matched':
      if (misfit)
        throw toolchainError('build_too_large', {
          message: headline(misfit, 1),
          remedy: 'Make the memory smaller, or take a board with more block RAM.',
          diagnostics,
        });
      return outcome.design;
    case 'invalid':
      throw invalid(outcome.errors, diagnostics);
    case 'none':
      throw toolchainError('design_no_slave', {
        message: whyNone(modules, diagnostics),
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
        message: `Module ${outcome.top} is no Wishbone slave: ${outcome.problem.text}.`,
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

/** Of the codes of findings those that are failures, too. */
const OWN_FAILURES = ['design_file_reference', 'design_no_slave'] as const;

/** The first error decides what the design is refused for. */
function invalid(errors: Diagnostic[], diagnostics: Diagnostic[]): BenchError {
  const [first] = errors;
  const code = OWN_FAILURES.find((one) => one === first?.code) ?? 'design_invalid';
  return toolchainError(code, {
    ...(first && { message: headline(first, errors.length) }),
    diagnostics,
  });
}

function whyNone(modules: ScanResult['modules'], diagnostics: readonly Diagnostic[]): string {
  const nearest = diagnostics.find(({ code }) => code === 'design_no_slave');
  if (modules.length === 0)
    return nearest?.file === undefined ? 'The source defines no module.' : `${placed(nearest)}.`;
  const [only] = modules;
  if (modules.length === 1 && only)
    return `Module ${only.name} is no Wishbone slave: ${nearest?.message.replace(`module ${only.name}: `, '') ?? only.problem ?? 'unknown'}.`;
  return `None of the ${modules.length} modules of the design is a Wishbone slave${nearest ? `. The nearest: ${placed(nearest)}` : ''}.`;
}

/** What to do about a bus that is not that of one slave; nothing where the catalogue's advice fits. */
function remedyOf(problem: SlaveProblem | undefined): { remedy?: string } {
  switch (problem?.bus?.kind) {
    case 'other':
      return {
        remedy: `Put a bridge from Wishbone to ${problem.bus.name} before it, in a top module that has the ports of the contract which the log prints.`,
      };
    case 'master':
      return {
        remedy:
          'The bench is the master itself: put this module into a top module that is a slave, with the ports of the contract which the log prints, and with what the master reads and writes.',
      };
    case 'several':
      return {
        remedy:
          'Put it into a top module that has one of these buses as its ports, and connects or ties off the others.',
      };
    default:
      return {};
  }
}
