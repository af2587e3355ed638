import type { Diagnostic } from '../../contract/diagnostics.ts';
import { causeFirst, errorsOf } from '../diagnostics/findings.ts';
import { inWords, syntaxErrorOf } from '../diagnostics/syntax-words.ts';
import { diagnosticLine } from '../diagnostics/text.ts';
import { someOf } from '../match/explain.ts';
import { copiesIn, modulesOfOthers, textOf } from './copies.ts';
import { declaredIn } from './declared-units.ts';
import type { Reading } from './elaborate.ts';
import type { Judgement } from './judge.ts';
import { type Piece, piecesOf } from './outline-lexer.ts';
import type { LeftOut, PreparedDesign } from './prepared-design.ts';
import { hasSlavePorts, vhdlHasSlavePorts } from './slave-ports.ts';
import { isBeside, unneededBeside } from './test-folders.ts';
import { PROJECT_FOLDER, reportedName } from './tool-paths.ts';
import { conditionOf } from './uneven-condition.ts';
import { vhdlSource } from './vhdl-places.ts';

/** Sources of a project that are left out at most: each is one more reading of all others. */
export const MOST_LEFT_OUT = 16;

/** Sources in folders of tests that are left out one after the other. */
const MOST_TESTS = 4;

/** A project without the sources that have errors of their own. */
export interface WithoutBroken {
  /** Null where that leads to nothing that can be read. */
  reading: (Reading & { source: PreparedDesign; rtlil: Uint8Array }) | null;
  /** Where nothing can be read, the last of them is one that could not be left out. */
  left: LeftOut[];
}

/**
 * Leaves out of a project the sources that cannot be read, such as models for a simulator and fragments: one after the
 * other, as their errors are found.
 * @param whole what was found wrong in all of them together
 * @param read null where it takes too long
 */
export async function withoutBroken(
  source: PreparedDesign,
  whole: { source: PreparedDesign; diagnostics: readonly Diagnostic[] },
  read: (rest: PreparedDesign) => Promise<(Reading & { source: PreparedDesign }) | null>,
): Promise<WithoutBroken> {
  const left: LeftOut[] = [];
  const nothing = { reading: null, left };
  // VHDL is left out as it is translated: see ghdl-left-out.ts.
  if (source.language === 'vhdl' || source.language === 'amaranth') return nothing;
  // In the edition that comes farther, so that each reading is one run.
  let rest = whole.source;
  let found = whole;
  let tests = 0;
  while (left.length < MOST_LEFT_OUT + tests) {
    const [first] = errorsOf(found.diagnostics);
    // Of a condition without an end the tool says no file.
    const error = first && (conditionOf(first, rest) ?? first);
    const path = error?.file === undefined ? undefined : readerOf(error.file, rest);
    if (!error || path === undefined) return nothing;
    left.push({ path, text: textOf(rest.files, path), error, found, shared: modulesOfOthers(path, rest) });
    if (rest.units.length < 2) return nothing;
    rest = without(rest, path);
    // Of tests as well: where several cannot be read the others are no more.
    if (tests === 0 && left.filter((one) => isBeside(reportedName(one.path))).length === MOST_TESTS) {
      const others = unneededBeside(rest);
      tests = others.length;
      for (const other of others) {
        left.push({ path: other, text: textOf(rest.files, other), error, unread: true });
        rest = without(rest, other);
      }
    }
    // Of copies all are left out at once: each would be one more reading.
    if (/ is defined a second time: /.test(error.message))
      for (const copy of copiesIn(rest).slice(0, MOST_LEFT_OUT + tests - left.length)) {
        left.push({
          ...copy,
          error: { ...error, ...copy.error },
          found,
          shared: modulesOfOthers(copy.path, rest),
        });
        rest = without(rest, copy.path);
      }
    found = { source: rest, diagnostics: rest.diagnostics };
    if (errorsOf(rest.diagnostics).length > 0) continue; // must not be given to a tool
    const reading = await read(rest);
    if (!reading) return nothing;
    found = reading;
    rest = reading.source;
    if (reading.rtlil !== null)
      return definesForOthers(left, source, rest)
        ? nothing
        : { reading: { ...reading, rtlil: reading.rtlil }, left };
  }
  return nothing;
}

function without(source: PreparedDesign, path: string): PreparedDesign {
  const { [path]: _, ...files } = source.files;
  const rest = { ...source, files, units: source.units.filter((unit) => unit !== path) };
  return {
    ...rest,
    diagnostics: source.diagnostics.filter(
      ({ file }) => file === undefined || readerOf(file, rest) !== undefined,
    ),
  };
}

