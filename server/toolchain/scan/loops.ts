import { headerAt, passesOf, timesOf } from './constant/passes.ts';
import type { Value } from './constant/value.ts';
import { endless } from './endless.ts';
import { Names, sizeOf } from './names.ts';
import { type Piece, piecesOf } from './outline-lexer.ts';

/** A `for` or `repeat` whose bounds are constants, or a loop in whose passes nothing changes that its condition asks for. */
export interface Loop {
  /** Offset of its keyword. */
  start: number;
  /** From 1. */
  line: number;
  /** Passes in all, those of the loops around it counted; Infinity for one that does not end. */
  passes: number;
  /** Its variable, where the condition holds for every value of that. */
  always?: string;
  /** Where its condition is in the text, one with which it runs at most once, and one that asks for `nowhere` when it runs. */
  condition: Stretch & { once: string; asking: (nowhere: string) => string };
}

/** Of a text. */
interface Stretch {
  start: number;
  end: number;
}

/** A header, a list of parameters, or what is in parentheses, of more pieces is not read: the time stays linear. */
const LONGEST = 300;

interface Counted {
  count: number;
  always?: string;
  /** The condition for a single pass at most. */
  once: string;
  /** Whether it runs at all is up to its condition, which is not known here. */
  dependsOn?: boolean;
}

interface Open {
  passes: number;
  /** Nesting of the block that is its body; null while it is a single statement, or none was seen yet. */
  block: number | null;
}

/** Values that an instance gives parameters of a module. */
export interface Given {
  module: string;
  values: ReadonlyMap<string, Value>;
}

/**
 * Loops in Verilog or SystemVerilog, as far as their bounds can be told from the text alone. Never fails.
 * @param given reads one module as an instance makes it, and nothing of the others
 * @param pieces of the text
 */
export function loopsOf(text: string, given?: Given, pieces: readonly Piece[] = piecesOf(text)): Loop[] {
  const names = new Names(pieces);
  const loops: Loop[] = [];
  const lineAt = lineCounter(text);
  let open: Open[] = [];
  let nesting = 0;
  let here = given === undefined;
  let elsewhere = false;
  const add = (start: number, [from, to]: Between, loop: Counted | null) => {
    const passes = times(open.at(-1)?.passes ?? 1, loop?.count ?? 1);
    const [first, last] = [pieces[from], pieces[to - 1]];
    if (loop && first && last && here) {
      const { once, dependsOn, always } = loop;
      const condition = { start: first.start, end: last.end, once };
      const asking = (nowhere: string) =>
        dependsOn ? `(${text.slice(first.start, last.end)}) ? ${nowhere} : 0` : nowhere;
      const kept = { condition: { ...condition, asking }, ...(always !== undefined && { always }) };
      loops.push({ start, line: lineAt(start), passes, ...kept });
    }
    return passes;
  };
  const endOfStatement = () => {
    while (open.at(-1)?.block === null) open.pop();
  };
  for (let at = 0; at < pieces.length; at++) {
    const { kind, text: word, start } = pieces[at] as Piece;
    if (word === ';') endOfStatement();
    if (kind === 'directive') names.directive(at);
    if (kind !== 'word' || (elsewhere && word !== 'endmodule')) continue;
    names.word(at);
    if (word === 'module' || word === 'endmodule') {
      [open, nesting] = [[], 0];
      if (given === undefined) continue;
      here = word === 'module' && pieces[at + 1]?.text === given.module;
      elsewhere = word === 'module' && !here;
      names.given = here ? given.values : null;
    } else if (word === 'begin') {
      nesting++;
      const last = open.at(-1);
      if (last?.block === null) last.block = nesting;
    } else if (word === 'end') {
      if (open.at(-1)?.block === nesting) {
        open.pop();
        endOfStatement();
      }
      nesting--;
    } else if (word === 'for') {
      const header = headerOf(pieces, at + 1);
      if (!header) continue;
      const loop = forLoop(names, at + 1, header) ?? endlessLoop(pieces, header);
      open.push({ passes: add(start, header.condition, loop), block: null });
      at = header.next - 1;
    } else if (word === 'while') {
      const asked = inParentheses(pieces, at + 1);
      const body = asked && pieces.slice(...asked);
      if (body && endless(body, pieces, asked[1] + 1, [])) add(start, asked, ENDLESS);
    } else if (word === 'repeat') {
      const asked = inParentheses(pieces, at + 1);
      if (!asked) continue;
      const count = names.reads(asked[0], asked[1], (reader, scope) => timesOf(reader.expression(), scope));
      open.push({ passes: add(start, asked, count === null ? null : { count, once: '1' }), block: null });
      at = asked[1];
    }
  }
  return loops;
}

