import { textOf } from './copies.ts';
import { piecesOf } from './outline-lexer.ts';
import type { PreparedDesign } from './prepared-design.ts';
import { reportedName } from './tool-paths.ts';

/** Directives that mean nothing to another file. */
const OF_ITS_OWN =
  /^`(?:timescale|default_nettype|resetall|celldefine|endcelldefine|ifdef|ifndef|elsif|else|endif)\b/;

/** What a source in Verilog declares, and every word in it. */
interface Unit {
  path: string;
  modules: ReadonlySet<string>;
  words: ReadonlySet<string>;
  /** It has modules and nothing else that another file could mean: no macros, packages, interfaces and the like. */
  modulesAlone: boolean;
  /** Macros of it put names together, which are words of no file. */
  pastes: boolean;
}

function unitOf(path: string, text: string): Unit {
  const modules = new Set<string>();
  const words = new Set<string>();
  let [modulesAlone, pastes, within, named] = [true, false, false, true];
  for (const { kind, text: piece } of piecesOf(text)) {
    const isWord = kind === 'word';
    if (isWord) words.add(piece);
    else if (piece.startsWith('\\')) words.add(piece.slice(1));
    if (kind === 'directive') {
      modulesAlone &&= OF_ITS_OWN.test(piece);
      pastes ||= piece.includes('``');
      for (const [word] of piece.matchAll(/[A-Za-z_][\w$]*/g)) words.add(word);
    } else if (!within) {
      within = isWord && (piece === 'module' || piece === 'macromodule');
      named = !within;
      modulesAlone &&= within;
    } else if (isWord && piece === 'endmodule') within = false;
    else if (!named) {
      named = piece !== 'automatic' && piece !== 'static';
      // A macro or an escaped name may be that of any module.
      if (isWord && named) modules.add(piece);
      else if (!isWord) modulesAlone = false;
    }
  }
  return { path, modules, words, modulesAlone: modulesAlone && modules.size > 0, pastes };
}

/**
 * A design without the sources of which its slave needs nothing: each is read by the tools with all of its modules made, which
 * of a memory that nobody uses may take minutes. What has more in it than modules is kept, with all that it speaks of, and
 * so is everything where names are put together by macros. Words are compared, so more is kept rather than less.
 * @param top the slave
 * @returns also what was left out, as findings name it
 */
export function neededSources(
  source: PreparedDesign,
  top: string,
): { source: PreparedDesign; unneeded: readonly string[] } {
  const whole = { source, unneeded: [] };
  // A netlist may have instances of any module.
  if (source.units.length < 2 || source.netlists !== undefined) return whole;
  const units = source.units.map((path) => unitOf(path, textOf(source.files, path)));
  const isUnit = new Set<string>(source.units);
  const included = Object.keys(source.files)
    .filter((path) => !isUnit.has(path))
    .map((path) => unitOf(path, textOf(source.files, path)));
  if ([...units, ...included].some(({ pastes }) => pastes)) return whole;
  const needed = new Set(units.filter(({ modules, modulesAlone }) => !modulesAlone || modules.has(top)));
  const words = new Set([top]);
  const todo: Unit[] = [...needed, ...included];
  for (let unit = todo.pop(); unit !== undefined; unit = todo.pop()) {
    for (const word of unit.words) words.add(word);
    for (const other of units)
      if (!needed.has(other) && [...other.modules].some((name) => words.has(name))) {
        needed.add(other);
        todo.push(other);
      }
  }
  if (needed.size === units.length) return whole;
  const kept = new Set([...needed].map(({ path }) => path));
  return {
    source: { ...source, units: source.units.filter((path) => kept.has(path)) },
    unneeded: source.units.filter((path) => !kept.has(path)).map(reportedName),
  };
}