/** The source that a file is, or that includes it; undefined where nothing reads it. */
function readerOf(file: string, { units, files }: PreparedDesign): string | undefined {
  const includes = `"${PROJECT_FOLDER}${file}"`;
  return (
    units.find((unit) => reportedName(unit) === file) ??
    units.find((unit) => textOf(files, unit).includes(includes))
  );
}

/** Names of the macros that a text defines. */
const macrosOf = (text: string): string[] =>
  piecesOf(text).flatMap(({ kind, text }) =>
    kind === 'directive' ? (text.match(/(?<=^`define\s+)\w+/) ?? []) : [],
  );

/**
 * Whether what is left uses macros of what was left out before it, and has none of that name itself: without them it would
 * silently be something else.
 */
function definesForOthers(left: readonly LeftOut[], all: PreparedDesign, rest: PreparedDesign): boolean {
  const definitions = left.map(({ path, text }) => ({ at: all.units.indexOf(path), names: macrosOf(text) }));
  if (definitions.every(({ names }) => names.length === 0)) return false;
  return rest.units.some((unit) => {
    const text = textOf(rest.files, unit);
    // A header counts where the source may include it.
    const headers = Object.keys(rest.files).filter(
      (path) => !rest.units.includes(path) && text.includes(path),
    );
    const texts = [text, ...headers.map((path) => textOf(rest.files, path))];
    const own = new Set(texts.flatMap(macrosOf));
    const defined = new Set(
      definitions
        .filter(({ at }) => at < all.units.indexOf(unit))
        .flatMap(({ names }) => names.filter((name) => !own.has(name))),
    );
    return texts.some((one) =>
      piecesOf(one).some(
        ({ kind, text }) =>
          (kind === 'macro' || kind === 'directive') &&
          [...text.matchAll(/`(?:(?:ifn?def|elsif)\s+)?(\w+)/g)].some(([, name = '']) => defined.has(name)),
      ),
    );
  });
}

/** What a design without its broken sources comes to. */
export type Beside =
  | { kind: 'judged'; judgement: Judgement }
  /** One of them may be what was meant, for it may have the slave in it or be around it. */
  | { kind: 'meant'; slaves: string[]; meant: LeftOut }
  /** What is left is wrong itself, for want of modules that were left out perhaps. */
  | { kind: 'wrong'; meant?: LeftOut };

/**
 * The judgement of a design without its broken sources, with a warning for each.
 * @param chosen the slave was named: nothing else is meant
 * @param below the modules that a slave needs, and itself
 * @param language of what was left out
 */
export function besideBroken(
  judgement: Judgement,
  left: readonly LeftOut[],
  chosen: boolean,
  below: (slave: string) => ReadonlySet<string>,
  language: 'verilog' | 'vhdl' = 'verilog',
): Beside {
  const { scan, lines } = judgement;
  if (scan.outcome.kind === 'invalid' || scan.outcome.kind === 'unknown top') {
    const missed =
      scan.outcome.kind === 'invalid' ? scan.outcome.errors.map(({ module }) => module ?? '') : [];
    const meant = left.find(({ text }) => missed.some((module) => declaredIn(text).has(module)));
    return { kind: 'wrong', ...(meant && { meant }) };
  }
  // There is no module in what is left, or none with a port, so that one of these was to be it.
  const only = scan.modules.every(({ ports }) => ports.length === 0) ? causeOf(left) : undefined;
  if (only) return { kind: 'meant', slaves: [], meant: only };
  const slaves = slavesOf(scan);
  const inUse = new Set(slaves.flatMap((slave) => [...below(slave)]));
  const doubtful = left.find(({ shared }) => shared?.some((name) => inUse.has(name)));
  if (doubtful) return { kind: 'meant', slaves: [], meant: doubtful };
  const designed = scan.source.units.some(
    (unit) => !isBeside(reportedName(unit)) && declaresAny(textOf(scan.source.files, unit), slaves),
  );
  const meant = left.find(({ path, text, unread }) => {
    if (unread) return false;
    if (designed && language === 'verilog' && isBeside(reportedName(path))) return false;
    return language === 'vhdl' ? vhdlMayBeMeant(text, slaves) : mayBeMeant(piecesOf(text), slaves);
  });
  if (!chosen && meant) return { kind: 'meant', slaves, meant };
  const why = slaves.length > 0 ? `, for ${someOf(slaves)} needs nothing of it` : '';
  const inBulk = left.filter(({ unread }) => unread).length;
  const more = inBulk > 0 ? [`note: ${inBulk} other files in folders of tests are left out${why}`] : [];
  const warnings = left.flatMap(({ error, unread }): Diagnostic[] => {
    if (unread) return [];
    const code = error.code.replace(/^(yosys|ghdl)_error$/, '$1_warning');
    const syntax = syntaxErrorOf(error.message);
    const said = syntax ? inWords(syntax) : error.message;
    return [{ ...error, severity: 'warning', code, message: `this file is left out${why}: ${said}` }];
  });
  return {
    kind: 'judged',
    judgement: {
      ...judgement,
      scan: { ...scan, diagnostics: causeFirst([...scan.diagnostics, ...warnings]) },
      lines: [...warnings.map(diagnosticLine), ...more, ...lines],
    },
  };
}

