import { RAM_LANES } from '../graph/ram-lanes.ts';
import { cofactor, dependsOn } from '../graph/truth-table.ts';
import type { Logic, Net } from '../netlist/netlist.ts';
import { classify, inputInverted, parityOf } from './table-classes.ts';

/** A node or its complement: twice its number, plus 1 for the complement. 0 and 1 are the constants. */
export type Literal = number;

/** Minimum length of a carry chain that is an adder. */
const ADDER = 4;

export type LutNode =
  | { kind: 'constant' }
  /** A state bit, or input `source - states`. */
  | { kind: 'leaf'; source: number }
  /** `table` is that of its class, see table-classes.ts. */
  | { kind: 'lut'; table: number; operands: readonly Literal[] }
  /** The majority of three; `chain` and `position` give its place in an adder. */
  | { kind: 'carry'; operands: readonly [Literal, Literal, Literal]; chain: number; position: number };

/** The table of a look-up table or a carry with its operands; null for others. */
export function tableOf(node: LutNode | undefined): { table: number; operands: readonly Literal[] } | null {
  if (node?.kind === 'carry') return { table: MAJORITY & 0xff, operands: node.operands };
  return node?.kind === 'lut' ? node : null;
}

type Driver = { inputs: readonly Net[]; table: number };
/** Table of the majority of three. */
const MAJORITY = 0xe8e8;
/** Table of `a ? b : c`. */
const MULTIPLEXER = 0xd8d8;

/**
 * The look-up tables and carries of a netlist without combinational loops. Constants, buffers and inverters are
 * removed, each table has the form of its class, and operands come before their users.
 */
