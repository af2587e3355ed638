import type { MatchedDesign, Port, ScanResult } from '../../contract/designs.ts';
import type { Diagnostic } from '../../contract/diagnostics.ts';
import { assertNever, type BenchError } from '../../errors/bench-error.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import { causeFirst, errorsOf, Findings } from '../diagnostics/findings.ts';
import { diagnosticLine, headline } from '../diagnostics/text.ts';
import type { CandidateModule } from '../match/candidate.ts';
import { diagnoseMatch } from '../match/diagnose.ts';
import { CONTRACT_LINES, describeMatch, describeModules } from '../match/explain.ts';
import { type MatchOutcome, matchDesign, RESERVED_MODULE } from '../match/match.ts';
import { readingsOf } from '../match/port-names.ts';
import type { BuildRequest, ToolContext, ToolEngine } from '../toolchain.ts';
import { addressUse } from './address-use.ts';
import { elaborate } from './elaborate.ts';
import { type ElaboratedModule, type Place, parseRtlil } from './rtlil.ts';
import { type PreparedSource, prepareSource } from './source.ts';

export { readCommand } from './elaborate.ts';

/** A ScanResult with what the rest of a build needs from it. */
export interface DesignScan extends ScanResult {
  /** The source as the tools may read it, with the language in which it could be read. */
  source: PreparedSource;
  /** `invalid`: the design has errors of its own, so whatever was matched in it does not count. */
  outcome: MatchOutcome | { kind: 'invalid'; errors: Diagnostic[] };
}

const HOLLOW: Record<NonNullable<ElaboratedModule['hollow']>, string> = {
  'no content': 'it has ports and nothing inside',
  'parameter without default': 'one of its parameters has no default value',
};

/** Cells that belong to the FPGA, not to the design. */
const PRIMITIVE: Record<string, RegExp | null> = {
  ice40: /^SB_|^ICESTORM_|^\$/,
  // The libraries of these are long and change; synthesis reports what is missing.
  ecp5: null,
  gowin: null,
};

/**
 * Elaborates a design, lists its modules and finds the Wishbone slave among them.
 *
 * Errors in the design come back as diagnostics, with `matched` null; requireMatch turns them into a BenchError.
 * VHDL and Amaranth are to be translated first: scanSource takes the Verilog that came out.
 * @throws design_empty, design_binary, design_too_large, design_language; what the engine rejects with
 */
export function scanDesign(
  request: BuildRequest,
  engine: ToolEngine,
  context: ToolContext,
): Promise<DesignScan> {
  return scanSource(prepareSource(request.source, request.filename), request, engine, context);
}

/** As scanDesign, with a source that has been prepared (and translated) already. */
export async function scanSource(
  source: PreparedSource,
  request: Pick<BuildRequest, 'board' | 'options'>,
  engine: ToolEngine,
  context: ToolContext,
): Promise<DesignScan> {
  const log = (line: string) => context.log('scan', line);
  context.progress('scan', 0);
  for (const note of source.notes) log(`note: ${note}`);
  const fail = (diagnostics: readonly Diagnostic[]): DesignScan => {
    for (const diagnostic of diagnostics) log(diagnosticLine(diagnostic));
    return {
      source,
      outcome: { kind: 'invalid', errors: errorsOf(diagnostics) },
      matched: null,
      modules: [],
      diagnostics: causeFirst(diagnostics),
    };
  };
  if (errorsOf(source.diagnostics).length > 0) return fail(source.diagnostics);

  const read = await elaborate(source, engine, context);
  if (read.rtlil === null) return fail(read.diagnostics);
  context.progress('scan', 0.8);

  const elaborated = parseRtlil(read.rtlil, mayBeSlave);
  for (const port of elaborated.flatMap(({ ports }) => ports))
    port.offset ||= source.lowBounds?.[port.name.toLowerCase()] ?? 0;
  const found = [...read.diagnostics, ...checkModules(elaborated, read.source, request.board.fpga.family)];
  for (const diagnostic of found) log(diagnosticLine(diagnostic));
  const errors = errorsOf(found);
  const byName = new Map(elaborated.map((module) => [module.name, module]));
  const candidates = elaborated.filter(({ hollow }) => hollow === null);
  const { outcome, problems } = matchDesign(
    candidates.map((module) => candidateOf(module, byName)),
    request.options,
  );
  const judged = elaborated.map(({ name, ports, hollow, place }) => ({
    name,
    ports,
    place: inUpload(place, source),
    problem: hollow ? { text: HOLLOW[hollow] } : (problems.get(name) ?? null),
  }));
  const modules = judged.map(({ name, ports, problem }) => ({ name, ports, problem: problem?.text ?? null }));
  for (const line of describeOutcome(outcome, modules)) log(line);
  context.progress('scan', 1);
  // What a translation to Verilog had to say stands in the log already.
  const findings = new Findings([...source.diagnostics, ...found]);
  if (errors.length === 0) findings.addAll(diagnoseMatch(outcome, judged));
  return {
    source: read.source,
    outcome: errors.length > 0 ? { kind: 'invalid', errors } : outcome,
    matched: outcome.kind === 'matched' && errors.length === 0 ? outcome.design : null,
    modules,
    diagnostics: causeFirst(findings.all),
  };
}

