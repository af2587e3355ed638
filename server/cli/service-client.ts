import type { Agent } from 'node:https';
import os from 'node:os';
import { type Client, createClient } from '../contract/client/client.ts';
import { ServiceError, UnreachableError } from '../contract/client/failures.ts';
import { handedOn, parseForwardedAddress } from '../contract/client/forwarded-address.ts';
import { type ClientOptions, utf8Header } from '../contract/client/request.ts';
import { sentences } from '../contract/sentences.ts';
import { type BenchFile, type NamedBench, namedBench, readBenchFile } from './bench-file.ts';
import { nodeFetch } from './node-fetch.ts';
import { CommandError, UsageError } from './usage.ts';

const DEFAULT_URL = 'http://127.0.0.1:8000';

/** The address of the service and the caller, from the command line; the environment and the file complete them. */
export interface ServiceOptions {
  url?: string;
  /** Name in the file of named benches. */
  bench?: string;
  key?: string;
  /** Key of the bench that the address reaches through another one. */
  benchKey?: string;
  session?: string;
  fingerprint?: string;
  ca?: string;
  json?: boolean;
  /** An operator's command: it sends the token of the environment, if there is one. */
  operator?: boolean;
}

/** No service answers: exit code 3. */
export class NoServiceError extends CommandError {}

/** @throws UsageError */
export function baseOf(url: string): string {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new UsageError(`--url must be an address such as ${DEFAULT_URL}, not “${url}”.`);
  return url.replace(/\/+$/, '');
}

/** The code of the underlying system error in brackets; empty without one. */
function systemCode({ cause }: UnreachableError): string {
  const beneath: unknown = cause instanceof Error ? (cause.cause ?? cause) : undefined;
  const code: unknown = beneath instanceof Error && 'code' in beneath ? beneath.code : undefined;
  return typeof code === 'string' ? ` (${code})` : '';
}

/** Codes of certificate errors, which get their own remedy. */
const CERTIFICATE_CODES = /SELF_SIGNED|UNABLE_TO_|CERT_|ALTNAME/;

function unreachable(base: string, error: UnreachableError): CommandError {
  // The pinned connection has given the reason already.
  for (let cause: unknown = error.cause; cause instanceof Error; cause = cause.cause)
    if (cause instanceof CommandError) return cause;
  const code = systemCode(error);
  return new NoServiceError(
    CERTIFICATE_CODES.test(code)
      ? `The certificate of ${base} is not trusted${code}. Give --fingerprint with the value from the bench's operator, or --ca with its certificate file.`
      : `No service answers at ${base}${code}. Start one with “wishbench serve”, or name its address with --url or --bench.`,
    { cause: error },
  );
}

/** The bench of a command: by --url, --bench, $WISHBENCH_URL, the default in the file, or this computer's own. */
async function chosenBench({ url, bench }: ServiceOptions): Promise<NamedBench> {
  const { env } = process;
  if (url !== undefined && bench !== undefined) throw new UsageError('Give --url or --bench, not both.');
  const address = url ?? (bench === undefined ? env['WISHBENCH_URL'] || undefined : undefined);
  const file = await readBenchFile();
  if (address !== undefined) {
    const base = baseOf(address);
    // A named bench is also known by its address; a stored key goes to no other.
    const found = Object.values(file.benches).find(({ url }) => url === base);
    return withWay(file, { ...found, url: base });
  }
  const name = bench ?? file.default;
  return name === undefined ? { url: DEFAULT_URL } : withWay(file, namedBench(file, name));
}

/** A bench with the key and certificate of the bench that its address goes through, if that one has a name here. */
function withWay({ benches }: BenchFile, bench: NamedBench): NamedBench {
  const through = parseForwardedAddress(bench.url)?.through;
  const way = Object.values(benches).find(({ url }) => url === through);
  if (!way) return bench;
  const key = bench.key ?? way.key;
  const pinned = bench.fingerprint !== undefined || bench.ca !== undefined ? bench : way;
  return {
    url: bench.url,
    ...(key === undefined ? {} : { key }),
    ...(bench.bench_key === undefined ? {} : { bench_key: bench.bench_key }),
    ...(pinned.fingerprint === undefined ? {} : { fingerprint: pinned.fingerprint }),
    ...(pinned.ca === undefined ? {} : { ca: pinned.ca }),
  };
}

