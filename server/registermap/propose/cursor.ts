import type { CodeToken } from './verilog-tokens.ts';

const OPENING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
const CLOSING = new Set([')', ']', '}']);

/** Tokens of one module, looked at by their place. */
export class Code {
  readonly tokens: readonly CodeToken[];

  constructor(tokens: readonly CodeToken[]) {
    this.tokens = tokens;
  }

  text(at: number): string {
    return this.tokens[at]?.text ?? '';
  }

  isName(at: number): boolean {
    return this.tokens[at]?.kind === 'name';
  }

  /** Behind the bracket that closes the one at a place. */
  behindBracket(at: number): number {
    let depth = 0;
    for (let to = at; to < this.tokens.length; to++) {
      const text = this.text(to);
      if (OPENING[text]) depth++;
      else if (CLOSING.has(text) && --depth <= 0) return to + 1;
    }
    return this.tokens.length;
  }

  /** The first place from one on where one of the texts stands outside of brackets; the end where none does. */
  find(from: number, texts: ReadonlySet<string>, end = this.tokens.length): number {
    for (let at = from; at < end; at++) {
      const text = this.text(at);
      if (texts.has(text)) return at;
      if (OPENING[text]) at = this.behindBracket(at) - 1;
    }
    return end;
  }

  /** Behind the statement that begins at a place. */
  behindStatement(from: number): number {
    // A loop for what one statement ends with another: no depth that a text could choose.
    for (let at = from; at < this.tokens.length; ) {
      switch (this.text(at)) {
        case 'begin':
          at = this.#behindBlock(at, 'begin', 'end');
          break;
        case 'case':
        case 'casez':
        case 'casex':
          at = this.#behindBlock(at, 'case', 'endcase');
          break;
        case 'if':
        case 'for':
        case 'while':
        case 'repeat':
        case '@':
          at = this.behindBracket(at + 1);
          continue;
        case 'unique':
        case 'priority':
        case 'unique0':
        case 'else':
          at++;
          continue;
        default:
          at = this.find(at, SEMICOLON) + 1;
      }
      if (this.text(at) !== 'else') return at;
    }
    return this.tokens.length;
  }

  #behindBlock(from: number, open: 'begin' | 'case', close: string): number {
    let depth = 0;
    for (let at = from; at < this.tokens.length; at++) {
      const text = this.text(at);
      if (text === open || (open === 'case' && (text === 'casez' || text === 'casex'))) depth++;
      else if (text === close && --depth === 0) return at + 1;
    }
    return this.tokens.length;
  }
}

const SEMICOLON = new Set([';']);
