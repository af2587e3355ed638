/** Characters of a course's id that are made from its name, so that a username stays short. */
const MAX_ID_LENGTH = 24;
/** Without letters and digits that look alike. */
const CODE_LETTERS = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';
/** 31 to the power of 9 is about 2^44; wrong codes are slowed down like wrong keys. */
const CODE_LENGTH = 9;

/** Names are compared without regard to case and spaces. */
export const sameName = (name: string): string =>
  name.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase();

/** The id of a new course: `Digital Design 1` is `digital-design-1`, with a number where that is taken. */
export function courseIdOf(name: string, isTaken: (id: string) => boolean): string {
  const letters = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const short = letters.replace(/[^a-z0-9]+/g, '-').slice(0, MAX_ID_LENGTH);
  const slug = short.replace(/^-+|-+$/g, '') || 'course';
  let id = slug;
  for (let number = 2; isTaken(id); number++) id = `${slug}-${number}`;
  return id;
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

/** A new code to join, e.g. `K7P-2MX-9QD`. @param random gives random bytes */
export const joinCodeOf = (random: (bytes: number) => Uint8Array): string =>
  [...random(CODE_LENGTH)]
    .map((byte) => CODE_LETTERS[byte % CODE_LETTERS.length])
    .join('')
    .replace(/(...)(?=.)/g, '$1-');

/** A code as people type it, in the form in which codes are compared. */
export const plainCode = (code: string): string => code.toUpperCase().replace(/[^A-Z0-9]/g, '');
