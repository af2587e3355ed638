import { createHash } from 'node:crypto';
import type { Writable } from 'node:stream';
import { Redis } from 'ioredis';
import { toolchainError } from '../../errors/toolchain.ts';
import { BASE } from './keys.ts';
import { SCRIPTS, type ScriptName } from './scripts.ts';

/** Between attempts to reach Redis, ms: from the first to the longest. */
const RETRY_MS = { first: 100, longest: 2000 };

const PROTOCOLS = ['redis:', 'rediss:'];

/** What is wrong with the address of a queue, as a sentence; null where nothing is. */
export function queueProblem(address: string): string | null {
  if (!URL.canParse(address)) return 'This is not a URL.';
  const { protocol, hostname, pathname } = new URL(address);
  if (!PROTOCOLS.includes(protocol)) return 'The address begins with redis:// or rediss:// (TLS).';
  if (hostname === '') return 'The address names no host.';
  if (!/^\/?\d{0,4}$/.test(pathname)) return 'Behind the host there is at most the number of a database.';
  return null;
}

/** The address as it may be shown: without user and password. */
export function shownAddress(address: string): string {
  if (!URL.canParse(address)) return '(not a URL)';
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}

/**
 * A connection that comes back by itself: what is asked meanwhile waits.
 * @param address `redis://[user[:password]@]host[:port][/database]`; `rediss://` for TLS, with a certificate that the
 *   authorities of this computer (or NODE_EXTRA_CA_CERTS) vouch for
 * @throws queue_address
 */
export function connect(address: string, onError: (error: Error) => void): Redis {
  const problem = queueProblem(address);
  if (problem !== null) throw toolchainError('queue_address', { message: problem });
  const client = new Redis(address, {
    maxRetriesPerRequest: null,
    connectTimeout: 5000,
    keepAlive: 10_000,
    // A connection that says nothing any more (a cut cable) is given up and made anew.
    socketTimeout: 20_000,
    retryStrategy: (times) => Math.min(RETRY_MS.first * 2 ** Math.min(times, 10), RETRY_MS.longest),
    // A replica that was a primary, or one that is loading its file, is asked again.
    reconnectOnError: (error) => (/^(READONLY|LOADING)/.test(error.message) ? 2 : false),
  });
  client.on('error', onError);
  client.on('connect', () => gatherWrites(client.stream));
  return client;
}

/**
 * What is written in one turn goes out as one packet. The pipelines of the client do the same, but making each of them
 * costs more than the packets that it saves.
 */
function gatherWrites(socket: Writable): void {
  let corked = false;
  const write = socket.write.bind(socket);
  const gathered = (...args: Parameters<typeof write>) => {
    if (!corked) {
      corked = true;
      socket.cork();
      setImmediate(() => {
        corked = false;
        socket.uncork();
      });
    }
    return write(...args);
  };
  // Writable still: a socket that the other side has ended puts something else there.
  Object.defineProperty(socket, 'write', { value: gathered, writable: true, configurable: true });
}

const sha1 = (text: string) => createHash('sha1').update(text).digest('hex');

const DIGESTS = Object.fromEntries(
  Object.entries(SCRIPTS).map(([name, text]) => [name, sha1(text)]),
) as Record<ScriptName, string>;

/** Runs one of our scripts. Redis forgets them when it ends, and is sent them again then. */
export async function runScript(
  redis: Redis,
  name: ScriptName,
  args: readonly (string | number | Buffer)[],
): Promise<unknown> {
  try {
    return await redis.evalsha(DIGESTS[name], 1, BASE, ...args);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return await redis.eval(SCRIPTS[name], 1, BASE, ...args);
  }
}
