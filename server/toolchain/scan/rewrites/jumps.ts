import type { Piece } from '../outline-lexer.ts';
import { behindBrackets, behindStatement, type Pieces, textAt } from '../statements.ts';

/** Statements within each other that are followed. */
const MOST_LEVELS = 50;

/** What changes in a text; at one place in the order in which they are. */
export interface Insertion {
  start: number;
  end: number;
  by: string;
}

/** The loop around a statement: what is set where it is left, and where its pass is. */
interface Loop {
  broken: string;
  continued: string;
}

const NOTHING: ReadonlySet<string> = new Set();
const JUMPS = /^(?:return|break|continue)$/;

/**
 * Writes statements that leave a function or a loop with variables of one bit: what follows is done where none of them is set.
 */
export class Jumps {
  readonly #pieces: Pieces;
  readonly #unit: { name: string; done: string } | null;
  readonly #variable: () => string;
  readonly changes: Insertion[] = [];

  /**
   * @param unit the function that is left by `return`, and its variable; null outside of functions and tasks
   * @param variable makes a new one
   */
  constructor(pieces: Pieces, unit: { name: string; done: string } | null, variable: () => string) {
    this.#pieces = pieces;
    this.#unit = unit;
    this.#variable = variable;
  }

  /** Statements one behind the other. Returns the variables that they may set; null where they cannot be written. */
  sequence(from: number, to: number, loop: Loop | null = null, level = 0): ReadonlySet<string> | null {
    const all = new Set<string>();
    let open = 0;
    for (let at = from; at < to; ) {
      const end = behindStatement(this.#pieces, at);
      if (end === null || end > to) return null;
      const set = this.statement(at, end, loop, level);
      if (set === null) return null;
      for (const one of set) all.add(one);
      if (set.size > 0 && end < to) {
        this.#putBehind(end - 1, ` if (${unset(set)}) begin`);
        open++;
      }
      at = end;
    }
    if (open > 0) this.#putBehind(to - 1, ' end'.repeat(open));
    return all;
  }

  /** One statement. Returns the variables that it may set; null where it cannot be written. */
  statement(from: number, end: number, loop: Loop | null, level: number): ReadonlySet<string> | null {
    if (level > MOST_LEVELS) return null;
    if (!this.#pieces.slice(from, end).some(({ kind, text }) => kind === 'word' && JUMPS.test(text)))
      return NOTHING;
    const at = /^(?:unique0?|priority)$/.test(textAt(this.#pieces, from)) ? from + 1 : from;
    const word = textAt(this.#pieces, at);
    switch (word) {
      case 'return':
        return this.#return(at, end);
      case 'break':
      case 'continue': {
        const set = word === 'break' ? loop?.broken : loop?.continued;
        if (set === undefined) return null;
        this.#replace(at, at, `${set} = 1'b1`);
        return new Set([set]);
      }
      case 'begin': {
        const first = textAt(this.#pieces, at + 1) === ':' ? at + 3 : at + 1;
        let close = end - 1;
        while (close > at && textAt(this.#pieces, close) !== 'end') close--;
        return this.sequence(first, close, loop, level + 1);
      }
      case 'if':
        return this.#if(at, end, loop, level);
      case 'case':
      case 'casez':
      case 'casex':
        return this.#case(at, end, loop, level);
      case 'for':
      case 'repeat':
      case 'while':
        return this.#loop(at, end, level);
      default:
        return null;
    }
  }

  #return(at: number, end: number): ReadonlySet<string> | null {
    if (!this.#unit) return null;
    const { name, done } = this.#unit;
    if (textAt(this.#pieces, at + 1) === ';') this.#replace(at, at, `${done} = 1'b1`);
    else {
      this.#replace(at, at, `begin ${name} =`);
      this.#putBehind(end - 1, ` ${done} = 1'b1; end`);
    }
    return new Set([done]);
  }

  #if(at: number, end: number, loop: Loop | null, level: number): ReadonlySet<string> | null {
    const then = behindBrackets(this.#pieces, at + 1);
    const middle = then === null ? null : behindStatement(this.#pieces, then);
    if (then === null || middle === null) return null;
    const one = this.statement(then, middle, loop, level + 1);
    const other = middle < end ? this.statement(middle + 1, end, loop, level + 1) : NOTHING;
    return one && other && new Set([...one, ...other]);
  }

  #case(at: number, end: number, loop: Loop | null, level: number): ReadonlySet<string> | null {
    const all = new Set<string>();
    let next = behindBrackets(this.#pieces, at + 1);
    if (next === null || textAt(this.#pieces, next) === 'inside') return null;
    while (textAt(this.#pieces, next) !== 'endcase') {
      const first: number | null = this.#behindLabel(next, end);
      const behind: number | null = first === null ? null : behindStatement(this.#pieces, first);
      const set = first === null || behind === null ? null : this.statement(first, behind, loop, level + 1);
      if (set === null || behind === null || behind >= end) return null;
      for (const one of set) all.add(one);
      next = behind;
    }
    return all;
  }

  /** The index behind the `:` of a branch; null where there is none. */
  #behindLabel(from: number, end: number): number | null {
    if (textAt(this.#pieces, from) === 'default' && textAt(this.#pieces, from + 1) !== ':') return from + 1;
    let depth = 0;
    let asks = 0;
    for (let at = from; at < end; at++) {
      const text = textAt(this.#pieces, at);
      if (/^[([{]$/.test(text)) depth++;
      else if (/^[)\]}]$/.test(text)) depth--;
      else if (depth > 0) continue;
      else if (text === '?') asks++;
      else if (text === ':' && textAt(this.#pieces, at + 1) === ':') at++;
      else if (text === ':' && asks-- === 0) return at + 1;
      else if (text === ';') return null;
    }
    return null;
  }

  #loop(at: number, end: number, level: number): ReadonlySet<string> | null {
    const body = behindBrackets(this.#pieces, at + 1);
    if (body === null) return null;
    const loop = { broken: this.#variable(), continued: this.#variable() };
    const before = this.#putBefore(at);
    const within = this.#putBefore(body);
    const set = this.statement(body, end, loop, level + 1);
    if (set === null) return null;
    const leaving = new Set([...set].filter((one) => one !== loop.continued));
    const starts = set.has(loop.broken) ? `${loop.broken} = 1'b0; ` : '';
    before.by = `begin ${starts}`;
    const again = set.has(loop.continued) ? `${loop.continued} = 1'b0; ` : '';
    const guard = leaving.size > 0 ? `if (${unset(leaving)}) ` : '';
    within.by = `${guard}begin ${again}`;
    if (textAt(this.#pieces, at) === 'while' && leaving.size > 0) {
      const [open, close] = [this.#pieces[at + 1] as Piece, this.#pieces[body - 1] as Piece];
      this.changes.push({ start: open.end, end: open.end, by: `${unset(leaving)} && (` });
      this.changes.push({ start: close.start, end: close.start, by: ')' });
    }
    this.#putBehind(end - 1, ' end end');
    return new Set([...leaving].filter((one) => one !== loop.broken));
  }

  #replace(from: number, to: number, by: string): void {
    const [first, last] = [this.#pieces[from] as Piece, this.#pieces[to] as Piece];
    this.changes.push({ start: first.start, end: last.end, by });
  }

  #putBefore(at: number): Insertion {
    const { start } = this.#pieces[at] as Piece;
    const change = { start, end: start, by: '' };
    this.changes.push(change);
    return change;
  }

  #putBehind(at: number, by: string): void {
    const { end } = this.#pieces[at] as Piece;
    this.changes.push({ start: end, end, by });
  }
}

/** That none of some variables is set. */
const unset = (variables: ReadonlySet<string>): string => [...variables].map((one) => `!${one}`).join(' && ');
