/** Stands for user and password of an address. */
const HIDDEN = '•••';

const SECRET = /^(\w+:\/\/)(.*)@/;

/** The address of a queue as it is shown: without user and password. */
export const withoutSecret = (address: string | null): string =>
  (address ?? '').replace(SECRET, (_, scheme: string) => `${scheme}${HIDDEN}@`);

/** What somebody has typed over a shown address, with the user and the password of the one that was shown. */
export function withSecret(typed: string, before: string | null): string {
  const secret = SECRET.exec(before ?? '')?.[2];
  return secret === undefined ? typed : typed.replace(`${HIDDEN}@`, () => `${secret}@`);
}
