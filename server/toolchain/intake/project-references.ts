import { projectPath } from '../../contract/designs/project-files.ts';
import type { ToolFiles } from '../tool-engine.ts';
import { INCLUDE_FOLDER, PROJECT_FOLDER, plainPath } from '../tool-paths.ts';

/** A Verilog source or header. */
interface Text {
  path: string;
  text: string;
}

interface Data {
  path: string;
  contents: Uint8Array;
}

/** References of a project's sources. */
export interface ProjectReferences {
  /** Included files by source. */
  includes: ReadonlyMap<string, ReadonlySet<string>>;
  /** Files at the paths where tools look for them, in addition to their own paths. */
  places: ToolFiles;
  /** Assumptions, one sentence each. */
  notes: readonly string[];
}

const COMMENT_OR_TEXT = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:[^"\\\n]|\\.)*"?/g;
/** The match includes the opening bracket. */
const INCLUDE = /`include\s*(["<][^"<>`\n]+)[">]/g;
const QUOTED = /"([^"\\\n]+)"/g;
/** Old cores include a file that only sets a time scale, which synthesis ignores. */
const TIME_SCALE = /^[\w.-]*timescale[\w.-]*$/i;

const withoutComments = (text: string) =>
  text.replace(COMMENT_OR_TEXT, (piece) => (piece.startsWith('"') ? piece : ' '));

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/') + 1);
const lastOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);
const namesOf = (text: string, pattern: RegExp) =>
  new Set([...withoutComments(text).matchAll(pattern)].map(([, name = '']) => name));

/**
 * Finds the file that a source means: relative to the source, then to the project's top, then the only file of that name.
 * The last rule replaces the include folders of a build script.
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

/** Contents by path. A path with several meanings has none. */
class Places<T> {
  readonly #found = new Map<string, T | null>();

  put(place: string | null, contents: T | null): void {
    // share/ is for Yosys's own files.
    if (place === null || place === '' || place.startsWith('share/')) return;
    const known = this.#found.get(place);
    this.#found.set(place, known === undefined || known === contents ? contents : null);
  }

  [Symbol.iterator]() {
    return this.#found[Symbol.iterator]();
  }
}

/** Time scale files that a single source includes: empty files at their paths, and their names. */
export function timeScales(text: string): { files: ToolFiles; names: readonly string[] } {
  const names = [...namesOf(text, INCLUDE)]
    .map((name) => name.slice(1))
    .filter((name) => TIME_SCALE.test(name));
  return { files: Object.fromEntries(names.map((name) => [INCLUDE_FOLDER + name, '\n'])), names };
}

/**
 * Finds the references of a project's sources, and puts the files where the tools look for them. The tools know no include
 * folders of a build script, and start in a folder of their own. No text is changed.
 * @param texts Verilog sources and headers
 * @param data files that fill memories
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
  found.set(`${INCLUDE_FOLDER}-`, ''); // without a file the folder would not exist
  // A tool takes a folder in place of a file for an empty file.
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
 * Paths under which a memory file may be opened. Tools look in their start folder and next to the source. The name may be
 * computed: a file is available under its whole path, and under every unique end of it.
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
      // There is nothing above the folder in which a tool starts.
      meant.put(plainPath(name.replace(/^(?:\.{1,2}\/)+/, '')), contents);
    }
  return new Map([...parts, ...whole, ...meant]);
}
