import type { BitField } from '../map/register-map.ts';

/** Key of a lane: register and bits, independent of the map's names. */
export const laneKey = (address: number, { msb, lsb }: Pick<BitField, 'msb' | 'lsb'>): string =>
  `${address} ${msb} ${lsb}`;
