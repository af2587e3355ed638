import { type Circuit, ONE, type Scope, UNKNOWN, type Value, ZERO } from './circuit.ts';

/** What an unknown bit is, besides a net. */
export type Origin =
  | { kind: 'data' | 'address'; at: number }
  /** A bit of a word of a memory. */
  | { kind: 'word'; scope: Scope; memory: string; index: number; at: number }
  /** One of several, and the net that has it. */
  | { kind: 'choice'; among: readonly Value[]; net: Value };

/** Stands for the index of a word that no access decides, as of a FIFO. */
export const SOME_WORD = -1;
/** Values among which a net may have one. Beyond them it is itself. */
const MAX_CHOICES = 6;

export const isConstant = (value: Value): boolean => value === ZERO || value === ONE;

/** Whether a bit is no signal. */
export const isFixed = (value: Value): boolean => isConstant(value) || value === UNKNOWN;

/** The number of constant bits, the lowest first; null when one is unknown. */
export function numberOf(bits: readonly Value[]): number | null {
  let number = 0;
  for (const [at, bit] of bits.entries()) {
    if (!isConstant(bit)) return null;
    if (bit === ONE) number += 2 ** at;
  }
  return number;
}

/** Numbers for the origins of bits, above those of a circuit's nets. */
export class Origins {
  readonly #first: number;
  readonly #origins: Origin[] = [];
  readonly #numbers = new Map<string, Value>();
  readonly #scopes = new Map<Scope, number>();

  constructor({ end }: Circuit) {
    this.#first = end;
  }

  /** Undefined for a constant and a net. */
  of(value: Value): Origin | undefined {
    return value < this.#first ? undefined : this.#origins[value - this.#first];
  }

  address = (at: number): Value => this.#number(`address ${at}`, () => ({ kind: 'address', at }));

  data = (at: number): Value => this.#number(`data ${at}`, () => ({ kind: 'data', at }));

  word(scope: Scope, memory: string, index: number, at: number): Value {
    const number = this.#scopes.get(scope) ?? this.#scopes.size;
    this.#scopes.set(scope, number);
    return this.#number(`word ${number} ${memory} ${index} ${at}`, () => ({
      ...{ kind: 'word', scope, memory, index, at },
    }));
  }

  /** One of some values: a choice among their members. @param net what has it */
  choice(values: readonly Value[], net: Value): Value {
    const [only = UNKNOWN] = values;
    if (values.every((value) => value === only)) return only;
    const among = new Set<Value>();
    for (const value of values) for (const one of this.members(value)) if (one !== UNKNOWN) among.add(one);
    const [first, second] = among;
    if (first === undefined) return UNKNOWN;
    if (second === undefined) return first;
    if (among.size > MAX_CHOICES) return net;
    const all = [...among].sort((a, b) => a - b);
    return this.#number(`choice ${net} ${all}`, () => ({ kind: 'choice', among: all, net }));
  }

  members(value: Value): readonly Value[] {
    const origin = this.of(value);
    return origin?.kind === 'choice' ? origin.among : [value];
  }

  /**
   * The value that counts: `ready ? count : 0` is `count`, because a reader who waits gets that. A choice of several is
   * the net that has it.
   * @param waiting a value that does not count: a register's own
   */
  settled(value: Value, waiting: Value = UNKNOWN): Value {
    const origin = this.of(value);
    if (origin?.kind !== 'choice') return value;
    const others = origin.among.filter((one) => one !== waiting);
    const counting = others.length > 1 ? others.filter((one) => !isConstant(one)) : others;
    return counting.length === 1 ? (counting[0] ?? UNKNOWN) : origin.net;
  }

  #number(key: string, origin: () => Origin): Value {
    const number = this.#numbers.get(key) ?? this.#first + this.#origins.push(origin()) - 1;
    this.#numbers.set(key, number);
    return number;
  }
}
