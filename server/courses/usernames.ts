/** Characters of a course's id that are made from its name, so that a username stays short. */
const MAX_ID_LENGTH = 24;
/** Without letters and digits that look alike. */
const CODE_LETTERS = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';
/** 31 to the power of 9 is about 2^44; wrong codes are slowed down like wrong keys. */
const CODE_LENGTH = 9;

/** A name in the letters of an address: `Digital Design 1` is `digital-design-1`. */
const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_ID_LENGTH)
    .replace(/^-+|-+$/g, '') || 'course';

/** The id of a new course of this name. */
export function courseIdOf(name: string, isTaken: (id: string) => boolean): string {
  const slug = slugOf(name);
  for (let number = 1; ; number++) {
    const id = number === 1 ? slug : `${slug}-${number}`;
    if (!isTaken(id)) return id;
  }
}

/** The next username of a course, and the number after it. A user with earlier jobs is never given to somebody else. */
export function usernameOf(
  courseId: string,
  from: number,
  isTaken: (username: string) => boolean,
): { username: string; next: number } {
  for (let number = from; ; number++) {
    const username = `${courseId}-${String(number).padStart(2, '0')}`;
    if (!isTaken(username)) return { username, next: number + 1 };
  }
}

/** A new code to join, e.g. `K7P-2MX-9QD`. @param random at least CODE_LENGTH random bytes */
export function joinCodeOf(random: Uint8Array): string {
  const letters = [...random.subarray(0, CODE_LENGTH)].map(
    (byte) => CODE_LETTERS[byte % CODE_LETTERS.length],
  );
  return letters.join('').replace(/(...)(?=.)/g, '$1-');
}

/** A code as people type it, in the form in which codes are compared. */
export const plainCode = (code: string): string => code.toUpperCase().replace(/[^A-Z0-9]/g, '');
