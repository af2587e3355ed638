import type { Piece } from '../outline-lexer.ts';
import { type Defparam, defparamsAt, type InstancePlace, InstancePlaces } from './defparams.ts';
import { type Expression, Reader, Unread } from './expression.ts';
import { type Condition, GenerateConditions } from './generate.ts';
import { liveTokens } from './live-tokens.ts';
import { type Parameter, parametersAt } from './parameters.ts';
import { type Header, headerAt } from './passes.ts';
import { type ConstantFunction, functionAt, type Loop, type Statement } from './statements.ts';

/** A stretch of a text, by offsets. */
export interface Stretch {
  start: number;
  end: number;
}

/** A call in the code of a module, outside of its functions. */
export interface ModuleCall extends Stretch {
  name: string;
  given: Expression[];
  /** Where the first of them is. */
  first: Stretch;
}

/** A loop outside of functions. */
export interface ModuleLoop {
  variable: string;
  read: Header;
  /** The same as a statement, without its body. */
  header: Loop;
  condition: Stretch;
  /** Where its variable gets what value first. */
  begins: Stretch;
}

/** An instance of a module. */
export interface ModuleInstance extends InstancePlace {
  module: string;
  /** Offset. */
  start: number;
  /** What its parameters are in place of their defaults: by name, or in the order of the parameters. */
  given: { name: string | null; value: Expression }[];
  /** What has to hold for it to be made. */
  conditions: readonly Condition[];
}

/** What of a module decides how long its elaboration takes. */
export interface ModuleText {
  name: string;
  /** The source that it is in, and the path of that. */
  text: string;
  path: string;
  /** Offset of its `endmodule`. */
  end: number;
  /** Those that an instance can give another value, and the others. */
  parameters: Map<string, Parameter & { overridable: boolean }>;
  functions: Map<string, ConstantFunction>;
  /** Whole numbers, as variables of loops are. */
  integers: Set<string>;
  calls: ModuleCall[];
  loops: ModuleLoop[];
  instances: ModuleInstance[];
  places: InstancePlaces<ModuleInstance>;
  defparams: Defparam[];
}

/** Of an instance, what those in one list with it have as well. */
type InstanceOf = Pick<ModuleInstance, 'module' | 'start' | 'given'>;

const OPENS = new Set(['(', '(*', '[', '{']);
const CLOSES = new Set([')', ']', '}']);

/** Reads the modules of a source: what is not understood of them is left out. Never fails. */
export function modulesOf(source: string, path: string): ModuleText[] {
  const tokens = liveTokens(source);
  const modules: ModuleText[] = [];
  for (let at = 0; at < tokens.length; ) {
    const { kind, text } = tokens[at] as Piece;
    const name = tokens[at + 1];
    if (kind !== 'word' || text !== 'module' || name?.kind !== 'word') {
      at++;
      continue;
    }
    const reader = new ModuleReader(tokens, at + 2, { name: name.text, text: source, path });
    at = reader.run();
    if (reader.module.end >= 0) modules.push(reader.module);
  }
  return modules;
}

class ModuleReader {
  readonly module: ModuleText;
  readonly #tokens: readonly Piece[];
  #at: number;
  /** Blocks around, by their names; null for one that has none. */
  #blocks: (string | null)[] = [];
  /** Parentheses around. */
  #depth = 0;
  readonly #conditions: GenerateConditions;
  /** The instances of one list, and the parentheses around that. */
  #list: { of: InstanceOf; depth: number } | null = null;

  constructor(tokens: readonly Piece[], at: number, of: Pick<ModuleText, 'name' | 'text' | 'path'>) {
    this.#tokens = tokens;
    this.#at = at;
    this.#conditions = new GenerateConditions(tokens);
    this.module = {
      ...of,
      end: -1,
      parameters: new Map(),
      functions: new Map(),
      integers: new Set(),
      calls: [],
      loops: [],
      instances: [],
      places: new InstancePlaces([]),
      defparams: [],
    };
  }

