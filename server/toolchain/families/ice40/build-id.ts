import { ramBit } from './ram-map.ts';

/**
 * Words of the base SoC's constants with the build id: words 4 and 5 of the identity block, upper half first, and again
 * after every 16 of the 64 words (resources/gateware/wishbench_constants.v).
 */
const PLACES = [4, 20, 36, 52].map((word) => ({ upper: word, lower: word + 1 }));

/** Bits of the constants. Each word has 32 pairs; the lower bit of a pair is the identity block's. */
function* idBits(): Generator<{ bit: number; slice: number; at: number }> {
  for (const { upper, lower } of PLACES)
    for (let k = 0; k < 32; k++) {
      yield { bit: 32 + k, ...ramBit(2 * (32 * upper + k)) };
      yield { bit: k, ...ramBit(2 * (32 * lower + k)) };
    }
}

/** A bit of an id, as a digit. */
const digitOf = (id: bigint, bit: number) => ((id >> BigInt(bit)) & 1n ? '1' : '0');

const CELL = /cell \\SB_RAM40_4K [^\n]+\n[\s\S]*?\n {2}end\n/g;
const INIT = /parameter \\INIT_([0-9A-F]) 256'([01]{256})\n/g;

/**
 * Replaces the build id in a mapped base SoC in RTLIL. The id is only in the contents of one block RAM.
 * @param from, to 16 hexadecimal digits
 * @throws Error unless exactly one block RAM has the id `from`
 */
export function replaceBuildId(netlist: string, from: string, to: string): string {
  const [old, wanted] = [BigInt(`0x${from}`), BigInt(`0x${to}`)];
  const bits = [...idBits()];
  let found = 0;
  const replaced = netlist.replace(CELL, (cell) => {
    // Constants have the highest bit first.
    const slices = new Map(
      [...cell.matchAll(INIT)].map(([, slice = '', digits = '']) => [
        Number.parseInt(slice, 16),
        [...digits].reverse(),
      ]),
    );
    if (bits.some(({ bit, slice, at }) => slices.get(slice)?.[at] !== digitOf(old, bit))) return cell;
    found++;
    for (const { bit, slice, at } of bits) slices.get(slice)![at] = digitOf(wanted, bit);
    return cell.replace(
      INIT,
      (_, slice: string) =>
        `parameter \\INIT_${slice} 256'${[...(slices.get(Number.parseInt(slice, 16)) ?? [])].reverse().join('')}\n`,
    );
  });
  if (found !== 1) throw new Error(`Not one but ${found} block RAMs of the base SoC have the build id.`);
  return replaced;
}
