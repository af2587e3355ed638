import type { MatchedDesign, ScanResult } from '../../contract/designs/uploads.ts';
import type { Diagnostic } from '../../contract/diagnostics.ts';
import type { BuildRequest } from '../build-request.ts';
import { causeFirst, errorsOf, Findings } from '../diagnostics/findings.ts';
import { linesOf } from '../diagnostics/line-folder.ts';
import { fileAndLine } from '../diagnostics/place.ts';
import { diagnosticLine } from '../diagnostics/text.ts';
import { familyOf } from '../families/index.ts';
import type { PreparedDesign } from '../intake/prepared-design.ts';
import { type BoardFile, readBoardFile } from './board-file.ts';
import type { CandidateModule } from './candidate.ts';
import { diagnoseMatch } from './diagnose.ts';
import { CONTRACT_LINES, describeMatch, describeModules } from './explain.ts';
import { type MatchOutcome, matchDesign, RESERVED_MODULE } from './match.ts';
import { arithmeticBits, flipFlopMemories, type MemoryFault, tooMuchMemory } from './memories.ts';
import { missingModules } from './missing-modules.ts';
import { namePlaces } from './name-places.ts';
import { isHollow, type Module, modulesBelow, modulesIn, type Netlist } from './netlist.ts';
import { numericParameters } from './parameters.ts';
import { isPartCell } from './part-cells.ts';
import { registerInputs } from './register-inputs.ts';
import { withRegisteredReads } from './registered-reads.ts';
import { addressUse } from './registers/address-use.ts';
import { decodedRegisters } from './registers/decoded-registers.ts';
import { drivenInputs, driverConflicts, latches, loadedRegister } from './signal-drivers.ts';

/** A ScanResult with the inputs of the further build. */
export interface DesignScan extends ScanResult {
  /** The design as it was read, or its sources. */
  source: PreparedDesign;
  /** `invalid`: the design has errors, and a match does not count. */
  outcome: MatchOutcome | { kind: 'invalid'; errors: Diagnostic[] };
  /** Why the slave cannot fit the part. */
  misfit: MemoryFault | null;
  /** Bits of the slave's adders, comparators and the like; null when unknown. */
  arithmetic: number | null;
  /** Error for a register that is loaded without its clock, which no part has; null when there is none. */
  loaded: Diagnostic | null;
}

/** A scan with its log lines. */
export interface Judgement {
  scan: DesignScan;
  lines: string[];
}

/** A design as a front end read it. */
export interface ReadDesign {
  source: PreparedDesign;
  netlist: Netlist;
  /** Diagnostics of the front end. */
  diagnostics: readonly Diagnostic[];
}

/** The judgement of a design whose sources cannot be read. */
export function unreadable(
  source: PreparedDesign,
  diagnostics: readonly Diagnostic[],
  modules: ScanResult['modules'] = [],
): Judgement {
  return {
    scan: {
      source,
      outcome: { kind: 'invalid', errors: errorsOf(diagnostics) },
      misfit: null,
      arithmetic: null,
      loaded: null,
      matched: null,
      modules,
      diagnostics: causeFirst(diagnostics),
    },
    lines: linesOf(diagnostics),
  };
}

/** The board and the options of the request. */
type Request = Pick<BuildRequest, 'board' | 'options'>;

/** Finds the Wishbone slave among the modules of a design. */
export function findSlave({ source, netlist, diagnostics }: ReadDesign, request: Request): Judgement {
  const { board, options } = request;
  const definitions = definitionsOf(netlist);
  const isPart = (name: string) => isPartCell(name, familyOf(board));
  const { boardFile, notes } = boardFileOf(source, board);
  const { outcome: matching, problems } = matchDesign(
    definitions.filter((module) => !isHollow(module)).map((module) => candidateOf(module, netlist, source)),
    { ...options, ...(boardFile && { boardFile }) },
  );
  const outcome = withRegisters(matching, definitions, netlist);
  const found = [
    ...diagnostics,
    ...definitions.filter(isReserved).map(reserved),
    ...definitions.filter(({ definition }) => isPart(definition)).map(nameOfCell),
    ...(outcome.kind === 'matched' ? faultsBelow(outcome.design, netlist, source, isPart) : []),
  ];
  const judged = definitions.map((module) => ({
    name: module.definition,
    ports: module.ports,
    place: module.place,
    problem: isHollow(module) ? HOLLOW : (problems.get(module.definition) ?? null),
  }));
  const modules = judged.map(({ place, problem, ...module }) => ({
    ...module,
    ...fileAndLine(place),
    problem: problem?.text ?? null,
  }));
  const errors = errorsOf(found);
  const matched = outcome.kind === 'matched' && errors.length === 0 ? outcome.design : null;
  const capacity = familyOf(board).memoryCapacity(board);
  const memories = matched ? flipFlopMemories(matched.module, netlist, capacity) : [];
  const misfit =
    (matched && tooMuchMemory(matched.module, netlist, capacity)) ??
    memories.find(({ diagnostic }) => diagnostic.severity === 'error') ??
    null;
  const warnings = memories.flatMap(({ diagnostic }) =>
    diagnostic.severity === 'error' ? [] : [diagnostic],
  );
  const findings = new Findings([
    ...source.diagnostics,
    ...found,
    ...warnings,
    ...(misfit ? [misfit.diagnostic] : []),
  ]);
  if (errors.length === 0) findings.addAll(diagnoseMatch(outcome, judged));
  return {
    scan: {
      source: matched ? withRegisteredReads(source, netlist) : source,
      outcome: errors.length > 0 ? { kind: 'invalid', errors } : outcome,
      misfit,
      arithmetic: matched && arithmeticBits(matched.module, netlist),
      loaded: matched && loadedRegister(matched.module, netlist),
      matched,
      modules,
      diagnostics: causeFirst(findings.all),
    },
    // The reason for a refusal comes last, as in other logs of failed jobs.
    lines: [
      ...linesOf([...found, ...warnings].filter(({ severity }) => severity !== 'error')),
      ...notes,
      ...describeOutcome(outcome, modules),
      ...linesOf(errors),
      ...(misfit ? [diagnosticLine(misfit.diagnostic)] : []),
    ],
  };
}