/**
 * The source whose error is told first, of those that cannot be read: one that may have the slave in it, or stands with the
 * design and not with its tests; where that needs another one, that.
 * @param meant what may be meant by what is left
 */
export function causeOf(all: readonly LeftOut[], meant?: LeftOut): LeftOut | undefined {
  const left = all.filter(({ unread }) => !unread);
  let cause =
    meant ??
    left.find(({ text }) => mayBeMeant(piecesOf(text), [])) ??
    left.find(({ path, text }) => !isBeside(reportedName(path)) && hasModule(piecesOf(text))) ??
    left.find(({ path }) => !isBeside(reportedName(path))) ??
    left[0];
  for (let at = left.indexOf(cause as LeftOut) - 1; at >= 0; at--) {
    const before = left[at] as LeftOut;
    if (cause && needs(cause.text, before.text)) cause = before;
  }
  return cause;
}

/** Whether a source names a module, package, interface or macro of another one. */
function needs(text: string, other: string): boolean {
  const names = declaredIn(other);
  return piecesOf(text).some(
    ({ kind, text: word }) => (kind === 'word' || kind === 'macro') && names.has(word),
  );
}

const declaresAny = (text: string, names: readonly string[]): boolean => {
  const declared = declaredIn(text);
  return names.some((name) => declared.has(name));
};

/** The slaves that were found in a design. */
export function slavesOf({ matched, outcome }: Judgement['scan']): string[] {
  if (matched) return [matched.module];
  return outcome.kind === 'ambiguous' ? outcome.candidates : [];
}

const hasModule = (pieces: readonly Piece[]): boolean =>
  pieces.some(({ kind, text }) => kind === 'word' && /^(?:macro|end)?module$/.test(text));

/**
 * Whether a source may have a slave of its own, or a module with ports around one of those that were found. A part that others
 * include has no module at all, and where nothing includes it nothing is of it.
 */
function mayBeMeant(pieces: readonly Piece[], slaves: readonly string[]): boolean {
  if (!hasModule(pieces)) return false;
  const around = pieces.some(({ kind, text }) => kind === 'word' && slaves.includes(text));
  if (around && hasPorts(pieces)) return true;
  return hasSlavePorts(pieces);
}

/**
 * The same of a source in VHDL: it has ports, for what has none is a testbench and is not read.
 * @param itself whether it counts that it may be a slave
 */
export function vhdlMayBeMeant(text: string, slaves: readonly string[], itself = true): boolean {
  const { tokens } = vhdlSource(text);
  const names = new Set(slaves.map((name) => name.toLowerCase()));
  if (tokens.some((token) => token.kind === 'word' && names.has(token.text))) return true;
  return itself && vhdlHasSlavePorts(tokens);
}

/** Whether a module of a text has a list of ports with anything in it. */
function hasPorts(pieces: readonly Piece[]): boolean {
  return pieces.some(({ text }, at) => {
    if (text !== 'module') return false;
    let next = at + 2;
    if (pieces[next]?.text === '#') next = behindBrackets(pieces, next + 1);
    return pieces[next]?.text === '(' && pieces[next + 1]?.text !== ')';
  });
}

function behindBrackets(pieces: readonly Piece[], from: number): number {
  let depth = 0;
  for (let at = from; at < pieces.length; at++) {
    if (pieces[at]?.text === '(') depth++;
    else if (pieces[at]?.text === ')' && --depth === 0) return at + 1;
  }
  return pieces.length;
}