/** The slave of a scanned design, or the reason why there is none, as a BenchError of the design_ codes. */
export function requireMatch({ outcome, modules, diagnostics }: DesignScan): MatchedDesign {
  switch (outcome.kind) {
    case 'matched':
      return outcome.design;
    case 'invalid':
      throw invalid(outcome.errors, diagnostics);
    case 'none':
      throw toolchainError('design_no_slave', { message: whyNone(modules), diagnostics });
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
        diagnostics,
      });
    case 'bad tie':
      throw toolchainError('design_bad_tie', {
        message: `The form field ties: ${outcome.problem}.`,
        diagnostics,
      });
    default:
      return assertNever(outcome);
  }
}

/** The first error decides what the design is refused for. */
function invalid(errors: Diagnostic[], diagnostics: Diagnostic[]): BenchError {
  const [first] = errors;
  const code = first?.code === 'design_file_reference' ? 'design_file_reference' : 'design_invalid';
  return toolchainError(code, {
    ...(first && { message: headline(first, errors.length) }),
    diagnostics,
  });
}

function whyNone(modules: ScanResult['modules']): string {
  if (modules.length === 0) return 'The source defines no module.';
  const [only] = modules;
  if (modules.length === 1 && only)
    return `Module ${only.name} is no Wishbone slave: ${only.problem ?? 'unknown'}.`;
  return `None of the ${modules.length} modules of the design is a Wishbone slave.`;
}

/** Bodies are kept for these only: modules with an acknowledge, and whatever a port may lead into. */
const mayBeSlave = (ports: Port[]) =>
  ports.some(({ direction, width }) => direction === 'input' && width > 2) ||
  ports.some(({ name }) => readingsOf(name).some(({ stem }) => stem === 'ack'));

function candidateOf(
  module: ElaboratedModule,
  modules: ReadonlyMap<string, ElaboratedModule>,
): CandidateModule {
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
    addressUse: (port) => addressUse(module, port, modules),
  };
}

/** A place in the file that was uploaded: places in the Verilog that was made of it mean nothing to its author. */
const inUpload = (place: Place, { uploaded }: PreparedSource): Place =>
  place.file === uploaded ? place : { file: uploaded };

/** Instances of modules that are nowhere, and modules whose names the bench needs for itself. */
function checkModules(
  modules: ElaboratedModule[],
  source: PreparedSource,
  family: BuildRequest['board']['fpga']['family'],
): Diagnostic[] {
  const names = new Set(modules.map(({ name }) => name));
  const primitive = PRIMITIVE[family];
  const found: Diagnostic[] = [];
  const error = (place: Place, module: string, message: string) =>
    found.push({
      severity: 'error',
      code: 'design_invalid',
      message,
      ...inUpload(place, source),
      module,
    });
  for (const { name, place, instances } of modules) {
    if (RESERVED_MODULE.test(name))
      error(place, name, `module ${name}: names that begin with wishbench_ belong to the bench; rename it`);
    if (!primitive) continue;
    const missing = new Map(instances.map((instance) => [instance.module, instance]));
    for (const [type, instance] of missing)
      if (!names.has(type) && !primitive.test(type))
        error(
          instance.place,
          type,
          `module ${type}, of which ${name} has the instance ${instance.name}, is not in the file`,
        );
  }
  return found;
}

function describeOutcome(outcome: MatchOutcome, modules: ScanResult['modules']): string[] {
  if (outcome.kind === 'matched')
    return [...describeMatch(outcome.design), ...outcome.notes.map((note) => `note: ${note}`)];
  if (outcome.kind === 'none' || outcome.kind === 'top is no slave')
    return [...CONTRACT_LINES, 'What was found:', ...describeModules(modules)];
  return [];
}