/** Lines of places that come in the order of the text. */
function lineCounter(text: string): (place: number) => number {
  let [line, from] = [1, 0];
  return (place) => {
    for (let end = text.indexOf('\n', from); end >= 0 && end < place; end = text.indexOf('\n', from)) {
      line++;
      from = end + 1;
    }
    return line;
  };
}

/** Pieces by their indices: from, and behind. */
type Between = [from: number, to: number];

/** The parts of what is between the parentheses of a `for`. */
interface Header {
  condition: Between;
  step: Between;
  /** Index of the piece behind the closing parenthesis. */
  next: number;
}

/** What is between the parenthesis at `from` and the one that closes it; null where that is not seen. */
function inParentheses(pieces: readonly Piece[], from: number): Between | null {
  if (pieces[from]?.text !== '(') return null;
  for (let [at, depth] = [from + 1, 0]; at < Math.min(pieces.length, from + LONGEST); at++) {
    const { text } = pieces[at] as Piece;
    if (text === ')' && depth-- === 0) return [from + 1, at];
    if (text === '(') depth++;
  }
  return null;
}

function headerOf(pieces: readonly Piece[], from: number): Header | null {
  const between = inParentheses(pieces, from);
  if (!between) return null;
  const [first, last] = between;
  const ends: number[] = [];
  for (let at = first; at < last; at++) if (pieces[at]?.text === ';') ends.push(at);
  const [one, two] = ends;
  if (one === undefined || two === undefined || ends.length > 2) return null;
  return { condition: [one + 1, two], step: [two + 1, last], next: last + 1 };
}

const times = (outer: number, inner: number) => (outer === 0 || inner === 0 ? 0 : outer * inner);

/** How often a loop runs. @returns null where that cannot be told */
function forLoop(names: Names, from: number, { next }: Header): Counted | null {
  return names.reads(from, next, (reader, scope) => {
    const header = headerAt(reader);
    const size = header.type ? sizeOf(header.type, scope) : names.size(header.variable);
    const passes = size && passesOf(header, size, scope);
    if (!passes) return null;
    const { count, start, still, always } = passes;
    return {
      count,
      ...(always && { always: header.variable }),
      once: still ? '1 == 0' : `${header.variable} == (${start})`,
    };
  });
}

const ENDLESS: Counted = { count: Number.POSITIVE_INFINITY, once: '1 == 0', dependsOn: true };

/** A `for` that goes on for ever once it has begun; null where it may end. */
function endlessLoop(pieces: readonly Piece[], { condition, step, next }: Header): Counted | null {
  const steps = pieces.slice(...step);
  const still = /^(\w+)=\1(?:[+-]0)?$/.test(steps.map(({ text }) => text).join(''));
  return endless(pieces.slice(...condition), pieces, next, still ? [] : steps) ? ENDLESS : null;
}

/** What a loop without an end is refused with. */
export const endlessSaid = ({ always }: Pick<Loop, 'always'>): string =>
  `this loop does not end${always === undefined ? '' : `: its condition holds for every value that ${always} can have`}`;

/** The text with other conditions of some loops, by loop. @param loops in the order of the text */
export function withConditions(text: string, loops: readonly Loop[], of: (loop: Loop) => string): string {
  let [result, done] = ['', 0];
  for (const loop of loops) {
    const { start, end } = loop.condition;
    result += text.slice(done, start) + of(loop);
    done = end;
  }
  return result + text.slice(done);
}
