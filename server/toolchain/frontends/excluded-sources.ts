import type { Diagnostic } from '../../contract/diagnostics.ts';
import { causeFirst, errorsOf } from '../diagnostics/findings.ts';
import { linesOf } from '../diagnostics/line-folder.ts';
import { someOf } from '../diagnostics/text.ts';
import type { ExcludedSource } from '../intake/prepared-design.ts';
import { isTestFile } from '../languages/test-folders.ts';
import { declaredIn } from '../languages/verilog/declared-units.ts';
import { type Piece, piecesOf } from '../languages/verilog/outline-lexer.ts';
import { hasPorts } from '../languages/verilog/verilog-testbenches.ts';
import { vhdlSource } from '../languages/vhdl/vhdl-places.ts';
import type { Judgement } from '../slave/find-slave.ts';
import { modulesBelow, type Netlist } from '../slave/netlist.ts';
import { hasSlavePorts, vhdlHasSlavePorts } from '../slave/slave-ports.ts';
import { reportedName } from '../tool-paths.ts';

/** Limit of excluded sources. Each costs one more reading of all others. */
export const MAX_EXCLUDED_SOURCES = 16;

/** The result of a design without its broken sources. */
export type Exclusion =
  | { kind: 'judged'; judgement: Judgement }
  /** The author may mean an excluded source: it may have the slave, or a module around the slave. */
  | { kind: 'meant'; slaves: string[]; meant: ExcludedSource }
  /** The rest is invalid too, perhaps because it needs an excluded module. */
  | { kind: 'wrong'; meant?: ExcludedSource };

/**
 * Judges a design without its broken sources, and adds a warning for each of them.
 * @param left the broken sources
 * @param chosen the request names the slave: no other one is meant
 * @param netlist of the rest; null when no other source declares a module of a broken one
 * @param language of the broken sources
 */
export function excludeBroken(
  judgement: Judgement,
  left: readonly ExcludedSource[],
  chosen: boolean,
  netlist: Netlist | null,
  language: 'verilog' | 'vhdl' = 'verilog',
): Exclusion {
  const { scan, lines } = judgement;
  if (scan.outcome.kind === 'invalid' || scan.outcome.kind === 'unknown top') {
    const missed =
      scan.outcome.kind === 'invalid' ? scan.outcome.errors.map(({ module }) => module ?? '') : [];
    const meant = left.find(({ text }) => missed.some((module) => declaredIn(text).has(module)));
    return { kind: 'wrong', ...(meant && { meant }) };
  }
  // The rest has no module with a port, and one of the broken sources must be meant.
  const only = scan.modules.every(({ ports }) => ports.length === 0) ? causeOf(left) : undefined;
  if (only) return { kind: 'meant', slaves: [], meant: only };
  const slaves = slavesOf(scan);
  const inUse = new Set(netlist ? slaves.flatMap((slave) => neededBy(slave, netlist)) : []);
  const doubtful = left.find(({ shared }) => shared?.some((name) => inUse.has(name)));
  if (doubtful) return { kind: 'meant', slaves: [], meant: doubtful };
  const designed = scan.modules.some(
    ({ name, file }) => slaves.includes(name) && file !== undefined && !isTestFile(file),
  );
  const meant = left.find(({ path, text }) => {
    if (designed && language === 'verilog' && isTestFile(reportedName(path))) return false;
    return language === 'vhdl' ? vhdlMayBeMeant(text, slaves) : mayBeMeant(piecesOf(text), slaves);
  });
  if (!chosen && meant) return { kind: 'meant', slaves, meant };
  const why = slaves.length > 0 ? `, because ${someOf(slaves)} does not need it` : '';
  const warnings = left.map(({ error }): Diagnostic => {
    const code = error.code.replace(/^(slang|yosys|ghdl)_error$/, '$1_warning');
    return { ...error, severity: 'warning', code, message: `this file is excluded${why}: ${error.message}` };
  });
  return {
    kind: 'judged',
    judgement: {
      ...judgement,
      scan: { ...scan, diagnostics: causeFirst([...scan.diagnostics, ...warnings]) },
      lines: [...linesOf(warnings), ...lines],
    },
  };
}

/** The modules that a module needs, itself included. */
const neededBy = (slave: string, netlist: Netlist): string[] =>
  [...netlist.values()]
    .filter(({ definition }) => definition === slave)
    .flatMap(({ name }) => modulesBelow(name, netlist))
    .map(({ definition }) => definition);

/**
 * Chooses the broken source whose error comes first: one that may have the slave, then one outside the tests. If that
 * one needs another broken source, the error of the other one comes first.
 * @param meant a source that may be what the author means
 */
export function causeOf(left: readonly ExcludedSource[], meant?: ExcludedSource): ExcludedSource | undefined {
  let cause =
    meant ??
    left.find(({ text }) => mayBeMeant(piecesOf(text), [])) ??
    left.find(({ path, text }) => !isTestFile(reportedName(path)) && hasModule(piecesOf(text))) ??
    left.find(({ path }) => !isTestFile(reportedName(path))) ??
    left[0];
  for (let at = left.indexOf(cause as ExcludedSource) - 1; at >= 0; at--) {
    const before = left[at] as ExcludedSource;
    if (cause && needs(cause.text, before.text)) cause = before;
  }
  return cause;
}

/** Whether a source names a module, package, interface or macro of another source. */
function needs(text: string, other: string): boolean {
  const names = declaredIn(other);
  return piecesOf(text).some(
    ({ kind, text: word }) => (kind === 'word' || kind === 'macro') && names.has(word),
  );
}

/** The slaves of a design, one or several candidates. */
export function slavesOf({ matched, outcome }: Judgement['scan']): string[] {
  if (matched) return [matched.module];
  return outcome.kind === 'ambiguous' ? outcome.candidates : [];
}

const hasModule = (pieces: readonly Piece[]): boolean =>
  pieces.some(({ kind, text }) => kind === 'word' && /^(?:macro|end)?module$/.test(text));

/**
 * Whether a source may have its own slave, or a module with ports around one of the given slaves. A fragment for
 * `include` has no module.
 */
function mayBeMeant(pieces: readonly Piece[], slaves: readonly string[]): boolean {
  if (!hasModule(pieces)) return false;
  const around = pieces.some(({ kind, text }) => kind === 'word' && slaves.includes(text));
  const isAround = around && pieces.some(({ text }, at) => text === 'module' && hasPorts(pieces, at + 1));
  return isAround || hasSlavePorts(pieces);
}

/**
 * The same for a source in VHDL. An entity without ports is a testbench, and is not read.
 * @param itself whether a source with a slave's ports counts
 */
export function vhdlMayBeMeant(text: string, slaves: readonly string[], itself = true): boolean {
  const { tokens } = vhdlSource(text);
  const names = new Set(slaves.map((name) => name.toLowerCase()));
  if (tokens.some((token) => token.kind === 'word' && names.has(token.text))) return true;
  return itself && vhdlHasSlavePorts(tokens);
}

/** Diagnostics whose first error also names a slave that can be built without its file. */
export function withChoice(
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
