import type { Compared, DecodedField } from '../../../contract/designs/decoded-registers.ts';
import { fileAndLine, type Place } from '../../diagnostics/place.ts';
import type { Bit, Cell, Memory, Module } from '../netlist.ts';
import { type Circuit, memoryOf, ONE, type Scope, UNKNOWN, type Value, ZERO } from './circuit.ts';
import { isFixed, numberOf, type Origins, SOME_WORD } from './origins.ts';

/** A memory of more words is looked at in its first ones. */
const MAX_LISTED_WORDS = 64;

/** A bit of a signal of the source. */
interface KnownBit {
  name: string;
  scope: Scope;
  /** Its nets in its module, and the bit among them. */
  signal: readonly Bit[];
  index: number;
}

/** What bits are called in the source, and where it has them. */
export class Signals {
  readonly #circuit: Circuit;
  readonly #origins: Origins;
  readonly #bus: readonly string[];
  /** What stands for the nets of a memory's word. */
  readonly #memorySignals = new Map<Memory, Bit[]>();

  /** @param bus ports of the slave that name nothing */
  constructor(circuit: Circuit, origins: Origins, bus: readonly string[]) {
    this.#circuit = circuit;
    this.#origins = origins;
    this.#bus = bus;
  }

  /** The memory whose word these bits are; null where they are anything else. */
  word(bits: readonly Value[]): { name: string; words: number } | null {
    const origins = bits.flatMap((bit) => (isFixed(bit) ? [] : [this.#origins.of(bit)]));
    const [first] = origins;
    if (first?.kind !== 'word') return null;
    const isWord = origins.every(
      (one) => one?.kind === 'word' && one.scope === first.scope && one.memory === first.memory,
    );
    const memory = memoryNamed(first.scope, first.memory);
    if (!isWord || !memory) return null;
    // A large memory is only looked at in its first word.
    return {
      name: memory.name,
      words: first.index === memory.start && memory.size > MAX_LISTED_WORDS ? memory.size : 1,
    };
  }

  /** Named signals in a word, as fields, the highest first. */
  fields(bits: readonly Value[]): DecodedField[] {
    const fields: (DecodedField & KnownBit)[] = [];
    for (let at = bits.length - 1; at >= 0; at--) {
      const bit = bits[at] ?? UNKNOWN;
      // The copies of a sign are no further field.
      if (isFixed(bit) || bit === bits[at - 1]) continue;
      const last = fields.at(-1);
      const known = this.of(bit, last?.lsb === at + 1 ? last : undefined);
      if (known && last?.signal === known.signal && last.index === known.index + 1)
        Object.assign(last, { lsb: at, index: known.index });
      else if (known) fields.push({ ...known, msb: at, lsb: at });
    }
    return fields.map(({ signal, scope, index, name, msb, lsb }) => {
      const isWhole = index === 0 && signal.length === msb - lsb + 1 && signal.length > 1;
      const compared = isWhole ? statesOf(scope.module, signal) : [];
      const isAmbiguous = fields.filter((other) => other.name === name).length > 1;
      const instance = scope.instance?.name.replace(/^.*\./, '').replace(/\W+/g, '_');
      return {
        name: isAmbiguous && instance ? `${instance}_${name}` : name,
        ...{ msb, lsb },
        ...(compared.length > 1 && { compared }),
      };
    });
  }

  /** The signal that a bit is known by: in the outermost module that has it no wider than a word. */
  of(bit: Value, above?: KnownBit): KnownBit | null {
    const origin = this.#origins.of(bit);
    if (origin?.kind === 'word')
      return origin.index === SOME_WORD ? this.#memoryBit(origin.scope, origin.memory, origin.at) : null;
    const driver = this.#circuit.drivers[bit];
    if (driver?.flat.cell.type.startsWith('$memrd'))
      return this.#memoryBit(driver.flat.scope, memoryOf(driver.flat.cell), driver.at);
    const aliases = this.#circuit.aliases(bit);
    for (const most of [32, Number.POSITIVE_INFINITY])
      for (const alias of aliases) {
        const found = this.#narrowest(alias, most, above);
        if (found) return found;
      }
    return null;
  }

  /** A bit of a memory whose word no access decides. */
  #memoryBit(scope: Scope, name: string, index: number): KnownBit | null {
    const memory = memoryNamed(scope, name);
    if (!memory) return null;
    const signal = this.#memorySignals.get(memory) ?? [];
    this.#memorySignals.set(memory, signal);
    return { name, scope, signal, index };
  }

  /** The signal of the bit above, else the narrowest signal with a net, apart from the bus. */
  #narrowest({ scope, net }: { scope: Scope; net: number }, most: number, above?: KnownBit): KnownBit | null {
    if (above?.scope === scope && above.signal[above.index - 1] === net)
      return { ...above, index: above.index - 1 };
    const ports = scope.instance ? [] : this.#bus;
    let best: KnownBit | null = null;
    for (const [name, signal] of scope.module.signals) {
      const index = signal.indexOf(net);
      if (
        index < 0 ||
        ports.includes(name) ||
        signal.length > Math.min(most, (best?.signal.length ?? 1e9) - 1)
      )
        continue;
      best = { name: name.replace(/^.*\./, '').replace(/\W+/g, '_'), scope, signal, index };
    }
    return best;
  }

  /** The place of what a word shows, or else takes. */
  placeOf(bits: readonly Value[]): Place {
    for (const bit of bits) {
      const origin = this.#origins.of(bit);
      const place =
        origin?.kind === 'word'
          ? memoryNamed(origin.scope, origin.memory)?.place
          : this.#circuit.drivers[bit]?.flat.cell.place;
      if (place?.line !== undefined) return fileAndLine(place);
    }
    return {};
  }
}

const memoryNamed = ({ module }: Scope, memory: string): Memory | undefined =>
  module.memories.find(({ name }) => name === memory);

/** A comparison with a constant, and its place. */
export const comparedAt = ({ place }: Cell, value: number): Compared[number] => ({
  value,
  ...fileAndLine(place),
});

/** Constants that a module compares a whole signal with. */
function statesOf({ cells }: Module, signal: readonly Bit[]): Compared {
  return cells.flatMap((cell): Compared => {
    const { A = [], B = [] } = cell.connections;
    const isZero = cell.type === '$logic_not';
    if (!isZero && cell.type !== '$eq') return [];
    if (A.length !== signal.length || A.some((bit, at) => bit !== signal[at])) return [];
    const value = isZero ? 0 : numberOf(B.map((bit) => (bit === '0' ? ZERO : bit === '1' ? ONE : UNKNOWN)));
    return value === null ? [] : [comparedAt(cell, value)];
  });
}
