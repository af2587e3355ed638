import type { Diagnostic } from '../../contract/diagnostics.ts';
import { causeFirst, errorsOf } from '../diagnostics/findings.ts';
import { diagnosticLine } from '../diagnostics/text.ts';
import { someOf } from '../match/explain.ts';
import { readingsOf, type Stem } from '../match/port-names.ts';
import type { Reading } from './elaborate.ts';
import type { Judgement } from './judge.ts';
import { type Piece, piecesOf } from './outline-lexer.ts';
import type { LeftOut, PreparedDesign } from './prepared-design.ts';
import { PROJECT_FOLDER, reportedName } from './tool-paths.ts';
import { vhdlSource } from './vhdl-places.ts';

/** Sources of a project that are left out at most: each is one more reading of all others. */
export const MOST_LEFT_OUT = 16;

/** A project that can be read where sources with errors of their own are left out of it. */
export interface WithoutBroken {
  reading: Reading & { source: PreparedDesign; rtlil: Uint8Array };
  left: LeftOut[];
}

/**
 * Leaves out of a project the sources that cannot be read, such as models for a simulator and fragments: one after the
 * other, as their errors are found.
 * @param first what was found wrong in all of them together
 * @param read null where it takes too long
 * @returns null where that leads to nothing that can be read
 */
export async function withoutBroken(
  source: PreparedDesign,
  first: readonly Diagnostic[],
  read: (rest: PreparedDesign) => Promise<(Reading & { source: PreparedDesign }) | null>,
): Promise<WithoutBroken | null> {
  // VHDL is left out as it is translated: see ghdl-left-out.ts.
  if (source.language === 'vhdl' || source.language === 'amaranth') return null;
  const left: LeftOut[] = [];
  let rest = source;
  let [error] = errorsOf(first);
  while (left.length < MOST_LEFT_OUT && rest.units.length > 1) {
    const path = error?.file === undefined ? undefined : readerOf(error.file, rest);
    if (!error || path === undefined || hasModulesOfOthers(path, rest)) return null;
    left.push({ path, text: textOf(rest.files, path), error });
    rest = without(rest, path);
    [error] = errorsOf(rest.diagnostics);
    if (error) continue; // must not be given to a tool
    const reading = await read(rest);
    if (!reading) return null;
    if (reading.rtlil !== null)
      return definesForOthers(left, source, rest)
        ? null
        : { reading: { ...reading, rtlil: reading.rtlil }, left };
    [error] = errorsOf(reading.diagnostics);
  }
  return null;
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

/** Whether a module of a file is in another one as well: which of them is meant cannot be told. */
function hasModulesOfOthers(path: string, { files, units }: PreparedDesign): boolean {
  const modulesOf = (one: string) => textOf(files, one).match(/(?<=^\s*module\s+)\w+/gm) ?? [];
  const own = new Set(modulesOf(path));
  return units.some((other) => other !== path && modulesOf(other).some((name) => own.has(name)));
}

/** Whether what is left uses macros of what was left out: without them it would silently be something else. */
function definesForOthers(left: readonly LeftOut[], all: PreparedDesign, rest: PreparedDesign): boolean {
  const defined = new Set(
    left.flatMap(({ path }) => textOf(all.files, path).match(/(?<=`define\s+)\w+/g) ?? []),
  );
  if (defined.size === 0) return false;
  const units = rest.units.map((path) => textOf(rest.files, path));
  // A header counts where a source may include it.
  const headers = Object.keys(rest.files).filter(
    (path) => !rest.units.includes(path) && units.some((text) => text.includes(path)),
  );
  return [...units, ...headers.map((path) => textOf(rest.files, path))].some((text) =>
    [...text.matchAll(/`(?:(?:ifn?def|elsif)\s+)?(\w+)/g)].some(([, name = '']) => defined.has(name)),
  );
}

const textOf = (files: PreparedDesign['files'], path: string): string => {
  const text = files[path];
  return typeof text === 'string' ? text : '';
};

/**
 * The judgement of a design without its broken sources, with a warning for each; where one of them may be what was
 * meant, for it may have the slave in it or be around it, the names of the slaves that are left, and null where there is none.
 * @param chosen the slave was named: nothing else is meant
 * @param language of what was left out
 */
export function besideBroken(
  judgement: Judgement,
  left: readonly LeftOut[],
  chosen: boolean,
  language: 'verilog' | 'vhdl' = 'verilog',
): Judgement | { slaves: string[] } | null {
  const { scan, lines } = judgement;
  if (scan.outcome.kind === 'invalid' || scan.outcome.kind === 'unknown top') return null;
  const slaves = slavesOf(scan);
  const meant = ({ text }: LeftOut) =>
    language === 'vhdl' ? vhdlMayBeMeant(text, slaves) : mayBeMeant(piecesOf(text), slaves);
  if (!chosen && left.some(meant)) return slaves.length > 0 ? { slaves } : null;
  const why = slaves.length > 0 ? `, for ${someOf(slaves)} needs nothing of it` : '';
  const warnings = left.map(({ error }): Diagnostic => {
    const code = error.code.replace(/^(yosys|ghdl)_error$/, '$1_warning');
    return { ...error, severity: 'warning', code, message: `this file is left out${why}: ${error.message}` };
  });
  return {
    ...judgement,
    scan: { ...scan, diagnostics: causeFirst([...scan.diagnostics, ...warnings]) },
    lines: [...warnings.map(diagnosticLine), ...lines],
  };
}

function slavesOf({ matched, outcome }: Judgement['scan']): string[] {
  if (matched) return [matched.module];
  return outcome.kind === 'ambiguous' ? outcome.candidates : [];
}

/** Whether a source may have a slave of its own, or a module with ports around one of those that were found. */
function mayBeMeant(pieces: readonly Piece[], slaves: readonly string[]): boolean {
  const around = pieces.some(({ kind, text }) => kind === 'word' && slaves.includes(text));
  if (around && hasPorts(pieces)) return true;
  return declares(pieces, 'output', ['ack']) && declares(pieces, 'input', ['stb', 'cyc']);
}

/** The same of a source in VHDL: it has ports, for what has none is a testbench and is not read. */
function vhdlMayBeMeant(text: string, slaves: readonly string[]): boolean {
  const { tokens } = vhdlSource(text);
  if (tokens.some((token) => token.kind === 'word' && slaves.includes(token.text))) return true;
  const has = (direction: string, stems: readonly Stem[]) =>
    tokens.some(({ text: colon }, at) => {
      if (colon !== ':' || tokens[at + 1]?.text !== direction) return false;
      for (let name = at - 1; tokens[name]?.kind === 'word'; name -= 2) {
        if (isNamed(tokens[name]?.text ?? '', stems)) return true;
        if (tokens[name - 1]?.text !== ',') break;
      }
      return false;
    });
  return has('out', ['ack']) && has('in', ['stb', 'cyc']);
}

const isNamed = (name: string, stems: readonly Stem[]): boolean =>
  readingsOf(name).some(({ stem, weak }) => !weak && stems.includes(stem));

/** Whether a name that is read as one of these stands behind a direction, in a list of ports or in a declaration. */
function declares(pieces: readonly Piece[], direction: string, stems: readonly Stem[]): boolean {
  let open = false;
  for (const { kind, text } of pieces) {
    if (text === 'input' || text === 'output' || text === 'inout') open = text === direction;
    else if (text === ';') open = false;
    else if (open && kind === 'word' && isNamed(text, stems)) return true;
  }
  return false;
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
