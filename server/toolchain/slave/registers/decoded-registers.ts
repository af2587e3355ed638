import {
  type DecodedField,
  type DecodedRegister,
  MAX_DECODED,
} from '../../../contract/designs/decoded-registers.ts';
import type { MatchedDesign } from '../../../contract/designs/uploads.ts';
import type { Module, Netlist } from '../netlist.ts';
import { type DecodedAddress, decodedAddresses, type PartialAccess } from './addresses.ts';
import {
  Circuit,
  type FlatCell,
  type Flop,
  inputsOf,
  memoryOf,
  ONE,
  UNKNOWN,
  type Value,
  ZERO,
} from './circuit.ts';
import { Evaluation, type Followed } from './evaluation.ts';
import { isConstant, isFixed, numberOf, Origins, SOME_WORD } from './origins.ts';
import { comparedAt, Signals } from './signals.ts';

/** Limit of calculated bits: some two seconds. */
const MAX_WORK = 20_000_000;
/** Limit of cells behind each other that join acknowledges. */
const MAX_ACK_CELLS = 8;
/** Limit of values of the highest bits of the address where the registers on the way are looked for. */
const FEW_VALUES = 8;

type Slave = Omit<MatchedDesign, 'registers'>;

/** What one address shows: the values of a read, and what a write changes. */
interface Access {
  address: number;
  /** Whether the design compares it with nothing. */
  isOther: boolean;
  read: Value[];
  isWritten: boolean;
  /** Registers that take bits of the data: by bit. */
  taken: Map<number, Value>;
  /** Registers that change otherwise, and to what. */
  changed: Map<Value, Value>;
  matches: Map<FlatCell, number>;
}

/**
 * Finds the registers of a slave in its logic: for each address that it tells apart, which signals a read shows and a
 * write changes. None for a design that is too large to look through.
 */
export function decodedRegisters(slave: Slave, module: Module, netlist: Netlist): DecodedRegister[] {
  const circuit = Circuit.of(module, netlist);
  return circuit ? new Decoder(slave, circuit).registers() : [];
}

/** What is known of an access. */
interface Levels {
  /** The value of the port, or the levels of its bits; those that are missing are unknown. */
  address: number | readonly Value[];
  write: boolean;
  /** No transfer. */
  isIdle?: boolean;
  ack?: Value | undefined;
}

class Decoder {
  readonly #slave: Slave;
  readonly #circuit: Circuit;
  readonly #origins: Origins;
  readonly #signals: Signals;
  /** The nets of the ports, by role. */
  readonly #ports = new Map<string, readonly Value[]>();
  /** The acknowledge, where it is a register. */
  readonly #ack: Flop | undefined;
  /** Followed by any access, and by a read only. */
  readonly #copies = new Set<Value>();
  readonly #readStages = new Set<Value>();
  /** The same, as an evaluation follows them. */
  #inReads: readonly Followed[] = [];
  #inWrites: readonly Followed[] = [];
  /** What depends on a register within a clock. */
  readonly #feedback = new Map<FlatCell, Uint8Array>();
  /** The cells that decide on an access, by place. */
  #decides: Uint8Array;
  /** One of each kind, with the levels of its last use. */
  readonly #evaluations = new Map<string, Evaluation>();
  /** Bit of the byte address of the port's lowest bit. */
  readonly #shift: number;

  constructor(slave: Slave, circuit: Circuit) {
    this.#slave = slave;
    this.#circuit = circuit;
    this.#origins = new Origins(circuit);
    this.#signals = new Signals(circuit, this.#origins, Object.values(slave.roles));
    const address = slave.ports.find(({ name }) => name === slave.roles['adr']);
    this.#shift = slave.addressing === 'word' ? 2 : (address?.offset ?? 0);
    this.#decides = this.#deciding();
    const [ack] = this.#evaluate({ address: [], write: false }).values(this.#port('ack'));
    this.#ack = circuit.flops.find(({ own }) => own === ack);
  }

