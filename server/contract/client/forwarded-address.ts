/** The bench that an address goes through, and the name there of the one behind it; null for an address of a bench itself. */
export function parseForwardedAddress(address: string): { through: string; name: string } | null {
  const [, through, name] = /^(.*)\/benches\/([^/]+)\/*$/.exec(address) ?? [];
  return through === undefined || name === undefined ? null : { through, name };
}

/**
 * What of who calls a bench may be told to the one behind it: a name, which all may know. What a bench has minted is for that
 * bench alone; `login`, the caller's name on this computer, stands in for it.
 */
export const handedOn = <T extends string | undefined>(key: T, login: T): T =>
  key !== undefined && /wb[ki]_/.test(key) ? login : key;
