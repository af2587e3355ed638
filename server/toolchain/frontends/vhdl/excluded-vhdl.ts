import type { Clock } from '../../../clock.ts';
import type { Diagnostic } from '../../../contract/diagnostics.ts';
import { BenchError } from '../../../errors/bench-error.ts';
import type { ToolContext } from '../../build-request.ts';
import { errorsOf } from '../../diagnostics/findings.ts';
import type { ExcludedSource, PreparedDesign } from '../../intake/prepared-design.ts';
import { vhdlUnit } from '../../languages/dependency-order.ts';
import { isTestFile } from '../../languages/test-folders.ts';
import { reportedName } from '../../tool-paths.ts';
import { MAX_EXCLUDED_SOURCES } from '../excluded-sources.ts';

/** After this time no further source is excluded, ms. Each one costs another translation of the rest. */
const MAX_EXCLUDING_MS = 30_000;

/** Why one translation failed. */
interface Refusal {
  /** Null when the translation did not begin. */
  thrown: unknown;
  found: readonly Diagnostic[];
  lines: Parameters<ToolContext['log']>[];
  /** The fault is in the source itself, not in the exclusion of another one. */
  itself: boolean;
}

/**
 * Translates a VHDL project without its unreadable sources. It excludes them one by one as their errors appear: see
 * `excluded-sources.ts`. The scan then judges whether the slave can do without them.
 * @param translate rejects with design_invalid and diagnostics
 * @returns null when a source that no tool may read cannot be excluded
 * @throws the error of the first source outside the tests, when no readable rest remains
 */
export async function translateExcluding(
  source: PreparedDesign,
  context: ToolContext,
  clock: Clock,
  translate: (rest: PreparedDesign, context: ToolContext) => Promise<PreparedDesign>,
): Promise<PreparedDesign | null> {
  const refusals: Refusal[] = [];
  const excluded: ExcludedSource[] = [];
  let rest = source;
  const began = clock.monotonic();
  for (;;) {
    const lines: Refusal['lines'] = [];
    let thrown: unknown = null;
    let found: readonly Diagnostic[] = rest.diagnostics;
    let errors = errorsOf(found); // must not be given to a tool
    if (errors.length === 0)
      try {
        const translated = await translate(rest, { ...context, log: (...line) => lines.push(line) });
        for (const line of lines) context.log(...line);
        const [first] = refusals;
        return first === undefined
          ? translated
          : { ...translated, excluded: { sources: excluded, refused: first.found } };
      } catch (error) {
        const invalid = error instanceof BenchError && error.code === 'design_invalid';
        if (excluded.length > 0 && !invalid) throw error;
        [thrown, found] = [error, invalid ? error.diagnostics : []];
        errors = errorsOf(found);
      }
    const [error] = errors;
    const path = rest.units.find((unit) => reportedName(unit) === error?.file);
    const why = error && withExcludedCause(error, excluded);
    refusals.push({ thrown, found, lines, itself: path !== undefined && why === error });
    if (!error || path === undefined || !canExclude(path, rest, excluded)) break;
    if (clock.monotonic() - began > MAX_EXCLUDING_MS) break;
    excluded.push({ path, text: textOf(rest, path), error: why ?? error });
    rest = without(rest, path);
  }
  const cause = refusals.find(({ found, itself }) => itself && !isTestFile(errorsOf(found)[0]?.file ?? ''));
  const reported = cause ?? refusals[0];
  for (const line of reported?.lines ?? []) context.log(...line);
  if (reported && reported.thrown !== null) throw reported.thrown;
  return null;
}

const textOf = ({ files }: PreparedDesign, path: string): string => String(files[path] ?? '');

const declaredIn = (path: string, text: string) => vhdlUnit(path, text).declares;

/** Whether a source may be excluded: it is not the last one, its names are unique, and the limit is not reached. */
function canExclude(path: string, rest: PreparedDesign, excluded: readonly ExcludedSource[]): boolean {
  if (rest.units.length < 2 || excluded.length >= MAX_EXCLUDED_SOURCES) return false;
  const own = declaredIn(path, textOf(rest, path));
  return !rest.units.some(
    (other) => other !== path && [...declaredIn(other, textOf(rest, other))].some((name) => own.has(name)),
  );
}

/** The error of a source; when it only misses an excluded source, it says so. */
function withExcludedCause(error: Diagnostic, excluded: readonly ExcludedSource[]): Diagnostic {
  const [, name] = /^`(\w+)` /.exec(error.message) ?? [];
  const other = excluded.find(({ path, text }) => name !== undefined && declaredIn(path, text).has(name));
  return other
    ? { ...error, message: `it needs \`${name}\` of ${reportedName(other.path)}, which is excluded` }
    : error;
}

function without(source: PreparedDesign, path: string): PreparedDesign {
  const { [path]: _, ...files } = source.files;
  return {
    ...source,
    files,
    units: source.units.filter((unit) => unit !== path),
    diagnostics: source.diagnostics.filter(({ file }) => file !== reportedName(path)),
  };
}
