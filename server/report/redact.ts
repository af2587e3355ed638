import os from 'node:os';

/** Keys whose values never leave the computer. */
const SECRET = /token|secret|api_?key|password|authorization|owner|username|allowed_users|client_?id/i;
const home = os.homedir();

/** A copy without secrets and names of people, and with the home folder written as `~`. */
export function redact(value: unknown): unknown {
  if (typeof value === 'string') {
    // Credentials in a URL, as in a queue's: redis://user:password@host.
    const open = value.replace(/:\/\/[^\s/@]+@/g, '://(left out)@');
    return home.length > 1 ? open.replaceAll(home, '~') : open;
  }
  if (Array.isArray(value)) return value.map(redact);
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, SECRET.test(key) ? '(left out)' : redact(inner)]),
    );
  return value;
}
