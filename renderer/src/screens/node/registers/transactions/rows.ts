// What the list of transactions shows.
import { hexAddress, hexWord, parseWord } from '../../../../format/words.ts';
import type { RunBuild } from '../../../../state/registers/builds.ts';
import type { Transaction } from '../../../../state/registers/transactions.ts';
import { findByName, type RegisterMap } from '../map/register-map.ts';

const plain = (text: string): string => text.toLowerCase().replaceAll('_', '');

/**
 * The transactions that match a search: an address or word in any notation, a name of the map, an owner, or a part of
 * the hex text.
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

/** A row: a transaction, or the build that ran from there on. */
export type Row = Transaction | RunBuild;

export const isBuild = (row: Row): row is RunBuild => 'buildId' in row;

/** The transactions with a divider before the first one of each build; none while there was only one build. */
export function withBuilds(list: readonly Transaction[], builds: readonly RunBuild[]): readonly Row[] {
  if (builds.length < 2 || list.length === 0) return list;
  const rows: Row[] = [];
  let next = 0;
  const divide = (until: number) => {
    for (; next < builds.length && (builds[next] as RunBuild).at <= until; next += 1) {
      // Of builds without a transaction only the last one matters.
      if (next + 1 < builds.length && (builds[next + 1] as RunBuild).at <= until) continue;
      rows.push(builds[next] as RunBuild);
    }
  };
  for (const one of list) {
    divide(one.at);
    rows.push(one);
  }
  divide(Number.POSITIVE_INFINITY);
  return rows;
}
