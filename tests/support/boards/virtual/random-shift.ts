import type { Net, Netlist } from '../../../../server/boards/virtual/netlist/netlist.ts';
import { NetlistBuilder, TABLE } from './netlists.ts';
import { generator } from './random-design.ts';
import { RANDOM_INPUTS } from './random-words.ts';

/** `i0 ? i1 : i2`, and with the select the other way round. */
const CHOOSE = 0xd8d8;
const CHOOSE_OTHER = 0xe4e4;

/**
 * A random netlist of a register that is shifted by the distance in another one: its stages in any order, towards either
 * end, selected by bits or by their complements, with zeros, ones or the last bit coming in.
 */
export function randomShift(seed: number): { netlist: Netlist; width: number } {
  const random = generator(seed);
  const builder = new NetlistBuilder();
  const inputs = Array.from({ length: RANDOM_INPUTS }, (_, k) => builder.input(`in${k}`));
  const width = 24 + random(9);
  const word: Net[] = [];
  for (let k = 0; k < width; k++)
    word.push(builder.flipFlop(builder.lut(TABLE.xor, word[k - 1] ?? inputs[0] ?? 0, inputs[k % 5] ?? 0)));
  const distance = Array.from({ length: 3 + random(2) }, (_, k) => builder.flipFlop(inputs[k] ?? 0));
  const isRight = random(2) === 1;
  const fill = [0, 1, isRight ? (word.at(-1) ?? 0) : (word[0] ?? 0)][random(3)] ?? 0;
  let bits = [...word];
  const stages = distance.map((select, k) => ({ select, by: 1 << k })).sort(() => random(3) - 1);
  for (const { select, by } of stages) {
    const before = bits;
    const isOther = random(2) === 1;
    bits = before.map((bit, lane) => {
      const moved = before[isRight ? lane + by : lane - by] ?? fill;
      return isOther
        ? builder.lut(CHOOSE_OTHER, select, moved, bit)
        : builder.lut(CHOOSE, select, moved, bit);
    });
  }
  bits.forEach((bit, k) => {
    builder.output(`out${k}`, builder.flipFlop(bit));
  });
  return { netlist: builder.build(), width };
}
