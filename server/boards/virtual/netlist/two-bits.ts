import type { ConfiguredTile } from './routing.ts';

/** The value of two configuration entries, `NAME_low` and the next one, lower bit first; 0 for a tile without bits. */
export function twoBits(tile: ConfiguredTile | undefined, name: string, low: number): 0 | 1 | 2 | 3 {
  const first = tile?.entry(`${name}_${low}`) ?? false;
  const second = tile?.entry(`${name}_${low + 1}`) ?? false;
  if (second) return first ? 3 : 2;
  return first ? 1 : 0;
}