export class LutGraph {
  readonly nodes: LutNode[] = [{ kind: 'constant' }];
  /** Carries of each adder, lowest first. */
  readonly chains: number[][] = [];
  readonly #literals = new Map<Net, Literal>([
    [0, 0],
    [1, 1],
  ]);
  readonly #drivers = new Map<Net, Driver & { carry: boolean }>();
  readonly #interned = new Map<string, number>();
  readonly #levels: number[] = [];
  readonly #readers = new Map<number, number[]>();

  /**
   * State bits are numbered like those of `lower`: flip-flops first, then 16 for each block RAM.
   * @param clocks nets of derived clocks
   */
  constructor(netlist: Logic, clocks: readonly Net[] = []) {
    for (const { output, inputs, table } of netlist.luts)
      this.#drivers.set(output, { ...withoutIdle(inputs, table), carry: false });
    for (const { output, inputs } of netlist.carries)
      this.#drivers.set(output, { inputs, table: MAJORITY, carry: true });
    let states = 0;
    for (const { q } of netlist.flipFlops) this.#leaf(q, states++);
    for (const { readData, readMode } of netlist.rams) {
      const { step, offset } = RAM_LANES[readMode];
      readData.forEach((net, pin) => {
        if (net < 0) return;
        if (pin % step === offset) this.#leaf(net, states + pin);
        else this.#literals.set(net, 0);
      });
      states += 16;
    }
    netlist.inputs.forEach(({ net }, index) => {
      this.#leaf(net, states + index);
    });
    for (const { d, enable, setReset } of netlist.flipFlops) this.#reach(d, enable, setReset);
    for (const ram of netlist.rams) {
      this.#reach(ram.readEnable, ram.readClockEnable, ...ram.readAddress);
      this.#reach(
        ram.writeEnable,
        ram.writeClockEnable,
        ...ram.writeAddress,
        ...ram.writeData,
        ...ram.writeMask,
      );
    }
    for (const { net } of netlist.outputs) this.#reach(net);
    this.#reach(...clocks);
    this.#findChains();
  }

  /** The longest way from a leaf to a node, in tables and carries. */
  levelOf(node: number): number {
    if (this.#levels.length === 0)
      for (const { operands = [] } of this.nodes as readonly { operands?: readonly Literal[] }[])
        this.#levels.push(
          operands.reduce((level, literal) => Math.max(level, 1 + (this.#levels[literal >> 1] ?? 0)), 0),
        );
    return this.#levels[node] ?? 0;
  }

  /** The tables that read a node. */
  readersOf(node: number): readonly number[] {
    if (this.#readers.size === 0)
      this.nodes.forEach((reader, index) => {
        if (reader.kind !== 'lut') return;
        for (const literal of reader.operands) {
          const known = this.#readers.get(literal >> 1);
          if (known) known.push(index);
          else this.#readers.set(literal >> 1, [index]);
        }
      });
    return this.#readers.get(node) ?? [];
  }

  /** The exclusive or of these operands, where a table computes it: a literal; undefined where none does. */
  exclusiveOr(literals: readonly Literal[]): Literal | undefined {
    const nodes = new Set(literals.map((literal) => literal >> 1).filter((node) => node > 0));
    const [first = 0] = nodes;
    for (const index of this.readersOf(first)) {
      const reader = this.nodes[index];
      if (reader?.kind !== 'lut' || reader.operands.length !== nodes.size) continue;
      if (!reader.operands.every((literal) => nodes.has(literal >> 1))) continue;
      const parity = parityOf(reader.table, nodes.size);
      if (!parity) continue;
      const flips = [...literals, ...reader.operands].reduce((odd, literal) => odd ^ (literal & 1), 0);
      return (2 * index) | (flips ^ parity.inverted);
    }
    return undefined;
  }

  /** The literal of a net. */
  literalOf(net: Net): Literal {
    return this.#literals.get(net) ?? 0;
  }

  /** `select ? whenHigh : whenLow`, as a table of its own where there is none. */
  multiplexer(select: Literal, whenHigh: Literal, whenLow: Literal): Literal {
    return this.#lut(MULTIPLEXER, [select, whenHigh, whenLow]);
  }

  #reach(...nets: Net[]): void {
    for (const net of nets) this.#follow(net);
  }

  /** Finds the literal of a net; without a driver it is low. */
  #follow(wanted: Net): void {
    const stack = [wanted];
    for (let net = stack.at(-1); net !== undefined; net = stack.at(-1)) {
      const driver = this.#drivers.get(net);
      if (this.#literals.has(net)) {
        stack.pop();
        continue;
      }
      if (!driver) {
        this.#literals.set(net, 0);
        continue;
      }
      const missing = driver.inputs.filter((input) => !this.#literals.has(input));
      if (missing.length > 0) {
        stack.push(...missing);
        continue;
      }
      const inputs = driver.inputs.map((input) => this.#literals.get(input) ?? 0);
      this.#literals.set(net, driver.carry ? this.#carry(inputs) : this.#lut(driver.table, inputs));
    }
  }

  #findChains(): void {
    const next = new Map<number, number>();
    const follows = new Set<number>();
    this.nodes.forEach((node, index) => {
      if (node.kind !== 'carry') return;
      const before = node.operands[2];
      if (before & 1 || this.nodes[before >> 1]?.kind !== 'carry' || next.has(before >> 1)) return;
      next.set(before >> 1, index);
      follows.add(index);
    });
    this.nodes.forEach((node, index) => {
      if (node.kind !== 'carry' || follows.has(index)) return;
      const chain: number[] = [];
      for (let at: number | undefined = index; at !== undefined; at = next.get(at)) chain.push(at);
      if (chain.length < ADDER) return;
      chain.forEach((member, position) => {
        const carry = this.nodes[member];
        if (carry?.kind === 'carry') this.nodes[member] = { ...carry, chain: this.chains.length, position };
      });
      this.chains.push(chain);
    });
  }

  #leaf(net: Net, source: number): void {
    if (net >= 2) this.#literals.set(net, 2 * this.#add({ kind: 'leaf', source }));
  }

  #add(node: LutNode): number {
    this.nodes.push(node);
    return this.nodes.length - 1;
  }

  #carry(inputs: readonly Literal[]): Literal {
    const [a = 0, b = 0, c = 0] = inputs;
    if (a === b || a === c) return a;
    if (b === c) return b;
    if (a === (b ^ 1)) return c;
    if (a === (c ^ 1)) return b;
    if (b === (c ^ 1)) return a;
    return 2 * this.#add({ kind: 'carry', operands: [a, b, c], chain: -1, position: 0 });
  }

  #lut(original: number, inputs: readonly Literal[]): Literal {
    let table = original;
    const literals = [0, 1, 2, 3].map((v) => {
      const literal = inputs[v] ?? 0;
      const inverted = (literal & 1) === 1;
      if (literal < 2) table = cofactor(table, v, literal);
      else if (inverted) table = inputInverted(table, v);
      return literal & ~1;
    });
    for (let i = 0; i < 4; i++)
      for (let j = i + 1; j < 4; j++)
        if (literals[i] === literals[j] && (literals[i] ?? 0) >= 2) table = folded(table, i, j);
    const support = [0, 1, 2, 3].filter((v) => dependsOn(table, v));
    if (support.length === 0) return table & 1;
    // The table over only the inputs that it depends on.
    let small = 0;
    for (let entry = 0; entry < 1 << support.length; entry++) {
      let full = 0;
      support.forEach((v, k) => {
        full |= ((entry >> k) & 1) << v;
      });
      small |= ((table >> full) & 1) << entry;
    }
    const used = support.map((v) => literals[v] ?? 0);
    if (support.length === 1) return (used[0] ?? 0) ^ (small & 1);
    const { table: standard, order, inverted, complement } = classify(small, support.length);
    const operands = order.map((from, k) => (used[from] ?? 0) ^ ((inverted >> k) & 1));
    return (2 * this.#intern(standard, operands)) | (complement ? 1 : 0);
  }

  #intern(table: number, operands: readonly Literal[]): number {
    const key = `${table},${operands.join()}`;
    const known = this.#interned.get(key);
    if (known !== undefined) return known;
    const node = this.#add({ kind: 'lut', table, operands });
    this.#interned.set(key, node);
    return node;
  }
}

/** Inputs that do not affect the table would form false loops. */
function withoutIdle(inputs: readonly Net[], original: number): Driver {
  let table = original;
  inputs.forEach((net, v) => {
    if (net < 2) table = cofactor(table, v, net);
  });
  return { inputs: inputs.map((net, v) => (dependsOn(table, v) ? net : 0)), table };
}

/** `table` where inputs `i` and `j` are equal: the result does not depend on `j`. */
function folded(table: number, i: number, j: number): number {
  const mask = [0xaaaa, 0xcccc, 0xf0f0, 0xff00][i] ?? 0;
  const bothLow = cofactor(cofactor(table, i, 0), j, 0);
  const bothHigh = cofactor(cofactor(table, i, 1), j, 1);
  return (bothLow & ~mask & 0xffff) | (bothHigh & mask);
}
