import type { BitField } from '../map/register-map.ts';

/** Names a lane: the bits of a register, whatever the map calls them. */
export const laneKey = (address: number, { msb, lsb }: Pick<BitField, 'msb' | 'lsb'>): string =>
  `${address} ${msb} ${lsb}`;
