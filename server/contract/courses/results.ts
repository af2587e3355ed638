import type { HandIn } from './assignments.ts';
import type { MemberView } from './courses.ts';

type Person = Pick<MemberView, 'name' | 'username'>;

/** A student with the hand-in that counts; null without one. */
export interface Result extends Person {
  handIn: HandIn | null;
}

/** The order of people: by name, and by username where names are the same. */
export const byName = (a: Person, b: Person): number =>
  a.name.localeCompare(b.name, undefined, { numeric: true }) || a.username.localeCompare(b.username);

/** Students, and who has handed in and left, each with the hand-in that counts; by name. Hand-ins of teachers are trials. */
export function resultsOf(
  members: readonly (Person & Pick<MemberView, 'role'>)[],
  handIns: readonly HandIn[],
): Result[] {
  const counting = handIns.filter(({ counts }) => counts);
  const people = new Map([...counting, ...members].map(({ username, name }) => [username, name]));
  for (const { username, role } of members) if (role === 'teacher') people.delete(username);
  return [...people]
    .map(([username, name]) => {
      const handIn = counting.find((one) => one.username === username) ?? null;
      return { username, name, handIn };
    })
    .sort(byName);
}
