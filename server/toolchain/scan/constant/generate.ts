import type { Piece } from '../outline-lexer.ts';
import { type Expression, Reader, Unread } from './expression.ts';

/** What has to hold for what stands at a place of a module to be made. */
export type Condition =
  | { kind: 'if'; of: Expression; taken: boolean }
  /** One of the items is the place's; null is `default`. All of them are known at the end of the `case`. */
  | { kind: 'case'; of: Expression; items: (Expression[] | null)[]; item: number }
  /** By the offset of its keyword. */
  | { kind: 'for'; start: number }
  | { kind: 'unknown' };

/** Something that goes on up to the end of a statement, or of a block. */
interface Open {
  kind: 'statement' | 'block' | 'case';
  condition: Condition | null;
  /** It is an `if`, which an `else` may follow. */
  orElse?: boolean;
  /** Of a `case`: its label may follow. */
  labels?: { of: Expression | null; items: (Expression[] | null)[] };
}

const UNKNOWN: Condition = { kind: 'unknown' };
/** Statements within each other of which the conditions are told. */
const DEEPEST = 50;

/** What cannot be a label. */
const STATEMENTS = new Set(['begin', 'if', 'for', 'while', 'repeat', 'case', 'casex', 'casez']);
const OPENS = new Set(['(', '(*', '[', '{']);
const CLOSES = new Set([')', ']', '}']);

/** Follows the conditions of a module, for who goes over its tokens in order. */
export class GenerateConditions {
  readonly #tokens: readonly Piece[];
  #open: Open[] = [];
  /** Parentheses around. */
  #depth = 0;
  /** Tokens before this one belong to a label. */
  #label = 0;

  constructor(tokens: readonly Piece[]) {
    this.#tokens = tokens;
  }

  /** What has to hold here. */
  get conditions(): readonly Condition[] {
    if (this.#open.length > DEEPEST) return [UNKNOWN];
    return this.#open.flatMap(({ condition }) => condition ?? []);
  }

  read(at: number): void {
    const { kind, text, start } = this.#tokens[at] as Piece;
    if (at < this.#label) return;
    if (kind === 'mark' || kind === 'attribute') {
      if (OPENS.has(text)) this.#depth++;
      else if (CLOSES.has(text)) this.#depth--;
      else if (text === ';' && this.#depth <= 0) this.#end(at);
    }
    if (kind !== 'word' && kind !== 'other') return;
    if (this.#depth > 0) return;
    if (this.#open.at(-1)?.kind === 'case' && text !== 'endcase' && this.#item(at)) return;
    switch (text) {
      case 'if': {
        const of = this.#asked(at + 1);
        const condition: Condition = of ? { kind: 'if', of, taken: true } : UNKNOWN;
        this.#open.push({ kind: 'statement', condition, orElse: true });
        break;
      }
      case 'for':
        this.#push('statement', { kind: 'for', start });
        break;
      case 'while':
      case 'repeat':
        this.#push('statement', UNKNOWN);
        break;
      case 'begin':
      case 'fork':
        this.#push('block', null);
        break;
      case 'case':
      case 'casex':
      case 'casez':
        this.#open.push({
          kind: 'case',
          condition: null,
          labels: { of: this.#asked(at + 1), items: [] },
        });
        break;
      case 'end':
      case 'join':
        this.#close('block', at);
        break;
      case 'endcase':
        this.#close('case', at);
    }
  }

  #push(kind: Open['kind'], condition: Condition | null): void {
    this.#open.push({ kind, condition });
  }

  #close(kind: Open['kind'], at: number): void {
    while (this.#open.length > 0 && this.#open.pop()?.kind !== kind);
    this.#end(at);
  }

  /** The end of a statement is that of all that it ends; an `else` goes on with the innermost `if`. */
  #end(at: number): void {
    for (let top = this.#open.at(-1); top?.kind === 'statement'; top = this.#open.at(-1)) {
      this.#open.pop();
      if (!top.orElse || this.#tokens[at + 1]?.text !== 'else') continue;
      this.#push('statement', top.condition?.kind === 'if' ? { ...top.condition, taken: false } : UNKNOWN);
      return;
    }
  }

  #tried<T>(from: number, read: (reader: Reader) => T): T | null {
    try {
      return read(new Reader(this.#tokens, from));
    } catch (error) {
      if (error instanceof Unread) return null;
      throw error;
    }
  }

  #asked(from: number): Expression | null {
    return this.#tried(from, (reader) => {
      reader.expect('(');
      const asked = reader.expression();
      reader.expect(')');
      return asked;
    });
  }

  /** `0, 1:` and `default:`. @returns whether there is a label that is understood */
  #item(at: number): boolean {
    const labels = this.#open.at(-1)?.labels;
    const behind = this.#label;
    const read = this.#tried(at, (reader): true => {
      if (STATEMENTS.has(reader.text)) throw new Unread();
      const matches: Expression[] = [];
      const other = reader.takes('default');
      if (other) reader.takes(':');
      else {
        do matches.push(reader.expression());
        while (reader.takes(','));
        reader.expect(':');
      }
      this.#label = reader.at;
      labels?.items.push(other ? null : matches);
      return true;
    });
    const { of = null, items = [] } = labels ?? {};
    this.#push('statement', read && of ? { kind: 'case', of, items, item: items.length - 1 } : UNKNOWN);
    return this.#label > behind;
  }
}
