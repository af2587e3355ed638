import type { InvitationSheet } from '../contract/courses/courses.ts';
import type { ApiKeys } from '../identity/keys.ts';
import { csvTable } from './csv-table.ts';
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
  const usernames = new Set(members.map(({ username }) => username));
  const earlier = keys.invites().filter(({ username }) => usernames.has(username));
  const made = await Promise.allSettled(
    members.map(({ username }) => keys.invite(username, { lifetimeMs, label })),
  );
  const failed = made.find((one) => one.status === 'rejected');
  const done = made.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const ended = failed ? done.map(({ record }) => record) : earlier;
  await Promise.all(ended.map(({ id }) => keys.withdraw(id)));
  if (failed) throw failed.reason;
  return members.flatMap(({ username, name, role, email }, at) => {
    const invitation = done[at];
    if (!invitation) return [];
    const { code, record } = invitation;
    return [{ username, name, role, email, url: urlOf(code), expires_at: record.expires_at }];
  });
}

/** The sheet as a table for a mail merge. */
export const sheetCsv = (sheet: InvitationSheet): string =>
  csvTable([
    ['name', 'email', 'username', 'role', 'url', 'expires_at'],
    ...sheet.map(({ name, email, username, role, url, expires_at }) => [
      name,
      email ?? '',
      username,
      role,
      url,
      expires_at,
    ]),
  ]);

/**
 * Revokes the keys and invitations of users for whom the course made them.
 * @throws revocation_not_kept.
 */
export async function revokeKeysOf(keys: ApiKeys, usernames: ReadonlySet<string>): Promise<void> {
  await Promise.all([
    ...keys.list().flatMap(({ id, username }) => (usernames.has(username) ? [keys.revoke(id)] : [])),
    ...keys.invites().flatMap(({ id, username }) => (usernames.has(username) ? [keys.withdraw(id)] : [])),
  ]);
}
