import type { Net, Netlist, RamMode } from '../../../../server/boards/virtual/netlist/netlist.ts';
import { CLOCK, NetlistBuilder } from './netlists.ts';
import { generator } from './random-design.ts';

/** A bit as synthesis may leave it: on a net, or as its complement. */
interface Bit {
  net: Net;
  inverted: boolean;
}

/** Inputs of the designs. */
export const RANDOM_INPUTS = 8;

/**
 * A random netlist of words as a synthesised design has them: adders, multiplexers, bitwise logic, shifts, comparisons,
 * registers with enables and resets, block RAMs. Every look-up table has its own order of inputs, some put out the
 * complement, and some lanes are made in another way than the rest.
 * @param atOnce some registers are set or reset whatever the clock does
 * @param edges some take over at falling edges, or at edges of clocks that the design makes itself
 */
export function randomWords(seed: number, { atOnce = false, edges = false } = {}): Netlist {
  return new RandomWords(seed, atOnce, edges).netlist();
}

class RandomWords {
  readonly #random: (n: number) => number;
  readonly #builder = new NetlistBuilder();
  readonly #vectors: Bit[][] = [];
  readonly #scalars: Bit[] = [];

  readonly #atOnce: boolean;
  readonly #edges: boolean;
  readonly #clocks: Net[] = [CLOCK];

  constructor(seed: number, atOnce: boolean, edges: boolean) {
    this.#random = generator(seed);
    this.#atOnce = atOnce;
    this.#edges = edges;
  }

  netlist(): Netlist {
    const random = this.#random;
    const builder = this.#builder;
    const inputs = Array.from({ length: RANDOM_INPUTS }, (_, k) => plain(builder.input(`in${k}`)));
    this.#scalars.push(...inputs);
    if (this.#edges) this.#divide();
    const registers = Array.from({ length: 3 + random(6) }, () => {
      const width = random(3) === 0 ? 32 : 3 + random(38);
      return Array.from({ length: width }, () => plain(builder.net()));
    });
    this.#vectors.push(...registers);
    const rams = Array.from({ length: random(3) }, (_, index) => this.#ram(index));
    this.#vectors.push(...rams.map(({ data }) => data));
    for (let count = 6 + random(20); count > 0; count--) this.#operation();
    for (const register of registers) this.#register(register);
    for (const { connect } of rams) connect();
    for (let k = 0; k < 16; k++) {
      const bit = this.#anyBit();
      builder.output(`out${k}`, random(2) ? bit.net : this.#lut([bit, this.#anyBit()], 0x6, false).net);
    }
    return builder.build();
  }

  /** A clock of half the rate, one of a quarter, and one that an input stops. */
  #divide(): void {
    const builder = this.#builder;
    for (let stage = 0; stage < 2; stage++) {
      const q = builder.net();
      builder.flipFlop(this.#lut([plain(q)], 0x1, false).net, { q, clock: this.#clocks.at(-1) ?? CLOCK });
      this.#clocks.push(q);
    }
    const [enable = plain(1)] = this.#scalars;
    this.#clocks.push(this.#lut([plain(this.#clocks[1] ?? CLOCK), enable], 0x8, false).net);
  }

  /** Clock and edge of a register or of a port. */
  #clocked(): { clock: Net; falling: boolean } {
    if (!this.#edges || this.#random(2)) return { clock: CLOCK, falling: false };
    return {
      clock: this.#clocks[this.#random(this.#clocks.length)] ?? CLOCK,
      falling: this.#random(2) === 1,
    };
  }

  #vector(width: number): Bit[] {
    const found = this.#vectors[this.#random(this.#vectors.length)] ?? [];
    const from = this.#random(8) === 0 ? this.#random(4) : 0;
    return Array.from({ length: width }, (_, k) => found[(k + from) % found.length] ?? plain(0));
  }

  #anyBit(): Bit {
    if (this.#random(3)) return this.#scalars[this.#random(this.#scalars.length)] ?? plain(0);
    const [bit = plain(0)] = this.#vector(1 + this.#random(20)).slice(-1);
    return bit;
  }

  /** A look-up table over bits in any order, of `table` over them as they are given. */
  #lut(bits: Bit[], table: number, mayInvert = true): Bit {
    const random = this.#random;
    const order = bits.map((_, k) => k);
    for (let k = order.length - 1; k > 0; k--) {
      const other = random(k + 1);
      [order[k], order[other]] = [order[other] ?? 0, order[k] ?? 0];
    }
    const inverted = mayInvert && random(6) === 0;
    let placed = 0;
    for (let entry = 0; entry < 16; entry++) {
      let given = 0;
      order.forEach((from, at) => {
        if (((entry >> at) & 1) !== (bits[from]?.inverted ? 1 : 0)) given |= 1 << from;
      });
      if ((((table >> given) & 1) === 1) !== inverted) placed |= 1 << entry;
    }
    const [a = 0, b = 0, c = 0, d = 0] = order.map((from) => bits[from]?.net ?? 0);
    return { net: this.#builder.lut(placed, a, b, c, d), inverted };
  }

  /** A net on which the bit is not inverted. */
  #straight(bit: Bit): Net {
    return bit.inverted ? this.#lut([bit], 0x2, false).net : bit.net;
  }

  #operation(): void {
    const random = this.#random;
    const width = random(3) === 0 ? 32 : 3 + random(38);
    const [a, b, c] = [this.#vector(width), this.#vector(width), this.#vector(width)];
    const select = this.#anyBit();
    switch (random(8)) {
      case 0:
      case 1:
      case 2:
        this.#vectors.push(this.#sum(a, b));
        return;
      case 3: {
        // Two of four by one bit, with another one as an enable.
        const enable = this.#anyBit();
        this.#vectors.push(this.#lanes(width, 0xca00, (k) => [bitOf(b, k), bitOf(a, k), select, enable]));
        return;
      }
      case 4:
        this.#vectors.push(this.#lanes(width, 0xcaca, (k) => [bitOf(a, k), bitOf(b, k), select]));
        return;
      case 5:
        this.#scalars.push(this.#tree(a, random(2) ? 0x8000 : 0x6996));
        return;
      case 6: {
        const by = random(5);
        this.#vectors.push(a.map((_, k) => bitOf(a, k - by)));
        return;
      }
      default: {
        const table = random(0x10000);
        this.#vectors.push(this.#lanes(width, table, (k) => [bitOf(a, k), bitOf(b, k), bitOf(c, k), select]));
      }
    }
  }

  #lanes(width: number, table: number, of: (lane: number) => Bit[]): Bit[] {
    return Array.from({ length: width }, (_, k) =>
      this.#random(20) === 0
        ? this.#lut([this.#anyBit(), ...of(k)].slice(0, 4), this.#random(0x10000))
        : this.#lut(of(k), table),
    );
  }

