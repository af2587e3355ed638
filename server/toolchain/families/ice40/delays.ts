import type { TypicalDelays } from '../../../symbols/estimate/typical-delays.ts';

/** Delays of one line of parts, ns. */
interface Speed {
  /** Look-up table, from its inputs I0 to I3. */
  lut: readonly [number, number, number, number];
  /** Carry, from its inputs I0 and I1 and from the carry before. */
  carry: readonly [number, number, number];
  /** Clock to output of a flip-flop, and of a block RAM. */
  flipFlop: number;
  blockRam: number;
  /** Set-up time of a flip-flop's input, through the look-up table of its cell. */
  setup: number;
  /** From a carry to the look-up table of the next cell. */
  sum: number;
  wire: TypicalDelays['wire'];
}

/**
 * Delays of cells as nextpnr-ice40 writes them (`--sdf`). The delays of wires are fitted to the Fmax of placed and routed
 * designs, the examples and seven others: their error is 8 % (hx) and 6 % (up) in the root mean square.
 */
const SPEEDS: Readonly<Record<string, Speed>> = {
  hx: {
    lut: [0.448, 0.399, 0.378, 0.315],
    carry: [0.259, 0.231, 0.126],
    flipFlop: 0.54,
    blockRam: 2.146,
    setup: 0.4,
    sum: 0.259,
    wire: { ns: 0.7, doubling: 0.1 },
  },
  up: {
    lut: [1.284, 1.231, 1.205, 0.874],
    carry: [0.675, 0.609, 0.278],
    flipFlop: 1.39,
    blockRam: 1.178,
    setup: 1.2,
    sum: 0.662,
    wire: { ns: 1.8, doubling: 0.2 },
  },
};

/** Typical delays of an iCE40; null for a line that no board has. @param part e.g. `hx8k` */
export function ice40Delays(part: string): TypicalDelays | null {
  const speed = SPEEDS[part.slice(0, 2)];
  if (!speed) return null;
  const { lut, carry, flipFlop, blockRam, setup, sum, wire } = speed;
  return {
    cells: [
      { type: /^SB_LUT4$/, ns: 0, from: { I0: lut[0], I1: lut[1], I2: lut[2], I3: lut[3] } },
      { type: /^SB_CARRY$/, ns: 0, from: { I0: carry[0], I1: carry[1], CI: carry[2] } },
      { type: /^SB_DFF/, clock: 'C', ns: flipFlop, setup },
      { type: /^SB_RAM40_4K/, clock: 'RCLK', ns: blockRam, setup: 0.1 },
    ],
    wire,
    direct: [
      { from: /^SB_CARRY\.CO$/, to: /^SB_CARRY\.CI$/, ns: 0 },
      { from: /^SB_CARRY\.CO$/, to: /^SB_LUT4\.I3$/, ns: sum },
      // In one cell: the set-up time already includes the look-up table.
      { from: /^SB_LUT4\.O$/, to: /^SB_DFF.*\.D$/, alone: true, ns: -setup },
    ],
  };
}
