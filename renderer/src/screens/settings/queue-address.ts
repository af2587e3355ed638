/** Placeholder for user and password in an address. */
const HIDDEN = '•••';

const SECRET = /^(\w+:\/\/)(.*)@/;

/** The address of a queue without user and password. */
export const withoutSecret = (address: string | null): string =>
  (address ?? '').replace(SECRET, (_, scheme: string) => `${scheme}${HIDDEN}@`);

/** A typed address, with user and password of the shown one. */
export function withSecret(typed: string, before: string | null): string {
  const secret = SECRET.exec(before ?? '')?.[2];
  return secret === undefined ? typed : typed.replace(`${HIDDEN}@`, () => `${secret}@`);
}
