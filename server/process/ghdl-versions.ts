/** Versions of GHDL of which every operator was compared with its own simulation. */
const TRIED_VERSIONS: readonly string[] = ['2.0.0'];

/**
 * What to say of a version of GHDL whose netlists were not tried; null for one that was.
 * @param version the line in which it names itself
 */
export function untriedGhdl(version: string): string | null {
  const [, number] = /^GHDL (\d[\w.-]*)/.exec(version) ?? [];
  return number !== undefined && TRIED_VERSIONS.includes(number)
    ? null
    : `GHDL ${number ?? 'of an unknown version'} has not been tried: what it makes of a design may be wrong. Tried: GHDL ${TRIED_VERSIONS.join(', ')}.`;
}
