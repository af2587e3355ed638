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

/** The commands `login` and `logout`. */
export function declareLogin(line: CommandLine): void {
  line
    .asking(
      'login [URL]',
      'name a bench and store a key for it',
      'wishbench login https://lab:8443 --bench lab --fingerprint 3A:…\ngh auth token | wishbench login --bench lab --exchange\nwishbench login http://lab:8000/#/join/wbi_…',
      login,
    )
    .option('--exchange', 'exchange an identity provider’s token for a key, and store that')
    .addHelpText(
      'after',
      '\nThe command asks for the key, or reads the first line of standard input. An invitation needs no key.\nBehind another bench, http://hall-a:8000/benches/hall-b, it is the key of hall-b; --key is the key of hall-a.\n',
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

/** A secret line: typed without echo on a terminal, or the first line of a pipe. */
async function secret(question: string): Promise<string> {
  const { stdin, stderr } = process;
  if (stdin.isTTY) {
    // First, because the terminal would echo keys typed ahead.
    stdin.setRawMode(true);
    stderr.write(question);
    // Raw mode passes every key on: handle those that end or shorten the line.
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

/**
 * The name of a bench in the file: the given one, the one of its address, the other bench's name for it, or its host.
 */
function nameOf(file: BenchFile, url: string, given: string | undefined): string {
  const known = Object.entries(file.benches).find(([, bench]) => bench.url === url)?.[0];
  return given ?? known ?? parseForwardedAddress(url)?.name ?? new URL(url).hostname;
}

interface LoginOptions extends ServiceOptions {
  exchange?: boolean;
}

/** The kind of secret at `login`; `behind` is the key of a bench behind another one. */
type Given = { kind: 'key' } | { kind: 'behind' } | { kind: 'token' } | { kind: 'invitation'; code: string };

/** The address of a bench, and the code after `#` if it is the link of an invitation. */
function invitationIn(address: string): { address: string; code: string | null } {
  const [, before = '', code] = /^([^#]*)\/#\/join\/([\w-]+)$/.exec(address) ?? [];
  return code === undefined ? { address, code: null } : { address: before, code };
}

/** Gets the key for a secret. @throws ServiceError */
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

/** @throws UsageError if the secret would go through a bench that it is not for */
function whatIsGiven(
  code: string | null,
  exchange: boolean,
  way: ReturnType<typeof parseForwardedAddress>,
): Given {
  if (way && (code !== null || exchange))
    throw new UsageError(
      `Sign in at “${way.name}” itself: a token or an invitation is only for that bench, and must not go through ${way.through}.`,
    );
  if (way) return { kind: 'behind' };
  return code !== null ? { kind: 'invitation', code } : { kind: exchange ? 'token' : 'key' };
}

/** The keys to store; `through` is the key of the bench in between, if there is one. */
const keptKeys = (what: Given, key: string, through: string | undefined): Partial<NamedBench> =>
  what.kind === 'behind' ? { bench_key: key, ...(through === undefined ? {} : { key: through }) } : { key };

/**
 * `login [URL]`: stores the address, certificate and key of a bench, after the service has accepted the key. With
 * --exchange the secret is an identity provider's token, and the service gives a key for it. The link of an invitation
 * gives a key by itself. For an address behind another bench, the key is that of the bench behind.
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
  const keyOption = what.kind === 'behind' ? 'benchKey' : 'key';
  const typed = code ?? options[keyOption] ?? (await secret(questionFor(what, way?.name)));
  if (typed === '')
    throw new CommandError(
      `No key was given: type it, pipe it into the command, or use ${what.kind === 'behind' ? '--bench-key' : '--key'}.`,
    );

  const requestOptions = { ...rest, ...trusted, url: base, [keyOption]: typed };
  const isMinted = what.kind === 'token' || what.kind === 'invitation';
  // They work once: what prevents storing the key shows before the service makes it.
  if (isMinted) await writeBenchFile(file);
  const { fetch } = await clientOptions(requestOptions);
  const reach = { base, ...(fetch ? { fetch } : {}) };
  const key = await reaching(base, () => keyFor(what, typed, createClient(reach)));
  const headers = () => ({ 'x-api-key': utf8Header(key) });
  const { caller } =
    what.kind === 'behind'
      ? await withService(requestOptions, (client) => client.getStatus())
      : await reaching(base, () => createClient({ ...reach, headers }).getStatus());
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

/** `logout`: revokes the key if the service made it at `login`, and removes it from this computer. */
async function logout(options: ServiceOptions & { forget?: boolean }): Promise<number> {
  const file = await readBenchFile();
  const name = options.bench ?? file.default;
  if (name === undefined) throw new CommandError('This computer is not signed in anywhere.');
  const bench = namedBench(file, name);
  if (bench.key === undefined && bench.bench_key === undefined)
    throw new CommandError(`This computer has no key for “${name}”.`);
  if (bench.minted && bench.key !== undefined && !options.forget)
    await withService({ ...options, bench: name, key: bench.key }, async (client) => {
      try {
        await client.revokeOwnKey();
      } catch (error) {
        // A key that is not valid any more needs no revoking.
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
