import type { InvitationSheet, InvitationsRequest } from '../contract/courses/courses.ts';
import { byName } from '../contract/courses/results.ts';
import { spreadsheetOf } from '../contract/csv.ts';
import type { ApiKeys } from '../identity/keys.ts';
import { presentMembers, requireMember, type StoredCourse, type StoredMember } from './records.ts';

const LIFETIME_SECONDS = 14 * 86_400;
/** Characters of the label of a key. */
const MAX_LABEL_LENGTH = 64;

/** The label of the keys that a course makes. */
export const labelOf = ({ name }: StoredCourse): string => name.slice(0, MAX_LABEL_LENGTH);

/**
 * Makes a link for each of these members; their earlier links end. All get one, or none. Who had a key before the course
 * needs none.
 * @param request default: all who have never signed in
 * @param urlOf the page of the bench that redeems a code
 * @throws member_not_found, too_many_keys, store_unavailable.
 */
export async function inviteMembers(
  keys: ApiKeys,
  course: StoredCourse,
  { usernames, expires_in_s: seconds = LIFETIME_SECONDS }: InvitationsRequest,
  urlOf: (code: string) => string,
): Promise<InvitationSheet> {
  const signedIn = new Set(keys.list().map(({ username }) => username));
  const wanted = usernames
    ? usernames.map((username) => requireMember(course, username))
    : presentMembers(course).filter(({ username }) => !signedIn.has(username));
  const members = [...new Set(wanted)].filter(({ own_key }) => !own_key).sort(byName);
  const invited = new Set(members.map(({ username }) => username));
  const earlier = keys.invites().filter(({ username }) => invited.has(username));
  const made = await keys.invite([...invited], { lifetimeMs: 1000 * seconds, label: labelOf(course) });
  await Promise.all(earlier.map(({ id }) => keys.withdraw(id)));
  return made.map(({ code, record: { expires_at } }, at) => {
    const { username, name, role, email } = members[at] as StoredMember;
    return { username, name, role, email, url: urlOf(code), expires_at };
  });
}

const COLUMNS = ['name', 'email', 'username', 'role', 'url', 'expires_at'] as const;

/** The sheet as a table for a mail merge. */
export const sheetCsv = (sheet: InvitationSheet): string =>
  spreadsheetOf([COLUMNS, ...sheet.map((row) => COLUMNS.map((column) => row[column]))]);
