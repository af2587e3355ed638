import type { MatchedDesign, Port, ScanResult } from '../../contract/designs.ts';
import type { Diagnostic } from '../../contract/diagnostics.ts';
import { causeFirst, errorsOf, Findings } from '../diagnostics/findings.ts';
import { diagnosticLine } from '../diagnostics/text.ts';
import { FLOWS } from '../flows/index.ts';
import { readdress } from '../match/addressing.ts';
import { type BoardFile, readBoardFile } from '../match/board-file.ts';
import type { AddressUse, CandidateModule } from '../match/candidate.ts';
import { diagnoseMatch } from '../match/diagnose.ts';
import {
  CONTRACT_LINES,
  describeAddressing,
  describeMatch,
  describeModules,
  someOf,
} from '../match/explain.ts';
import { type MatchOutcome, matchDesign } from '../match/match.ts';
import type { BuildRequest } from '../toolchain.ts';
import { addressUse, type UsesOf } from './address-use.ts';
import { arithmeticBits } from './arithmetic.ts';
import { leadingToThemselves } from './constant/recursion.ts';
import { doubtsOf } from './doubts.ts';
import { emptyModules } from './empty-modules.ts';
import { hiddenBus, hiddenModules } from './hidden-modules.ts';
import { deepHierarchy } from './hierarchy.ts';
import { sizesMemories, tooMuchMemory } from './memories.ts';
import {
  missingModules,
  missingParameters,
  missingPorts,
  modulesBelow,
  reservedModules,
} from './missing-modules.ts';
import { outOfReach } from './out-of-reach.ts';
import { inUpload, type PreparedDesign } from './prepared-design.ts';
import { type ElaboratedModule, type Place, parseRtlil } from './rtlil.ts';
import { usesIn } from './rtlil-uses.ts';

/** A ScanResult with what the rest of a build needs from it. */
export interface DesignScan extends ScanResult {
  /** The sources as the tools may read them, with the edition in which they could be read. */
  source: PreparedDesign;
  /** `invalid`: the design has errors of its own, so whatever was matched in it does not count. */
  outcome: MatchOutcome | { kind: 'invalid'; errors: Diagnostic[] };
  /** Why the slave cannot fit the part, whatever else is in it. */
  misfit: Diagnostic | null;
  /** Bits of the slave's adders, comparators and the like; null where that is not known. */
  arithmetic: number | null;
}

/** A design as it was read, with what has to be said of it. */
export interface Judgement {
  scan: DesignScan;
  /** For the job's log. */
  lines: string[];
  /** Yosys does not read it, or would build it as something else: a reader that knows more of the language may. */
  beyondYosys: boolean;
  /** What Yosys may have read as something else: warnings, for where no other reader can be asked. */
  doubts: readonly Diagnostic[];
  /** Modules are made with other values of their parameters than their defaults. */
  overrides: boolean;
  /** The slave leads to a module that instantiates itself, directly or through others. */
  recursive: boolean;
  /** The sizes of the slave's memories, or what becomes of its address, depend on what its instances are given: see judgeAsMade. */
  dependsOnInstances: boolean;
}

/** What was read of a design in Verilog. */
interface ReadDesign {
  /** As the tools read it: with its edition. */
  source: PreparedDesign;
  rtlil: Uint8Array;
  diagnostics: readonly Diagnostic[];
}

const HOLLOW: Record<NonNullable<ElaboratedModule['hollow']>, string> = {
  'no content': 'it has ports and nothing inside',
  'parameter without default': 'one of its parameters has no default value',
  interface: 'it is an interface, which a module has as a port; send it along with that module',
};

/** Why the sources of a design cannot be read. */
export function unreadable(source: PreparedDesign, diagnostics: readonly Diagnostic[]): Judgement {
  const scan: DesignScan = {
    source,
    outcome: { kind: 'invalid', errors: errorsOf(diagnostics) },
    misfit: null,
    arithmetic: null,
    matched: null,
    modules: [],
    diagnostics: causeFirst(diagnostics),
  };
  const nothing = { overrides: false, recursive: false, dependsOnInstances: false };
  const beyondYosys = errorsOf(diagnostics)[0]?.code === 'yosys_error';
  return { scan, lines: diagnostics.map(diagnosticLine), beyondYosys, doubts: [], ...nothing };
}

/**
 * Finds the slave among the modules of a design, and what is wrong with them.
 * @param mentions where bodies were not read: module → words in it, in place of what it instantiates
 */
