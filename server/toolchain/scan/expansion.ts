import { joined } from './constant/tokens.ts';
import { type Piece, piecesOf } from './outline-lexer.ts';
import { PreprocessorState } from './preprocessor.ts';

/** A piece of what a tool reads: without dead parts, and with what macros stand for in place of their uses. */
export interface ExpandedPiece {
  piece: Piece;
  /** The source that it is in, or that uses the macro it comes from, and where it is there. */
  path: string;
  start: number;
  /** The use of a macro in that source that it comes from, with its backtick. */
  macro: string | null;
}

/** Pieces, as a source or a macro has them, with the partner of each bracket. */
interface Tokens {
  pieces: readonly Piece[];
  /** Index of the closing bracket, at that of the opening one; 0 elsewhere. */
  partners: Int32Array;
}

interface Macro {
  parameters: readonly string[];
  body: Tokens;
}

/** What a parameter stands for: a stretch of tokens, and what the parameters in it stand for. */
interface Given {
  tokens: Tokens;
  from: number;
  to: number;
  given: Arguments;
}
type Arguments = ReadonlyMap<string, Given>;

/** A stretch that is being read. */
interface Reading extends Given {
  at: number;
  /** The source; null for a macro or an argument of one. */
  path: string | null;
  argument?: true;
}

const NONE: Arguments = new Map();

/**
 * Reads sources in Verilog or SystemVerilog as a tool does behind its preprocessor: one piece after the other, so that what
 * macros become takes time and no memory. Definitions of one source hold in the next ones. Never fails.
 */
export class Expansion {
  readonly #files: Readonly<Record<string, string | Uint8Array>>;
  readonly #macros = new Map<string, Macro>();
  readonly #state = new PreprocessorState();
  /** Looked at so far, those that nothing comes of among them. */
  work = 0;
  /** Arguments of macros within each other: the most so far. */
  deepest = 0;
  #arguments = 0;

  /** @param files where the sources and what they include are found, by path */
  constructor(files: Readonly<Record<string, string | Uint8Array>>) {
    this.#files = files;
  }

  *pieces(path: string): Generator<ExpandedPiece> {
    const open: Reading[] = [];
    this.#source(path, open);
    /** The innermost source, where it is being read, and the macro that it uses there. */
    let [place, start, macro] = [path, 0, null as string | null];
    for (let reading = open.at(-1); reading; reading = open.at(-1)) {
      if (reading.at >= reading.to) {
        open.pop();
        if (reading.argument) this.#arguments--;
        continue;
      }
      this.work++;
      const at = reading.at++;
      const piece = reading.tokens.pieces[at] as Piece;
      if (reading.path !== null) [place, start, macro] = [reading.path, piece.start, null];
      if (piece.kind === 'directive') {
        if (reading.path !== null) this.#directive(piece.text, open);
        continue;
      }
      if (!this.#state.active) continue;
      const argument = piece.kind === 'word' ? reading.given.get(piece.text) : undefined;
      const used = piece.kind === 'macro' ? this.#macros.get(piece.text) : undefined;
      if (argument) {
        open.push({ ...argument, at: argument.from, path: null, argument: true });
        this.deepest = Math.max(this.deepest, ++this.#arguments);
      } else if (used) {
        macro ??= piece.text;
        open.push(this.#use(used, reading));
      } else yield { piece, path: place, start, macro };
    }
  }

  #source(path: string, open: Reading[]): void {
    const text = this.#files[path];
    // A file that includes itself has no end.
    if (typeof text !== 'string' || open.some((one) => one.path === path)) return;
    const tokens = tokensOf(text);
    open.push({ tokens, from: 0, at: 0, to: tokens.pieces.length, given: NONE, path });
  }

  #directive(text: string, open: Reading[]): void {
    const [, directive = '', name = ''] = /^(`\w+)\s*(\w*)/.exec(text) ?? [];
    if (this.#state.active && directive === '`define') this.#define(text);
    else if (this.#state.active && directive === '`undef') this.#macros.delete(`\`${name}`);
    else if (this.#state.active && directive === '`undefineall') this.#macros.clear();
    else if (this.#state.active && directive === '`include')
      this.#source(/"([^"\n]*)"/.exec(text)?.[1] ?? '', open);
    const place = { start: 0, end: 0, line: 0 };
    this.#state.directive(
      { kind: 'directive', text: directive, ...place },
      { kind: 'word', text: name, ...place },
    );
  }

  #define(directive: string): void {
    const [all, name, , parameters] = /^`define\s+(\w+)(\(([^()]*)\))?/.exec(directive) ?? [];
    if (all === undefined || name === undefined) return;
    this.#macros.set(`\`${name}`, {
      parameters: parameters?.split(',').map((one) => /\w*/.exec(one.trim())?.[0] ?? '') ?? [],
      body: tokensOf(directive.slice(all.length).replaceAll('\\\n', ' \n')),
    });
  }

  /** The body of a macro that is used just before where a stretch is read; its arguments are passed over. */
  #use({ parameters, body }: Macro, reading: Reading): Reading {
    const given = new Map<string, Given>();
    const { pieces, partners } = reading.tokens;
    const open = reading.at;
    if (parameters.length > 0 && pieces[open]?.text === '(') {
      const close = Math.min(partners[open] || reading.to, reading.to);
      let from = open + 1;
      const put = (to: number) => {
        const name = parameters[given.size];
        if (name !== undefined) given.set(name, { tokens: reading.tokens, from, to, given: reading.given });
        from = to + 1;
      };
      for (let at = from; at < close; at++) {
        this.work++;
        if (pieces[at]?.text === ',') put(at);
        else at = partners[at] || at;
      }
      put(close);
      reading.at = close + 1;
    }
    return { tokens: body, from: 0, at: 0, to: body.pieces.length, given, path: null };
  }
}

const OPENING = /^[([{]/;
const CLOSING = new Set([')', ']', '}']);

function tokensOf(text: string): Tokens {
  const pieces = joined(piecesOf(text));
  const partners = new Int32Array(pieces.length);
  const open: number[] = [];
  for (const [at, { kind, text: mark }] of pieces.entries()) {
    if (kind !== 'mark' && kind !== 'attribute') continue;
    if (OPENING.test(mark)) open.push(at);
    else if (CLOSING.has(mark)) {
      const from = open.pop();
      if (from !== undefined) partners[from] = at;
    }
  }
  return { pieces, partners };
}
