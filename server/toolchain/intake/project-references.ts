import { projectPath } from '../../contract/designs/project-files.ts';
import type { ToolFiles } from '../tool-engine.ts';
import { INCLUDE_FOLDER, PROJECT_FOLDER, plainPath } from '../tool-paths.ts';

/** A source or header in Verilog. */
interface Text {
  path: string;
  text: string;
}

interface Data {
  path: string;
  contents: Uint8Array;
}

/** What the sources of a project refer to. */
export interface ProjectReferences {
  /** Source → files that it includes. */
  includes: ReadonlyMap<string, ReadonlySet<string>>;
  /** Files at the paths where the tools look for them, apart from their own. */
  places: ToolFiles;
  /** What was assumed, one sentence each. */
  notes: readonly string[];
}

const COMMENT_OR_TEXT = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:[^"\\\n]|\\.)*"?/g;
/** With the bracket in front. */
const INCLUDE = /`include\s*(["<][^"<>`\n]+)[">]/g;
const QUOTED = /"([^"\\\n]+)"/g;
/** Old cores include a file with nothing but a time scale, which synthesis ignores. */
const TIME_SCALE = /^[\w.-]*timescale[\w.-]*$/i;

const withoutComments = (text: string) =>
  text.replace(COMMENT_OR_TEXT, (piece) => (piece.startsWith('"') ? piece : ' '));

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/') + 1);
const lastOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);
const namesOf = (text: string, pattern: RegExp) =>
  new Set([...withoutComments(text).matchAll(pattern)].map(([, name = '']) => name));

/**
 * Finds the file that a source means: beside it, from the top of the project, or the only one of that name, wherever it lies, as it
 * would be found with the folders that a build script names.
 */
function finderOf<T extends { path: string }>(files: readonly T[]) {
  const named = new Map<string, T[]>();
  for (const file of files) named.set(lastOf(file.path), [...(named.get(lastOf(file.path)) ?? []), file]);
  return (written: string, from: string): T | undefined => {
    if (written.startsWith('/') || written.includes('\\')) return undefined;
    const name = projectPath(written);
    const same = named.get(lastOf(name)) ?? [];
    const at = (sought: string | null) => same.find(({ path }) => path === sought);
    return (
      at(plainPath(folderOf(from) + name)) ?? at(plainPath(name)) ?? (same.length === 1 ? same[0] : undefined)
    );
  };
}

/** Where tools find something; where sources mean several things by one name, nothing is there. */
class Places<T> {
  readonly #found = new Map<string, T | null>();

  put(place: string | null, contents: T | null): void {
    // Yosys's own files are its own.
    if (place === null || place === '' || place.startsWith('share/')) return;
    const known = this.#found.get(place);
    this.#found.set(place, known === undefined || known === contents ? contents : null);
  }

  [Symbol.iterator]() {
    return this.#found[Symbol.iterator]();
  }
}

/** Time scales that a source sent alone includes: empty files where the tools look for them, and the names. */
export function timeScales(text: string): { files: ToolFiles; names: readonly string[] } {
  const names = [...namesOf(text, INCLUDE)]
    .map((name) => name.slice(1))
    .filter((name) => TIME_SCALE.test(name));
  return { files: Object.fromEntries(names.map((name) => [INCLUDE_FOLDER + name, '\n'])), names };
}

/**
 * Finds what the sources of a project refer to, and puts it where the tools look for it: they know nothing of the folders that a
 * build script would name, and start in a folder of their own. No text is changed.
 * @param texts sources and headers in Verilog
 * @param data files that memories are filled from
 */
export function projectReferences(texts: readonly Text[], data: readonly Data[]): ProjectReferences {
  const includes = new Map<string, Set<string>>();
  const places = new Places<string>();
  const notes: string[] = [];
  const find = finderOf<Text | Data>([...texts, ...data]);
  for (const { path: from, text } of texts)
    for (const written of namesOf(text, INCLUDE)) {
      const name = written.slice(1);
      const path = find(name, from)?.path;
      if (path !== undefined) includes.set(from, (includes.get(from) ?? new Set()).add(path));
      const isBeside = path === plainPath(folderOf(from) + name) && written.startsWith('"');
      if (path !== undefined && (isBeside || path === plainPath(name))) continue;
      const place = plainPath(INCLUDE_FOLDER + name);
      if (!place?.startsWith(`${PROJECT_FOLDER}-/`)) continue;
      const up = '../'.repeat(place.split('/').length - 2);
      const isTimeScale = path === undefined && TIME_SCALE.test(name);
      places.put(place, path === undefined ? (isTimeScale ? '\n' : null) : `\`include "${up}${path}"\n`);
      if (isTimeScale) notes.push(`${from}: \`include "${name}" was left out; synthesis needs no time scale`);
    }
  const found = new Map<string, string | Uint8Array | null>([...places, ...dataPlaces(texts, data)]);
  found.set(`${INCLUDE_FOLDER}-`, ''); // a folder without a file is none
  // To a tool a folder in the place of a file is a file without contents.
  const isInFile = (place: string) =>
    place.split('/').some((_, at, names) => at > 0 && found.has(names.slice(0, at).join('/')));
  return {
    includes,
    places: Object.fromEntries(
      [...found].flatMap(([at, contents]) => (contents === null || isInFile(at) ? [] : [[at, contents]])),
    ),
    notes,
  };
}

/**
 * The paths by which a memory may be filled from a file. The tools look from where they were started, and beside the source: there lies
 * what the source means. A name may be computed, too: all of the path leads to a file, and the last parts of it that no other has.
 */
function dataPlaces(texts: readonly Text[], data: readonly Data[]): Map<string, Uint8Array | null> {
  const parts = new Places<Uint8Array>();
  for (const { path, contents } of data)
    for (let at = path.indexOf('/') + 1; at > 0; at = path.indexOf('/', at) + 1)
      parts.put(path.slice(at), contents);
  const whole = data.map(({ path, contents }) => [path, contents] as const);
  const meant = new Places<Uint8Array>();
  const find = finderOf(data);
  for (const { path: from, text } of data.length > 0 ? texts : [])
    for (const name of namesOf(text, QUOTED)) {
      const contents = find(name, from)?.contents;
      if (contents === undefined) continue;
      const beside = plainPath(folderOf(from) + name);
      if (beside !== null) meant.put(PROJECT_FOLDER + beside, contents);
      // Above the folder in which a tool starts there is nothing.
      meant.put(plainPath(name.replace(/^(?:\.{1,2}\/)+/, '')), contents);
    }
  return new Map([...parts, ...whole, ...meant]);
}
