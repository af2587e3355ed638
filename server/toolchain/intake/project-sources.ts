import { roleOf } from '../../contract/designs/project-files.ts';
import type { Diagnostic } from '../../contract/diagnostics.ts';
import { formOf, isTranslated, languageOfName } from '../languages/language.ts';
import type { SourceText } from '../languages/source-form.ts';
import { isTestbench, withoutTestbenches } from '../languages/testbenches.ts';
import { withoutComments } from '../languages/verilog/outline-lexer.ts';
import { hasUnits } from '../languages/verilog/verilog-form.ts';
import { reachable } from '../reachable.ts';
import type { ToolFiles } from '../tool-engine.ts';
import { PROJECT_FOLDER } from '../tool-paths.ts';
import { findOldCopies } from './old-copies.ts';
import type { PreparedDesign } from './prepared-design.ts';
import type { ProjectFile } from './project.ts';
import { projectReferences } from './project-references.ts';
import { decodeSource, withLineEnd } from './source.ts';

/** Paths of sources, and of everything that they include. */
const reached = (
  sources: readonly SourceText[],
  includes: ReadonlyMap<string, ReadonlySet<string>>,
): Set<string> =>
  reachable(
    sources.map(({ path }) => path),
    (path) => includes.get(path) ?? [],
  );

/**
 * The units of a project: neither testbenches nor included files. A file that only testbenches include is a design when it
 * has modules, else a part of a testbench.
 * @param notes receives what is not read
 * @param found receives warnings of it
 */
function unitsOf(
  checked: readonly SourceText[],
  includes: ReadonlyMap<string, ReadonlySet<string>>,
  notes: string[],
  found: Diagnostic[],
): SourceText[] {
  const included = new Set([...includes.values()].flatMap((paths) => [...paths]));
  const copies = findOldCopies(
    checked.filter(({ path }) => roleOf(path) === 'source' && !included.has(path)),
  );
  for (const { path: file, name, instead } of copies)
    found.push({
      severity: 'warning',
      code: 'design_invalid',
      message: `this file is not read: its name marks it as an old copy, and ${instead} also has ${name}`,
      file,
      line: 1,
    });
  const designs = checked.filter(({ path, text, language }) => {
    if (roleOf(path) !== 'source' || copies.some((copy) => copy.path === path)) return false;
    if (!isTestbench(text, language)) return true;
    if (!included.has(path)) notes.push(`${path} is a testbench and is not read`);
    return false;
  });
  const parts = designs.filter(({ text, language }) => formOf(language).isFragment(text));
  // A project with fragments only reports their errors.
  const sources = parts.length < designs.length ? designs.filter((one) => !parts.includes(one)) : designs;
  if (sources !== designs)
    for (const { path } of parts)
      notes.push(`${path} is a fragment without an entity or package, and is not read`);
  const first = sources.filter(({ path }) => !included.has(path));
  const read = reached(first, includes);
  const tested = sources.filter(({ path, text }) => !read.has(path) && hasUnits(withoutComments(text)));
  const within = new Set(tested.flatMap(({ path }) => [...(includes.get(path) ?? [])]));
  const units = new Set([...first, ...tested.filter(({ path }) => !within.has(path))]);
  return checked.filter((one) => units.has(one));
}

/** Sources of one group, as its tools read them. @param notes receives the changes */
function rewritten(sources: readonly SourceText[], notes: string[]): SourceText[] {
  const [first] = sources;
  if (!first) return [];
  const texts = formOf(first.language).rewrite(
    sources.map(({ text }) => text),
    notes,
  );
  return sources.map((one, at) => ({ ...one, text: texts[at] ?? one.text }));
}

/**
 * Prepares the files of a project for the tools, in a folder of their own, so that no name collides with a name of the
 * bench. Included and memory files are where a source expects them.
 * @throws design_binary
 */
