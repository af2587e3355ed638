import { type Scope, type Size, Unknown } from './constant/evaluate.ts';
import { Reader, Unread } from './constant/expression.ts';
import { widthOf } from './constant/interpreter.ts';
import { expanded, type Macros, takeOver } from './constant/live-tokens.ts';
import { parametersAt, parameterValue, told } from './constant/parameters.ts';
import { INTEGER } from './constant/passes.ts';
import { type Type, typeAt } from './constant/statements.ts';
import type { Value } from './constant/value.ts';
import type { Piece } from './outline-lexer.ts';

/** A list of parameters, or a type, of more pieces is not read: the time stays linear. */
const LONGEST = 300;

/** What is declared between `begin` and `end`, in a function, a task, a module, or outside of all. */
interface Level {
  constants: Map<string, Value | null>;
  /** Where the type of a variable is; -1 for a whole number. */
  variables: Map<string, number>;
}

const OPENS = new Set(['begin', 'function', 'task']);
const CLOSES = new Set(['end', 'endfunction', 'endtask']);
const ENDS_LIST = new Set([';', 'parameter', 'localparam']);
const WHOLE = new Set(['integer', 'int', 'genvar']);
const PACKED = new Set(['reg', 'logic', 'bit', 'byte', 'shortint', 'longint']);

/** The names of a text whose values and types are known at a place, for who goes over its pieces in order. */
export class Names implements Scope {
  readonly #pieces: readonly Piece[];
  readonly #macros: Macros = new Map();
  #levels: Level[] = [{ constants: new Map(), variables: new Map() }];
  /** What an instance gives the parameters of the module that begins here. */
  given: ReadonlyMap<string, Value> | null = null;

  constructor(pieces: readonly Piece[]) {
    this.#pieces = pieces;
  }

  directive(at: number): void {
    takeOver(this.#pieces[at] as Piece, this.#macros);
  }

  /** Takes over what the word at an index declares. */
  word(at: number): void {
    const { text } = this.#pieces[at] as Piece;
    if (text === 'module' || text === 'endmodule') {
      this.#levels.length = 1;
      if (text === 'module') this.#open();
    } else if (OPENS.has(text)) this.#open();
    else if (CLOSES.has(text)) {
      if (this.#levels.length > 1) this.#levels.pop();
    } else if (text === 'parameter' || text === 'localparam') this.#parameters(at + 1, text === 'parameter');
    else if (WHOLE.has(text)) this.#variables(at + 1, -1);
    else if (PACKED.has(text)) this.#variables(at + 1, at);
  }

  get(name: string): Value | null {
    for (let at = this.#levels.length - 1; at >= 0; at--) {
      const { constants, variables } = this.#levels[at] as Level;
      const found = constants.get(name);
      if (found !== undefined) return found;
      if (variables.has(name)) return null;
    }
    return null;
  }

  call(): never {
    throw new Unknown();
  }

  result(): null {
    return null;
  }

  /** Of a variable; that of a whole number for one that is not known, null for one whose type is not. */
  size(variable: string): Size | null {
    const level = this.#levels.findLast(({ variables }) => variables.has(variable));
    const at = level?.variables.get(variable) ?? -1;
    if (at < 0) return INTEGER;
    return this.reads(at, at + LONGEST, (reader, scope) => {
      const type = typeAt(reader);
      return type && sizeOf(type, scope);
    });
  }

  /** What is read between two pieces, macros in their places; null for what is another text. */
  reads<T>(from: number, to: number, read: (reader: Reader, scope: Scope) => T): T | null {
    try {
      return read(new Reader(expanded(this.#pieces.slice(from, to), this.#macros)), this);
    } catch (error) {
      if (error instanceof Unread) return null;
      throw error;
    }
  }

  #open(): void {
    this.#levels.push({ constants: new Map(), variables: new Map() });
  }

  #parameters(from: number, overridable: boolean): void {
    const { constants } = this.#levels.at(-1) as Level;
    let to = from;
    while (to < from + LONGEST && !ENDS_LIST.has(this.#pieces[to]?.text ?? ';')) to++;
    this.reads(from, to + 1, (reader) => {
      for (const [name, parameter] of parametersAt(reader)) {
        const given = overridable && this.#levels.length === 2 ? this.given?.get(name) : undefined;
        constants.set(name, parameterValue(parameter, this, given));
      }
    });
  }

  /** Names behind a type and its range, with commas between them. */
  #variables(from: number, type: number): void {
    const { variables } = this.#levels.at(-1) as Level;
    let at = from;
    const end = from + LONGEST;
    for (; at < end; at++) {
      const text = this.#pieces[at]?.text;
      if (text === '[') while (at < end && this.#pieces[at]?.text !== ']') at++;
      else if (text !== 'signed' && text !== 'unsigned') break;
    }
    for (; this.#pieces[at]?.kind === 'word'; at += 2) {
      variables.set(this.#pieces[at]?.text ?? '', type);
      if (this.#pieces[at + 1]?.text !== ',') return;
    }
  }
}

/** Null where it cannot be told. */
export const sizeOf = (type: Type, scope: Scope): Size | null =>
  told(() => ({ width: widthOf(type, scope), signed: type.signed }));
