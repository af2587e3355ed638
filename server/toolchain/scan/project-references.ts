import { projectPath } from '../../contract/project-files.ts';
import type { ToolFiles } from '../toolchain.ts';
import { INCLUDE_FOLDER, PROJECT_FOLDER } from './tool-paths.ts';

/** A source or header in Verilog. */
interface Text {
  path: string;
  text: string;
}

/** What the sources of a project refer to. */
export interface ProjectReferences {
  /** Source → sources and headers that it includes. */
  includes: ReadonlyMap<string, ReadonlySet<string>>;
  /** Copies of files at the paths where the tools look for them, apart from their own. */
  places: ToolFiles;
  /** What was assumed, one sentence each. */
  notes: readonly string[];
}

const COMMENT_OR_TEXT = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:[^"\\\n]|\\.)*"/g;
const INCLUDE = /`include\s*["<]([^">\n]+)[">]/g;
const QUOTED = /"([^"\\\n]+)"/g;
/** Old cores include a file with nothing but a time scale, which synthesis ignores. */
const TIME_SCALE = /^[\w.-]*timescale[\w.-]*$/i;

const withoutComments = (text: string) =>
  text.replace(COMMENT_OR_TEXT, (piece) => (piece.startsWith('"') ? piece : ' '));

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/') + 1);
const namesOf = (text: string, pattern: RegExp) =>
  [...withoutComments(text).matchAll(pattern)].map(([, name = '']) => name);

/** A path without `.` and `..`; null where it leads out of the project. */
function plainPath(path: string): string | null {
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) return null;
  }
  return names.join('/');
}

/**
 * The file that a source means: beside it, from the top of the project, or the only one of that name, wherever it lies,
 * as it would be found with the folders that a build script names.
 */
function find(written: string, from: string, paths: readonly string[]): string | null {
  if (written.startsWith('/') || written.includes('\\')) return null;
  const name = projectPath(written);
  for (const path of [plainPath(folderOf(from) + name), plainPath(name)])
    if (path !== null && paths.includes(path)) return path;
  const last = name.replace(/^.*\//, '');
  const same = paths.filter((path) => path === last || path.endsWith(`/${last}`));
  return same.length === 1 && same[0] !== undefined ? same[0] : null;
}

/** Time scales that a source sent alone includes: empty files where the tools look for them, and the names. */
export function timeScales(text: string): { files: ToolFiles; names: readonly string[] } {
  const names = namesOf(text, INCLUDE).filter((name) => TIME_SCALE.test(name));
  return { files: Object.fromEntries(names.map((name) => [INCLUDE_FOLDER + name, '\n'])), names };
}

/**
 * Finds what the sources of a project refer to, and puts it where the tools look for it: they know nothing of the folders that a
 * build script would name, and start in a folder of their own. No text is changed.
 * @param texts sources and headers in Verilog
 * @param data files that memories are filled from
 */
export function projectReferences(
  texts: readonly Text[],
  data: readonly { path: string; contents: Uint8Array }[],
): ProjectReferences {
  const includes = new Map<string, Set<string>>();
  const places: ToolFiles = { [`${INCLUDE_FOLDER}-`]: '' }; // a folder without a file is none
  const notes: string[] = [];
  const paths = texts.map(({ path }) => path);
  for (const { path: from, text } of texts)
    for (const name of namesOf(text, INCLUDE)) {
      const found = find(name, from, paths);
      if (found !== null) includes.set(from, (includes.get(from) ?? new Set()).add(found));
      const place = plainPath(INCLUDE_FOLDER + name);
      const included = texts.find(({ path }) => path === found);
      if (included && place?.startsWith(`${PROJECT_FOLDER}-/`)) places[place] = included.text;
      else if (!included && TIME_SCALE.test(name)) {
        places[INCLUDE_FOLDER + name] = '\n';
        notes.push(`${from}: \`include "${name}" was left out; synthesis needs no time scale`);
      }
    }
  return { includes, places: { ...places, ...dataPlaces(texts, data) }, notes };
}

/**
 * The paths by which a memory may be filled from a file: all of its own, the last parts of it that no other has, and what the sources
 * call it. A name may be computed, and counts from where the tool was started.
 */
function dataPlaces(
  texts: readonly Text[],
  data: readonly { path: string; contents: Uint8Array }[],
): ToolFiles {
  const places = new Map<string, Uint8Array | null>();
  const put = (place: string | null, contents: Uint8Array) => {
    // Yosys's own files.
    if (place === null || place === '' || place.startsWith('share/')) return;
    places.set(place, (places.get(place) ?? contents) === contents ? contents : null);
  };
  for (const { path, contents } of data)
    for (let at = path.indexOf('/') + 1; at > 0; at = path.indexOf('/', at) + 1)
      put(path.slice(at), contents);
  const paths = data.map(({ path }) => path);
  const contentsOf = new Map(data.map(({ path, contents }) => [path, contents]));
  const called = new Map<string, Uint8Array | null>();
  if (data.length > 0)
    for (const { path: from, text } of texts)
      for (const name of namesOf(text, QUOTED)) {
        const contents = contentsOf.get(find(name, from, paths) ?? '');
        // At the top of the tool's files, `..` leads nowhere.
        const place = plainPath(name.replace(/^(?:\.{1,2}\/)+/, ''));
        if (contents === undefined || place === null || place.startsWith('share/')) continue;
        called.set(place, (called.get(place) ?? contents) === contents ? contents : null);
      }
  const found = new Map([...places, ...called, ...data.map(({ path, contents }) => [path, contents] as const)]);
  return Object.fromEntries([...found].flatMap(([place, contents]) => (contents ? [[place, contents]] : [])));
}
