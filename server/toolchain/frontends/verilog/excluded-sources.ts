import type { Diagnostic } from '../../../contract/diagnostics.ts';
import { errorsOf } from '../../diagnostics/findings.ts';
import type { ExcludedSource, PreparedDesign } from '../../intake/prepared-design.ts';
import { reportedName } from '../../tool-paths.ts';
import type { Reading } from '../reading.ts';
import { modulesOfOthers, textOf } from './copies.ts';

/** Readings at the most: each finds what is wrong in all sources that are left. */
const MAX_READINGS = 8;

/** A project without the sources that have errors. */
export interface Remainder {
  sources: PreparedDesign;
  reading: Reading & { read: NonNullable<Reading['read']> };
  excluded: ExcludedSource[];
}

/**
 * Reads a project without the sources in which errors were found, such as models for a simulator and fragments.
 * @param diagnostics what was found in all of them together
 * @returns null where nothing that can be read is left, or where what is left depends on macros of what is not
 */
export async function readWithoutBroken(
  source: PreparedDesign,
  diagnostics: readonly Diagnostic[],
  read: (sources: PreparedDesign) => Promise<Reading>,
): Promise<Remainder | null> {
  const excluded: ExcludedSource[] = [];
  let sources = source;
  let found = diagnostics;
  for (let readings = 0; readings < MAX_READINGS; readings++) {
    const broken = brokenSources(found, sources);
    if (broken.length === 0 || broken.length === sources.units.length) return null;
    excluded.push(...broken);
    const errors = errorsOf(found);
    const units = sources.units.filter((unit) => !broken.some(({ path }) => path === unit));
    sources = { ...sources, units, diagnostics: sources.diagnostics.filter((one) => !errors.includes(one)) };
    for (const dependent of dependentsOf(excluded, source, sources)) {
      excluded.push(dependent);
      sources = { ...sources, units: sources.units.filter((unit) => unit !== dependent.path) };
    }
    if (sources.units.length === 0) return null;
    const reading = await read(sources);
    if (reading.read) return { sources, reading: { ...reading, read: reading.read }, excluded };
    found = reading.diagnostics;
  }
  return null;
}

/** The sources in which errors were found, each with the first of them. */
export function brokenSources(diagnostics: readonly Diagnostic[], sources: PreparedDesign): ExcludedSource[] {
  const broken = new Map<string, Diagnostic>();
  for (const error of errorsOf(diagnostics)) {
    const path = unitOf(error, sources);
    if (path !== undefined && !broken.has(path)) broken.set(path, error);
  }
  return [...broken].map(([path, error]) => ({
    path,
    text: textOf(sources.files, path),
    error,
    shared: modulesOfOthers(path, sources),
  }));
}

/** The unit in which an error is, or which includes its file. */
function unitOf({ file }: Diagnostic, { units, files }: PreparedDesign): string | undefined {
  if (file === undefined) return undefined;
  const include = new RegExp(
    `\`include\\s*["<](?:[^">]*/)?${file.replace(/^.*\//, '').replace(/[.+]/g, '\\$&')}[">]`,
  );
  return (
    units.find((unit) => reportedName(unit) === file) ??
    units.find((unit) => include.test(textOf(files, unit)))
  );
}

const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;

/** The macros that a text defines. */
const macrosOf = (text: string) =>
  new Set([...text.replace(COMMENT, ' ').matchAll(/^[ \t]*`define\s+(\w+)/gm)].map(([, name = '']) => name));

/**
 * Of what is left the sources that ask for macros of one before them that was excluded, and have none of that name themselves: without
 * it they would silently be something else.
 * @param all in the order in which they are read
 */
function dependentsOf(
  excluded: readonly ExcludedSource[],
  { units: all }: PreparedDesign,
  { units, files }: PreparedDesign,
): ExcludedSource[] {
  const defined = new Map(
    excluded.flatMap((one) => [...macrosOf(one.text)].map((name): [string, ExcludedSource] => [name, one])),
  );
  if (defined.size === 0) return [];
  return units.flatMap((path): ExcludedSource[] => {
    const text = textOf(files, path);
    const plain = text.replace(COMMENT, ' ');
    const own = macrosOf(text);
    const asked = [...plain.matchAll(/`(?:(?:ifn?def|elsif)\s+)?(\w+)/g)].map(([, name = '']) => name);
    const missed = asked.find((name) => {
      const definer = own.has(name) ? undefined : defined.get(name);
      return definer !== undefined && all.indexOf(definer.path) < all.indexOf(path);
    });
    const definer = missed === undefined ? undefined : defined.get(missed);
    return definer ? [{ path, text, error: { ...definer.error, file: reportedName(path) } }] : [];
  });
}
