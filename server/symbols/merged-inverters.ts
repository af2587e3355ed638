import type { Netlist } from './netlist-file.ts';
import type { Place } from './symbols.ts';

/**
 * Places of nets after inverters, which mapping may have merged into other cells: the value is the inverse of a cell's. Bits
 * have the numbers of `inverters`.
 * @param inverters the inverters before mapping, with all names of their nets
 * @param placeOf the place of a named net's bit after mapping, by its index; null where it is gone
 */
export function mergedInverters(
  { cells, netnames }: Netlist,
  placeOf: (net: string, index: number) => Place,
): ReadonlyMap<number, Place> {
  const places = new Map<number, Place>();
  for (const [name, { bits }] of Object.entries(netnames))
    bits.forEach((bit, k) => {
      if (typeof bit !== 'number' || places.has(bit)) return;
      const place = placeOf(name, k);
      if (place !== null) places.set(bit, place);
    });
  for (const { connections } of Object.values(cells)) {
    const [[input], [output]] = [connections['A'] ?? [], connections['Y'] ?? []];
    if (typeof input !== 'number' || typeof output !== 'number') continue;
    const place = places.get(input);
    if (place) places.set(output, inverseOf(place));
  }
  return places;
}

/** The place whose value is always the inverse of another one's. */
function inverseOf(place: string): string {
  if (place === '0' || place === '1') return place === '0' ? '1' : '0';
  return place.startsWith('!') ? place.slice(1) : `!${place}`;
}
