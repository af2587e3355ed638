import type { Diagnostic } from '../../contract/diagnostics.ts';
import { type Judgement, unreadable } from './judge.ts';
import { DEEP_ENOUGH, deepestNesting, type Nesting } from './nesting.ts';
import { inUpload, type PreparedDesign } from './prepared-design.ts';
import { reportedName } from './tool-paths.ts';
import { deepestVhdlNesting } from './vhdl-nesting.ts';

/**
 * Levels that the embedded Yosys 0.55 reads: its stack of 8 MiB ends between 2,935 and 2,947 of them, whether they are
 * operators, `begin`, or an `if` (3) or an index (2) for several.
 */
const MOST_LEVELS = 2900;
/** The same of parameters that wait for one another: it ends between 2,642 and 2,665. */
const MOST_WAITING = 2600;
/** Where Yosys has crashed, so many levels are the reason; programs are not nested by hundreds. */
const CRASHES = 1000;
/** Arguments of macros within each other: the time of Yosys grows with their square, and 15,000 of them took more than 30 s on a busy machine. */
const MOST_USES = 20_000;

const MOST: Record<Nesting['what'], number> = {
  expression: MOST_LEVELS,
  statements: MOST_LEVELS,
  macros: MOST_USES,
  parameters: MOST_WAITING,
};

/**
 * The refusal of a design in which expressions, statements, macros or parameters lie within each other more deeply than the tools read;
 * else null. No tool is asked.
 * @param crashed whether Yosys has crashed: then less is enough
 */
export function refusedByNesting(source: PreparedDesign, crashed: boolean): Judgement | null {
  const deepest = deepestNesting(source.files, source.units);
  if (!deepest) return null;
  return deepest.levels > (crashed ? CRASHES : MOST[deepest.what])
    ? unreadable(source, [tooDeep(deepest, source)])
    : null;
}

/** From so many levels on the time that Yosys takes is the square of them, and more. */
const SLOW = 250;

/** What may be the reason that a design has not been read in time: what lies deeply within each other in it; empty where nothing does. */
export function slowNesting(source: PreparedDesign): Diagnostic[] {
  const deepest = deepestNesting(source.files, source.units);
  if (!deepest || deepest.levels < SLOW) return [];
  const { what, levels } = deepest;
  const named = {
    expression: isStructure(deepest, source) ? 'these structures are' : 'this expression is',
    statements: 'these statements are',
    macros: 'these calls of macros are',
    parameters: 'the parameters that this one waits for are',
  };
  return [
    {
      severity: 'warning',
      code: 'design_invalid',
      message: `${named[what]} ${plain(levels)} levels deep, and the time of Yosys grows with the square of that or faster`,
      ...placeOf(deepest, source),
    },
  ];
}

function placeOf({ path, start }: Nesting, source: PreparedDesign) {
  const text = source.files[path];
  const line = typeof text === 'string' ? text.slice(0, start).split('\n').length : 1;
  return inUpload({ file: reportedName(path), line }, source);
}

/** Whether the braces that lie within each other are those of `struct` and `union`. */
function isStructure({ path, start, macro }: Nesting, { files }: PreparedDesign): boolean {
  const text = files[path];
  if (typeof text !== 'string' || macro !== null) return false;
  return /^(?:(?:typedef|parameter|localparam|input|output|var)\s+)*(?:struct|union)\b/.test(
    text.slice(start, start + 200),
  );
}

const plain = (value: number) => value.toLocaleString('en-US');

function tooDeep(deepest: Nesting, source: PreparedDesign): Diagnostic {
  const { what, levels, macro } = deepest;
  const deep = levels > DEEP_ENOUGH ? `more than ${plain(DEEP_ENOUGH)}` : plain(levels);
  const from = macro === null ? '' : `, from the macro ${macro}`;
  const limit =
    levels > MOST[what] ? `the bench takes on ${plain(MOST[what])}` : 'Yosys has run out of its stack on it';
  const said: Record<Nesting['what'], string> = {
    expression: isStructure(deepest, source)
      ? `these structures lie within each other ${deep} levels deep${from}; ${limit}: give some of them a type of their own with typedef`
      : `this expression is ${deep} levels deep${from} (an operator is one, an index two); ${limit}: divide it into several, with a wire or a constant for each part`,
    statements: `these statements lie within each other ${deep} levels deep${from} (a begin is one, an if or a case three, and so is each else if); ${limit}: use a case of many values, or several statements side by side`,
    macros: `calls of macros lie within each other ${deep} deep${from}; the bench takes on ${plain(MOST_USES)}`,
    parameters: `this parameter waits for others that are declared behind it, ${deep} levels deep${from} (a parameter is one, and so is an operator in its value); ${limit}: declare each one before those that need it`,
  };
  return {
    severity: 'error',
    code: 'design_invalid',
    message: said[what],
    ...placeOf(deepest, source),
  };
}

/** Why GHDL has run out of its stack on sources in VHDL, with the line; null where nothing lies so deep in them. */
export function vhdlTooDeep(source: PreparedDesign): Diagnostic | null {
  const found = source.units.flatMap((path) => {
    const text = source.files[path];
    const deepest = typeof text === 'string' ? deepestVhdlNesting(text) : null;
    return deepest ? [{ path, ...deepest }] : [];
  });
  const [deepest] = found.sort((a, b) => b.levels - a.levels);
  if (!deepest || deepest.levels <= CRASHES) return null;
  const { what, levels, path, line } = deepest;
  const said = {
    expression: `this expression is ${plain(levels)} levels deep (a bracket is one, and so is an operator); GHDL has run out of its stack on it: divide it into several, with a signal or a constant for each part`,
    statements: `these statements lie within each other ${plain(levels)} levels deep; GHDL has run out of its stack on it: use a case of many values, or several statements side by side`,
  };
  return {
    severity: 'error',
    code: 'design_invalid',
    message: said[what],
    ...inUpload({ file: reportedName(path), line }, source),
  };
}
