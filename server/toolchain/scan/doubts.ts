import type { Diagnostic } from '../../contract/diagnostics.ts';
import { computedLabels, isComputed } from './case-labels.ts';
import { textOf } from './copies.ts';
import type { PreparedDesign } from './prepared-design.ts';
import { functionAt } from './rewrites/functions.ts';
import { LONGEST, sourcePieces } from './source-pieces.ts';
import { behindBrackets, modulesOf, type Pieces, textAt, Unclosed } from './statements.ts';
import { reportedName } from './tool-paths.ts';

/** Names that a text gives to constants. @throws Unclosed */
function constantsIn(pieces: Pieces): Set<string> {
  const names = new Set<string>();
  for (const [at, { text }] of pieces.entries()) {
    if (!/^(?:localparam|parameter)$/.test(text)) continue;
    for (let next = at + 1; next < pieces.length && !/^[;)]$/.test(textAt(pieces, next)); next++) {
      if (textAt(pieces, next) === '=') names.add(textAt(pieces, next - 1));
      if (/^[([{]$/.test(textAt(pieces, next))) next = (behindBrackets(pieces, next) ?? next + 1) - 1;
    }
  }
  return names;
}

/** What a text calls its functions. @throws Unclosed */
const functionsIn = (pieces: Pieces): Set<string> =>
  new Set(
    pieces.flatMap(({ text }, at) => (text === 'function' ? (functionAt(pieces, at)?.name ?? []) : [])),
  );

/** A module in a text. */
interface Module {
  pieces: Pieces;
  from: number;
  to: number;
  /** Whether nothing but constants is between two indices. */
  isConstant(from: number, to: number): boolean;
  functions: ReadonlySet<string>;
}

/**
 * Arguments of functions that are computed of constants: Yosys computes each with the widths of what is in it, and not with that of the
 * argument.
 * @throws Unclosed
 */
function computedArguments({ pieces, from, to, isConstant, functions }: Module): number[] {
  const found: number[] = [];
  for (let at = from; at < to && functions.size > 0; at++) {
    if (!functions.has(textAt(pieces, at)) || textAt(pieces, at + 1) !== '(') continue;
    const end = (behindBrackets(pieces, at + 1) ?? at + 2) - 1;
    let first = at + 2;
    for (let next = first; next <= end; next++) {
      if (next < end && /^[([{]$/.test(textAt(pieces, next)))
        next = (behindBrackets(pieces, next) ?? end) - 1;
      if (next < end && textAt(pieces, next) !== ',') continue;
      if (isComputed(pieces, first, next) && isConstant(first, next)) found.push(first);
      first = next + 1;
    }
  }
  return found;
}

/**
 * Parts that are given values, as `y[a -: 4] = …` with an index that is no constant: Yosys leaves one out that is partly below the
 * lowest bit.
 * @throws Unclosed
 */
function partsDownwards({ pieces, from, to, isConstant }: Module): number[] {
  const found: number[] = [];
  for (let at = from; at < to; at++) {
    if (textAt(pieces, at) !== '-' || textAt(pieces, at + 1) !== ':') continue;
    let open = at - 1;
    for (let depth = 0; open > from; open--) {
      if (textAt(pieces, open) === ']') depth++;
      else if (textAt(pieces, open) === '[' && depth-- === 0) break;
    }
    const behind = behindBrackets(pieces, open);
    if (behind === null || isConstant(open, at)) continue;
    const [next, second] = [textAt(pieces, behind), textAt(pieces, behind + 1)];
    if ((next === '=' && second !== '=') || (next === '<' && second === '=')) found.push(open - 1);
  }
  return found;
}

/** What Yosys reads as something else, where it may be in a source, and what to write in its place. */
const DOUBTS: readonly {
  may: RegExp;
  find(module: Module): number[];
  said: string;
}[] = [
  {
    may: /\bcase[xz]?\b/,
    find: ({ pieces, from, to, isConstant }) => computedLabels(pieces, from, to, isConstant),
    said: 'Yosys computes this label of the `case` with the widths of what is in it: give the constant a name of its own, with the width of what is compared',
  },
  {
    may: /\bfunction\b/,
    find: computedArguments,
    said: 'Yosys computes this argument with the widths of what is in it: give the constant a name of its own, with the width of the argument',
  },
  {
    may: /-:/,
    find: partsDownwards,
    said: 'Yosys gives no value to a part that begins below the lowest bit: count from the other end, with `+:`',
  },
];

/**
 * Warnings for what Yosys reads as something else, or may: another reader can be asked for it.
 * @param below the modules that are built
 */
export const doubtsOf = (
  below: ReadonlySet<string>,
  { files, units, uploaded }: PreparedDesign,
): Diagnostic[] =>
  units.flatMap((path) => {
    const text = textOf(files, path);
    const file = reportedName(path);
    const doubts = DOUBTS.filter(({ may }) => may.test(text));
    // What other languages were translated to has nothing of it.
    if (doubts.length === 0 || !uploaded.includes(file) || text.length > LONGEST) return [];
    const { pieces, lines } = sourcePieces(text);
    const found: Diagnostic[] = [];
    try {
      const constants = constantsIn(pieces);
      const functions = functionsIn(pieces);
      const isConstant = (from: number, to: number) =>
        pieces.slice(from, to).every((one) => one.kind !== 'word' || constants.has(one.text));
      for (const [module, from, to] of modulesOf(pieces))
        for (const { find, said } of below.has(module) ? doubts : [])
          for (const at of find({ pieces, from, to, isConstant, functions }))
            found.push({
              ...{ severity: 'warning', code: 'design_invalid', message: said },
              ...{ file, line: lines[at] ?? 1, module },
            });
    } catch (error) {
      // The tool says what has no end.
      if (!(error instanceof Unclosed)) throw error;
    }
    return found;
  });
