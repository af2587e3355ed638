import {
  type Compared,
  type DecodedField,
  type DecodedRegister,
  MAX_DECODED,
} from '../../../contract/designs/decoded-registers.ts';
import type { MatchedDesign } from '../../../contract/designs/uploads.ts';
import { fileAndLine, type Place } from '../../diagnostics/place.ts';
import type { Bit, Cell, Memory, Module, Netlist } from '../netlist.ts';
import { decodedAddresses } from './addresses.ts';
import {
  Evaluation,
  Hierarchy,
  isConstant,
  memoryOf,
  numberOf,
  type Origin,
  REGISTER,
  type Scope,
  type Value,
} from './evaluation.ts';
import { Reach } from './reach.ts';

/** A memory of more words is looked at in its first ones. */
const MAX_LISTED_WORDS = 64;
/** Stands for the index of a word that no access decides, as of a FIFO. */
const SOME_WORD = -1;
/** Limit of evaluated cells: some 100 ms. */
const MAX_STEPS = 600_000;

type Slave = Omit<MatchedDesign, 'registers'>;

/** A bit of a register, and the cell that stores it. */
interface Flop {
  scope: Scope;
  cell: Cell;
  at: number;
  own: number;
}

/** A bit of a signal of the source. */
interface KnownBit {
  name: string;
  scope: Scope;
  /** Its nets, and the bit among them. */
  signal: readonly Bit[];
  index: number;
}

/** What one address shows: the values of a read, and what a write changes. */
interface Access {
  address: number;
  read: Value[];
  isWritten: boolean;
  /** Registers that take bits of the data: by bit. */
  taken: Map<number, number>;
  /** Registers that change otherwise, and to what. */
  changed: Map<number, Value>;
  matches: Map<Cell, number>;
}

/**
 * Finds the registers of a slave in its logic: for each address that it tells apart, which signals a read shows and a
 * write changes. None for a design that is too large to look through.
 */
export function decodedRegisters(slave: Slave, module: Module, netlist: Netlist): DecodedRegister[] {
  const decoder = new Decoder(slave, new Hierarchy(module, netlist, MAX_STEPS));
  const registers = decoder.registers();
  return decoder.isComplete ? registers : [];
}

/** What is known of an access: null for an unknown address or acknowledge. */
interface Levels {
  address: number | null;
  write: boolean;
  /** No transfer. */
  isIdle?: boolean;
  ack?: '0' | '1';
  data?: '0' | '1';
}

class Decoder {
  readonly #slave: Slave;
  readonly #hierarchy: Hierarchy;
  readonly #flops: readonly Flop[];
  readonly #memoryWrites: readonly { scope: Scope; cell: Cell }[];
  /** The acknowledge, where it is a register. */
  readonly #ack: Value;
  /** Followed by any access, and by a read only. */
  readonly #copies = new Set<number>();
  readonly #readStages = new Set<number>();
  /** What stands for the nets of a memory's word. */
  readonly #memorySignals = new Map<Memory, Bit[]>();
  /** Cells that compare the address. */
  #comparisons: ReadonlySet<Cell> = new Set();
  /** Bit of the byte address of the port's lowest bit. */
  readonly #shift: number;

  constructor(slave: Slave, hierarchy: Hierarchy) {
    this.#slave = slave;
    this.#hierarchy = hierarchy;
    const address = slave.ports.find(({ name }) => name === slave.roles['adr']);
    this.#shift = slave.addressing === 'word' ? 2 : (address?.offset ?? 0);
    const cells = [...hierarchy.scopes()].flatMap((scope) =>
      scope.module.cells.map((cell) => ({ scope, cell })),
    );
    this.#memoryWrites = cells.filter(({ cell }) => /^\$memwr/.test(cell.type));
    this.#flops = cells
      .filter(({ cell }) => REGISTER.test(cell.type))
      .flatMap(({ scope, cell }) =>
        (cell.connections['Q'] ?? []).flatMap((net, at) =>
          typeof net === 'number'
            ? [{ scope, cell, at, own: hierarchy.number({ kind: 'net', scope, net }) }]
            : [],
        ),
      );
    const [ack] = this.#evaluate({ address: null, write: false }).bits(hierarchy.root, this.#port('ack'));
    this.#ack = this.#flops.some(({ own }) => own === ack) ? (ack ?? 'x') : 'x';
  }

  get isComplete(): boolean {
    return this.#hierarchy.steps >= 0;
  }

