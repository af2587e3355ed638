import type { MatchedDesign, ScanResult } from '../../contract/designs.ts';
import type { Diagnostic } from '../../contract/diagnostics.ts';
import { assertNever } from '../../errors/bench-error.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import type { CandidateModule } from '../match/candidate.ts';
import { CONTRACT_LINES, describeMatch, describeModules } from '../match/explain.ts';
import { type MatchOutcome, matchDesign, RESERVED_MODULE } from '../match/match.ts';
import { readingsOf } from '../match/port-names.ts';
import type { BuildContext, BuildRequest, ToolEngine } from '../toolchain.ts';
import { addressUse } from './address-use.ts';
import { diagnosticLine } from './diagnostics.ts';
import { elaborate } from './elaborate.ts';
import { type ElaboratedModule, type Port, parseRtlil } from './rtlil.ts';
import { type PreparedSource, prepareSource } from './source.ts';

export { readCommand } from './elaborate.ts';

/** A ScanResult with what the rest of a build needs from it. */
export interface DesignScan extends ScanResult {
  /** The source as the tools may read it, with the language in which it could be read. */
  source: PreparedSource;
  /** Null when the design could not be elaborated. */
  outcome: MatchOutcome | null;
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
  context: BuildContext,
): Promise<DesignScan> {
  return scanSource(prepareSource(request.source, request.filename), request, engine, context);
}

/** As scanDesign, with a source that has been prepared (and translated) already. */
export async function scanSource(
  source: PreparedSource,
  request: Pick<BuildRequest, 'board' | 'options'>,
  engine: ToolEngine,
  context: BuildContext,
): Promise<DesignScan> {
  const log = (line: string) => context.log('scan', line);
  context.progress('scan', 0);
  for (const note of source.notes) log(`note: ${note}`);
  const fail = (diagnostics: Diagnostic[]): DesignScan => {
    for (const diagnostic of diagnostics) log(diagnosticLine(diagnostic));
    return { source, outcome: null, matched: null, modules: [], diagnostics };
  };
  if (source.diagnostics.some(({ severity }) => severity === 'error')) return fail(source.diagnostics);

  const read = await elaborate(source, engine, context);
  if (read.rtlil === null) return fail(read.diagnostics);
  context.progress('scan', 0.8);

  const elaborated = parseRtlil(read.rtlil, mayBeSlave);
  for (const port of elaborated.flatMap(({ ports }) => ports))
    port.offset ||= source.lowBounds?.[port.name.toLowerCase()] ?? 0;
  const diagnostics = [
    ...read.diagnostics,
    ...checkModules(elaborated, read.source, request.board.fpga.family),
  ];
  for (const diagnostic of diagnostics) log(diagnosticLine(diagnostic));
  const byName = new Map(elaborated.map((module) => [module.name, module]));
  const candidates = elaborated.filter(({ hollow }) => hollow === null);
  const { outcome, problems } = matchDesign(
    candidates.map((module) => candidateOf(module, byName)),
    request.options,
  );
  const modules = elaborated.map(({ name, ports, hollow }) => ({
    name,
    ports,
    problem: hollow ? HOLLOW[hollow] : (problems.get(name) ?? null),
  }));
  for (const line of describeOutcome(outcome, modules)) log(line);
  context.progress('scan', 1);
  const failed = diagnostics.some(({ severity }) => severity === 'error');
  return {
    source: read.source,
    outcome,
    matched: outcome.kind === 'matched' && !failed ? outcome.design : null,
    modules,
    diagnostics,
  };
}

/** The slave of a scanned design, or the reason why there is none, as a BenchError of the design_ codes. */
export function requireMatch(scan: DesignScan): MatchedDesign {
  const errors = scan.diagnostics.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (first) {
    const fileReference =
      scan.source.diagnostics.includes(first) || /a design is one file/.test(first.message);
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
    throw toolchainError(fileReference ? 'design_file_reference' : 'design_invalid', {
      message: `${first.file}${first.line ? `:${first.line}` : ''}: ${first.message}${more}`,
      diagnostics: errors.slice(0, 20),
    });
  }
  const { outcome } = scan;
  if (outcome === null) throw toolchainError('design_invalid');
  switch (outcome.kind) {
    case 'matched':
      return outcome.design;
    case 'none':
      throw toolchainError('design_no_slave', { message: whyNone(scan.modules) });
    case 'ambiguous':
      throw toolchainError('design_ambiguous', {
        message: `The design has more than one Wishbone slave: ${outcome.candidates.join(', ')}.`,
        remedy: `Choose one with the form field top, for example top=${outcome.candidates[0]}.`,
        details: { candidates: outcome.candidates },
      });
    case 'unknown top':
      throw toolchainError('design_top_unknown', {
        message: `The design has no module ${outcome.top}; it has ${outcome.modules.slice(0, 20).join(', ') || 'none'}.`,
      });
    case 'top is no slave':
      throw toolchainError('design_no_slave', {
        message: `Module ${outcome.top} is no Wishbone slave: ${outcome.problem}.`,
      });
    case 'bad tie':
      throw toolchainError('design_bad_tie', { message: `The form field ties: ${outcome.problem}.` });
    default:
      return assertNever(outcome);
  }
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
    edges[name] ??= { rise: 0, fall: 0 };
    edges[name][edge === 'posedge' ? 'rise' : 'fall']++;
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

/** Instances of modules that are nowhere, and modules whose names the bench needs for itself. */
function checkModules(
  modules: ElaboratedModule[],
  source: PreparedSource,
  family: BuildRequest['board']['fpga']['family'],
): Diagnostic[] {
  const names = new Set(modules.map(({ name }) => name));
  const primitive = PRIMITIVE[family];
  const found: Diagnostic[] = [];
  const error = (line: number, message: string) =>
    found.push({ severity: 'error', code: 'design_invalid', file: source.filename, line, message });
  for (const { name, line, instances } of modules) {
    if (RESERVED_MODULE.test(name))
      error(line, `module ${name}: names that begin with wishbench_ belong to the bench; rename it`);
    if (!primitive) continue;
    const missing = new Map(instances.map((instance) => [instance.module, instance]));
    for (const [type, instance] of missing)
      if (!names.has(type) && !primitive.test(type))
        error(
          instance.line,
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
