import type { Clock } from '../../clock.ts';
import type { Diagnostic } from '../../contract/diagnostics.ts';
import { BenchError } from '../../errors/bench-error.ts';
import { errorsOf } from '../diagnostics/findings.ts';
import { vhdlUnit } from '../scan/dependency-order.ts';
import { MOST_LEFT_OUT } from '../scan/left-out.ts';
import type { LeftOut, PreparedDesign } from '../scan/prepared-design.ts';
import { reportedName } from '../scan/tool-paths.ts';
import type { ToolContext } from '../toolchain.ts';

/** Milliseconds behind which no other source is left out: each is one more translation of all others. */
const LONG = 30_000;

/**
 * Translates a project in VHDL without those of its sources that cannot be read, one after the other as their errors are
 * found: see `left-out.ts`. Whether the slave can do without them is for the scan to judge.
 * @param translate rejects with design_invalid and what is wrong
 * @returns null where what must not be given to a tool cannot be left out
 * @throws the refusal of the whole project, where leaving out leads to nothing that can be read
 */
export async function translateLeavingOut(
  source: PreparedDesign,
  context: ToolContext,
  clock: Clock,
  translate: (rest: PreparedDesign, context: ToolContext) => Promise<PreparedDesign>,
): Promise<PreparedDesign | null> {
  let refusal: unknown = null;
  let refused: readonly Diagnostic[] = source.diagnostics;
  let told: Parameters<ToolContext['log']>[] = [];
  const left: LeftOut[] = [];
  let rest = source;
  const began = clock.monotonic();
  for (;;) {
    const lines: typeof told = [];
    let errors = errorsOf(rest.diagnostics); // must not be given to a tool
    if (errors.length === 0)
      try {
        const made = await translate(rest, { ...context, log: (...line) => lines.push(line) });
        for (const line of lines) context.log(...line);
        return left.length === 0 ? made : { ...made, leftOut: { left, refused } };
      } catch (error) {
        const own = error instanceof BenchError && error.code === 'design_invalid' ? error.diagnostics : [];
        errors = errorsOf(own);
        if (left.length === 0) [refusal, refused, told] = [error, own, lines];
        else if (errors.length === 0 && !(error instanceof BenchError && error.code === 'design_invalid'))
          throw error;
      }
    const [error] = errors;
    const path = rest.units.find((unit) => reportedName(unit) === error?.file);
    if (!error || path === undefined || !mayBeLeft(path, rest, left)) break;
    if (clock.monotonic() - began > LONG) break;
    left.push({ path, text: textOf(rest, path), error: becauseOfOthers(error, left) });
    rest = without(rest, path);
  }
  for (const line of told) context.log(...line);
  if (refusal !== null) throw refusal;
  return null;
}

const textOf = ({ files }: PreparedDesign, path: string): string => String(files[path] ?? '');

const declaredIn = (path: string, text: string) => vhdlUnit(path, text).declares;

/** Not where something else of the same name is there, where nothing is left, or where that has gone on for long. */
function mayBeLeft(path: string, rest: PreparedDesign, left: readonly LeftOut[]): boolean {
  if (rest.units.length < 2 || left.length >= MOST_LEFT_OUT) return false;
  const own = declaredIn(path, textOf(rest, path));
  return !rest.units.some(
    (other) => other !== path && [...declaredIn(other, textOf(rest, other))].some((name) => own.has(name)),
  );
}

/** The error of a source, where it only misses what was left out before it. */
function becauseOfOthers(error: Diagnostic, left: readonly LeftOut[]): Diagnostic {
  const [, name] = /^`(\w+)` /.exec(error.message) ?? [];
  const other = left.find(({ path, text }) => name !== undefined && declaredIn(path, text).has(name));
  return other
    ? { ...error, message: `it needs \`${name}\` of ${reportedName(other.path)}, which is left out` }
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
