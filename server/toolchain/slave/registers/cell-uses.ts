import { type FlatCell, ONE, UNKNOWN, type Value, ZERO } from './circuit.ts';

/** Bits, the lowest first. */
export type Signal = readonly Value[];

/** A use of a signal, as far as it matters for an address. */
export type Use =
  /** Wires, registers, multiplexers: bit n becomes bit n. */
  | { kind: 'copy'; signal: Signal; to: Signal }
  /** Compared for equality; null for an operand that is no constant. */
  | { kind: 'comparison'; signal: Signal; constants: readonly (Signal | null)[] }
  /** Chooses a word of a memory. */
  | { kind: 'index'; signal: Signal }
  /** Compared for less or greater, which tells nothing about single addresses. */
  | { kind: 'order'; signal: Signal }
  | { kind: 'other'; signal: Signal };

/** Cells that compare for equality. */
export const COMPARISON = new Set(['$eq', '$ne', '$eqx', '$nex']);
const ORDER = new Set(['$lt', '$le', '$gt', '$ge']);
/** Cells that compare with zero. */
export const ZERO_TEST = new Set(['$logic_not', '$reduce_or', '$reduce_bool']);
const REGISTER = /^\$(?:_?s?a?l?dff|dlatch|adlatch|ff)/;
const MEMORY = /^\$mem(?:rd|wr|_|$)/;
const RIGHT = new Set(['$shr', '$sshr']);
const LEFT = new Set(['$shl', '$sshl']);
const isConstant = (signal: Signal): boolean => signal.every((bit) => bit <= UNKNOWN);

/** The constant value of a signal; null for any other signal. */
const constantOf = (signal: Signal): Signal | null => (isConstant(signal) ? signal : null);

/** Uses of the inputs of a cell. Source: Yosys, internal cell library. */
export function usesOfCell({ cell: { type, outputs }, ports }: FlatCell): Use[] {
  const pin = (name: string): Signal => ports[name] ?? [];
  const [a, b, y] = [pin('A'), pin('B'), pin('Y')];
  const rest = (known: readonly string[]): Use[] =>
    Object.entries(ports).flatMap(([name, signal]) =>
      known.includes(name) || outputs.has(name) ? [] : [{ kind: 'other', signal }],
    );
  if (COMPARISON.has(type))
    return [
      { kind: 'comparison', signal: a, constants: [constantOf(b)] },
      { kind: 'comparison', signal: b, constants: [constantOf(a)] },
    ];
  if (ORDER.has(type)) return [a, b].map((signal) => ({ kind: 'order', signal }));
  if (ZERO_TEST.has(type)) return [{ kind: 'comparison', signal: a, constants: [a.map(() => ZERO)] }];
  if (type === '$pos' || type === '$buf') return [{ kind: 'copy', signal: a, to: y }];
  if (type === '$mux')
    return [
      { kind: 'copy', signal: a, to: y },
      { kind: 'copy', signal: b, to: y },
      { kind: 'comparison', signal: pin('S'), constants: [[ONE]] },
    ];
  if (type === '$pmux') {
    const choices = Array.from({ length: Math.ceil(b.length / Math.max(1, y.length)) }, (_, at): Use => {
      return { kind: 'copy', signal: b.slice(at * y.length, (at + 1) * y.length), to: y };
    });
    return [{ kind: 'copy', signal: a, to: y }, ...choices, ...rest(['A', 'B'])];
  }
  if (REGISTER.test(type)) return [{ kind: 'copy', signal: pin('D'), to: pin('Q') }, ...rest(['D'])];
  if (MEMORY.test(type)) {
    const addresses = ['ADDR', 'RD_ADDR', 'WR_ADDR'];
    return [...addresses.map((name): Use => ({ kind: 'index', signal: pin(name) })), ...rest(addresses)];
  }
  const by = constantOf(b)?.reduce<number>((sum, bit, at) => sum + (bit === ONE ? 2 ** at : 0), 0);
  if (RIGHT.has(type) && by !== undefined) return [{ kind: 'copy', signal: a.slice(by), to: y }];
  if (LEFT.has(type) && by !== undefined) return [{ kind: 'copy', signal: a, to: y.slice(by) }];
  return rest([]);
}
