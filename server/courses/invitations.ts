import type { InvitationSheet } from '../contract/courses/courses.ts';
import { spreadsheetOf } from '../contract/csv.ts';
import type { ApiKeys } from '../identity/keys.ts';
import type { StoredMember } from './records.ts';

/**
 * Makes a link for each of these members; their earlier links end. All get one, or none.
 * @param urlOf the page of the bench that redeems a code
 * @throws too_many_keys, store_unavailable.
 */
export async function inviteMembers(
  keys: ApiKeys,
  members: readonly StoredMember[],
  lifetimeMs: number,
  label: string,
  urlOf: (code: string) => string,
): Promise<InvitationSheet> {
  const usernames = members.map(({ username }) => username);
  const earlier = keys.invites().filter(({ username }) => usernames.includes(username));
  const made = await keys.invite(usernames, { lifetimeMs, label });
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
