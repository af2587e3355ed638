import type { Net, Netlist } from '../../../../server/boards/virtual/netlist/netlist.ts';
import { NetlistBuilder, TABLE } from './netlists.ts';
import { generator } from './random-design.ts';

const LANES = 12;
const CONTROLS = 14;
/** Controls that the function of every bit depends on in all cases. */
const USED = 5;
/** Table of i0 and not i1. */
const UNLESS = 0x2222;
/** Inputs of the netlist: what the controls are filled with, and two words. */
export const UNEVEN_INPUTS = 3;

/**
 * A word of registers whose bits take over the same function, each made of look-up tables of its own: of 14 controls, of
 * a bit of each of two words, one of them in any order where no lane is odd, and of the bit below. Where all controls are high, the result
 * is 0; in lane `odd` where all but the last one are, and that is low.
 * @param odd -1 for none
 */
export function unevenBits(seed: number, odd: number): Netlist {
  const random = generator(seed);
  const builder = new NetlistBuilder();
  const inputs = Array.from({ length: UNEVEN_INPUTS }, (_, k) => builder.input(`in${k}`));
  const shifted = (length: number, from: Net) => {
    const bits: Net[] = [];
    for (let k = 0; k < length; k++) bits.push(builder.flipFlop(bits.at(-1) ?? from));
    return bits;
  };
  const controls = shifted(CONTROLS, inputs[0] ?? 0);
  const a = shifted(LANES, inputs[1] ?? 0);
  const inOrder = shifted(LANES, inputs[2] ?? 0);
  const b = odd < 0 ? shuffled(inOrder, random) : inOrder;
  const truth = Array.from({ length: 1 << (USED + 3) }, () => random(2));
  const result = Array.from({ length: LANES }, () => builder.net());
  const all = controls.slice(0, -1).reduce((sum, control) => builder.lut(TABLE.and, sum, control));
  const last = controls.at(-1) ?? 0;
  result.forEach((q, lane) => {
    const variables = [...controls.slice(0, USED), a[lane] ?? 0, b[lane] ?? 0, result[lane - 1] ?? 0];
    const order = shuffled(
      variables.map((_, k) => k),
      random,
    );
    const plain = expanded(builder, truth, variables, order, 0);
    const clears = builder.lut(TABLE.and, all, lane === odd ? builder.lut(TABLE.not, last) : last);
    builder.flipFlop(builder.lut(UNLESS, plain, clears), { q });
    builder.output(`out${lane}`, q);
  });
  return builder.build();
}

/** A function by its table, variable after variable; the last four in one look-up table. */
function expanded(
  builder: NetlistBuilder,
  truth: readonly number[],
  variables: readonly Net[],
  order: readonly number[],
  known: number,
): Net {
  const [first = 0, ...rest] = order;
  if (order.length > 4) {
    const low = expanded(builder, truth, variables, rest, known);
    const high = expanded(builder, truth, variables, rest, known | (1 << first));
    return builder.lut(TABLE.mux, low, high, variables[first]);
  }
  let table = 0;
  for (let entry = 0; entry < 16; entry++) {
    const at = order.reduce((sum, variable, k) => sum | (((entry >> k) & 1) << variable), known);
    table |= (truth[at] ?? 0) << entry;
  }
  const [p = 0, q = 0, r = 0, s = 0] = order.map((variable) => variables[variable] ?? 0);
  return builder.lut(table, p, q, r, s);
}

function shuffled<T>(list: readonly T[], random: (n: number) => number): T[] {
  const left = [...list];
  return list.flatMap(() => left.splice(random(left.length), 1));
}
