import { createInterface } from 'node:readline';
import { type Client, createClient } from '../../contract/client/client.ts';
import { ServiceError } from '../../contract/client/failures.ts';
import { parseForwardedAddress } from '../../contract/client/forwarded-address.ts';
import { utf8Header } from '../../contract/client/request.ts';
import { type BenchFile, type NamedBench, namedBench, readBenchFile, writeBenchFile } from '../bench-file.ts';
import type { CommandLine } from '../command-line.ts';
import { printJson, printNotice } from '../output.ts';
import { baseOf, clientOptions, reaching, type ServiceOptions, withService } from '../service-client.ts';
import { CommandError, EXIT, UsageError } from '../usage.ts';

/** Who calls. */
export function declareLogin(line: CommandLine): void {
  line
    .asking(
      'login [URL]',
      'name a bench and store a key for it',
      'wishbench login https://lab:8443 --bench lab --fingerprint 3A:…\ngh auth token | wishbench login --bench lab --exchange\nwishbench login http://lab:8000/#/join/wbi_…',
      login,
    )
    .option('--exchange', 'what is given is an identity provider’s token: store the key that it is worth')
    .addHelpText(
      'after',
      '\nThe key is asked for, or is the first line of standard input; the link of an invitation needs none.\nBehind another bench, http://hall-a:8000/benches/hall-b, it is the key of hall-b; --key says who calls hall-a.\n',
    );
  line
    .asking(
      'logout',
      'remove a stored key, and revoke it if “login” created it',
      'wishbench logout --bench lab',
      logout,
    )
    .option('--forget', 'do not ask the service to revoke it');
}

/** One line that must not be seen: typed without an echo on a terminal, or the first line of a pipe. */
async function secret(question: string): Promise<string> {
  const { stdin, stderr } = process;
  if (stdin.isTTY) {
    // First, so that nothing of what is typed ahead is shown.
    stdin.setRawMode(true);
    stderr.write(question);
    // Raw mode hands every key on as it is; those that end or shorten a line are ours to mind.
    let line = '';
    try {
      for await (const chunk of stdin.setEncoding('utf8'))
        for (const key of String(chunk)) {
          if (key === '\r' || key === '\n') return line;
          if (key === '\u0003') throw new CommandError('Nothing was stored.');
          line = key === '\u007f' || key === '\b' ? line.slice(0, -1) : line + key;
        }
      return line;
    } finally {
      stdin.setRawMode(false);
      stderr.write('\n');
    }
  }
  for await (const line of createInterface({ input: stdin })) return line.trim();
  return '';
}

/** The name of a bench in the file: the one that is given, the one of that address, else what another bench calls it, else its host. */
function nameOf(file: BenchFile, url: string, given: string | undefined): string {
  const known = Object.entries(file.benches).find(([, bench]) => bench.url === url)?.[0];
  return given ?? known ?? parseForwardedAddress(url)?.name ?? new URL(url).hostname;
}

interface LoginOptions extends ServiceOptions {
  exchange?: boolean;
}

/** What is given at `login`, and what makes a key of it; `behind` is the key of a bench behind another one. */
type Given = { kind: 'key' } | { kind: 'behind' } | { kind: 'token' } | { kind: 'invitation'; code: string };

