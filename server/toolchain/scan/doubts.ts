import type { Diagnostic } from '../../contract/diagnostics.ts';
import { computedLabels, isComputed } from './case-labels.ts';
import { textOf } from './copies.ts';
import type { PreparedDesign } from './prepared-design.ts';
import { LONGEST, sourcePieces } from './source-pieces.ts';
import { behindBrackets, modulesOf, type Pieces, textAt, Unclosed } from './statements.ts';
import { reportedName } from './tool-paths.ts';

/** Names that a text gives to constants. */
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

/** Whether nothing but constants is between two indices. */
const isConstant = (pieces: Pieces, from: number, to: number, constants: ReadonlySet<string>): boolean =>
  pieces.slice(from, to).every(({ kind, text }) => kind !== 'word' || constants.has(text));

/**
 * Arguments of functions between two indices that are computed of constants: Yosys computes each with the widths of what is in it, and not
 * with that of the argument.
 * @throws Unclosed
 */
function computedArguments(pieces: Pieces, from: number, to: number): number[] {
  const functions = new Set<string>();
  for (const [at, { text }] of pieces.entries()) {
    if (text !== 'function') continue;
    let name = at + 1;
    while (name < pieces.length && !/^[(;]$/.test(textAt(pieces, name))) name++;
    functions.add(textAt(pieces, name - 1));
  }
  const constants = constantsIn(pieces);
  const found: number[] = [];
  for (let at = from; at < to && functions.size > 0; at++) {
    if (!functions.has(textAt(pieces, at)) || textAt(pieces, at + 1) !== '(') continue;
    const end = (behindBrackets(pieces, at + 1) ?? at + 2) - 1;
    let first = at + 2;
    for (let next = first; next <= end; next++) {
      if (next < end && /^[([{]$/.test(textAt(pieces, next)))
        next = (behindBrackets(pieces, next) ?? end) - 1;
      if (next < end && textAt(pieces, next) !== ',') continue;
      if (isComputed(pieces, first, next) && isConstant(pieces, first, next, constants)) found.push(first);
      first = next + 1;
    }
  }
  return found;
}

/**
 * Parts that are given values between two indices, as `y[a -: 4] = …` with an index that is no constant: Yosys leaves one out that is partly
 * below the lowest bit.
 * @throws Unclosed
 */
function partsDownwards(pieces: Pieces, from: number, to: number): number[] {
  const constants = constantsIn(pieces);
  const found: number[] = [];
  for (let at = from; at < to; at++) {
    if (textAt(pieces, at) !== '-' || textAt(pieces, at + 1) !== ':') continue;
    let open = at - 1;
    for (let depth = 0; open > from; open--) {
      if (textAt(pieces, open) === ']') depth++;
      else if (textAt(pieces, open) === '[' && depth-- === 0) break;
    }
    const behind = behindBrackets(pieces, open);
    if (behind === null || isConstant(pieces, open, at, constants)) continue;
    const [next, second] = [textAt(pieces, behind), textAt(pieces, behind + 1)];
    if ((next === '=' && second !== '=') || (next === '<' && second === '=')) found.push(open - 1);
  }
  return found;
}

/** What Yosys reads as something else, where it may be in a source, and what to write in its place. */
const DOUBTS: readonly {
  may: RegExp;
  find(pieces: Pieces, from: number, to: number): number[];
  said: string;
}[] = [
  {
    may: /\bcase[xz]?\b/,
    find: computedLabels,
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
      for (const [module, from, to] of modulesOf(pieces))
        for (const { find, said } of below.has(module) ? doubts : [])
          for (const at of find(pieces, from, to))
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