  registers(): DecodedRegister[] {
    let ports: number[] = [];
    // Address, data and the answer may each take a clock longer than the first look shows.
    for (let clocks = 0; clocks < 3; clocks++) {
      const symbolic = this.#evaluate({ address: null, write: false });
      const decoded = decodedAddresses(
        this.#hierarchy,
        symbolic,
        this.#reach('adr'),
        this.#port('adr').length,
      );
      this.#comparisons = decoded.comparisons;
      ports = [...decoded.values]
        .filter((port) => (port * 2 ** this.#shift) % 4 === 0 && port * 2 ** this.#shift <= 0xffff_fffc)
        .sort((a, b) => a - b)
        .slice(0, MAX_DECODED);
      if (!this.#followMore(ports)) break;
    }
    const takers = this.#takers();
    return this.#named(ports.flatMap((port) => this.#access(port, takers) ?? []));
  }

  #port(role: string): readonly Bit[] {
    return this.#hierarchy.root.module.nets.get(this.#slave.roles[role] ?? '') ?? [];
  }

  #evaluate({ address, write, isIdle, ack, data }: Levels): Evaluation {
    const scope = this.#hierarchy.root;
    const levels = new Map<number, Value>();
    const set = (role: string, level: (at: number) => Value) => {
      for (const [at, net] of this.#port(role).entries())
        if (typeof net === 'number')
          levels.set(this.#hierarchy.number({ kind: 'net', scope, net }), level(at));
    };
    const origin = (kind: 'address' | 'data', at: number) => this.#hierarchy.number({ kind, at });
    const bitOf = (value: number, at: number) => (Math.floor(value / 2 ** at) % 2 === 1 ? '1' : '0');
    set('adr', (at) => (address === null ? origin('address', at) : bitOf(address, at)));
    set('dat_w', (at) => data ?? origin('data', at));
    for (const role of ['cyc', 'stb', 'sel']) set(role, () => (isIdle ? '0' : '1'));
    set('we', () => (write ? '1' : '0'));
    set('rst', () => (this.#slave.resetActiveLow ? '1' : '0'));
    if (ack !== undefined && typeof this.#ack === 'number') levels.set(this.#ack, ack);
    const followed = { given: this.#copies, always: write ? new Set<number>() : this.#readStages };
    return new Evaluation(this.#hierarchy, levels, followed);
  }

  /**
   * Finds the registers that follow the address and the data, and those on the way of the answer, which differ from address
   * to address in a read.
   * @returns whether there are more
   */
  #followMore(ports: readonly number[]): boolean {
    const all = 2 ** this.#port('adr').length - 1;
    const some = new Set(ports.filter((_, at) => at % Math.ceil(ports.length / 8) === 0));
    for (const address of [0, all, Math.floor(all / 3)]) some.add(address);
    const evaluations = (write: boolean) => [...some].map((address) => this.#evaluate({ address, write }));
    const [reads, writes] = [evaluations(false), evaluations(true)];
    const reaches = [this.#reach('adr'), this.#reach('dat_w')];
    const before = this.#copies.size + this.#readStages.size;
    const [copies, stages] = [new Set<number>(), new Set<Cell>()];
    for (const { scope, cell, at, own } of this.#flops) {
      if (own === this.#ack || this.#readStages.has(own) || this.#copies.has(own)) continue;
      const inputs = [cell.connections['D']?.[at], cell.connections['EN']?.[0]];
      if (!inputs.some((net) => reaches.some((reach) => reach.of(scope, net)))) continue;
      const taken = (accesses: readonly Evaluation[]) =>
        accesses.map((access) => access.next(scope, cell, at));
      const [read, written] = [taken(reads), taken(writes)];
      // Data that also a read takes over are on their way; a register takes them over from a write only.
      const isData = [...read, ...written].every((value) => this.#dataBit(value) !== null);
      if (isData || (written.every(isConstant) && new Set(written).size > 1)) copies.add(own);
      else if (new Set(read.filter((value) => value !== own)).size > 1 && !this.#feedsBack(scope, cell, read))
        stages.add(cell);
    }
    for (const own of copies) this.#copies.add(own);
    // Slang makes a module for each instance, so that a cell is in one place.
    for (const { cell, own } of this.#flops) if (stages.has(cell)) this.#readStages.add(own);
    return this.#copies.size + this.#readStages.size > before;
  }

  /** Whether one of the values that a register takes over depends on itself, as a counter's does. */
  #feedsBack(scope: Scope, cell: Cell, values: readonly Value[]): boolean {
    const own = (cell.connections['Q'] ?? []).flatMap((net) =>
      typeof net === 'number' ? [this.#hierarchy.number({ kind: 'net', scope, net })] : [],
    );
    const reach = new Reach(this.#hierarchy, new Set(own), new Set());
    return values.some((value) => {
      const origin =
        typeof value === 'number' && !own.includes(value) ? this.#hierarchy.origins[value] : undefined;
      return origin?.kind === 'net' && reach.of(origin.scope, origin.net);
    });
  }

  /** What depends on a port within a clock, or through the registers that are followed. */
  #reach(role: string): Reach {
    const scope = this.#hierarchy.root;
    const sources = this.#port(role).flatMap((net) =>
      typeof net === 'number' ? [this.#hierarchy.number({ kind: 'net', scope, net })] : [],
    );
    return new Reach(this.#hierarchy, new Set(sources), new Set([...this.#copies, ...this.#readStages]));
  }

  /** The registers whose next value may depend on a write. */
  #takers(): Flop[] {
    const reaches = [this.#reach('dat_w'), this.#reach('we')];
    return this.#flops.filter(({ scope, cell, at, own }) => {
      const inputs = [
        cell.connections['D']?.[at],
        cell.connections['SRST']?.[0],
        cell.connections['EN']?.[0],
      ];
      return (
        own !== this.#ack &&
        !this.#copies.has(own) &&
        inputs.some((net) => reaches.some((one) => one.of(scope, net)))
      );
    });
  }

  /** What one address shows and takes; null where the slave acknowledges neither a read nor a write. */
  #access(port: number, takers: readonly Flop[]): Access | null {
    const [taken, changed] = [new Map<number, number>(), new Map<number, Value>()];
    const matches = new Map<Cell, number>();
    const evaluate = (levels: Omit<Levels, 'address'>) => this.#evaluate({ address: port, ...levels });
    const reading = evaluate({ write: false });
    const isRead = this.#isAcknowledged(reading);
    const read = isRead ? reading.bits(this.#hierarchy.root, this.#port('dat_r')) : [];
    const isWritten = this.#isAcknowledged(evaluate({ write: true }));
    if (!isRead && !isWritten) return null;
    for (const ack of isWritten ? (['0', '1'] as const) : []) {
      const [writing, idle] = [evaluate({ write: true, ack }), evaluate({ write: false, isIdle: true, ack })];
      for (const { scope, cell, at, own } of takers) {
        const value = writing.next(scope, cell, at);
        const data = this.#dataBit(value);
        if (data !== null) taken.set(data, own);
        else if (value !== own && value !== idle.next(scope, cell, at)) changed.set(own, value);
      }
      this.#takeMemories(writing, idle, { taken, changed });
      for (const [cell, value] of writing.matches) matches.set(cell, value);
    }
    if (isRead) for (const [cell, value] of reading.matches) matches.set(cell, value);
    return { address: port * 2 ** this.#shift, read, isWritten, taken, changed, matches };
  }

  /** Whether the slave may acknowledge an access, at once or with the next clock. */
  #isAcknowledged(access: Evaluation): boolean {
    const flop = this.#flops.find(({ own }) => own === this.#ack);
    if (!flop) return access.bits(this.#hierarchy.root, this.#port('ack'))[0] !== '0';
    return access.next(flop.scope, flop.cell, flop.at) !== '0';
  }

  /** The bit of the written data that a value is; null for any other. */
  #dataBit(value: Value): number | null {
    const origin = typeof value === 'number' ? this.#hierarchy.origins[value] : undefined;
    return origin?.kind === 'data' ? origin.at : null;
  }

  /** Words of memories that a write changes and a read does not. */
  #takeMemories(
    writing: Evaluation,
    idle: Evaluation,
    { taken, changed }: Pick<Access, 'taken' | 'changed'>,
  ): void {
    for (const { scope, cell } of this.#memoryWrites) {
      const { ADDR, EN, DATA } = cell.connections;
      const index = numberOf(writing.bits(scope, ADDR)) ?? SOME_WORD;
      const memory = memoryOf(cell);
      const [enabled, before] = [writing.bits(scope, EN), idle.bits(scope, EN)];
      for (const [at, bit] of writing.bits(scope, DATA).entries()) {
        if (enabled[at] === '0' || (index === SOME_WORD && enabled[at] === before[at])) continue;
        const own = this.#hierarchy.number({ kind: 'word', scope, memory, index, at });
        const data = this.#dataBit(bit);
        if (data !== null) taken.set(data, own);
        else if (index === SOME_WORD) changed.set(own, bit);
      }
    }
  }

  #named(accesses: readonly Access[]): DecodedRegister[] {
    const everywhere = (of: (access: Access) => Iterable<number>) => {
      const [first, ...rest] = accesses.flatMap((one) => (one.isWritten ? [new Set(of(one))] : []));
      return new Set(
        [...(first ?? [])].filter((one) => rest.length > 0 && rest.every((set) => set.has(one))),
      );
    };
    const alwaysChanged = everywhere(({ changed }) => changed.keys());
    const alwaysTaken = everywhere(({ taken }) => taken.values());
    const isEverywhere = (cell: Cell) => accesses.every(({ matches }) => matches.has(cell));
    const looks = accesses.map((one) => {
      // What any write changes belongs to the address that shows it.
      const nameOf = (value: Value) => (typeof value === 'number' ? this.#known(value)?.name : undefined);
      const isOwn = (own: number) =>
        !alwaysTaken.has(own) || one.read.some((value) => value === own || nameOf(value) === nameOf(own));
      const taken = new Map([...one.taken].filter(([, own]) => isOwn(own)));
      const effects = [...one.changed].filter(([own]) => !alwaysChanged.has(own));
      const takes = taken.size > 0 || effects.length > 0;
      return {
        ...one,
        taken,
        takes,
        shown: JSON.stringify(one.read),
        effect: JSON.stringify([...taken, effects]),
      };
    });
    const tellsApart = (cell: Cell) => this.#comparisons.has(cell) && !isEverywhere(cell);
    /** What the slave shows at addresses that it compares with nothing. */
    const elsewhere = new Set(
      looks.flatMap(({ matches, shown }) => ([...matches.keys()].some(tellsApart) ? [] : [shown])),
    );
    const taking = new Set(looks.flatMap(({ takes, shown }) => (takes ? [shown] : [])));
    const seen = new Set<string>();
    const found: DecodedRegister[] = [];
    for (const { address, read, taken, matches, takes, shown, effect } of looks) {
      const compared = [...matches].flatMap(([cell, value]) =>
        tellsApart(cell) ? [comparedAt(cell, value)] : [],
      );
      const isFixed = read.includes('1') && !elsewhere.has(shown) && compared.length > 0;
      const shows = isFixed || read.some((value) => typeof value === 'number');
      // Where a design does not look at an address, it answers as at another one.
      const isMirror = seen.has(shown + effect) || (!takes && (taking.has(shown) || seen.has(shown)));
      if (isMirror || (!shows && !takes)) continue;
      seen.add(shown).add(shown + effect);
      const written: Value[] = Array.from({ length: 32 }, (_, at) => taken.get(at) ?? 'x');
      const access = !shows ? 'wo' : takes ? 'rw' : 'ro';
      const memory = this.#word(shows ? read : written);
      const last = found.at(-1);
      const end = (last?.address ?? 0) + 4 * (last?.words ?? 1);
      if (memory && last?.memory === memory.name && last.access === access && address <= end) {
        if (address === end) last.words = (last.words ?? 1) + 1;
        continue;
      }
      const fields = memory ? [] : merged(this.#fields(read), this.#fields(written));
      if (memory || fields.length > 0 || compared.length > 0)
        found.push({
          address,
          ...(memory && { memory: memory.name, words: memory.words }),
          ...this.#placeOf([...read, ...written]),
          access,
          fields,
          compared,
        });
    }
    return found;
  }

  /** The memory whose word these bits are; null where they are anything else. */
  #word(bits: readonly Value[]): { name: string; words: number } | null {
    const origins = bits.flatMap((bit) => (typeof bit === 'number' ? [this.#hierarchy.origins[bit]] : []));
    const [first] = origins;
    if (first?.kind !== 'word') return null;
    const isWord = origins.every((one) => one?.kind === 'word' && one.memory === first.memory);
    const memory = first.scope.module.memories.find(({ name }) => name === first.memory);
    if (!isWord || !memory) return null;
    // A large memory is only looked at in its first word.
    return {
      name: memory.name,
      words: first.index === memory.start && memory.size > MAX_LISTED_WORDS ? memory.size : 1,
    };
  }

  /** Named signals in a word, as fields, the highest first. */
  #fields(bits: readonly Value[]): DecodedField[] {
    const fields: (DecodedField & KnownBit)[] = [];
    for (let at = bits.length - 1; at >= 0; at--) {
      const bit = bits[at];
      // The copies of a sign are no further field.
      if (typeof bit !== 'number' || bit === bits[at - 1]) continue;
      const last = fields.at(-1);
      const known = this.#known(bit, last?.lsb === at + 1 ? last : undefined);
      if (known && last?.signal === known.signal && last.index === known.index + 1)
        Object.assign(last, { lsb: at, index: known.index });
      else if (known) fields.push({ ...known, msb: at, lsb: at });
    }
    return fields.map(({ signal, scope, index, name, msb, lsb }) => {
      const isWhole = index === 0 && signal.length === msb - lsb + 1 && signal.length > 1;
      const compared = isWhole ? statesOf(scope.module, signal) : [];
      const isAmbiguous = fields.filter((other) => other.name === name).length > 1;
      const instance = scope.parent?.instance.name.replace(/^.*\./, '').replace(/\W+/g, '_');
      return {
        name: isAmbiguous && instance ? `${instance}_${name}` : name,
        ...{ msb, lsb },
        ...(compared.length > 1 && { compared }),
      };
    });
  }

  /** The signal that a bit is known by: outside of the instance that has it, if it is no wider than a word there. */
  #known(bit: number, above?: KnownBit): KnownBit | null {
    const origin = this.#hierarchy.origins[bit];
    const word = this.#someWord(origin);
    if (word) return word;
    if (origin?.kind !== 'net') return null;
    const outer = this.#hierarchy.outer.get(bit);
    return (
      (outer && this.#narrowest(outer, 32, above)) ?? this.#narrowest(origin, Number.POSITIVE_INFINITY, above)
    );
  }

  /** A bit of a memory whose word no access decides. */
  #someWord(origin: Origin | undefined): KnownBit | null {
    if (origin?.kind === 'word' && origin.index === SOME_WORD)
      return this.#memoryBit(origin.scope, origin.memory, origin.at);
    const driver = origin?.kind === 'net' ? origin.scope.drivers.get(origin.net) : undefined;
    if (origin?.kind !== 'net' || !driver?.cell.type.startsWith('$memrd')) return null;
    return this.#memoryBit(origin.scope, memoryOf(driver.cell), driver.at);
  }

  #memoryBit(scope: Scope, name: string, index: number): KnownBit | null {
    const memory = scope.module.memories.find((one) => one.name === name);
    if (!memory) return null;
    const signal = this.#memorySignals.get(memory) ?? [];
    this.#memorySignals.set(memory, signal);
    return { name, scope, signal, index };
  }

  /** The signal of the bit above, else the narrowest signal with a net, apart from the bus. */
  #narrowest({ scope, net }: { scope: Scope; net: number }, most: number, above?: KnownBit): KnownBit | null {
    if (above?.scope === scope && above.signal[above.index - 1] === net)
      return { ...above, index: above.index - 1 };
    const ports = scope.parent ? [] : Object.values(this.#slave.roles);
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
  #placeOf(bits: readonly Value[]): Place {
    for (const bit of bits) {
      const origin = typeof bit === 'number' ? this.#hierarchy.origins[bit] : undefined;
      if (origin?.kind === 'net') {
        const { file, line } = origin.scope.drivers.get(origin.net)?.cell.place ?? {};
        if (line !== undefined) return { ...(file !== undefined && { file }), line };
      } else if (origin?.kind === 'word') {
        const memory = origin.scope.module.memories.find(({ name }) => name === origin.memory);
        if (memory?.place.line !== undefined) return fileAndLine(memory.place);
      }
    }
    return {};
  }
}

const comparedAt = ({ place }: Cell, value: number): Compared[number] => ({ value, ...fileAndLine(place) });

/** Constants that a module compares a whole signal with. */
function statesOf({ cells }: Module, signal: readonly Bit[]): Compared {
  return cells.flatMap((cell): Compared => {
    const { A = [], B = [] } = cell.connections;
    const isZero = cell.type === '$logic_not';
    if (!isZero && cell.type !== '$eq') return [];
    if (A.length !== signal.length || A.some((bit, at) => bit !== signal[at])) return [];
    const value = isZero ? 0 : numberOf(B.map((bit) => (bit === '0' || bit === '1' ? bit : 'x')));
    return value === null ? [] : [comparedAt(cell, value)];
  });
}

const overlap = (a: DecodedField, b: DecodedField): boolean => a.lsb <= b.msb && b.lsb <= a.msb;

/** The fields that are read, and those that are only written, without names that repeat. */
function merged(read: readonly DecodedField[], written: readonly DecodedField[]): DecodedField[] {
  const all = [...read, ...written.filter((one) => !read.some((other) => overlap(one, other)))];
  return all
    .filter(({ name }) => all.filter((other) => other.name === name).length === 1)
    .sort((a, b) => b.msb - a.msb);
}
