import type { ExpandedPiece } from './expansion.ts';
import { ExpressionLevels } from './expression-levels.ts';

/** A parameter that needs others before it has a value. */
export interface ParameterChain {
  /** One for each parameter, and those of its value: as Yosys stacks them. */
  levels: number;
  at: ExpandedPiece;
}

interface Parameter {
  at: ExpandedPiece;
  levels: number;
  /** Names in its value, in order. */
  names: string[];
}

const DECLARES = new Set(['parameter', 'localparam']);
const UNITS = new Set(['module', 'endmodule', 'package', 'endpackage', 'interface', 'endinterface']);
const OPENING = new Set(['(', '[', '{']);
const CLOSING = new Set([')', ']', '}']);

/**
 * How many parameters of a module wait for one another: a tool computes one that it comes to when it comes to it, and those
 * declared behind it that it needs within that. One that needs only what stands before it waits for nothing.
 */
export class ParameterChains {
  readonly #parameters = new Map<string, Parameter>();
  #state: 'elsewhere' | 'declares' | 'value' = 'elsewhere';
  #brackets = 0;
  #name: { text: string; at: ExpandedPiece } | null = null;
  #names: string[] = [];
  readonly #value = new ExpressionLevels();
  /** Of the modules that are closed. */
  #longest: ParameterChain | null = null;

  read(at: ExpandedPiece): void {
    const { kind, text } = at.piece;
    if (kind === 'word' && UNITS.has(text)) this.#close();
    else if (kind === 'word' && DECLARES.has(text)) this.#declare();
    else if (this.#state === 'elsewhere') return;
    else if (kind === 'mark' || kind === 'attribute') this.#mark(text[0] === '(' ? '(' : text);
    else if (this.#state === 'value') {
      if (kind === 'word') this.#names.push(text);
      this.#value.operand();
    } else if (kind === 'word' && this.#brackets === 0) this.#name = { text, at };
  }

  /** The longest chain of the modules that end before what is read next, or with it. */
  get longest(): ParameterChain | null {
    this.#close();
    return this.#longest;
  }

  #declare(): void {
    this.#end();
    [this.#state, this.#brackets, this.#name] = ['declares', 0, null];
  }

  #mark(text: string): void {
    const opens = OPENING.has(text);
    if (!opens && this.#brackets === 0) {
      if (text === '=' && this.#state === 'declares') {
        this.#state = 'value';
        return;
      }
      if (text === ',') {
        this.#declare();
        return;
      }
      if (text === ';' || CLOSING.has(text)) {
        this.#end();
        this.#state = 'elsewhere';
        return;
      }
    }
    if (opens) this.#brackets++;
    else if (CLOSING.has(text)) this.#brackets--;
    if (this.#state === 'value') this.#value.mark(text);
  }

  #end(): void {
    if (this.#state === 'value' && this.#name && !this.#parameters.has(this.#name.text)) {
      const { text, at } = this.#name;
      this.#parameters.set(text, { at, levels: 1 + this.#value.levels, names: this.#names });
    }
    this.#value.end();
    [this.#names, this.#name] = [[], null];
  }

  #close(): void {
    this.#end();
    this.#state = 'elsewhere';
    const known = new Set<Parameter>();
    for (const first of this.#parameters.values()) {
      const levels = this.#levelsFrom(first, known);
      if (levels > (this.#longest?.levels ?? 0)) this.#longest = { levels, at: first.at };
    }
    this.#parameters.clear();
  }

  /** The most that is stacked while a parameter is computed; those that it needs are known then. */
  #levelsFrom(first: Parameter, known: Set<Parameter>): number {
    if (known.has(first)) return 0;
    known.add(first);
    const open = [{ parameter: first, next: 0 }];
    let [levels, most] = [first.levels, first.levels];
    for (let inner = open.at(-1); inner; inner = open.at(-1)) {
      const name = inner.parameter.names[inner.next++];
      const needed = name === undefined ? undefined : this.#parameters.get(name);
      if (name === undefined) levels -= (open.pop() as { parameter: Parameter }).parameter.levels;
      else if (needed && !known.has(needed)) {
        known.add(needed);
        open.push({ parameter: needed, next: 0 });
        levels += needed.levels;
        most = Math.max(most, levels);
      }
    }
    return most;
  }
}