/** The outcome with the registers of the slave. */
function withRegisters(
  outcome: MatchOutcome,
  definitions: readonly Module[],
  netlist: Netlist,
): MatchOutcome {
  if (outcome.kind !== 'matched') return outcome;
  const slave = definitions.find(({ definition }) => definition === outcome.design.module);
  if (!slave) return outcome;
  const registers = decodedRegisters(outcome.design, slave, netlist);
  return registers.length === 0 ? outcome : { ...outcome, design: { ...outcome.design, registers } };
}

/** Errors and warnings of a slave and everything below it, for any part. */
const faultsBelow = (
  { module: slave, roles }: MatchedDesign,
  netlist: Netlist,
  source: PreparedDesign,
  isPart: (name: string) => boolean,
): Diagnostic[] => [
  ...missingModules(slave, netlist, source, isPart),
  ...hollowInstances(slave, netlist),
  ...driverConflicts(slave, netlist, namePlaces(source)),
  ...drivenInputs(slave, netlist, namePlaces(source), new Set(Object.values(roles))),
  ...latches(slave, netlist),
];

const HOLLOW = { text: 'it has ports but is empty' };

/** Errors for instances below a slave whose module does not drive its outputs. */
const hollowInstances = (slave: string, netlist: Netlist): Diagnostic[] =>
  modulesBelow(slave, netlist).flatMap(({ definition: inside, cells }) =>
    cells.flatMap(({ type, name, place, connections }): Diagnostic[] => {
      const module = netlist.get(type);
      if (!module || module.isBlackBox || !isHollow(module)) return [];
      const isUsed = module.ports.some(
        (port) =>
          port.direction === 'output' && connections[port.name]?.some((net) => typeof net === 'number'),
      );
      if (!isUsed) return [];
      return [
        {
          severity: 'error',
          code: 'design_invalid',
          message: `module ${module.definition} (instance ${name} in ${inside}) has ports but is empty, or has only simulation code: implement it`,
          ...place,
          module: module.definition,
        },
      ];
    }),
  );

/** Each module of the sources once: the top where there is one, else its first instance. */
function definitionsOf(netlist: Netlist): Module[] {
  const found = new Map<string, Module>();
  for (const module of netlist.values())
    if (!module.isBlackBox && (module.isTop || !found.has(module.definition)))
      found.set(module.definition, module);
  return [...found.values()];
}

const candidateOf = (module: Module, netlist: Netlist, { files }: PreparedDesign): CandidateModule => ({
  name: module.definition,
  declared: fileAndLine(module.place),
  ports: module.ports,
  parameters: numericParameters(module, files),
  registerInputs: registerInputs(module, netlist),
  instantiates: modulesIn(module, netlist).map(({ definition }) => definition),
  addressUse: (port) => addressUse(module, port, netlist),
});

const isReserved = ({ definition }: Module) => RESERVED_MODULE.test(definition);

const reserved = ({ definition, place }: Module): Diagnostic => ({
  severity: 'error',
  code: 'design_invalid',
  message: `module ${definition}: names that begin with wishbench_ are reserved for the bench; rename it`,
  ...place,
  module: definition,
});

const nameOfCell = ({ definition, place }: Module): Diagnostic => ({
  severity: 'error',
  code: 'design_invalid',
  message: `module ${definition}: a cell of the part has this name; rename it`,
  ...place,
  module: definition,
});

/** The .pcf of the sources, as the board reads it. */
function boardFileOf(
  { constraints }: PreparedDesign,
  board: BuildRequest['board'],
): { boardFile?: BoardFile; notes: string[] } {
  if (!constraints) return { notes: [] };
  const boardFile = readBoardFile(board, constraints.path, constraints.text);
  if (boardFile) return { boardFile, notes: [] };
  return { notes: [`note: ${constraints.path} is for iCE40 parts, so it is not used for ${board.name}`] };
}

function describeOutcome(outcome: MatchOutcome, modules: ScanResult['modules']): string[] {
  if (outcome.kind === 'matched')
    return [...describeMatch(outcome.design), ...outcome.notes.map((note) => `note: ${note}`)];
  if (outcome.kind === 'none' || outcome.kind === 'top is no slave')
    return [...CONTRACT_LINES, 'What was found:', ...describeModules(modules)];
  return [];
}