export function judge(
  { source, rtlil, diagnostics }: ReadDesign,
  { board, options }: Pick<BuildRequest, 'board' | 'options'>,
  mentions?: ReadonlyMap<string, ReadonlySet<string>>,
): Judgement {
  const elaborated = parseRtlil(rtlil, hasInputs);
  for (const { name, ports } of elaborated)
    if (!source.verilog?.modules.has(name.toLowerCase()))
      for (const port of ports) port.offset ||= source.lowBounds?.[port.name.toLowerCase()] ?? 0;
  const byName = new Map(elaborated.map((module) => [module.name, module]));
  const graphOf = usesIn(byName);
  const { boardFile, notes } = boardFileOf(source, board);
  const { outcome, problems } = matchDesign(
    elaborated
      .filter(({ hollow }) => hollow === null)
      .map((module) => ({
        ...candidateOf(module, graphOf),
        declared: fileAndLine(declaredAt(module, source)),
        ...(mentions && { instantiates: [...(mentions.get(module.name) ?? [])] }),
      })),
    { ...options, ...(boardFile && { boardFile }) },
  );
  const { missed, beyond, doubts, elsewhere } = missingFor(
    outcome,
    elaborated,
    source,
    board.fpga.family,
    diagnostics,
  );
  const found = [...diagnostics, ...reservedModules(elaborated, source), ...missed, ...beyond];
  const judged = elaborated.map((module) => ({
    name: module.name,
    ports: module.ports,
    place: declaredAt(module, source),
    problem: module.hollow ? { text: HOLLOW[module.hollow] } : (problems.get(module.name) ?? null),
  }));
  const modules = judged.map(({ name, ports, place, problem }) => ({
    name,
    ...fileAndLine(place),
    ports,
    problem: problem?.text ?? null,
  }));
  const deep = outcome.kind === 'matched' ? deepHierarchy(outcome.design.module, byName) : null;
  if (deep) found.push({ ...deep, ...inUpload(deep, source) });
  const errors = errorsOf(found);
  const matched = outcome.kind === 'matched' && errors.length === 0 ? outcome.design : null;
  const misfit = matched && misfitOf(matched.module, byName, source, board);
  // What a translation to Verilog had to say stands in the log already.
  const findings = new Findings([...source.diagnostics, ...found, ...(misfit ? [misfit] : [])]);
  const hidden =
    judged.length === 0
      ? hiddenModules(source)
      : outcome.kind === 'none' && !outcome.nearest?.problem.bus
        ? hiddenBus(source)
        : null;
  if (errors.length === 0)
    findings.addAll([
      ...(hidden ? [hidden] : []),
      ...(hidden && judged.length === 0 ? [] : diagnoseMatch(outcome, judged)),
    ]);
  const scan: DesignScan = {
    source,
    outcome: errors.length > 0 ? { kind: 'invalid', errors } : outcome,
    misfit,
    arithmetic: matched && arithmeticBits(matched.module, byName),
    matched,
    modules,
    diagnostics: causeFirst(findings.all),
  };
  // Why a design is refused comes last, as the reason why a job failed does.
  const lines = [
    ...found.filter(({ severity }) => severity !== 'error').map(diagnosticLine),
    ...notes,
    ...elsewhere,
    ...describeOutcome(outcome, modules),
    ...errors.map(diagnosticLine),
  ];
  return {
    scan,
    lines: misfit ? [...lines, diagnosticLine(misfit)] : lines,
    beyondYosys: errorsOf(beyond).length > 0 && errorsOf(found).length === errorsOf(beyond).length,
    doubts,
    overrides: elaborated.some(({ instances }) =>
      instances.some(({ module, parameters }) => parameters.length > 0 && byName.has(module)),
    ),
    recursive: matched !== null && leadingToThemselves(byName.values()).has(matched.module),
    dependsOnInstances:
      matched !== null &&
      misfit === null &&
      (sizesMemories(matched.module, byName) || addressUseOf(matched, graphOf)?.unresolved === true),
  };
}

/**
 * The same, with the refusal of memories that do not fit, and with the addressing that the use of the address shows.
 * @param rtlil the modules below the slave as they are instantiated
 */
export function judgeAsMade(
  judgement: Judgement,
  rtlil: Uint8Array,
  { board, options }: Pick<BuildRequest, 'board' | 'options'>,
): Judgement {
  const { scan, lines } = judgement;
  const { matched } = scan;
  if (!matched) return judgement;
  const modules = parseRtlil(rtlil, hasInputs);
  const byName = new Map(modules.map((module) => [module.name, module]));
  const misfit = misfitOf(matched.module, byName, scan.source, board);
  const design = readdress(matched, addressUseOf(matched, usesIn(byName)), options);
  const before = describeAddressing(matched);
  const at = lines.indexOf(before[0] ?? '');
  return {
    ...judgement,
    scan: {
      ...scan,
      matched: design,
      ...(scan.outcome.kind === 'matched' && { outcome: { ...scan.outcome, design } }),
      ...(misfit && { misfit, diagnostics: causeFirst([...scan.diagnostics, misfit]) }),
    },
    lines: [
      ...(at < 0 ? lines : lines.toSpliced(at, before.length, ...describeAddressing(design))),
      ...(misfit ? [diagnosticLine(misfit)] : []),
    ],
  };
}

/** How the slave uses its address; null where that is not known. */
const addressUseOf = ({ module, roles }: MatchedDesign, graphOf: UsesOf): AddressUse | null =>
  roles['adr'] === undefined ? null : addressUse(module, roles['adr'], graphOf);

