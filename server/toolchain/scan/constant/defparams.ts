import { type Expression, type Reader, Unread } from './expression.ts';

/** `defparam a[1].b.W = 5`: a parameter of an instance, set from beside it or from above. */
export interface Defparam {
  /** Named blocks that it stands in, the outermost first. */
  scope: readonly string[];
  /** Names from there to the parameter, with their indices as they are written. */
  path: readonly string[];
  value: Expression;
  /** Offset. */
  start: number;
}

/** Where an instance is in its module. */
export interface InstancePlace {
  name: string;
  /** Named blocks around it, the outermost first. */
  scope: readonly string[];
}

/** A defparam, or what is left of one, that leads to an instance. */
interface Reached<T> {
  of: T;
  /** What is left of its path in the module of the instance: the parameter, or a way on to it. */
  rest: string;
  /** The blocks that it names with an index: it may be for one pass of their loops alone. Null without one. */
  pass: string | null;
}

/** Between the names of a path: an escaped name may have any character but white space. */
export const WITHIN = ' ';

/** Names of a path, and blocks within each other, that are read. */
const LONGEST = 50;

/** Reads `a.W = 1, b.c.W = 2` from behind `defparam`. @throws Unread */
export function defparamsAt(reader: Reader, scope: readonly string[]): Defparam[] {
  const found: Defparam[] = [];
  if (scope.length > LONGEST) throw new Unread();
  do {
    passRange(reader);
    const { start } = reader.token;
    const path: string[] = [];
    do path.push(nameAt(reader));
    while (path.length <= LONGEST && reader.takes('.'));
    reader.expect('=');
    const value = reader.expression();
    if (path.length > 1) found.push({ scope, path, value, start });
  } while (reader.takes(','));
  return found;
}

/** `[7:0]` before a path: Yosys reads it and makes nothing of it. */
function passRange(reader: Reader): void {
  if (!reader.takes('[')) return;
  reader.expression();
  reader.expect(':');
  reader.expression();
  reader.expect(']');
}

/** `name`, or `name[index]`. */
function nameAt(reader: Reader): string {
  const name = reader.name();
  if (!reader.takes('[')) return name;
  const from = reader.at;
  reader.expression();
  const index = reader.tokens.slice(from, reader.at).map(({ text }) => text);
  reader.expect(']');
  return `${name}[${index.join('')}]`;
}

const withoutIndex = (name: string) => (name.startsWith('\\') ? name : name.replace(/\[.*$/, ''));

/** The instances of a module by where they are. */
export class InstancePlaces<I extends InstancePlace> {
  readonly #places = new Map<string, I[]>();

  constructor(instances: readonly I[]) {
    for (const instance of instances) {
      const { scope, name } = instance;
      if (scope.length > LONGEST) continue;
      const key = [...scope, name].join(WITHIN);
      const before = this.#places.get(key);
      if (before) before.push(instance);
      else this.#places.set(key, [instance]);
    }
  }

  /** Those that some defparams lead to, as Yosys looks for them: from the block that each stands in outwards. */
  reachedBy<T extends Pick<Defparam, 'scope' | 'path'>>(all: readonly T[]): Map<I, Reached<T>[]> {
    const found = new Map<I, Reached<T>[]>();
    for (const of of all) {
      const { instances, rest, pass } = this.#lookUp(of);
      for (const instance of instances) {
        const before = found.get(instance);
        if (before) before.push({ of, rest, pass });
        else found.set(instance, [{ of, rest, pass }]);
      }
    }
    return found;
  }

  #lookUp({ scope, path }: Pick<Defparam, 'scope' | 'path'>) {
    const names = path.map(withoutIndex);
    for (let outer = scope.length; outer >= 0; outer--)
      for (let length = path.length - 1; length > 0; length--) {
        const instances = this.#places.get(
          [...scope.slice(0, outer), ...names.slice(0, length)].join(WITHIN),
        );
        if (!instances) continue;
        const way = path.slice(0, length);
        const pass = way.some((name) => name.endsWith(']')) ? way.join(WITHIN) : null;
        return { instances, rest: path.slice(length).join(WITHIN), pass };
      }
    return { instances: [], rest: '', pass: null };
  }
}
