import { DESIGN, type Netlist } from '../netlist-file.ts';

/** An instance of a flattened module. */
export interface Scope {
  /** From the top of the chip: `user`, `user`, `fifo`. */
  path: readonly string[];
  /** Name of its module; null where the netlist lacks it. */
  module: string | null;
  /** Lines of its module in the sources; null where the netlist lacks them. */
  lines: Lines | null;
  /** In the user's design. */
  design: boolean;
}

/** A part of a source, first and last line. */
export interface Lines {
  file: string;
  from: number;
  to: number;
}

/** Yosys writes `echo.v:12.3-14.5`; null for anything else. */
export function linesOf(source: string | undefined): Lines | null {
  const [, file, from, to = from] = /^(.*?):(\d+)(?:\.\d+)?(?:-(\d+)(?:\.\d+)?)?$/.exec(source ?? '') ?? [];
  return file === undefined ? null : { file, from: Number(from), to: Number(to) };
}

const inDesign = (path: readonly string[]): boolean => DESIGN.every((step, depth) => path[depth] === step);

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** The instances of a flat netlist, by their paths. */
export class Scopes {
  readonly #scopes = new Map<string, Scope>();
  readonly #dotted = new Map<string, Scope>();
  readonly top: Scope;
  readonly design: Scope;

  constructor({ cells, netnames }: Netlist) {
    this.top = this.#add([], { module: null, lines: null });
    for (const [name, { type, attributes = {} }] of Object.entries(cells)) {
      if (type !== '$scopeinfo') continue;
      const path = (textOf(attributes['hdlname']) ?? name).split(' ');
      const lines = linesOf(textOf(attributes['module_src'])?.split('|')[0]);
      this.#add(path, { module: moduleName(textOf(attributes['module'])), lines });
    }
    this.design = this.#add([...DESIGN], { module: null, lines: null });
    for (const { attributes } of Object.values(netnames)) {
      const path = textOf(attributes?.['hdlname'])?.split(' ').slice(0, -1);
      if (path) this.#add(path, { module: null, lines: null });
    }
    for (const scope of this.#scopes.values()) this.#dotted.set(scope.path.join('.'), scope);
  }

  #add(path: readonly string[], facts: Pick<Scope, 'module' | 'lines'>): Scope {
    const key = path.join(' ');
    const known = this.#scopes.get(key);
    if (known) return known;
    const scope: Scope = { path, ...facts, design: inDesign(path) };
    this.#scopes.set(key, scope);
    return scope;
  }

  get all(): Iterable<Scope> {
    return this.#scopes.values();
  }

  /** The deepest instance at the beginning of a name, and the rest: `fifo.head` of `fifo.head.count`. */
  ofName(name: string): { scope: Scope; rest: string } {
    for (let end = name.lastIndexOf('.'); end > 0; end = name.lastIndexOf('.', end - 1)) {
      const scope = this.#dotted.get(name.slice(0, end));
      if (scope) return { scope, rest: name.slice(end + 1) };
    }
    return { scope: this.top, rest: name };
  }

  /** Null for an unknown instance. */
  at(path: readonly string[]): Scope | null {
    return this.#scopes.get(path.join(' ')) ?? null;
  }
}

/**
 * Yosys names a module with parameters `$paramod$…\fifo\DEPTH=…`, or with a hash instead: `$paramod$…\fifo`. slang
 * appends the path of an instance: `fifo$top.queue`.
 */
function moduleName(name: string | null): string | null {
  if (name === null) return null;
  const [, parametrised] = /^\$paramod[^\\]*\\([^\\]+)/.exec(name) ?? [];
  const [, ofInstance] = /^([^$]+)\$.*\./.exec(name) ?? [];
  return parametrised ?? ofInstance ?? name;
}