  #tree(bits: Bit[], table: number): Bit {
    const level = [...bits];
    while (level.length > 1) {
      const four = level.splice(0, 4);
      while (four.length < 4) four.push(plain(table === 0x8000 ? 1 : 0));
      level.push(this.#lut(four, table));
    }
    return level[0] ?? plain(0);
  }

  /** A sum or difference, with its carry as a comparison. */
  #sum(a: Bit[], b: Bit[]): Bit[] {
    const random = this.#random;
    const constant = random(4) === 0 ? random(0x10000) : null;
    const subtracts = random(3) === 0;
    const second = b.map((bit, k) => {
      if (constant !== null) return plain((constant >> (k % 16)) & 1);
      return subtracts ? { net: bit.net, inverted: !bit.inverted } : bit;
    });
    let carry: Net = random(3) === 0 ? this.#straight(this.#anyBit()) : random(2);
    const sum = a.map((bit, k) => {
      const [x, y] = [this.#straight(bit), this.#straight(bitOf(second, k))];
      const out = this.#lut([plain(x), plain(y), plain(carry)], 0x96);
      carry = random(2) ? this.#builder.carry(x, y, carry) : this.#builder.carry(y, x, carry);
      return out;
    });
    this.#scalars.push(this.#lut([plain(carry), this.#anyBit()], 0x6));
    return sum;
  }

  #register(bits: Bit[]): void {
    const random = this.#random;
    const enable = random(2) ? this.#straight(this.#anyBit()) : 1;
    const setReset = random(2) ? this.#straight(this.#anyBit()) : 0;
    const asynchronous = this.#atOnce && random(3) > 0;
    const clocked = this.#clocked();
    const next = this.#vector(bits.length);
    const mixed = this.#vector(bits.length);
    bits.forEach(({ net }, k) => {
      const d = this.#lut([bitOf(next, k), bitOf(mixed, k), bitOf(bits, k - 1)], 0x96, false).net;
      this.#builder.flipFlop(d, {
        q: net,
        ...clocked,
        enable,
        setReset,
        sets: random(4) === 0,
        asynchronous,
      });
    });
  }

  #ram(index: number): { data: Bit[]; connect(): void } {
    const random = this.#random;
    const mode = [0, 1, 2, 3].find((known): known is RamMode => known === random(4)) ?? 0;
    const ram = this.#builder.ram({ name: `ram${index}`, readMode: mode, writeMode: mode });
    const [read, write] = [this.#clocked(), this.#clocked()];
    [ram.readClock, ram.readFalling] = [read.clock, read.falling];
    [ram.writeClock, ram.writeFalling] = [write.clock, write.falling];
    for (let word = 0; word < 256; word++) ram.initial[word] = random(0x10000);
    return {
      data: ram.readData.map(plain),
      connect: () => {
        const nets = (count: number) => this.#vector(count).map((bit) => this.#straight(bit));
        ram.readAddress = nets(11);
        ram.writeAddress = nets(11);
        ram.writeData = nets(16);
        if (random(2)) ram.writeMask = nets(16);
        ram.writeEnable = this.#straight(this.#anyBit());
        if (random(2)) ram.readEnable = this.#straight(this.#anyBit());
      },
    };
  }
}

const plain = (net: Net): Bit => ({ net, inverted: false });

function bitOf(bits: Bit[], k: number): Bit {
  return bits[(k + bits.length) % bits.length] ?? plain(0);
}
