import type { Diagnostic } from '../../contract/diagnostics.ts';
import { projectPath, roleOf } from '../../contract/project-files.ts';
import type { ProjectFile } from '../project/project.ts';
import type { ToolFiles } from '../toolchain.ts';
import { inDependencyOrder, verilogUnit, vhdlUnit } from './dependency-order.ts';
import { neutraliseFileReferences, type ProjectReferences } from './file-references.ts';
import { type Language, languageOfName } from './language.ts';
import { tokenize } from './lexer.ts';
import type { PreparedDesign } from './prepared-design.ts';
import { writtenForGhdl } from './rewrites/for-tools.ts';
import { setAside } from './set-aside.ts';
import { decodeSource, withLineEnd } from './source.ts';
import { isTestbench, withoutTestbenches } from './testbenches.ts';
import { missingPath, PROJECT_FOLDER } from './tool-paths.ts';
import { entityPlaces, vhdlLowBounds } from './vhdl.ts';
import { isFragment } from './vhdl-units.ts';

/** A text of a project, before and after it was looked through. */
interface Text {
  path: string;
  language: Language;
  text: string;
}

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/') + 1);

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

/** Files with macros alone are read before those that may use them. */
const hasUnits = (text: string) => /\b(?:module|package|interface|primitive)\b/.test(text);

/** Sources with everything that they include. */
function reached(
  sources: readonly string[],
  includes: ReadonlyMap<string, ReadonlySet<string>>,
): Set<string> {
  const read = new Set<string>();
  const todo = [...sources];
  for (let path = todo.pop(); path !== undefined; path = todo.pop()) {
    if (read.has(path)) continue;
    read.add(path);
    todo.push(...(includes.get(path) ?? []));
  }
  return read;
}

/**
 * What is read as a source of its own: neither testbenches nor what another one includes. What testbenches alone include is
 * the design that they test, where it has modules, and a part of them, where it has none.
 * @param notes gets what is not read
 * @param found gets of it what may surprise
 */
function unitsOf(
  checked: readonly Text[],
  includes: ReadonlyMap<string, ReadonlySet<string>>,
  notes: string[],
  found: Diagnostic[],
): Text[] {
  const included = new Set([...includes.values()].flatMap((paths) => [...paths]));
  const copies = setAside(checked.filter(({ path }) => roleOf(path) === 'source' && !included.has(path)));
  for (const { path: file, name, instead } of copies)
    found.push({
      severity: 'warning',
      code: 'design_invalid',
      message: `this file is not read: it is set aside by its name, and ${instead} has ${name} as well`,
      file,
      line: 1,
    });
  const designs = checked.filter(({ path, text, language }) => {
    if (roleOf(path) !== 'source' || copies.some((copy) => copy.path === path)) return false;
    if (!isTestbench(text, language)) return true;
    if (!included.has(path)) notes.push(`${path} is a testbench and is not read`);
    return false;
  });
  const parts = designs.filter(({ text, language }) => language === 'vhdl' && isFragment(text));
  // Where there is nothing else, what is wrong with them is told.
  const sources = parts.length < designs.length ? designs.filter((one) => !parts.includes(one)) : designs;
  if (sources !== designs)
    for (const { path } of parts)
      notes.push(`${path} has no entity, package or the like, and is not read: it is a part to be copied`);
  const first = sources.filter(({ path }) => !included.has(path));
  const read = reached(
    first.map(({ path }) => path),
    includes,
  );
  const tested = sources.filter(({ path, text }) => !read.has(path) && hasUnits(withoutComments(text)));
  const within = new Set(tested.flatMap(({ path }) => [...(includes.get(path) ?? [])]));
  const units = new Set([...first, ...tested.filter(({ path }) => !within.has(path))]);
  return checked.filter((one) => units.has(one));
}

/** Texts in VHDL as GHDL reads them. @param notes gets what was changed */
function forGhdl(texts: readonly Text[], notes: string[]): Text[] {
  const written = writtenForGhdl(
    texts.map(({ text }) => text),
    notes,
  );
  return texts.map((one, at) => ({ ...one, text: written[at] ?? one.text }));
}

/**
 * Makes the files of a project fit for the tools. They find them in a folder of their own, so that no name of a project
 * meets one of the bench; what a source includes or reads is named by its place there, or by a name that is nowhere.
 * @throws design_binary
 */