export function prepareProject(files: readonly ProjectFile[]): PreparedDesign {
  const notes: string[] = [];
  const decoded = files.flatMap(({ path, contents }): SourceText[] => {
    const role = roleOf(path);
    if (role !== 'source' && role !== 'header') return [];
    const found: string[] = [];
    const plain = decodeSource(contents, path, found);
    const language = languageOfName(path) ?? 'verilog';
    const text = role === 'source' ? withoutTestbenches(plain, language, found) : plain;
    notes.push(...found.map((note) => `${path}: ${note}`));
    return [{ path, language, text }];
  });
  const isVerilog = (one: SourceText) => !isTranslated(one);
  const texts = [
    ...rewritten(decoded.filter(isTranslated), notes),
    ...rewritten(decoded.filter(isVerilog), notes),
  ];
  const translated = new Set(texts.filter(isTranslated).map(({ path }) => path));
  const [constraints, ...more] = files.filter(({ path }) => roleOf(path) === 'constraints');
  if (more.length > 0)
    notes.push(
      `${[constraints, ...more].map((file) => file?.path).join(', ')}: none is used, because there are several .pcf files`,
    );

  const data = files.filter(({ path }) => roleOf(path) === 'data');
  const {
    includes,
    places,
    notes: assumed,
  } = projectReferences(
    texts.filter(({ language }) => formOf(language).hasIncludes),
    data,
  );
  notes.push(...assumed);
  const diagnostics: Diagnostic[] = [];
  const checked = texts.map((one): SourceText => {
    const { text, diagnostics: wrong } = formOf(one.language).neutralise(one.text, one.path);
    diagnostics.push(...wrong);
    return { ...one, text };
  });
  const toolFiles: ToolFiles = { ...places };
  for (const { path, contents } of data) toolFiles[PROJECT_FOLDER + path] = contents;

  const unread: Diagnostic[] = [];
  const units = unitsOf(checked, includes, notes, unread);
  if (units.length === 0 && checked.length > 0)
    diagnostics.push({
      severity: 'error',
      code: 'design_no_slave',
      message:
        'every source of this project is a testbench, or included by one: upload the design that they test',
    });
  // A tool reads only these: errors in other files do not count.
  const read = reached(units, includes);
  for (const { path, text } of checked)
    if (read.has(path)) toolFiles[PROJECT_FOLDER + path] = withLineEnd(text);
  const [main, verilog] = [units.filter(isTranslated), units.filter(isVerilog)];
  const both = main.length > 0 && verilog.length > 0;
  const found = [...diagnostics.filter(({ file }) => file === undefined || read.has(file)), ...unread];
  const ofMain = found.filter(({ file }) => file === undefined || translated.has(file));
  const isMain = main.length > 0;
  return {
    language: main[0]?.language ?? 'verilog',
    files: toolFiles,
    units: inOrder(isMain ? main : verilog),
    uploaded: checked.filter(({ path }) => both || translated.has(path) === isMain).map(({ path }) => path),
    notes,
    diagnostics: both ? ofMain : found,
    ...(both && {
      verilog: {
        units: inOrder(verilog),
        modules: modulesOf(verilog),
        diagnostics: found.filter((one) => !ofMain.includes(one)),
      },
    }),
    ...(constraints &&
      more.length === 0 && {
        constraints: { path: constraints.path, text: Buffer.from(constraints.contents).toString() },
      }),
  };
}

/** Paths of sources of one group, in reading order. */
function inOrder(units: readonly SourceText[]): string[] {
  const [first] = units;
  return first
    ? formOf(first.language)
        .inOrder(units)
        .map((path) => PROJECT_FOLDER + path)
    : [];
}

/** File by module of Verilog sources, in lower case. */
const modulesOf = (units: readonly SourceText[]): Map<string, string> =>
  new Map(
    units.flatMap(({ path, text }) =>
      [...withoutComments(text).matchAll(/\bmodule\s+(?:automatic\s+|static\s+)?(\w+)/g)].map(
        ([, name = '']): [string, string] => [name.toLowerCase(), path],
      ),
    ),
  );
