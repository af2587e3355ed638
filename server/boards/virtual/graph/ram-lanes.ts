/**
 * Data bits of a block RAM port of 16, 8, 4 or 2 bits: every `step`th of the 16 pins, from `offset` on (source:
 * Lattice, "Memory usage guide for iCE40 devices").
 */
export const RAM_LANES = [
  { step: 1, offset: 0 },
  { step: 2, offset: 0 },
  { step: 4, offset: 1 },
  { step: 8, offset: 3 },
] as const;

/** Data bits of ports of 16, 8, 4 and 2 bits inside a word of the block RAM, lane 0 of each. */
export const DATA_MASKS = [0xffff, 0x5555, 0x1111, 0x0101] as const;

/** Steps that gather such bits, lowest first: `(x | x >> shift) & mask`. */
export const GATHER = [
  [],
  [
    [1, 0x3333],
    [2, 0x0f0f],
    [4, 0x00ff],
  ],
  [
    [3, 0x0303],
    [6, 0x000f],
  ],
  [[7, 0x0003]],
] as const;

/** The reverse: `(x | x << shift) & mask`. */
export const SCATTER = [
  [],
  [
    [4, 0x0f0f],
    [2, 0x3333],
    [1, 0x5555],
  ],
  [
    [6, 0x0303],
    [3, 0x1111],
  ],
  [[7, 0x0101]],
] as const;