export function prepareProject(files: readonly ProjectFile[]): PreparedDesign {
  const notes: string[] = [];
  const decoded = files.flatMap(({ path, contents }): Text[] => {
    const role = roleOf(path);
    if (role !== 'source' && role !== 'header') return [];
    const found: string[] = [];
    const plain = decodeSource(contents, path, found);
    const language = languageOfName(path) ?? 'verilog';
    const text = role === 'source' ? withoutTestbenches(plain, language, found) : plain;
    notes.push(...found.map((note) => `${path}: ${note}`));
    return [{ path, language, text }];
  });
  const isVhdl = ({ language }: Text) => language === 'vhdl';
  const texts = [...forGhdl(decoded.filter(isVhdl), notes), ...decoded.filter((one) => !isVhdl(one))];
  const inVhdl = new Set(texts.filter(isVhdl).map(({ path }) => path));
  const [constraints, ...more] = files.filter(({ path }) => roleOf(path) === 'constraints');
  if (more.length > 0)
    notes.push(
      `${[constraints, ...more].map((file) => file?.path).join(', ')}: of several .pcf files none is used`,
    );

  const readable = texts.filter(({ language }) => language !== 'vhdl').map(({ path }) => path);
  const data = files.filter(({ path }) => roleOf(path) === 'data');
  const dataPaths = data.map(({ path }) => path);
  // What includes what, by path.
  const includes = new Map<string, Set<string>>();
  const references: ProjectReferences = {
    include(name, from) {
      const path = find(name, from, readable);
      if (path !== null) {
        includes.set(from, (includes.get(from) ?? new Set()).add(path));
      }
      return path && PROJECT_FOLDER + path;
    },
    data(name, from) {
      const path = find(name, from, dataPaths);
      return path && PROJECT_FOLDER + path;
    },
    missing: missingPath,
    macros: new Set(
      texts.flatMap(({ text }) => [...text.matchAll(/`define\s+(\w+)/g)].map(([, name]) => name ?? '')),
    ),
    // Licences speak of ``AS IS''.
    pastes: texts.some(
      ({ text, language }) =>
        language !== 'vhdl' && text.includes('``') && tokenize(text).some(({ kind }) => kind === 'paste'),
    ),
  };
  const diagnostics: Diagnostic[] = [];
  const checked = texts.map((one): Text => {
    const {
      text,
      notes: said,
      diagnostics: found,
    } = neutraliseFileReferences(one.text, one.path, one.language, references);
    notes.push(...said.map((note) => `${one.path}: ${note}`));
    diagnostics.push(...found);
    return { ...one, text };
  });
  const toolFiles: ToolFiles = {};
  for (const { path, contents } of data) {
    toolFiles[PROJECT_FOLDER + path] = contents;
    // A name that a design computes counts from where the tool was started.
    toolFiles[path] = contents;
  }

  const unread: Diagnostic[] = [];
  const units = unitsOf(checked, includes, notes, unread);
  if (units.length === 0 && checked.length > 0)
    diagnostics.push({
      severity: 'error',
      code: 'design_no_slave',
      message:
        'every source of this project is a testbench, or included by one: send the design that they test',
    });
  // A tool reads these alone, so errors of others do not count.
  const read = reached(
    units.map(({ path }) => path),
    includes,
  );
  for (const { path, text } of checked)
    if (read.has(path)) toolFiles[PROJECT_FOLDER + path] = withLineEnd(text);
  const [vhdl, verilog] = [
    units.filter(({ language }) => language === 'vhdl'),
    units.filter(({ language }) => language !== 'vhdl'),
  ];
  const main = vhdl.length > 0 ? vhdl : verilog;
  const found = [...diagnostics.filter(({ file }) => file === undefined || read.has(file)), ...unread];
  const both = vhdl.length > 0 && verilog.length > 0;
  const ofVhdl = found.filter(({ file }) => file === undefined || inVhdl.has(file));
  return {
    language: vhdl.length > 0 ? 'vhdl' : 'verilog',
    files: toolFiles,
    units: inOrder(main),
    uploaded: checked
      .filter(({ path }) => both || inVhdl.has(path) === vhdl.length > 0)
      .map(({ path }) => path),
    notes,
    diagnostics: both ? ofVhdl : found,
    ...(both && {
      verilog: {
        units: inOrder(verilog),
        modules: modulesOf(verilog),
        diagnostics: found.filter((one) => !ofVhdl.includes(one)),
      },
    }),
    ...(constraints &&
      more.length === 0 && {
        constraints: { path: constraints.path, text: Buffer.from(constraints.contents).toString() },
      }),
    ...(vhdl.length > 0 && {
      lowBounds: Object.assign({}, ...vhdl.map(({ text }) => vhdlLowBounds(text))),
      entities: new Map(vhdl.flatMap(({ path, text }) => entityPlaces(text, path))),
    }),
  };
}

/** Sources of one family of languages as the tools find them, in the order in which they are read. */
function inOrder(units: readonly Text[]): string[] {
  const isVhdl = units[0]?.language === 'vhdl';
  const ordered = isVhdl
    ? inDependencyOrder(units.map(({ path, text }) => vhdlUnit(path, text)))
    : [
        ...units.filter(({ text }) => !hasUnits(text)).map(({ path }) => path),
        ...inDependencyOrder(
          units.filter(({ text }) => hasUnits(text)).map(({ path, text }) => verilogUnit(path, text)),
        ),
      ];
  return ordered.map((path) => PROJECT_FOLDER + path);
}

/** Modules of sources in Verilog, in lower case, each with its file. */
const modulesOf = (units: readonly Text[]): Map<string, string> =>
  new Map(
    units.flatMap(({ path, text }) =>
      [...withoutComments(text).matchAll(/\bmodule\s+(?:automatic\s+|static\s+)?(\w+)/g)].map(
        ([, name = '']): [string, string] => [name.toLowerCase(), path],
      ),
    ),
  );

const withoutComments = (text: string) => text.replace(/\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g, ' ');
