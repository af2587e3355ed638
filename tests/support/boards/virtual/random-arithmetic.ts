import type { Net, Netlist } from '../../../../server/boards/virtual/netlist/netlist.ts';
import { NetlistBuilder, TABLE } from './netlists.ts';
import { generator } from './random-design.ts';
import { RANDOM_INPUTS } from './random-words.ts';

/** Tables over three inputs. */
const XOR3 = 0x9696;
const MAJORITY = 0xe8e8;

/** A number as bits by position, each with the nets that are to be added there. */
type Columns = Net[][];

/**
 * A random netlist of filters as synthesis leaves them: sums of registers times constants, made of full adders before
 * one carry chain. Some chains begin above the lowest bits, which look-up tables make; some numbers are signed; some
 * sums include the sum before.
 */
export function randomArithmetic(seed: number): Netlist {
  const random = generator(seed);
  const builder = new NetlistBuilder();
  const inputs = Array.from({ length: RANDOM_INPUTS }, (_, k) => builder.input(`in${k}`));
  const width = 12 + random(10);

  /** A shift register of the inputs: the sample. */
  const sample: Net[] = [];
  for (let k = 0; k < 4 + random(8); k++)
    sample.push(
      builder.flipFlop(k < 2 ? (inputs[k] ?? 0) : builder.lut(TABLE.xor, sample[k - 2] ?? 0, inputs[k % 8])),
    );

  const times = (factor: number): Columns => {
    const columns: Columns = Array.from({ length: width }, () => []);
    for (let shift = 0; factor >> shift > 0; shift++)
      if ((factor >> shift) & 1)
        sample.forEach((bit, k) => {
          columns[k + shift]?.push(bit);
        });
    return columns;
  };

  /** Adds the columns, with full adders until two bits are left in each, and then with a carry chain. */
  const sumOf = (columns: Columns): Net[] => {
    for (let position = 0; position < width; position++) {
      const column = columns[position] ?? [];
      while (column.length > 2) {
        const [a = 0, b = 0, c = 0] = column.splice(0, 3);
        column.push(builder.lut(XOR3, a, b, c));
        columns[position + 1]?.push(builder.lut(MAJORITY, a, b, c));
      }
    }
    const bits: Net[] = [];
    const withoutChain = random(3);
    let carry: Net = 0;
    columns.forEach(([a = 0, b = 0], position) => {
      bits.push(builder.lut(XOR3, a, b, carry));
      if (position < width - 1)
        carry = position < withoutChain ? builder.lut(MAJORITY, a, b, carry) : builder.carry(a, b, carry);
    });
    return bits;
  };

  let before: Net[] = [];
  for (let tap = 0; tap < 4; tap++) {
    const columns = times(1 + random(60));
    before.forEach((bit, k) => {
      columns[k]?.push(bit);
    });
    // The highest bit counts negative: its complement, and a constant.
    if (random(2)) columns[width - 2]?.push(sample.at(-1) ?? 0);
    const [initial, held] = [random(1 << width), random(2) === 0];
    before = sumOf(columns).map((bit, k) => {
      const q = builder.net();
      // A register with initial value 1 is stored as its complement.
      const inverted = held && (initial >> k) & 1;
      builder.flipFlop(inverted ? builder.lut(TABLE.not, bit) : bit, { q });
      return inverted ? builder.lut(TABLE.not, q) : q;
    });
  }
  before.forEach((bit, k) => {
    builder.output(`out${k}`, bit);
  });
  return builder.build();
}
