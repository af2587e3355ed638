import type { Diagnostic } from '../../../contract/diagnostics.ts';
import { errorsOf } from '../../diagnostics/findings.ts';
import type { ExcludedSource, PreparedDesign } from '../../intake/prepared-design.ts';
import { withoutComments } from '../../languages/verilog/outline-lexer.ts';
import { reportedName } from '../../tool-paths.ts';
import type { Reading } from '../reading.ts';
import { modulesOfOthers, textOf } from './copies.ts';

/** Limit of readings. Each one finds all errors in the remaining sources. */
const MAX_READINGS = 8;

/** A project without its broken sources. */
export interface Remainder {
  sources: PreparedDesign;
  reading: Reading & { read: NonNullable<Reading['read']> };
  excluded: ExcludedSource[];
}

/**
 * Reads a project without the sources that have errors, such as simulation models and fragments.
 * @param diagnostics of all sources together
 * @returns null when no readable source remains, or the rest needs macros of an excluded source
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

/** The sources with errors, each with its first error. */
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

/** The unit that has an error, or that includes the file with the error. */
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

/** Names of the macros that a text defines. */
const macrosOf = (text: string) =>
  new Set([...withoutComments(text).matchAll(/^[ \t]*`define\s+(\w+)/gm)].map(([, name = '']) => name));

/**
 * The remaining sources that use macros of an excluded source before them. Without these macros they would silently
 * mean something else.
 * @param all in the order of reading
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
    const plain = withoutComments(text);
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
