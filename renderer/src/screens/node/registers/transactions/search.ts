import { hexAddress, hexWord, parseWord } from '../../../../format/words.ts';
import type { Transaction } from '../../../../state/registers/transactions.ts';
import { findByName, type RegisterMap } from '../map/register-map.ts';

const plain = (text: string): string => text.toLowerCase().replaceAll('_', '');

/**
 * The transactions that a person looks for: by address or word as a number in any notation, by a name of the map, by who
 * made them, or by a part of the hex text.
 */
export function found(
  list: readonly Transaction[],
  search: string,
  map: RegisterMap | undefined,
): readonly Transaction[] {
  const wanted = plain(search.trim());
  if (wanted === '') return list;
  const number = parseWord(search);
  const named = findByName(map, search)?.register.address;
  return list.filter(
    ({ owner, request: { address }, count, data, failure }) =>
      address === named ||
      (number !== null && (address === number || data.includes(number))) ||
      (count > 1 &&
        number !== null &&
        number > address &&
        number < address + 4 * count &&
        number % 4 === 0) ||
      owner?.toLowerCase().includes(wanted) === true ||
      plain(hexAddress(address)).includes(wanted) ||
      data.some((word) => plain(hexWord(word)).includes(wanted)) ||
      failure?.message.toLowerCase().includes(wanted) === true,
  );
}
