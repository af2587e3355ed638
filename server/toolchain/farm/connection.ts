import { createHash } from 'node:crypto';
import type { Writable } from 'node:stream';
import { Redis } from 'ioredis';
import { toolchainError } from '../../errors/toolchain.ts';
import type { Logger } from '../../log.ts';
import { BASE } from './keys.ts';
import { SCRIPTS, type ScriptName } from './scripts.ts';

/** Pause between attempts to reach Redis, ms; it doubles from `first` to `longest`. */
const RETRY_MS = { first: 100, longest: 2000 };

const PROTOCOLS = ['redis:', 'rediss:'];

/** What is wrong with the address of a queue, as a sentence; null when it is valid. */
export function queueProblem(address: string): string | null {
  if (!URL.canParse(address)) return 'This is not a URL.';
  const { protocol, hostname, pathname } = new URL(address);
  if (!PROTOCOLS.includes(protocol)) return 'The address must begin with redis:// or rediss:// (TLS).';
  if (hostname === '') return 'The address names no host.';
  if (!/^\/?\d{0,4}$/.test(pathname)) return 'Only a database number may follow the host in the address.';
  return null;
}

/** The address without user and password. */
export function shownAddress(address: string): string {
  if (!URL.canParse(address)) return '(not a URL)';
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}

/**
 * Opens a connection that reconnects by itself. Commands wait while it is down.
 * @param address `redis://[user[:password]@]host[:port][/database]`; `rediss://` for TLS, with a certificate of an
 *   authority that this computer trusts (or that NODE_EXTRA_CA_CERTS names)
 * @throws queue_address
 */
export function connect(address: string, onError: (error: Error) => void): Redis {
  const problem = queueProblem(address);
  if (problem !== null) throw toolchainError('queue_address', { message: problem });
  const client = new Redis(address, {
    maxRetriesPerRequest: null,
    connectTimeout: 5000,
    keepAlive: 10_000,
    // A connection without an answer for this long (a cut cable) is opened again.
    socketTimeout: 20_000,
    retryStrategy: (times) => Math.min(RETRY_MS.first * 2 ** Math.min(times, 10), RETRY_MS.longest),
    // A former primary, or a server that still loads its data, is asked again.
    reconnectOnError: (error) => (/^(READONLY|LOADING)/.test(error.message) ? 2 : false),
  });
  client.on('error', onError);
  client.on('connect', () => gatherWrites(client.stream));
  return client;
}

/**
 * Opens a connection for requests and one for news. A failure is logged once.
 * @throws queue_address
 */
export function connectTwice(
  address: string,
  logger: Logger,
  onError: (error: Error) => void = () => {},
): { redis: Redis; news: Redis } {
  let lastError = '';
  const fail = (error: Error) => {
    onError(error);
    // Only the message: the client attaches the command to the error, and the command may have a password.
    if (error.message !== lastError)
      logger.warn(
        { reason: error.message, queue: shownAddress(address) },
        'the connection to the queue of builds has failed',
      );
    lastError = error.message;
  };
  const [redis, news] = [connect(address, fail), connect(address, fail)];
  redis.on('ready', () => {
    lastError = '';
  });
  return { redis, news };
}

/**
 * Sends the writes of one turn of the event loop as one packet. The client's own pipelines do the same, but each
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
  // Writable, because Node assigns another `write` when the other side has ended the socket.
  Object.defineProperty(socket, 'write', { value: gathered, writable: true, configurable: true });
}

const sha1 = (text: string) => createHash('sha1').update(text).digest('hex');

const DIGESTS = Object.fromEntries(
  Object.entries(SCRIPTS).map(([name, text]) => [name, sha1(text)]),
) as Record<ScriptName, string>;

/** Runs a script. Redis forgets scripts when it restarts; then the text is sent again. */
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
