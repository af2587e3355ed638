/** Versions of GHDL whose operators were all compared with GHDL's own simulation. */
const TRIED_VERSIONS: readonly string[] = ['2.0.0'];

/**
 * The warning for a version of GHDL with untested netlists; null for a tested one.
 * @param version its version line
 */
export function untriedGhdl(version: string): string | null {
  const [, number] = /^GHDL (\d[\w.-]*)/.exec(version) ?? [];
  return number !== undefined && TRIED_VERSIONS.includes(number)
    ? null
    : `GHDL ${number ?? 'of an unknown version'} has not been tested: its output may be wrong. Tested: GHDL ${TRIED_VERSIONS.join(', ')}.`;
}