/** The address of a bench, and the code behind the `#` where it is the link of an invitation. */
function invitationIn(address: string): { address: string; code: string | null } {
  const [, before = '', code] = /^([^#]*)\/#\/join\/([\w-]+)$/.exec(address) ?? [];
  return code === undefined ? { address, code: null } : { address: before, code };
}

/** The key that what was given is worth. @throws ServiceError */
async function keyFor(given: Given, typed: string, client: Client): Promise<string> {
  switch (given.kind) {
    case 'key':
    case 'behind':
      return typed;
    case 'token':
      return (await client.exchangeToken({ body: { provider_token: typed } })).api_key;
    case 'invitation':
      return (await client.redeemInvite({ body: { code: given.code } })).api_key;
  }
}

function questionFor({ kind }: Given, behind: string | undefined): string {
  if (kind === 'token') return 'Token of the identity provider: ';
  return kind === 'behind' ? `API key for “${behind}”: ` : 'API key: ';
}

/** @throws UsageError where what makes a key would go through a bench that it is not for */
function whatIsGiven(
  code: string | null,
  exchange: boolean,
  way: ReturnType<typeof parseForwardedAddress>,
): Given {
  if (way && (code !== null || exchange))
    throw new UsageError(
      `Sign in at “${way.name}” itself: a token or an invitation is for that bench alone, and would go through ${way.through}.`,
    );
  if (way) return { kind: 'behind' };
  return code !== null ? { kind: 'invitation', code } : { kind: exchange ? 'token' : 'key' };
}

/** What the file keeps of the keys; `through` is who calls the bench in between, where that was said. */
const keptKeys = (what: Given, key: string, through: string | undefined): Partial<NamedBench> =>
  what.kind === 'behind' ? { bench_key: key, ...(through === undefined ? {} : { key: through }) } : { key };

/**
 * `login [URL]`: stores where a bench is, how its certificate is known and the key of this user, after the service has
 * taken the key. With --exchange the line is an identity provider's token, and the key is what the service gives for it;
 * the link of an invitation is worth a key by itself. Of an address behind another bench it is the key of the bench behind.
 */
async function login(url: string | undefined, options: LoginOptions): Promise<number> {
  const file = await readBenchFile();
  const { bench: given, ...rest } = options;
  const where = url ?? options.url ?? (given === undefined ? undefined : namedBench(file, given).url);
  if (where === undefined) throw new UsageError('URL is missing; --help has the usage.');
  const { address, code } = invitationIn(where);
  if (code !== null && options.exchange)
    throw new UsageError('Give the link of an invitation or --exchange, not both.');
  const base = baseOf(address);
  const way = parseForwardedAddress(base);
  const what = whatIsGiven(code, options.exchange === true, way);
  const name = nameOf(file, base, given);
  const known = file.benches[name];
  const trust = {
    fingerprint: options.fingerprint ?? (options.ca === undefined ? known?.fingerprint : undefined),
    ca: options.ca ?? (options.fingerprint === undefined ? known?.ca : undefined),
  };
  const trusted = {
    ...(trust.fingerprint === undefined ? {} : { fingerprint: trust.fingerprint }),
    ...(trust.ca === undefined ? {} : { ca: trust.ca }),
  };
  const said = what.kind === 'behind' ? 'benchKey' : 'key';
  const typed = code ?? options[said] ?? (await secret(questionFor(what, way?.name)));
  if (typed === '')
    throw new CommandError(
      `No key was given: type it, pipe it into the command, or use ${what.kind === 'behind' ? '--bench-key' : '--key'}.`,
    );

  const asked = { ...rest, ...trusted, url: base, [said]: typed };
  const { fetch } = await clientOptions(asked);
  const reach = { base, ...(fetch ? { fetch } : {}) };
  const key = await reaching(base, () => keyFor(what, typed, createClient(reach)));
  const headers = () => ({ 'x-api-key': utf8Header(key) });
  const { caller } =
    what.kind === 'behind'
      ? await withService(asked, (client) => client.getStatus())
      : await reaching(base, () => createClient({ ...reach, headers }).getStatus());
  const isMinted = what.kind === 'token' || what.kind === 'invitation';
  const minted = isMinted || (known?.key === key && known.minted);
  file.benches[name] = {
    url: base,
    ...keptKeys(what, key, options.key ?? (known?.url === base ? known.key : undefined)),
    ...(minted ? { minted: true } : {}),
    ...trusted,
  };
  file.default ??= name;
  await writeBenchFile(file);
  if (options.json) printJson({ bench: name, url: base, owner: caller.owner, key: caller.key });
  else printNotice(`Signed in at ${base} as ${caller.owner}. This bench is called “${name}”.`);
  return EXIT.done;
}

/** `logout`: revokes the key if the service minted it at `login`, and removes it from this computer. */
async function logout(options: ServiceOptions & { forget?: boolean }): Promise<number> {
  const file = await readBenchFile();
  const name = options.bench ?? file.default;
  if (name === undefined) throw new CommandError('This computer is signed in nowhere.');
  const bench = namedBench(file, name);
  if (bench.key === undefined && bench.bench_key === undefined)
    throw new CommandError(`There is no key for “${name}” on this computer.`);
  if (bench.minted && bench.key !== undefined && !options.forget)
    await withService({ ...options, bench: name, key: bench.key }, async (client) => {
      try {
        await client.revokeOwnKey();
      } catch (error) {
        // A key that is no key any more needs no revoking.
        if (!(error instanceof ServiceError) || error.status !== 401) throw error;
      }
    });
  const { key: _key, bench_key: _benchKey, minted: _minted, ...left } = bench;
  file.benches[name] = left;
  await writeBenchFile(file);
  if (options.json) printJson({ bench: name, revoked: bench.minted === true && !options.forget });
  else
    printNotice(`Signed out of “${name}”${bench.minted && !options.forget ? '; the key is revoked' : ''}.`);
  return EXIT.done;
}
