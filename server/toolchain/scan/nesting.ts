import { type ExpandedPiece, Expansion } from './expansion.ts';
import { ExpressionLevels } from './expression-levels.ts';
import { ParameterChains } from './parameter-chains.ts';

/** What lies deepest within each other in a design. */
export interface Nesting {
  what: 'expression' | 'statements' | 'macros' | 'parameters';
  /**
   * As Yosys stacks them: one for an operator and for a `begin`, two for an index, three for an `if` or a `case`, of which those
   * that generate are one. No further than a little beyond DEEP_ENOUGH.
   */
  levels: number;
  /** Where it begins. */
  path: string;
  start: number;
  /** The macro that it comes from, with its backtick; null where it stands in the source. */
  macro: string | null;
}

/** Pieces that are looked at in all, some tenths of a second: what lies behind them is not judged. */
const MOST_WORK = 2_000_000;
/** How much deeper it is need not be known. */
export const DEEP_ENOUGH = 65_536;

const LEVELS: ReadonlyMap<string, number> = new Map([
  ['if', 3],
  ['for', 1],
  ['while', 1],
  ['repeat', 1],
]);
const OPENS: ReadonlyMap<string, number> = new Map([
  ['begin', 1],
  ['fork', 1],
  ['case', 3],
  ['casex', 3],
  ['casez', 3],
]);
const CLOSES = new Set(['end', 'endcase', 'join', 'join_any', 'join_none']);
const UNITS = new Set([
  'module',
  'endmodule',
  'package',
  'endpackage',
  'function',
  'endfunction',
  'task',
  'endtask',
]);

const RUNS = new Set(['always', 'always_comb', 'always_ff', 'always_latch', 'initial', 'final']);

/** A statement that others are in, or that may go on with `else`. */
interface Statement {
  /** Levels of what it is in, and its own so far. */
  base: number;
  own: number;
  ended: boolean;
  /** It runs; else it generates. And what it is in. */
  runs: boolean;
  inside: boolean;
}

/**
 * What lies deepest within each other in a design: operations of an expression, statements, uses of macros, or parameters that
 * need others declared behind them.
 * @param files the sources and what they include, by path
 * @param units those that are read, in this order
 * @returns null where nothing lies within anything
 */
export function deepestNesting(
  files: Readonly<Record<string, string | Uint8Array>>,
  units: readonly string[],
): Nesting | null {
  const expansion = new Expansion(files);
  const reader = new NestingReader();
  for (const path of units)
    for (const piece of expansion.pieces(path)) {
      reader.read(piece, expansion.deepest);
      if (expansion.work > MOST_WORK || reader.deepest.some(({ levels }) => levels > DEEP_ENOUGH))
        return reader.worst;
    }
  return reader.worst;
}

const newStatement = (base: number, runs: boolean): Statement => ({
  base,
  own: 0,
  ended: false,
  runs,
  inside: runs,
});
const nowhere = (what: Nesting['what']): Nesting => ({ what, levels: 0, path: '', start: 0, macro: null });

class NestingReader {
  readonly #expression = new ExpressionLevels();
  #statements: Statement[] = [newStatement(0, false)];
  /** Where the statement begins that is in none, and the expression. */
  #statementAt: ExpandedPiece | null = null;
  #expressionAt: ExpandedPiece | null = null;
  #expressions = nowhere('expression');
  #blocks = nowhere('statements');
  #macros = nowhere('macros');
  readonly #parameters = new ParameterChains();

  get deepest(): Nesting[] {
    return [this.#expressions, this.#blocks, this.#macros];
  }

  get worst(): Nesting | null {
    const chain = this.#parameters.longest;
    // Where most of it is one value, that value is what is too deep.
    const parameters: Nesting[] =
      chain && chain.levels > 1 + 2 * this.#expressions.levels
        ? [{ what: 'parameters', levels: chain.levels, ...placeOf(chain.at, chain.at) }]
        : [];
    const [worst] = [...this.deepest, ...parameters].sort((a, b) => b.levels - a.levels);
    return worst && worst.levels > 0 ? worst : null;
  }

  read(at: ExpandedPiece, uses: number): void {
    const { kind, text } = at.piece;
    this.#parameters.read(at);
    if (uses > this.#macros.levels) this.#macros = { what: 'macros', levels: uses, ...placeOf(at, at) };
    if (kind === 'word' && this.#keyword(text, at)) return;
    if (this.#expression.empty) this.#expressionAt = at;
    if (kind === 'mark' || kind === 'attribute') {
      // Only what begins a statement goes on with it, or ends it.
      const ends = !this.#expression.mark(text[0] === '(' ? '(' : text);
      this.#measure(at);
      if (ends) this.#end();
    } else {
      this.#begin(text);
      this.#expression.operand();
      this.#measure(at);
    }
  }

  #measure(at: ExpandedPiece): void {
    const { levels } = this.#expression;
    const most = this.#expressions;
    if (levels <= most.levels) return;
    const place = placeOf(this.#expressionAt ?? at, at);
    // What stands around the use of a macro adds to what comes from it.
    const within = most.path === place.path && most.start === place.start ? most.macro : null;
    this.#expressions = { what: 'expression', levels, ...place, macro: place.macro ?? within };
  }

  get #inner(): Statement {
    return this.#statements.at(-1) as Statement;
  }

  /** What is no `else` begins a statement of its own behind one that has ended. */
  #begin(word: string): void {
    const inner = this.#inner;
    if (inner.ended) Object.assign(inner, { own: 0, ended: false, runs: inner.inside });
    if (RUNS.has(word)) inner.runs = true;
  }

  #end(): void {
    this.#expression.end();
    this.#inner.ended = true;
  }

  #keyword(word: string, at: ExpandedPiece): boolean {
    const own = LEVELS.get(word);
    const opens = OPENS.get(word);
    if (word === 'else') this.#inner.ended = false;
    else if (own !== undefined) {
      this.#within(word, own, at);
    } else if (opens !== undefined) {
      this.#within(word, 0, at);
      const { base, own: levels, runs } = this.#inner;
      this.#statements.push(newStatement(base + levels + (runs ? opens : 1), runs));
      this.#deeper(at);
    } else if (CLOSES.has(word)) {
      if (this.#statements.length > 1) this.#statements.pop();
      this.#end();
    } else if (UNITS.has(word)) {
      this.#statements = [newStatement(0, word === 'function' || word === 'task')];
    } else return false;
    this.#expression.end();
    return true;
  }

  #within(word: string, levels: number, at: ExpandedPiece): void {
    this.#begin(word);
    const inner = this.#inner;
    if (this.#statements.length === 1 && inner.own === 0) this.#statementAt = at;
    inner.own += inner.runs ? levels : Math.min(levels, 1);
    this.#deeper(at);
  }

  #deeper(at: ExpandedPiece): void {
    const { base, own } = this.#inner;
    if (base + own > this.#blocks.levels)
      this.#blocks = { what: 'statements', levels: base + own, ...placeOf(this.#statementAt ?? at, at) };
  }
}

const placeOf = ({ path, start }: ExpandedPiece, { macro }: ExpandedPiece) => ({ path, start, macro });
