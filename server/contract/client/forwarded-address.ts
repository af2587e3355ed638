/**
 * Splits an address that goes through a bench: that bench, and the name there of the bench behind it. Null for the
 * address of a bench itself.
 */
export function parseForwardedAddress(address: string): { through: string; name: string } | null {
  const [, through, name] = /^(.*)\/benches\/([^/]+)\/*$/.exec(address) ?? [];
  return through === undefined || name === undefined ? null : { through, name };
}

/**
 * The credential that a bench may forward: a name, which is public. A key stays with the bench that issued it; `login`,
 * the caller's name on this computer, replaces it.
 */
export const handedOn = <T extends string | undefined>(key: T, login: T): T =>
  key !== undefined && /wb[ki]_/.test(key) ? login : key;