  registers(): DecodedRegister[] {
    // Address, data and the answer may each take a clock longer than the first look shows.
    for (let clocks = 0; clocks < 3; clocks++) {
      const some = this.#decoded(this.#takers(), FEW_VALUES).map(({ port }) => port);
      if (!this.#followMore(some)) break;
    }
    const takers = this.#takers();
    const decoded = this.#decoded(takers)
      .sort((a, b) => a.port - b.port)
      .slice(0, MAX_DECODED);
    const accesses: Access[] = [];
    for (const one of decoded) {
      accesses.push(this.#access(one, takers));
      if (this.#circuit.work > MAX_WORK) return [];
    }
    return this.#named(accesses);
  }

  /** The addresses that the design tells apart. @param most values of the highest bits, and half of it of the next */
  #decoded(takers: readonly Flop[], most = Number.POSITIVE_INFINITY): DecodedAddress[] {
    const address = this.#port('adr').map((_, at) => {
      const step = 2 ** (at + this.#shift);
      return step % 4 === 0 && step <= 0xffff_fffc ? this.#origins.address(at) : ZERO;
    });
    const accessesAt = (levels: readonly Value[]) =>
      this.#circuit.work > MAX_WORK ? [] : this.#accessesAt(levels, takers);
    return decodedAddresses(this.#circuit, this.#origins, { address, accessesAt, most });
  }

  /** The accesses that the slave may acknowledge at an address. */
  *#accessesAt(address: readonly Value[], takers: readonly Flop[]): Generator<PartialAccess> {
    const ack = this.#ack ? [this.#ack] : [];
    const reading = this.#evaluate({ address, write: false });
    if (this.#isAcknowledged(reading))
      yield {
        ...{ isWrite: false, evaluation: reading, nets: [...this.#port('dat_r'), ...this.#port('ack')] },
        ...{ flops: ack, memoryWrites: [] },
      };
    const writing = this.#evaluate({ address, write: true });
    const { memoryWrites } = this.#circuit;
    if (this.#isAcknowledged(writing))
      yield {
        isWrite: true,
        evaluation: writing,
        nets: this.#port('ack'),
        flops: [...ack, ...takers],
        memoryWrites,
      };
  }

  #port(role: string): readonly Value[] {
    const known = this.#ports.get(role);
    if (known) return known;
    const bits = this.#circuit.slave.nets.get(this.#slave.roles[role] ?? '') ?? [];
    const nets = bits.map((bit) => this.#circuit.of(bit));
    this.#ports.set(role, nets);
    return nets;
  }

  #evaluate({ address, write, isIdle, ack }: Levels): Evaluation {
    const levels = new Map<Value, Value>();
    const set = (role: string, level: (at: number) => Value) => {
      for (const [at, net] of this.#port(role).entries()) levels.set(net, level(at));
    };
    const bitOf = (value: number, at: number) => (Math.floor(value / 2 ** at) % 2 === 1 ? ONE : ZERO);
    const isNumber = typeof address === 'number';
    set('adr', (at) => (isNumber ? bitOf(address, at) : (address[at] ?? this.#origins.address(at))));
    set('dat_w', (at) => this.#origins.data(at));
    for (const role of ['cyc', 'stb', 'sel']) set(role, () => (isIdle ? ZERO : ONE));
    set('we', () => (write ? ONE : ZERO));
    set('rst', () => (this.#slave.resetActiveLow ? ONE : ZERO));
    if (ack !== undefined && this.#ack) levels.set(this.#ack.own, ack);
    const kind = JSON.stringify([write, isIdle, ack]);
    const [first] = this.#evaluations.values();
    const known = this.#evaluations.get(kind);
    const evaluation = known ?? new Evaluation(this.#circuit, this.#origins, this.#decides, first);
    this.#evaluations.set(kind, evaluation);
    return evaluation.set(levels, write ? this.#inWrites : this.#inReads);
  }

  /**
   * Finds the registers that follow the address and the data, and those on the way of the answer, which differ from address
   * to address in a read.
   * @returns whether there are more
   */
  #followMore(ports: readonly number[]): boolean {
    const all = 2 ** this.#port('adr').length - 1;
    const some = new Set(ports);
    for (const address of [0, all, Math.floor(all / 3)]) some.add(address);
    const reached = this.#reached('adr', 'dat_w');
    const flops = this.#circuit.flops.filter(
      (flop) =>
        flop.own !== this.#ack?.own &&
        !this.#readStages.has(flop.own) &&
        !this.#copies.has(flop.own) &&
        inputsOf(flop).some((net) => reached[net] === 1),
    );
    const taken = (write: boolean) =>
      [...some].map((address) => {
        const access = this.#evaluate({ address, write });
        return flops.map((flop) => access.next(flop));
      });
    const [reads, writes] = [taken(false), taken(true)];
    const before = this.#copies.size + this.#readStages.size;
    const [copies, stages] = [new Set<Value>(), new Set<FlatCell>()];
    for (const [at, flop] of flops.entries()) {
      const ofFlop = (values: readonly Value[][]) => values.map((one) => one[at] ?? UNKNOWN);
      const [read, written] = [ofFlop(reads), ofFlop(writes)];
      // Data that also a read takes over are on their way; a register takes them over from a write only.
      const isData = [...read, ...written].every((value) => this.#dataBit(value) !== null);
      if (isData || (written.every(isConstant) && new Set(written).size > 1)) copies.add(flop.own);
      else if (new Set(read.filter((value) => value !== flop.own)).size > 1 && !this.#feedsBack(flop, read))
        stages.add(flop.flat);
    }
    for (const own of copies) this.#copies.add(own);
    // Slang makes a module for each instance, so that a cell is in one place.
    for (const { flat, own } of this.#circuit.flops) if (stages.has(flat)) this.#readStages.add(own);
    const followed = (own: ReadonlySet<Value>, isAny: boolean): Followed[] =>
      this.#circuit.flops.flatMap((flop) => (own.has(flop.own) ? [{ flop, isAny }] : []));
    this.#inWrites = followed(this.#copies, false);
    this.#inReads = [...this.#inWrites, ...followed(this.#readStages, true)];
    this.#evaluations.clear();
    this.#decides = this.#deciding();
    return this.#copies.size + this.#readStages.size > before;
  }

  /** Whether one of the values that a register takes over depends on itself, as a counter's does. */
  #feedsBack({ flat }: Flop, values: readonly Value[]): boolean {
    const own = flat.ports['Q'] ?? [];
    const reached = this.#feedback.get(flat) ?? this.#circuit.reached(own, new Set());
    this.#feedback.set(flat, reached);
    return values.some((value) => !own.includes(value) && reached[value] === 1);
  }

  /** The cells that decide on what an access shows and changes. */
  #deciding(): Uint8Array {
    const reached = this.#reached('adr', 'dat_w', 'we', 'cyc', 'stb');
    const isReached = (net: Value) => reached[net] === 1;
    const { flops, memoryWrites } = this.#circuit;
    return this.#circuit.deciding([
      ...[...this.#port('dat_r'), ...this.#port('ack')],
      ...flops.map(inputsOf).flatMap((nets) => (nets.some(isReached) ? nets : [])),
      ...memoryWrites.flatMap(({ inputs }) => (inputs.some(isReached) ? inputs : [])),
    ]);
  }

  /** What depends on some ports within a clock, or through the registers that are followed. */
  #reached(...roles: string[]): Uint8Array {
    const ports = roles.flatMap((role) => this.#port(role));
    return this.#circuit.reached(ports, new Set([...this.#copies, ...this.#readStages]));
  }

  /** The registers whose next value may depend on a write. */
  #takers(): Flop[] {
    const reached = this.#reached('dat_w', 'we');
    return this.#circuit.flops.filter(
      (flop) =>
        flop.own !== this.#ack?.own &&
        !this.#copies.has(flop.own) &&
        inputsOf(flop).some((net) => reached[net] === 1),
    );
  }

  /** What one address shows and takes. */
  #access(
    { port, isOther, isRead, isWritten, comparisons }: DecodedAddress,
    takers: readonly Flop[],
  ): Access {
    const [taken, changed] = [new Map<number, Value>(), new Map<Value, Value>()];
    const matches = new Map<FlatCell, number>();
    const evaluate = (levels: Omit<Levels, 'address'>) => this.#evaluate({ address: port, ...levels });
    const reading = evaluate({ write: false });
    const read = isRead ? reading.values(this.#port('dat_r')) : [];
    const acks = this.#ack ? [ZERO, ONE] : [undefined];
    for (const ack of isWritten ? acks : []) {
      const [writing, idle] = [evaluate({ write: true, ack }), evaluate({ write: false, isIdle: true, ack })];
      for (const flop of takers) {
        const { own } = flop;
        const value = writing.next(flop);
        const data = this.#dataBit(value);
        if (data !== null) taken.set(data, own);
        else if (value !== own && value !== idle.next(flop)) changed.set(own, value);
      }
      this.#takeMemories(writing, idle, { taken, changed });
    }
    for (const flat of comparisons) {
      const value = reading.match(flat);
      if (value !== null) matches.set(flat, value);
    }
    return { address: port * 2 ** this.#shift, isOther, read, isWritten, taken, changed, matches };
  }

  /** Whether the slave may acknowledge an access, at once or with the next clock. */
  #isAcknowledged(access: Evaluation): boolean {
    return this.#port('ack').some((net) => this.#mayBeHigh(access, net, MAX_ACK_CELLS));
  }

  #mayBeHigh(access: Evaluation, net: Value, depth: number): boolean {
    const value = access.value(net);
    if (isConstant(value) || depth === 0) return value !== ZERO;
    const flop = this.#circuit.flopOf(value);
    if (flop) return access.next(flop) !== ZERO;
    const { cell, ports } = this.#circuit.drivers[value]?.flat ?? {};
    const each = (one: Value) => this.#mayBeHigh(access, one, depth - 1);
    switch (cell?.type) {
      case '$buf':
      case '$or':
      case '$reduce_or':
      case '$logic_or':
        return access.behind(value).some(each);
      case '$and':
      case '$reduce_and':
        return access.behind(value).every(each);
      case '$logic_and':
        return ['A', 'B'].every((port) => ports?.[port]?.some(each));
      default:
        return true;
    }
  }

  /** The bit of the written data that a value is; null for any other. */
  #dataBit(value: Value): number | null {
    const origin = this.#origins.of(value);
    return origin?.kind === 'data' ? origin.at : null;
  }

  /** Words of memories that a write changes. */
  #takeMemories(
    writing: Evaluation,
    idle: Evaluation,
    { taken, changed }: Pick<Access, 'taken' | 'changed'>,
  ): void {
    for (const { scope, cell, ports } of this.#circuit.memoryWrites) {
      const { ADDR, EN, DATA } = ports;
      const index = numberOf(writing.values(ADDR)) ?? SOME_WORD;
      const [enabled, before] = [writing.values(EN), idle.values(EN)];
      for (const [at, bit] of writing.values(DATA).entries()) {
        if (enabled[at] === ZERO || (index === SOME_WORD && enabled[at] === before[at])) continue;
        const own = this.#origins.word(scope, memoryOf(cell), index, at);
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
    const isEverywhere = (flat: FlatCell) => accesses.every(({ matches }) => matches.has(flat));
    const looks = accesses.map((one) => {
      // What any write changes belongs to the address that shows it.
      const nameOf = (value: Value) => this.#signals.of(value)?.name;
      const isOwn = (own: number) =>
        !alwaysTaken.has(own) ||
        one.read.some((value) => value === own || (!isFixed(value) && nameOf(value) === nameOf(own)));
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
    /** What the slave shows at addresses that it compares with nothing. */
    const elsewhere = new Set(looks.flatMap(({ isOther, shown }) => (isOther ? [shown] : [])));
    const taking = new Set(looks.flatMap(({ takes, shown }) => (takes ? [shown] : [])));
    const seen = new Set<string>();
    const found: DecodedRegister[] = [];
    for (const { address, read, taken, matches, takes, shown, effect } of looks) {
      const compared = [...matches].flatMap(([flat, value]) =>
        isEverywhere(flat) ? [] : [comparedAt(flat.cell, value)],
      );
      const isIdentity = read.includes(ONE) && !elsewhere.has(shown) && compared.length > 0;
      const shows = isIdentity || !read.every(isFixed);
      // Where a design does not look at an address, it answers as at another one.
      const isMirror = seen.has(shown + effect) || (!takes && (taking.has(shown) || seen.has(shown)));
      if (isMirror || (!shows && !takes)) continue;
      seen.add(shown).add(shown + effect);
      const written: Value[] = Array.from({ length: 32 }, (_, at) => taken.get(at) ?? UNKNOWN);
      const access = !shows ? 'wo' : takes ? 'rw' : 'ro';
      const memory = this.#signals.word(shows ? read : written);
      const last = found.at(-1);
      const end = (last?.address ?? 0) + 4 * (last?.words ?? 1);
      if (memory && last?.memory === memory.name && last.access === access && address <= end) {
        if (address === end) last.words = (last.words ?? 1) + 1;
        continue;
      }
      const fields = memory ? [] : merged(this.#signals.fields(read), this.#signals.fields(written));
      if (memory || fields.length > 0 || compared.length > 0)
        found.push({
          address,
          ...(memory && { memory: memory.name, words: memory.words }),
          ...this.#signals.placeOf([...read, ...written]),
          access,
          fields,
          compared,
        });
    }
    return found;
  }
}

const overlap = (a: DecodedField, b: DecodedField): boolean => a.lsb <= b.msb && b.lsb <= a.msb;

/** The fields that are read, and those that are only written, without names that repeat. */
function merged(read: readonly DecodedField[], written: readonly DecodedField[]): DecodedField[] {
  const all = [...read, ...written.filter((one) => !read.some((other) => overlap(one, other)))];
  return all
    .filter(({ name }) => all.filter((other) => other.name === name).length === 1)
    .sort((a, b) => b.msb - a.msb);
}