/** Why the memories of a slave and of what is below it cannot fit the part; null where they may. */
function misfitOf(
  slave: string,
  modules: ReadonlyMap<string, ElaboratedModule>,
  source: PreparedDesign,
  board: BuildRequest['board'],
): Diagnostic | null {
  const tooMuch = tooMuchMemory(slave, modules, FLOWS[board.fpga.family].memoryCapacity(board));
  return tooMuch && { ...tooMuch, ...inUpload(tooMuch, source) };
}

/** The .pcf beside the sources, as the board reads it. */
function boardFileOf(
  { constraints }: PreparedDesign,
  board: BuildRequest['board'],
): { boardFile?: BoardFile; notes: string[] } {
  if (!constraints) return { notes: [] };
  const boardFile = readBoardFile(board, constraints.path, constraints.text);
  if (boardFile) return { boardFile, notes: [] };
  return { notes: [`note: ${constraints.path} is for iCE40 parts, and is not used for ${board.name}`] };
}

/** Bodies are kept for these only: what an address may lead into. */
const hasInputs = (ports: Port[]) => ports.some(({ direction }) => direction === 'input');

/** Where a module or an entity is declared in what was uploaded. */
function declaredAt({ name, place }: ElaboratedModule, source: PreparedDesign): Place {
  const own = inUpload(place, source);
  return own.line === undefined ? (source.entities?.get(name.toLowerCase()) ?? own) : own;
}

const fileAndLine = ({ file, line }: Place) => ({
  ...(file !== undefined && { file }),
  ...(line !== undefined && { line }),
});

function candidateOf(module: ElaboratedModule, graphOf: UsesOf): CandidateModule {
  const parameters: Record<string, number> = {};
  for (const [name, value] of Object.entries(module.parameters)) {
    const bits = /^\d+'([01]+)$/.exec(value)?.[1];
    if (bits !== undefined) parameters[name] = Number.parseInt(bits, 2);
    else if (/^-?\d+$/.test(value)) parameters[name] = Number(value);
  }
  const edges: NonNullable<CandidateModule['edges']> = {};
  for (const line of module.body ?? []) {
    const [, edge, name] = /^ {4}sync (posedge|negedge) \\(\S+)$/.exec(line) ?? [];
    if (name === undefined) continue;
    const seen = edges[name] ?? { rise: 0, fall: 0 };
    edges[name] = seen;
    seen[edge === 'posedge' ? 'rise' : 'fall']++;
  }
  return {
    name: module.name,
    ports: module.ports,
    parameters,
    edges,
    instantiates: module.instances.map((instance) => instance.module),
    addressUse: (port) => addressUse(module.name, port, graphOf),
  };
}

/**
 * Modules that are nowhere, and ports and parameters that modules do not have. They count where the slave has an instance of them, or where
 * no slave was found that could be looked below; a bus that is of another kind, or not that of one slave, is the reason then,
 * whatever else is missing.
 * @returns also what the slave has that Yosys would build as something else, and what it may have read so
 */
function missingFor(
  outcome: MatchOutcome,
  elaborated: readonly ElaboratedModule[],
  source: PreparedDesign,
  family: BuildRequest['board']['fpga']['family'],
  diagnostics: readonly Diagnostic[],
): { missed: Diagnostic[]; beyond: Diagnostic[]; doubts: Diagnostic[]; elsewhere: string[] } {
  const modules = missingModules(elaborated, source, family);
  const all = [
    ...modules,
    ...emptyModules(elaborated, source, family),
    ...missingPorts(elaborated, source),
    ...missingParameters(elaborated, source),
  ];
  const told = all.map(({ inside: _, ...finding }) => finding);
  switch (outcome.kind) {
    case 'matched': {
      const below = modulesBelow(
        outcome.design.module,
        new Map(elaborated.map((module) => [module.name, module])),
      );
      const without = [
        ...new Set(modules.filter(({ inside }) => !below.has(inside)).map(({ inside }) => inside)),
      ];
      return {
        missed: told.filter((_, at) => below.has(all[at]?.inside ?? '')),
        beyond: outOfReach(below, elaborated, source, diagnostics),
        doubts: doubtsOf(below, source),
        elsewhere:
          without.length > 0
            ? [
                `note: ${someOf(without)} ${without.length > 1 ? 'have' : 'has'} modules in it that are nowhere; ${outcome.design.module} needs none of them`,
              ]
            : [],
      };
    }
    case 'none':
      return { missed: outcome.nearest?.problem.bus ? [] : told, beyond: [], doubts: [], elsewhere: [] };
    default:
      return { missed: [], beyond: [], doubts: [], elsewhere: [] };
  }
}

function describeOutcome(outcome: MatchOutcome, modules: ScanResult['modules']): string[] {
  if (outcome.kind === 'matched')
    return [...describeMatch(outcome.design), ...outcome.notes.map((note) => `note: ${note}`)];
  if (outcome.kind === 'none' || outcome.kind === 'top is no slave')
    return [...CONTRACT_LINES, 'What was found:', ...describeModules(modules)];
  return [];
}
