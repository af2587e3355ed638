import type { AddressUse } from '../candidate.ts';
import type { Module, Netlist } from '../netlist.ts';
import { type Signal, type Use, usesOfCell } from './cell-uses.ts';
import { Circuit, ONE, UNKNOWN, type Value, ZERO } from './circuit.ts';

/** Registers behind each other through which bits are followed. Beyond them the use is unknown. */
const MAX_PASSES = 30;

/** Labels of address bits: the lowest, the second, any higher one. A net may have several. */
const LOWEST = 1;
const SECOND = 2;
const HIGH = 4;
const LOW = LOWEST | SECOND;

/**
 * Finds how a module uses the two lowest bits of an input. It follows them through copies, registers, constant shifts and
 * instances, up to a memory, a comparison with constants, or anything else.
 */
export function addressUse(module: Module, port: string, netlist: Netlist): AddressUse {
  const use: AddressUse = { highBits: false, index: false, multiples: [], others: [], unclear: false };
  const circuit = Circuit.of(module, netlist);
  if (!circuit) return { ...use, highBits: true, unclear: true };
  const netsOf = (name: string): Signal => (module.nets.get(name) ?? []).map((net) => circuit.of(net));
  const outputs = module.ports.filter(({ direction }) => direction !== 'input');
  const uses = [
    ...circuit.cells.flatMap(usesOfCell),
    ...outputs.map(({ name }): Use => ({ kind: 'other', signal: netsOf(name) })),
  ];
  const labels = new Map<Value, number>();
  const label = (net: Value | undefined, more: number): boolean => {
    if (net === undefined || net <= UNKNOWN) return false;
    const known = labels.get(net) ?? 0;
    labels.set(net, known | more);
    return (known | more) !== known;
  };
  for (const [at, net] of netsOf(port).entries()) label(net, 1 << Math.min(at, 2));
  const copies = uses.flatMap((one) => (one.kind === 'copy' ? [one] : []));
  let isChanged = true;
  for (let pass = 0; isChanged && pass < MAX_PASSES; pass++) {
    isChanged = false;
    for (const { signal, to } of copies)
      for (const [at, net] of signal.entries()) if (label(to[at], labels.get(net) ?? 0)) isChanged = true;
  }
  use.unclear = isChanged;
  for (const one of uses) if (one.kind !== 'copy') judge(one, labels, use);
  return use;
}

function judge(
  one: Exclude<Use, { kind: 'copy' }>,
  labels: ReadonlyMap<Value, number>,
  use: AddressUse,
): void {
  const bits = one.signal.map((net) => labels.get(net) ?? 0);
  if (bits.some((bit) => (bit & HIGH) !== 0)) use.highBits = true;
  if (!bits.some((bit) => (bit & LOW) !== 0)) return;
  switch (one.kind) {
    case 'order':
      return;
    case 'index':
      if (bits.some((bit) => bit === LOWEST || bit === SECOND)) use.index = true;
      else use.unclear = true;
      return;
    case 'comparison':
      compare(one.constants, bits, use);
      return;
    default:
      use.unclear = true;
  }
}

function compare(constants: readonly (Signal | null)[], bits: readonly number[], use: AddressUse): void {
  const [first, second = 0, ...others] = bits;
  const isInPlace = first === LOWEST && (second === SECOND || (second & LOW) === 0);
  for (const constant of constants) {
    if (constant === null || !isInPlace || others.some((bit) => (bit & LOW) !== 0)) {
      use.unclear = true;
      continue;
    }
    const compared = bits.map((bit, at) => (bit === 0 ? ZERO : (constant[at] ?? ZERO)));
    const isOther = compared[0] === ONE || (second === SECOND && compared[1] === ONE);
    (isOther ? use.others : use.multiples).push(compared.reverse().join('').replace(/^0+/, ''));
  }
}
