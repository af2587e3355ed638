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
  for (let at = 0; at < bits.length; at++) {
    if (!isConstant(bits[at] ?? UNKNOWN)) return null;
    if (bits[at] === ONE) number += 2 ** at;
  }
  return number;
}

function beginsWith(values: Int32Array, begin: readonly Value[]): boolean {
  for (let at = 0; at < begin.length; at++) if (values[at] !== begin[at]) return false;
  return true;
}

/** Numbers for the origins of bits, above those of a circuit's nets. */
export class Origins {
  readonly #first: number;
  readonly #origins: Origin[] = [];
  readonly #addresses: Value[] = [];
  readonly #data: Value[] = [];
  readonly #words = new Map<string, Value>();
  readonly #scopes = new Map<Scope, number>();
  /** Of choices, by the net that has them. */
  readonly #choices = new Map<Value, Value[]>();
  readonly #among = new Int32Array(MAX_CHOICES);

  constructor({ end }: Circuit) {
    this.#first = end;
  }

  /** Undefined for a constant and a net. */
  of(value: Value): Origin | undefined {
    return value < this.#first ? undefined : this.#origins[value - this.#first];
  }

  address(at: number): Value {
    this.#addresses[at] ??= this.#add({ kind: 'address', at });
    return this.#addresses[at];
  }

  data(at: number): Value {
    this.#data[at] ??= this.#add({ kind: 'data', at });
    return this.#data[at];
  }

  word(scope: Scope, memory: string, index: number, at: number): Value {
    const number = this.#scopes.get(scope) ?? this.#scopes.size;
    this.#scopes.set(scope, number);
    const key = `${number} ${memory} ${index} ${at}`;
    const known = this.#words.get(key) ?? this.#add({ kind: 'word', scope, memory, index, at });
    this.#words.set(key, known);
    return known;
  }

  /** One of some values: a choice among their members. @param net what has it */
  choice(values: readonly Value[], net: Value): Value {
    // A search makes millions of calls, and few choices are new: nothing is allocated for the others.
    const only = values[0] ?? UNKNOWN;
    let others = 0;
    for (let at = 1; at < values.length; at++) if (values[at] !== only) others++;
    if (others === 0) return only;
    const among = this.#among;
    let count = 0;
    for (let input = 0; input < values.length; input++) {
      const value = values[input] ?? UNKNOWN;
      const members = this.#members(value);
      for (let at = 0; at < (members?.length ?? 1); at++) {
        const one = members?.[at] ?? value;
        let place = 0;
        while (place < count && (among[place] ?? 0) < one) place++;
        if (one === UNKNOWN || (place < count && among[place] === one)) continue;
        if (count === MAX_CHOICES) return net;
        among.copyWithin(place + 1, place, count);
        among[place] = one;
        count++;
      }
    }
    if (count < 2) return count === 0 ? UNKNOWN : (among[0] ?? UNKNOWN);
    const known = this.#choices.get(net) ?? [];
    for (const number of known) {
      const members = this.#members(number);
      if (members?.length === count && beginsWith(among, members)) return number;
    }
    const number = this.#add({ kind: 'choice', among: [...among.subarray(0, count)], net });
    known.push(number);
    this.#choices.set(net, known);
    return number;
  }

  members(value: Value): readonly Value[] {
    return this.#members(value) ?? [value];
  }

  /** Null for what is no choice. */
  #members(value: Value): readonly Value[] | null {
    const origin = this.of(value);
    return origin?.kind === 'choice' ? origin.among : null;
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

  #add(origin: Origin): Value {
    return this.#first + this.#origins.push(origin) - 1;
  }
}