/** Address, headers and connections of requests. */
interface Reached extends ClientOptions {
  base: string;
  /** No key was given: the login name takes its place, as a name. */
  keyless: boolean;
  agent?: Agent;
}

/** Address and headers of requests, from the command line, the environment and the file. */
export async function clientOptions(options: ServiceOptions): Promise<Reached> {
  const { env } = process;
  const bench = await chosenBench(options);
  const fromEnvironment = env['WISHBENCH_KEY'] || env['WISHBENCH_API_KEY'] || undefined;
  // The environment's key is for the environment's bench, not for a named bench with its own key.
  const first = (stored: string | undefined, environment: string | undefined) =>
    options.bench === undefined ? (environment ?? stored) : (stored ?? environment);
  const chosenKey = options.key ?? first(bench.key, fromEnvironment);
  const key = chosenKey ?? os.userInfo().username;
  const session = options.session ?? env['WISHBENCH_SESSION_ID'];
  const token = env['WISHBENCH_OPERATOR_TOKEN'];
  const way = parseForwardedAddress(bench.url);
  if (way === null && options.benchKey !== undefined)
    throw new UsageError(`--bench-key needs an address such as ${DEFAULT_URL}/benches/NAME.`);
  const there =
    options.benchKey ??
    first(bench.bench_key, env['WISHBENCH_BENCH_KEY'] || undefined) ??
    handedOn(key, os.userInfo().username);
  const headers = {
    'x-api-key': utf8Header(key),
    ...(way ? { 'x-bench-key': utf8Header(there) } : {}),
    ...(session ? { [way ? 'x-bench-session' : 'x-session-id']: session } : {}),
    ...(token && options.operator ? { 'x-operator-token': utf8Header(token) } : {}),
  };
  const trust = {
    fingerprint: options.fingerprint ?? bench.fingerprint,
    ca: options.fingerprint === undefined ? (options.ca ?? bench.ca) : undefined,
  };
  const pinned = trust.fingerprint !== undefined || trust.ca !== undefined;
  const agent = pinned ? await (await import('./trust.ts')).trustedAgent(trust) : undefined;
  return {
    base: bench.url,
    keyless: chosenKey === undefined,
    headers: () => headers,
    fetch: nodeFetch(agent),
    ...(agent ? { agent } : {}),
  };
}

/**
 * Runs `work`, which calls the service at `base`.
 * @throws ServiceError after a refusal; CommandError with the remedy, if no service answers
 */
export async function reaching<T>(base: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof UnreachableError ? unreachable(base, error) : error;
  }
}

/** Runs `work` with a client of the chosen service; throws like `reaching`. */
export async function withService<T>(
  options: ServiceOptions,
  work: (client: Client, agent?: Agent) => Promise<T>,
): Promise<T> {
  const reached = await clientOptions(options);
  try {
    return await reaching(reached.base, () => work(createClient(reached), reached.agent));
  } catch (error) {
    const way = parseForwardedAddress(reached.base);
    if (way) throw onTheWay(error, way);
    throw reached.keyless ? withoutKey(error) : error;
  }
}

/** Both benches on the way check a key of their own: the error cannot tell which one refused. */
function onTheWay(error: unknown, { through, name }: { through: string; name: string }): unknown {
  if (!(error instanceof ServiceError) || error.status !== 401) return error;
  const remedy = `--key is your key at ${through}, --bench-key (or $WISHBENCH_BENCH_KEY) your key at “${name}”.`;
  return new ServiceError(error.status, error.code, sentences(error.message, remedy));
}

/** Explains a refused key to a caller without one: the login name was sent as the key. */
function withoutKey(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.code !== 'invalid_api_key') return error;
  const sentence = 'This bench requires an API key.';
  const remedy =
    'Ask its operator for an invitation or a key. Store it with “wishbench login”, or give it with --key or $WISHBENCH_KEY.';
  return new ServiceError(error.status, error.code, `${sentence} ${remedy}`);
}
