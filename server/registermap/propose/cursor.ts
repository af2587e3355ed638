import type { CodeToken } from './verilog-tokens.ts';

const OPENING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
const CLOSING = new Set([')', ']', '}']);

/** Access to the tokens of one module by index. */
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

  /** The index after the matching bracket. */
  behindBracket(at: number): number {
    let depth = 0;
    for (let to = at; to < this.tokens.length; to++) {
      const text = this.text(to);
      if (OPENING[text]) depth++;
      else if (CLOSING.has(text) && --depth <= 0) return to + 1;
    }
    return this.tokens.length;
  }

  /** The first index at which one of the texts stands outside brackets; the end where there is none. */
  find(from: number, texts: ReadonlySet<string>, end = this.tokens.length): number {
    for (let at = from; at < end; at++) {
      const text = this.text(at);
      if (texts.has(text)) return at;
      if (OPENING[text]) at = this.behindBracket(at) - 1;
    }
    return end;
  }

  /** The index after a statement. */
  behindStatement(from: number): number {
    // A loop instead of recursion, so that no text can choose the depth.
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
