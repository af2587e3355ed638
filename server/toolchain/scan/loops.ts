import { type Constants, constantValue } from './constants.ts';
import { endless } from './endless.ts';
import { type Piece, piecesOf } from './outline-lexer.ts';

/** A `for` loop whose bounds are constants, or one in whose passes nothing changes that its condition asks for. */
export interface Loop {
  /** From 1. */
  line: number;
  /** Passes in all, those of the loops around it counted; Infinity for one that does not end. */
  passes: number;
  /** Where its condition is in the text, one with which it runs at most once, and one that asks for `nowhere` when it runs. */
  condition: Stretch & { once: string; asking: (nowhere: string) => string };
}

/** Of a text. */
interface Stretch {
  start: number;
  end: number;
}

/** What is between the parentheses of a `for`. */
interface Header {
  first: Piece[];
  condition: Piece[];
  step: Piece[];
  /** Index of the piece behind the closing parenthesis. */
  next: number;
}

/** A header, or a list of parameters, of more pieces is not read: the time of reading stays linear. */
const LONGEST = 300;

interface Counted {
  count: number;
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

/** Loops in Verilog or SystemVerilog, as far as their bounds can be told from the text alone. Never fails. */
export function loopsOf(text: string): Loop[] {
  const pieces = piecesOf(text);
  const constants = new Map<string, number>();
  const loops: Loop[] = [];
  const lineAt = lineCounter(text);
  const add = (start: number, passes: number, condition: readonly Piece[], loop: Counted | null) => {
    const [from, to] = [condition[0], condition.at(-1)];
    if (!loop || !from || !to) return;
    const { once, dependsOn } = loop;
    const asking = (nowhere: string) =>
      dependsOn ? `(${text.slice(from.start, to.end)}) ? ${nowhere} : 0` : nowhere;
    loops.push({ line: lineAt(start), passes, condition: { start: from.start, end: to.end, once, asking } });
  };
  let open: Open[] = [];
  let nesting = 0;
  const endOfStatement = () => {
    while (open.at(-1)?.block === null) open.pop();
  };
  for (let at = 0; at < pieces.length; at++) {
    const { kind, text: word, start } = pieces[at] as Piece;
    if (kind === 'directive') defined(word, constants);
    else if (word === ';') endOfStatement();
    if (kind !== 'word') continue;
    if (word === 'module' || word === 'endmodule') [open, nesting] = [[], 0];
    else if (word === 'parameter' || word === 'localparam') declared(pieces, at + 1, constants);
    else if (word === 'begin') {
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
      const header = headerAt(pieces, at + 1);
      if (!header) continue;
      const loop = loopOf(header, constants) ?? endlessLoop(pieces, header);
      const passes = times(open.at(-1)?.passes ?? 1, loop?.count ?? 1);
      open.push({ passes, block: null });
      add(start, passes, header.condition, loop);
      at = header.next - 1;
    } else if (word === 'while') {
      const loop = endlessWhile(pieces, at + 1);
      if (loop) add(start, times(open.at(-1)?.passes ?? 1, loop.count), loop.condition, loop);
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

/** Takes the value of a macro over; one that has none that can be told is not known. */
function defined(directive: string, constants: Map<string, number>): void {
  const [, name, value] = /^`define\s+(\w+)\s+(.*)$/s.exec(directive.slice(0, LONGEST)) ?? [];
  if (name !== undefined && value !== undefined)
    constants.set(`\`${name}`, constantValue(piecesOf(value), constants));
}

/** Takes `NAME = VALUE, NAME = VALUE` over, up to the semicolon or parenthesis behind it. */
function declared(pieces: readonly Piece[], from: number, constants: Map<string, number>): void {
  let name: string | null = null;
  let value: number | null = null;
  let depth = 0;
  for (let at = from; at < Math.min(pieces.length, from + LONGEST); at++) {
    const { kind, text } = pieces[at] as Piece;
    const ends = depth === 0 && (text === ';' || text === ')' || text === ',');
    if (ends) {
      if (name !== null && value !== null)
        constants.set(name, constantValue(pieces.slice(value, at), constants));
      [name, value] = [null, null];
      // Behind a comma may stand another keyword, which is read by itself.
      if (text !== ',' || ['parameter', 'localparam'].includes(pieces[at + 1]?.text ?? '')) return;
    } else if (kind === 'mark' && /[([{]/.test(text)) depth++;
    else if (kind === 'mark' && /[)\]}]/.test(text)) depth--;
    else if (kind === 'mark' && text === '=' && depth === 0) value ??= at + 1;
    else if (kind === 'word' && depth === 0 && value === null) name = text;
  }
}

function headerAt(pieces: readonly Piece[], from: number): Header | null {
  if (pieces[from]?.text !== '(') return null;
  const parts: Piece[][] = [[]];
  for (let [at, depth] = [from + 1, 0]; at < Math.min(pieces.length, from + LONGEST); at++) {
    const piece = pieces[at] as Piece;
    if (piece.kind === 'mark' && piece.text === ';') parts.push([]);
    else if (piece.kind === 'mark' && piece.text === ')' && depth === 0) {
      const [first, condition, step] = parts;
      return first && condition && step && parts.length === 3
        ? { first, condition, step, next: at + 1 }
        : null;
    } else {
      if (piece.text === '(') depth++;
      else if (piece.text === ')') depth--;
      parts.at(-1)?.push(piece);
    }
    if (parts.length > 3) return null;
  }
  return null;
}

const times = (outer: number, inner: number) => (outer === 0 || inner === 0 ? 0 : outer * inner);

const textOf = (pieces: readonly Piece[]) => pieces.map(({ text }) => text).join('');

/** How often a loop runs. @returns null where that cannot be told */
function loopOf({ first, condition, step }: Header, constants: Constants): Counted | null {
  const assigned = first.findIndex(({ text }) => text === '=');
  const variable = first[assigned - 1];
  if (variable?.kind !== 'word' || condition[0]?.text !== variable.text) return null;
  const start = constantValue(first.slice(assigned + 1), constants);
  const two = condition[2]?.text === '=';
  const operator = (condition[1]?.text ?? '') + (two ? '=' : '');
  const end = constantValue(condition.slice(two ? 3 : 2), constants);
  const by = stepOf(variable.text, step, constants);
  const count = countOf(start, operator, end, by);
  if (Number.isNaN(count)) return null;
  return { count, once: by === 0 ? '1 == 0' : `${variable.text} == (${start})` };
}

const ENDLESS: Counted = { count: Number.POSITIVE_INFINITY, once: '1 == 0', dependsOn: true };

/** A `for` that goes on for ever once it has begun; null where it may end. */
function endlessLoop(pieces: readonly Piece[], { condition, step, next }: Header): Counted | null {
  const still = /^(\w+)=\1(?:[+-]0)?$/.test(textOf(step));
  return endless(condition, pieces, next, still ? [] : step) ? ENDLESS : null;
}

/** The same of a `while`, whose condition begins at `from`. */
function endlessWhile(pieces: readonly Piece[], from: number): (Counted & { condition: Piece[] }) | null {
  if (pieces[from]?.text !== '(') return null;
  let [at, depth] = [from + 1, 0];
  for (; at < Math.min(pieces.length, from + LONGEST); at++) {
    const { text } = pieces[at] as Piece;
    if (text === ')' && depth-- === 0) break;
    if (text === '(') depth++;
  }
  const condition = pieces.slice(from + 1, at);
  return endless(condition, pieces, at + 1, []) ? { ...ENDLESS, condition } : null;
}

/** What a pass adds to the variable; NaN for every other step. */
function stepOf(variable: string, step: readonly Piece[], constants: Constants): number {
  const text = textOf(step);
  if (text === `${variable}++` || text === `++${variable}`) return 1;
  if (text === `${variable}--` || text === `--${variable}`) return -1;
  if (step[0]?.text !== variable) return Number.NaN;
  // `i += 2` as `i = i + 2`
  const short = step[2]?.text === '=' && /^[+-]$/.test(step[1]?.text ?? '');
  const sum = short ? [step[0], step[1] as Piece, ...step.slice(3)] : step.slice(2);
  if (!short && step[1]?.text !== '=') return Number.NaN;
  const at = (value: number) =>
    constantValue(sum, { get: (name) => (name === variable ? value : constants.get(name)) });
  // What is a sum differs from the variable by the same everywhere.
  return at(0) === at(1000) - 1000 ? at(0) : Number.NaN;
}

/** Passes of a loop that begins with `start` and adds `by`. */
function countOf(start: number, operator: string, end: number, by: number): number {
  if ([start, end, by].some((value) => Number.isNaN(value))) return Number.NaN;
  const distance = { '<': end - start, '<=': end - start + 1, '>': start - end, '>=': start - end + 1 }[
    operator
  ];
  if (distance === undefined) return Number.NaN;
  if (distance <= 0) return 0;
  const towards = operator.startsWith('<') ? by : -by;
  return towards > 0 ? Math.ceil(distance / towards) : Number.POSITIVE_INFINITY;
}

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
