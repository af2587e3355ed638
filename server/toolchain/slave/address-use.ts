import type { AddressUse } from '../match/candidate.ts';
import type { Bit, Cell, Module, Netlist } from './netlist.ts';

/** Net of a module → which bit of the byte address or of the word address it is. */
type AddressNets = Map<Bit, number>;

/** Cells whose output is their input, bit by bit, at once or with the next clock. */
const COPIES: Readonly<Record<string, { from: readonly string[]; to: string }>> = {
  $buf: { from: ['A'], to: 'Y' },
  $pos: { from: ['A'], to: 'Y' },
  $mux: { from: ['A', 'B'], to: 'Y' },
  $pmux: { from: ['A', 'B'], to: 'Y' },
  $tribuf: { from: ['A'], to: 'Y' },
};
const REGISTER = /^\$(?:dff|adff|aldff|sdff|dffe|adffe|aldffe|sdffe|sdffce|dlatch|adlatch)$/;
const MEMORY_PORT = /^\$mem(?:rd|wr)/;
const EQUALITY = new Set(['$eq', '$ne', '$eqx', '$nex']);
/** Comparisons with zero. */
const WITH_ZERO = new Set(['$logic_not', '$reduce_or', '$reduce_bool']);
const ORDER = new Set(['$lt', '$le', '$gt', '$ge']);

/** Modules within each other that are followed, and looks at one module with what is known of it. */
const MAX_LEVELS = 32;
const MAX_ROUNDS = 64;

/**
 * How a module uses the two lowest bits of an input: followed through copies, registers and other modules, in and out again, until
 * a memory, a comparison with constants or anything else.
 */
export function addressUse(module: Module, port: string, netlist: Netlist): AddressUse {
  const use: AddressUse = { highBits: false, index: false, multiples: [], others: [], unclear: false };
  const address: AddressNets = new Map();
  for (const [at, net] of (module.nets.get(port) ?? []).entries()) address.set(net, at);
  const outputs = follow(module, address, netlist, use, 0);
  if ([...outputs.values()].some((at) => at < 2)) use.unclear = true; // what becomes of it is not seen from here
  return use;
}

/**
 * @param address nets that are bits of the address; those that are found are added
 * @returns of them the nets of output ports
 */
function follow(
  module: Module,
  address: AddressNets,
  netlist: Netlist,
  use: AddressUse,
  level: number,
): AddressNets {
  const known = { size: -1 };
  for (let round = 0; known.size !== address.size && round < MAX_ROUNDS; round++) {
    known.size = address.size;
    for (const cell of module.cells) pass(cell, address, netlist, use, level);
  }
  for (const cell of module.cells) judge(cell, address, netlist, use);
  return new Map(
    module.ports
      .filter(({ direction }) => direction !== 'input')
      .flatMap(({ name }) => module.nets.get(name) ?? [])
      .flatMap((net): [Bit, number][] => {
        const at = address.get(net);
        return at === undefined ? [] : [[net, at]];
      }),
  );
}

/** Adds what a cell makes of bits of the address that are still bits of it. */
function pass(
  { type, connections }: Cell,
  address: AddressNets,
  netlist: Netlist,
  use: AddressUse,
  level: number,
): void {
  const copy = (from: readonly Bit[], to: readonly Bit[]) => {
    for (const [at, net] of from.entries()) {
      const bit = address.get(net);
      const target = to[at % Math.max(to.length, 1)];
      if (bit === undefined || typeof target !== 'number') continue;
      const before = address.get(target);
      if (before === undefined) address.set(target, bit);
      else if (before !== bit) use.unclear = true;
    }
  };
  const { from, to } = REGISTER.test(type)
    ? { from: ['D'], to: 'Q' }
    : (COPIES[type] ?? { from: [], to: '' });
  for (const port of from) copy(connections[port] ?? [], connections[to] ?? []);
  const inner = netlist.get(type);
  if (!inner || inner.isBlackBox || level >= MAX_LEVELS) return;
  const inside: AddressNets = new Map();
  for (const { name, direction } of inner.ports) {
    if (direction === 'output') continue;
    for (const [at, net] of (inner.nets.get(name) ?? []).entries()) {
      const bit = address.get(connections[name]?.[at] ?? 'x');
      if (bit !== undefined) inside.set(net, bit);
    }
  }
  if (inside.size === 0) return;
  const outputs = follow(inner, inside, netlist, use, level + 1);
  for (const { name, direction } of inner.ports)
    if (direction !== 'input')
      for (const [at, net] of (inner.nets.get(name) ?? []).entries()) {
        const bit = outputs.get(net);
        const outer = connections[name]?.[at];
        if (bit !== undefined && typeof outer === 'number' && !address.has(outer)) address.set(outer, bit);
      }
}

/** Takes down what the use of bits of the address in a cell says. */
function judge(
  { type, connections, outputs }: Cell,
  address: AddressNets,
  netlist: Netlist,
  use: AddressUse,
) {
  for (const [port, nets] of Object.entries(connections)) {
    const bits = nets.flatMap((net) => address.get(net) ?? []);
    if (bits.length === 0 || outputs.has(port)) continue;
    if (bits.some((bit) => bit > 1)) use.highBits = true;
    if (!bits.some((bit) => bit < 2)) continue;
    if (MEMORY_PORT.test(type) && port === 'ADDR') use.index = true;
    else if (EQUALITY.has(type)) compare(nets, connections[port === 'A' ? 'B' : 'A'] ?? [], address, use);
    else if (WITH_ZERO.has(type))
      compare(
        nets,
        nets.map(() => '0'),
        address,
        use,
      );
    else if (ORDER.has(type))
      continue; // a range says nothing about single bytes
    else if ((COPIES[type] && port !== 'S') || (REGISTER.test(type) && port === 'D')) continue;
    else if (!netlist.has(type) || netlist.get(type)?.isBlackBox) use.unclear = true;
  }
}

/** A comparison of the address: with a constant it says whether that is a multiple of four, as far as its two lowest bits are compared. */
function compare(nets: readonly Bit[], other: readonly Bit[], address: AddressNets, use: AddressUse): void {
  const constant = other.map((bit) => (typeof bit === 'number' ? null : bit));
  if (constant.includes(null)) {
    use.unclear = true;
    return;
  }
  const isMultiple = nets.every((net, at) => {
    const bit = address.get(net);
    return bit === undefined || bit > 1 || (constant[at] ?? '0') !== '1';
  });
  (isMultiple ? use.multiples : use.others).push(constant.toReversed().join(''));
}