  /** @returns the index behind the module */
  run(): number {
    for (; this.#at < this.#tokens.length; this.#at++) {
      const { kind, text, start } = this.#token(0) as Piece;
      this.#conditions.read(this.#at);
      if (kind === 'mark' || kind === 'attribute') this.#mark(text);
      if (kind !== 'word') continue;
      switch (text) {
        case 'endmodule':
          this.module.end = start;
          this.module.places = new InstancePlaces(this.module.instances);
          return this.#at + 1;
        case 'parameter':
        case 'localparam':
          this.#parameters();
          break;
        case 'function':
          this.#function();
          break;
        case 'genvar':
        case 'integer':
        case 'int':
          this.#integers();
          break;
        case 'for':
          this.#loop();
          break;
        case 'begin':
          this.#blocks.push(this.#token(1)?.text === ':' ? (this.#token(2)?.text ?? null) : null);
          break;
        case 'end':
          this.#blocks.pop();
          break;
        case 'defparam':
          this.#tried((reader) => this.module.defparams.push(...defparamsAt(reader, this.#scope())));
          break;
        default:
          if (this.#token(1)?.text === '(') this.#call();
          else if (this.#token(1)?.text === '#') this.#instance();
          else if (this.#token(1)?.kind === 'word' && this.#token(2)?.text === '(') this.#plainInstance();
      }
    }
    return this.#at;
  }

  #token(offset: number): Piece | undefined {
    return this.#tokens[this.#at + offset];
  }

  /** Null where the text is another one. */
  #tried<T>(read: (reader: Reader) => T, offset = 1): T | null {
    try {
      return read(new Reader(this.#tokens, this.#at + offset));
    } catch (error) {
      if (error instanceof Unread) return null;
      throw error;
    }
  }

  #parameters(): void {
    const overridable = this.#token(0)?.text === 'parameter';
    this.#tried((reader) => {
      for (const [name, parameter] of parametersAt(reader))
        this.module.parameters.set(name, { ...parameter, overridable });
    });
  }

  #function(): void {
    const read = functionAt(this.#tokens, this.#at + 1);
    if (read) this.module.functions.set(read.name, read);
    while (this.#token(0) && this.#token(0)?.text !== 'endfunction') this.#at++;
  }

  #integers(): void {
    for (let offset = 1; this.#token(offset)?.kind === 'word'; offset += 2) {
      this.module.integers.add(this.#token(offset)?.text ?? '');
      if (this.#token(offset + 1)?.text !== ',') break;
    }
  }

  #loop(): void {
    const { start } = this.#token(0) as Piece;
    const loop = this.#tried((reader): ModuleLoop => {
      const read = headerAt(reader);
      const { variable, type, first, condition, step, begins, asks } = read;
      if (type) this.module.integers.add(variable);
      const body: Statement = { kind: 'block', of: [] };
      const header: Loop = { kind: 'loop', start, first: [first], condition, step: [step], body };
      const stretches = { condition: this.#stretch(...asks), begins: this.#stretch(...begins) };
      return { variable, read, header, ...stretches };
    });
    if (loop) this.module.loops.push(loop);
  }

  /** Named blocks that the next token is in. */
  #scope(): string[] {
    return this.#blocks.filter((name) => name !== null);
  }

  /** `inner i (…)`: what is below it may have other parameters all the same. */
  #plainInstance(): void {
    const { text: module, start } = this.#token(0) as Piece;
    this.#instances({ module, start, given: [] }, this.#token(1)?.text ?? '');
  }

  #instance(): void {
    this.#tried((reader) => {
      const { start } = reader.token;
      const module = reader.name();
      reader.expect('#');
      reader.expect('(');
      const given: ModuleInstance['given'] = [];
      do {
        const name = reader.takes('.') ? reader.name() : null;
        if (name === null) {
          given.push({ name, value: reader.expression() });
          continue;
        }
        reader.expect('(');
        // As by itself where nothing is given.
        if (reader.takes(')')) continue;
        given.push({ name, value: reader.expression() });
        reader.expect(')');
      } while (reader.takes(','));
      reader.expect(')');
      this.#instances({ module, start, given }, reader.name());
    }, 0);
  }

  /** An instance, or the first one of several: `i (…), j (…)` */
  #instances(of: InstanceOf, name: string): void {
    this.#list = { of, depth: this.#depth };
    this.#add(of, name);
  }

  #add(of: InstanceOf, name: string): void {
    const { conditions } = this.#conditions;
    this.module.instances.push({ ...of, name, scope: this.#scope(), conditions });
  }

  /** What opens and closes, and the instances that follow the first one of a list. */
  #mark(text: string): void {
    if (OPENS.has(text)) this.#depth++;
    else if (CLOSES.has(text)) this.#depth--;
    else if (text === ';') [this.#depth, this.#list] = [0, null];
    const [comma, name] = [this.#token(1), this.#token(2)];
    if (text !== ')' || this.#depth !== this.#list?.depth || comma?.text !== ',' || name?.kind !== 'word')
      return;
    const { of } = this.#list;
    this.#add({ ...of, start: name.start }, name.text);
  }

  #stretch(from: number, to: number): Stretch {
    return { start: this.#tokens[from]?.start ?? 0, end: this.#tokens[to - 1]?.end ?? 0 };
  }

  #call(): void {
    const call = this.#tried((reader) => {
      const name = reader.name();
      reader.expect('(');
      const from = reader.at;
      const given = [reader.expression()];
      const first = this.#stretch(from, reader.at);
      while (reader.takes(',')) given.push(reader.expression());
      reader.expect(')');
      return { name, given, first, ...this.#stretch(this.#at, reader.at) };
    }, 0);
    if (call) this.module.calls.push(call);
  }
}
