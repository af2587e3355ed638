import { tokenizeVhdl, type VhdlToken } from './vhdl-lexer.ts';

/** What lies deepest within each other in a text in VHDL. */
export interface VhdlNesting {
  what: 'expression' | 'statements';
  /** One for each bracket and each operator of an expression; one for each statement, process, block or subprogram. */
  levels: number;
  /** Where it begins. */
  line: number;
}

const OPENS = new Set(
  'if case loop block process record units component architecture package protected'.split(' '),
);
/** They open something only where `is` follows before a semicolon. */
const OPENS_WITH_IS = new Set(['entity', 'function', 'procedure', 'configuration', 'context']);
/** Where another part of a statement, and so another expression, begins. */
const PARTS = new Set('if elsif else then when is loop generate begin return select case'.split(' '));
const OPERATORS = new Set('and or nand nor xor xnor not abs mod rem sll srl sla sra rol ror'.split(' '));
const OPERATOR_MARKS = new Set(['+', '-', '*', '/', '&', '=', '<', '>', '?']);
/** `<=` is an assignment or an operator: no chain goes on behind it. */
const ASSIGNS = new Set(['<=', '=>', ':=']);
const SECOND = new Set(['>=', '/=', '**']);

/**
 * What lies deepest within each other in a text in VHDL. Operators that stand one behind the other count as if each lay
 * within the next one. Never fails: of text that is no VHDL the figure says little.
 */
export function deepestVhdlNesting(text: string): VhdlNesting | null {
  const reader = new VhdlNestingReader();
  for (const token of tokenizeVhdl(text))
    if (token.kind !== 'space' && token.kind !== 'comment') reader.read(token);
  return reader.worst;
}

class VhdlNestingReader {
  #expression: VhdlNesting = { what: 'expression', levels: 0, line: 0 };
  #statements: VhdlNesting = { what: 'statements', levels: 0, line: 0 };
  /** Operators so far in each open bracket, and outside of all; their sum. */
  #brackets = [0];
  #operators = 0;
  #expressionAt = 0;
  /** Where each begins that is open, from the outermost on. */
  #opened: number[] = [];
  /** In a condition, behind which `generate` opens nothing more; in what opens with `is`; in what `end` begins. */
  #condition = false;
  #waits = false;
  #ending = false;
  #before = '';

  get worst(): VhdlNesting | null {
    const worst = this.#statements.levels > this.#expression.levels ? this.#statements : this.#expression;
    return worst.levels > 0 ? worst : null;
  }

  read({ kind, text, line }: VhdlToken): void {
    const word = kind === 'word' ? text.toLowerCase() : text;
    if (kind === 'word') this.#word(word, line);
    else if (kind === 'other') this.#mark(word, line);
    this.#before = word;
  }

  #word(word: string, line: number): void {
    if (OPERATORS.has(word)) this.#operator(line);
    if (PARTS.has(word)) this.#part();
    if (this.#ending) return;
    if (word === 'end') {
      this.#opened.pop();
      this.#ending = true;
    } else if (word === 'is' && this.#waits) {
      this.#waits = false;
      this.#open(line);
    } else if (word === 'generate') {
      if (!this.#condition) this.#open(line);
      this.#condition = false;
    } else if (OPENS_WITH_IS.has(word)) this.#waits = this.#before !== ':';
    else if (OPENS.has(word)) this.#open(line);
    if (['if', 'case', 'elsif', 'else'].includes(word)) this.#condition = true;
    else if (['then', 'is', 'for', 'while'].includes(word)) this.#condition = false;
  }

  #mark(mark: string, line: number): void {
    if (mark === '(') {
      if (this.#operators === 0 && this.#brackets.length === 1) this.#expressionAt = line;
      this.#brackets.push(0);
      this.#measure();
    } else if (mark === ')') {
      if (this.#brackets.length > 1) this.#operators -= this.#brackets.pop() ?? 0;
    } else if (mark === ';') {
      // Those of ports stand in brackets.
      if (this.#brackets.length === 1) [this.#ending, this.#waits, this.#condition] = [false, false, false];
      this.#part();
    } else if (mark === ',' || mark === ':') this.#part();
    else if (ASSIGNS.has(this.#before + mark)) this.#part();
    else if (OPERATOR_MARKS.has(mark) && !SECOND.has(this.#before + mark)) this.#operator(line);
  }

  #operator(line: number): void {
    if (this.#operators === 0 && this.#brackets.length === 1) this.#expressionAt = line;
    this.#brackets[this.#brackets.length - 1] = (this.#brackets.at(-1) ?? 0) + 1;
    this.#operators++;
    this.#measure();
  }

  /** Another expression of the same bracket. */
  #part(): void {
    this.#operators -= this.#brackets.at(-1) ?? 0;
    this.#brackets[this.#brackets.length - 1] = 0;
  }

  #measure(): void {
    const levels = this.#operators + this.#brackets.length - 1;
    if (levels > this.#expression.levels)
      this.#expression = { what: 'expression', levels, line: this.#expressionAt };
  }

  #open(line: number): void {
    this.#opened.push(line);
    const levels = this.#opened.length;
    // Every design has an architecture with a process in it: what is in those is named.
    if (levels > this.#statements.levels)
      this.#statements = { what: 'statements', levels, line: this.#opened[2] ?? line };
  }
}
