import { type Piece, piecesOf } from './outline-lexer.ts';
import { PreprocessorState } from './preprocessor.ts';

/** The use of a macro that becomes too long. */
export interface MacroGrowth {
  /** With its backtick. */
  name: string;
  /** From 1. */
  line: number;
  /** What it becomes; Infinity for a macro that uses itself. */
  characters: number;
}

/** Pieces that are looked at in all: a source that needs more is not judged. */
const MOST_WORK = 1_000_000;
/** Macros within each other, and arguments. */
const DEEPEST = 500;

interface Macro {
  parameters: readonly string[];
  body: readonly Piece[];
}

/** Characters of an expansion: what is there in any case, then how often each parameter is. */
type Size = readonly number[];

class TooMuchWork extends Error {}

/**
 * The first use of a macro in Verilog or SystemVerilog that becomes longer than `most` characters, without expanding
 * anything. Uses in parts that are not live do not count; what is not understood counts as nothing. Never fails.
 */
export function macroGrowth(text: string, most: number): MacroGrowth | null {
  try {
    return new MacroReader(text, most).run();
  } catch (error) {
    if (error instanceof TooMuchWork) return null;
    throw error;
  }
}

class MacroReader {
  readonly #text: string;
  readonly #most: number;
  readonly #macros = new Map<string, Macro>();
  /** Null while a size is being found: who asks for it then is part of itself. */
  #sizes = new Map<string, Size | null>();
  #work = 0;
  #depth = 0;

  constructor(text: string, most: number) {
    this.#text = text;
    this.#most = most;
  }

  run(): MacroGrowth | null {
    const state = new PreprocessorState();
    const pieces = piecesOf(this.#text);
    for (let at = 0; at < pieces.length; at++) {
      const { kind, text, start } = pieces[at] as Piece;
      if (kind === 'directive') {
        const [, directive = '', name = ''] = /^(`\w+)\s*(\w*)/.exec(text) ?? [];
        if (state.active && directive === '`define') this.#define(text);
        if (state.active && directive === '`undef') this.#forget(`\`${name}`);
        if (state.active && directive === '`undefineall')
          for (const one of [...this.#macros.keys()]) this.#forget(one);
        const place = { start, end: start, line: 0 };
        state.directive(
          { kind: 'directive', text: directive, ...place },
          { kind: 'word', text: name, ...place },
        );
      } else if (kind === 'macro' && state.active && this.#macros.has(text)) {
        const use = this.#use(pieces, at, []);
        const characters = use.size[0] ?? 0;
        if (characters > this.#most)
          return { name: text, line: this.#text.slice(0, start).split('\n').length, characters };
        at = use.next - 1;
      }
    }
    return null;
  }

  #define(directive: string): void {
    const [all, name, , parameters] = /^`define\s+(\w+)(\(([^()]*)\))?/.exec(directive) ?? [];
    if (all === undefined || name === undefined) return;
    this.#macros.set(`\`${name}`, {
      parameters:
        parameters === undefined ? [] : parameters.split(',').map((one) => /\w*/.exec(one.trim())?.[0] ?? ''),
      body: piecesOf(directive.slice(all.length)),
    });
    this.#sizes = new Map();
  }

  #forget(name: string): void {
    if (this.#macros.delete(name)) this.#sizes = new Map();
  }

  /** What the use of a macro at `at` becomes. @returns also the index of the piece behind it */
  #use(pieces: readonly Piece[], at: number, parameters: readonly string[]): { size: Size; next: number } {
    const name = pieces[at]?.text ?? '';
    const macro = this.#macros.get(name);
    if (!macro) return { size: [], next: at + 1 };
    const size = this.#sizeOf(name, macro);
    if (macro.parameters.length === 0) return { size, next: at + 1 };
    const given = this.#argumentsAt(pieces, at + 1);
    if (!given) return { size: [], next: at + 1 };
    const sizes = given.lists.map((list) => this.#sizeIn(list, parameters));
    return {
      size: size
        .slice(1)
        .reduce<Size>((sum, times, index) => plus(sum, sizes[index] ?? [], times), [size[0] ?? 0]),
      next: given.next,
    };
  }

  #sizeOf(name: string, { body, parameters }: Macro): Size {
    const known = this.#sizes.get(name);
    if (known !== undefined) return known ?? [Number.POSITIVE_INFINITY];
    // What a body says of conditions is decided where it is used.
    if (body.some(({ kind }) => kind === 'directive')) return [];
    this.#sizes.set(name, null);
    const size = this.#sizeIn(body, parameters);
    this.#sizes.set(name, size);
    return size;
  }

  #sizeIn(pieces: readonly Piece[], parameters: readonly string[]): Size {
    let size: Size = [0];
    if (++this.#depth > DEEPEST) throw new TooMuchWork();
    for (let at = 0; at < pieces.length; ) {
      this.#spend();
      const { kind, text } = pieces[at] as Piece;
      const parameter = kind === 'word' ? parameters.indexOf(text) : -1;
      if (kind === 'macro') {
        const use = this.#use(pieces, at, parameters);
        size = plus(size, use.size);
        at = use.next;
        continue;
      }
      size = plus(size, parameter < 0 ? [text.length] : unit(parameter));
      at++;
    }
    this.#depth--;
    return size;
  }

  /** The arguments in parentheses from `from`; null where there are none. What is read in vain is work as well. */
  #argumentsAt(pieces: readonly Piece[], from: number): { lists: Piece[][]; next: number } | null {
    if (pieces[from]?.text !== '(') return null;
    const lists: Piece[][] = [[]];
    for (let [at, depth] = [from + 1, 0]; at < pieces.length; at++) {
      this.#spend();
      const piece = pieces[at] as Piece;
      const mark = piece.kind === 'mark' || piece.kind === 'attribute' ? (piece.text[0] ?? '') : '';
      if (mark === ')' && depth === 0) return { lists, next: at + 1 };
      if (mark === ',' && depth === 0) lists.push([]);
      else lists.at(-1)?.push(piece);
      if (/^[([{]/.test(mark)) depth++;
      else if (/^[)\]}]/.test(mark)) depth--;
    }
    return null;
  }

  #spend(): void {
    if (++this.#work > MOST_WORK) throw new TooMuchWork();
  }
}

const unit = (parameter: number): Size => [0, ...new Array<number>(parameter).fill(0), 1];

/** a + b × times, where nothing times anything is nothing. */
const plus = (a: Size, b: Size, times = 1): Size =>
  times === 0
    ? a
    : Array.from({ length: Math.max(a.length, b.length) }, (_, at) => {
        const more = b[at] ?? 0;
        return (a[at] ?? 0) + (more === 0 ? 0 : more * times);
      });
