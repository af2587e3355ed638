import type { Command } from 'commander';
import type { InviteView, KeyView } from '../../contract/identity/identity.ts';
import type { CommandLine } from '../command-line.ts';
import { print, printJson, printNotice } from '../output.ts';
import { type ServiceOptions, withService } from '../service-client.ts';
import { MIN_TIME_LENGTH, type ShrinkingColumn, table } from '../table.ts';
import { EXIT, numberOf } from '../usage.ts';

/** The commands for keys and invitations. */
export function declareKeys(line: CommandLine): void {
  const withMintOptions = (command: Command) =>
    command
      .option('--label <TEXT>', 'purpose, for the list')
      .option('--operator', 'with the operator’s right')
      .option('--expires-in <SECONDS>', 'lifetime; by default from the settings, for an invitation a day');
  const list = line.asking(
    'keys',
    'list the API keys (operator)',
    'wishbench keys\nwishbench keys mint ci --label nightly\nwishbench keys revoke KEY',
    keys,
  );
  withMintOptions(
    line.asking(
      'mint <OWNER>',
      'create a key and print it once',
      'wishbench keys mint ci --label nightly --expires-in 86400',
      mintKey,
      list,
    ),
  );
  line.asking('revoke <KEY>', 'revoke a key by its id', 'wishbench keys revoke 5f0c', revokeKey, list);
  withMintOptions(
    line.asking(
      'invite <OWNER>',
      'print a sign-in link that works once (operator)',
      "wishbench invite course-3 --label 'desk 4'",
      invite,
    ),
  );
  const open = line.asking(
    'invites',
    'list open invitations (operator)',
    'wishbench invites\nwishbench invites withdraw INVITATION',
    invites,
  );
  line.asking(
    'withdraw <INVITATION>',
    'withdraw an invitation',
    'wishbench invites withdraw 5f0c',
    withdrawInvite,
    open,
  );
}

/** Maximum lifetime of a key: ten years, in seconds. */
const MAX_LIFETIME_S = 3650 * 86_400;

interface MintOptions extends Omit<ServiceOptions, 'operator'> {
  label?: string;
  /** The key has the operator's right. */
  operator?: boolean;
  expiresIn?: string;
}

/** The owner and lifetime of a new key, for the service. @throws UsageError */
const requestOf = (owner: string, { label, operator, expiresIn }: MintOptions) => ({
  owner,
  ...(label === undefined ? {} : { label }),
  ...(operator ? { operator } : {}),
  ...(expiresIn === undefined ? {} : { expires_in_s: numberOf(expiresIn, '--expires-in', MAX_LIFETIME_S) }),
});

const rights = ({ operator, label }: Pick<KeyView, 'operator' | 'label'>): string[] => [
  operator ? 'operator' : '',
  label ?? '',
];

const KEYS_GIVE: readonly ShrinkingColumn[] = [
  // “made ”, “used ” and “until ” before a time.
  { column: 2, least: 5 + MIN_TIME_LENGTH },
  { column: 3, least: 5 + MIN_TIME_LENGTH },
  { column: 6, least: 8 },
  { column: 4, least: 6 + MIN_TIME_LENGTH },
  { column: 1, least: 8 },
];

const INVITES_GIVE: readonly ShrinkingColumn[] = [
  { column: 4, least: 8 },
  { column: 2, least: 6 + MIN_TIME_LENGTH },
  { column: 1, least: 8 },
];

/** `keys`: all keys of the bench; only for the operator. */
async function keys(options: ServiceOptions): Promise<number> {
  const list = await withService({ ...options, operator: true }, (client) => client.listKeys());
  const row = (key: KeyView) => [
    key.id,
    key.username,
    `made ${key.created_at}`,
    `used ${key.last_used_at ?? 'never'}`,
    `until ${key.expires_at ?? 'revoked'}`,
    ...rights(key),
  ];
  if (options.json) printJson(list);
  else process.stdout.write(table(list.map(row), KEYS_GIVE));
  return EXIT.done;
}

/** `keys mint OWNER`: makes a key and prints it once; only for the operator. */
async function mintKey(owner: string, options: MintOptions): Promise<number> {
  const body = requestOf(owner, options);
  const made = await withService({ ...options, operator: true }, (client) => client.mintKey({ body }));
  if (options.json) printJson(made);
  else {
    print(made.api_key);
    printNotice(`The key of ${made.owner}. Copy it now; it won’t be shown again. Its id is ${made.key.id}.`);
  }
  return EXIT.done;
}

/** `keys revoke KEY`: revokes a key by its id; only for the operator. */
async function revokeKey(key_id: string, options: ServiceOptions): Promise<number> {
  await withService({ ...options, operator: true }, (client) => client.revokeKey({ key_id }));
  if (options.json) printJson({ id: key_id, revoked: true });
  return EXIT.done;
}

/** `invite OWNER`: makes a link that gives a key once; only for the operator. */
async function invite(owner: string, options: MintOptions): Promise<number> {
  const body = requestOf(owner, options);
  const made = await withService({ ...options, operator: true }, (client) => client.createInvite({ body }));
  if (options.json) printJson(made);
  else {
    print(made.url);
    printNotice(`It works once, until ${made.expires_at}: in a browser, or with “wishbench login LINK”.`);
  }
  return EXIT.done;
}

/** `invites`: the open invitations; only for the operator. */
async function invites(options: ServiceOptions): Promise<number> {
  const list = await withService({ ...options, operator: true }, (client) => client.listInvites());
  const row = (one: InviteView) => [one.id, one.username, `until ${one.expires_at}`, ...rights(one)];
  if (options.json) printJson(list);
  else process.stdout.write(table(list.map(row), INVITES_GIVE));
  return EXIT.done;
}

/** `invites withdraw INVITATION`: revokes an invitation; only for the operator. */
async function withdrawInvite(invite_id: string, options: ServiceOptions): Promise<number> {
  await withService({ ...options, operator: true }, (client) => client.withdrawInvite({ invite_id }));
  if (options.json) printJson({ id: invite_id, withdrawn: true });
  return EXIT.done;
}
