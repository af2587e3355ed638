import type { Command } from 'commander';
import { type CommandLine, withServiceOptions } from '../command-line.ts';
import type { ServiceOptions } from '../service-client.ts';

/** Who calls, and the benches that have a name. */
export function declareCallers(line: CommandLine): void {
  line.program.commandsGroup('Benches and keys:');
  const load = () => import('../commands/identity.ts');
  line
    .asking(
      'login [URL]',
      'give a bench a name on this computer and store a key for it',
      'wishbench login https://lab:8443 --bench lab --fingerprint 3A:…\ngh auth token | wishbench login --bench lab --exchange\nwishbench login http://lab:8000/#/join/wbi_…',
      async () => (await load()).login,
    )
    .option('--exchange', 'what is given is an identity provider’s token: store the key that it is worth')
    .addHelpText(
      'after',
      '\nThe key is asked for, or is the first line of standard input; the link of an invitation needs none.\nBehind another bench, http://hall-a:8000/benches/hall-b, it is the key of hall-b; --key says who calls hall-a.\n',
    );
  line
    .asking(
      'logout',
      'remove the key of a bench from this computer, and revoke it if “login” got it for a token or an invitation',
      'wishbench logout --bench lab',
      async () => (await load()).logout,
    )
    .option('--forget', 'do not ask the service to revoke it');
  line
    .asking(
      'benches',
      'list the benches that have a name on this computer, or with --all those that the bench knows',
      'wishbench benches\nwishbench benches --all --json | jq .[].idle',
      async () => async (options: ServiceOptions & { all?: boolean }) =>
        options.all
          ? (await import('../commands/benches.ts')).knownBenches(options)
          : (await load()).benches(options),
    )
    .option(
      '--all',
      'the bench itself and every other one that it knows: state, idle nodes, version, address',
    );
  const loadKeys = () => import('../commands/keys.ts');
  const withMintOptions = (command: Command) =>
    command
      .option('--label <TEXT>', 'what it is for, for the list')
      .option('--operator', 'it carries the operator’s right')
      .option('--expires-in <SECONDS>', 'how long it is good; else as the settings say, an invitation a day');
  const keys = line.asking(
    'keys',
    'list the keys of the bench; the operator’s',
    'wishbench keys\nwishbench keys mint ci --label nightly\nwishbench keys revoke KEY',
    async () => (await loadKeys()).keys,
  );
  withMintOptions(
    withServiceOptions(
      line.declare(
        keys,
        'mint <OWNER>',
        'hand out a key; it is printed this once',
        'wishbench keys mint ci --label nightly --expires-in 86400',
        async () => (await loadKeys()).mintKey,
      ),
    ),
  );
  withServiceOptions(
    line.declare(
      keys,
      'revoke <KEY>',
      'revoke a key by its id',
      'wishbench keys revoke 5f0c',
      async () => (await loadKeys()).revokeKey,
    ),
  );
  withMintOptions(
    line.asking(
      'invite <OWNER>',
      'print a link that becomes a key once; the operator’s',
      "wishbench invite course-3 --label 'desk 4'",
      async () => (await loadKeys()).invite,
    ),
  );
  const invites = line.asking(
    'invites',
    'list the invitations that are open; the operator’s',
    'wishbench invites\nwishbench invites withdraw INVITATION',
    async () => (await loadKeys()).invites,
  );
  withServiceOptions(
    line.declare(
      invites,
      'withdraw <INVITATION>',
      'make the link of an invitation worth nothing',
      'wishbench invites withdraw 5f0c',
      async () => (await loadKeys()).withdrawInvite,
    ),
  );
}
