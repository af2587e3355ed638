import { Edits } from '../lexer.ts';
import { type Piece, piecesOf } from '../outline-lexer.ts';
import {
  behindBrackets,
  behindStatement,
  bracketPairs,
  type Pieces,
  textAt,
  Unclosed,
} from '../statements.ts';
import { behindDeclaration, isDeclarationAt } from './declarations.ts';
import { type FunctionBody, functionAt } from './functions.ts';
import { type Insertion, Jumps } from './jumps.ts';
import { NewNames } from './new-names.ts';

/** Pieces of a function that is written in another way. */
const LONGEST = 5000;
/** Statements within each other that are followed. */
const MOST_LEVELS = 50;

type Pairs = ReadonlyMap<number, number>;

/** Writes the `return` statements of one function as assignments to its name. */
class Returns {
  readonly #pieces: Pieces;
  readonly #name: string;
  readonly changes: Insertion[] = [];

  constructor(pieces: Pieces, name: string) {
    this.#pieces = pieces;
    this.#name = name;
  }

  /** Statements one behind the other, with the end of the function behind the last. Returns whether they can be written. */
  sequence(from: number, to: number, level = 0): boolean {
    if (level > MOST_LEVELS) return false;
    for (let at = from; at < to; ) {
      const end = behindStatement(this.#pieces, at);
      if (end === null || end > to) return false;
      if (end === to) return this.#last(at, end, level);
      if (this.#mayReturn(at, end)) {
        // What is behind it is done where its condition does not hold.
        if (!this.#isEarly(at, end) || !this.#last(at, end, level)) return false;
        this.#putBehind(end - 1, ' else begin');
        if (!this.sequence(end, to, level + 1)) return false;
        this.#putBehind(to - 1, ' end');
        return true;
      }
      at = end;
    }
    return true;
  }

  #putBehind(at: number, by: string): void {
    const { end } = this.#pieces[at] as Piece;
    this.changes.push({ start: end, end, by });
  }

  /** A statement behind which nothing is done any more. Returns whether it can be written. */
  #last(at: number, end: number, level: number): boolean {
    const word = textAt(this.#pieces, at);
    if (word === 'return') {
      const piece = this.#pieces[at] as Piece;
      if (textAt(this.#pieces, at + 1) === ';') return false;
      this.changes.push({ start: piece.start, end: piece.end, by: `${this.#name} =` });
      return true;
    }
    if (!this.#mayReturn(at, end)) return true;
    if (word === 'begin') return this.sequence(...this.#within(at, end), level + 1);
    const branches = this.#branches(at);
    return branches?.every(([from, to]) => this.#last(from, to, level + 1)) ?? false;
  }

  /** What stands between `begin` and `end`. */
  #within(at: number, end: number): [from: number, to: number] {
    let close = end - 1;
    while (close > at && textAt(this.#pieces, close) !== 'end') close--;
    return [at + (textAt(this.#pieces, at + 1) === ':' ? 3 : 1), close];
  }

  /** The statements of an `if`; null for any other statement. */
  #branches(at: number): [from: number, to: number][] | null {
    if (textAt(this.#pieces, at) !== 'if') return null;
    const then = behindBrackets(this.#pieces, at + 1);
    const middle = then === null ? null : behindStatement(this.#pieces, then);
    if (then === null || middle === null) return null;
    if (textAt(this.#pieces, middle) !== 'else') return [[then, middle]];
    const end = behindStatement(this.#pieces, middle + 1);
    return end === null
      ? null
      : [
          [then, middle],
          [middle + 1, end],
        ];
  }

  /** Whether it is an `if` without an `else` that leaves the function where its condition holds. */
  #isEarly(at: number, end: number): boolean {
    const branches = this.#branches(at);
    return branches?.length === 1 && branches[0]?.[1] === end && this.#returns(branches[0][0], end);
  }

  /** Whether a statement leaves the function, whatever holds: a `return`, or a block with nothing but one at its end. */
  #returns(at: number, end: number): boolean {
    const word = textAt(this.#pieces, at);
    if (word !== 'begin') return word === 'return';
    const [from, to] = this.#within(at, end);
    for (let one = from; one < to; ) {
      const next = behindStatement(this.#pieces, one);
      if (next === null) return false;
      if (next === to) return textAt(this.#pieces, one) === 'return';
      if (this.#mayReturn(one, next)) return false;
      one = next;
    }
    return false;
  }

  #mayReturn(at: number, end: number): boolean {
    return this.#pieces.slice(at, end).some(({ kind, text }) => kind === 'word' && text === 'return');
  }
}

/** What changes in a function with `return` statements that leave it from anywhere; null where they cannot be written. */
function withVariables(
  pieces: Pieces,
  { name, from, to }: FunctionBody,
  pairs: Pairs,
  names: NewNames,
): Insertion[] | null {
  const variables: string[] = [];
  const variable = () => {
    const one = names.next();
    variables.push(one);
    return one;
  };
  let first = from;
  while (first < to && isDeclarationAt(pieces, pairs, first)) first = behindDeclaration(pieces, pairs, first);
  const done = variable();
  const jumps = new Jumps(pieces, { name, done }, variable);
  const set = jumps.sequence(first, to);
  if (set === null || set.size === 0) return null;
  const [head, start] = [(pieces[from - 1] as Piece).end, (pieces[first] as Piece).start];
  const text = jumps.changes.map(({ by }) => by).join(' ');
  const used = variables.filter((one) => one === done || text.includes(one));
  return [
    { start: head, end: head, by: ` logic ${used.join(', ')};` },
    { start, end: start, by: `${done} = 1'b0; ` },
    ...jumps.changes,
  ];
}

function changesFor(pieces: Pieces, body: FunctionBody, pairs: Pairs, names: NewNames): Insertion[] | null {
  const returns = new Returns(pieces, body.name);
  return returns.sequence(body.from, body.to) ? returns.changes : withVariables(pieces, body, pairs, names);
}

/**
 * A source in SystemVerilog in which functions give their value to their name, as Yosys reads it, where they `return` it: at their
 * end or early, out of an `if`, by branches alone, else with variables that tell that they are done. Lines stay what they are.
 */
export function withoutReturns(text: string): string {
  if (!/\breturn\b/.test(text)) return text;
  const pieces = piecesOf(text);
  const edits = new Edits();
  const names = new NewNames(text);
  const pairs = bracketPairs(pieces);
  try {
    for (let at = 0; at < pieces.length; at++) {
      if (pieces[at]?.kind !== 'word' || textAt(pieces, at) !== 'function') continue;
      const body = functionAt(pieces, at);
      if (!body) continue;
      const changes = body.to - body.from < LONGEST ? changesFor(pieces, body, pairs, names) : null;
      for (const { start, end, by } of changes ?? []) edits.replace(start, end, by);
      at = body.to;
    }
  } catch (error) {
    // The tool says what has no end.
    if (error instanceof Unclosed) return text;
    throw error;
  }
  return edits.apply(text);
}
