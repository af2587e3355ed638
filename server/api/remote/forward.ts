import type { IncomingMessage } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { connectionErrorOf } from '../../benches/connection-errors.ts';
import { FORWARDED_BY } from '../../benches/remote-bench.ts';
import type { WatchedBench } from '../../benches/watched-bench.ts';
import { ENDPOINTS } from '../../contract/endpoints.ts';
import { CREDENTIAL_PROTOCOLS } from '../../contract/stream/stream-protocol.ts';
import { BenchError } from '../../errors/bench-error.ts';
import { benchesError } from '../../errors/benches.ts';
import type { ApiContext } from '../context.ts';
import { addressPattern } from '../edge/addresses.ts';
import { type Caller, requireStillAdmitted } from '../edge/caller.ts';
import type { OpenResponseKind } from '../edge/open-responses.ts';
import { headersOf, sendStream, whileAllowed } from '../edge/streams.ts';
import { upgradeOf } from '../edge/upgrades.ts';

/** Time limit for an answer, ms: a bench delays an answer by a minute at most. */
const ANSWER_MS = 75_000;
/** A stream sends something every 15 s; three times that without data means a dead connection, ms. */
const SILENCE_MS = 45_000;

/** Types that a browser shows or a program reads, and never executes. */
const SHOWN = new Set(['application/json', 'text/plain', 'text/event-stream']);
/** File types, which are saved and never shown. */
const SAVED = new Set([
  'application/octet-stream',
  'application/zip',
  'application/xml',
  'text/xml',
  'text/csv',
  'text/markdown',
]);

/** The forwarded routes of the contract: no pages, and not the other bench's own remote benches. */
const ROUTES = Object.entries(ENDPOINTS)
  .filter(([id]) => id !== 'listBenches')
  .map(([, { method, path, answer }]) => ({
    method: method as string,
    answer,
    address: new RegExp(`^${addressPattern(path)}$`),
  }));

/** The route of a forwarded request; null for one that is not forwarded. */
export function routeOf(method: string, path: string): (typeof ROUTES)[number] | null {
  const [address = ''] = path.split('?');
  // A segment `.` or `..`, in any spelling, is in none of our paths.
  if (/(^|\/)(\.|%2e){1,2}(\/|$)/i.test(address) || address.includes('\\')) return null;
  const asked = method === 'HEAD' ? 'GET' : method;
  return ROUTES.find((route) => route.method === asked && route.address.test(address)) ?? null;
}

const one = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : value?.[0];

/** Credentials for the other bench: those sent for it explicitly, and never the caller's own. */
function credentials({ headers }: FastifyRequest): Record<string, string> {
  const key = one(headers['x-bench-key']);
  const session = one(headers['x-bench-session']);
  return {
    ...(key === undefined ? {} : { 'x-api-key': key }),
    ...(session === undefined ? {} : { 'x-session-id': session }),
  };
}

const isPrefixed = (protocol: string): boolean =>
  Object.values(CREDENTIAL_PROTOCOLS).some((prefix) => protocol.startsWith(prefix));

/** A forwarded request. */
interface HandedOn {
  bench: WatchedBench;
  /** Path and query there. */
  path: string;
  /** Credentials there. */
  headers: Record<string, string>;
  caller: Caller;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** The answer to a request, or its error. */
async function answerFrom(
  context: ApiContext,
  { bench, path, headers: who, request }: HandedOn,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { accept, 'content-type': type, 'content-length': length } = request.headers;
  const headers = {
    accept: accept ?? '*/*',
    ...(type === undefined ? {} : { 'content-type': type }),
    ...(length === undefined ? {} : { 'content-length': length }),
    ...who,
    [FORWARDED_BY]: context.benches.id,
  };
  return await new Promise((resolve, reject) => {
    const asked = bench.far.begin({ method: request.method, path, headers, signal });
    asked.setTimeout(ANSWER_MS, () => asked.destroy(new Error('It did not answer in time.')));
    asked.once('error', reject);
    asked.once('upgrade', (_answer, socket) => {
      socket.destroy();
      reject(benchesError('bench_answer_refused'));
    });
    asked.once('response', resolve);
    if (request.body instanceof Readable)
      pipeline(request.body, asked, (error) => {
        if (error) reject(error);
      });
    else asked.end();
  });
}

/** Copies the safe part of an answer: a type that is never executed, and no headers about access rights. */
function takeHead(answer: IncomingMessage, reply: FastifyReply): void {
  const status = answer.statusCode ?? 0;
  const type = answer.headers['content-type'];
  const media = type?.split(';')[0]?.trim().toLowerCase();
  const plausible = status >= 200 && status < 600 && (status < 300 || status >= 400);
  if (!plausible || (media !== undefined && !SHOWN.has(media) && !SAVED.has(media))) {
    answer.destroy();
    throw benchesError('bench_answer_refused');
  }
  reply.code(status).header('cache-control', 'no-store');
  for (const name of ['content-type', 'retry-after', 'x-job-id'] as const) {
    const value = one(answer.headers[name]);
    if (value !== undefined) reply.header(name, value);
  }
  const length = answer.headers['content-length'];
  if (length !== undefined && /^\d{1,15}$/.test(length)) reply.header('content-length', length);
  const disposition = one(answer.headers['content-disposition']);
  if (media !== undefined && SAVED.has(media))
    reply.header(
      'content-disposition',
      /^attachment\b/i.test(disposition ?? '') ? disposition : 'attachment',
    );
  else if (disposition !== undefined) reply.header('content-disposition', disposition);
}

/** The error for a missing answer. */
function reasonOf(error: unknown, bench: WatchedBench): BenchError {
  if (!(error instanceof BenchError)) bench.lookNow();
  return connectionErrorOf(error, bench.known);
}

/**
 * Forwards a request to another bench and streams its answer back. It ends when the caller disconnects or loses its
 * rights here, and when the other bench is dead.
 * @throws bench_dead, bench_answer_refused, too_many_open, too_many_streams
 */
export async function handOn(context: ApiContext, handed: HandedOn): Promise<FastifyReply> {
  const { bench, path, request, caller, reply } = handed;
  const streams = routeOf(request.method, path)?.answer === 'events' || /[?&]follow=(1|true)\b/.test(path);
  const kind: OpenResponseKind = streams ? 'stream' : 'wait';
  const check = () => requireStillAdmitted(context, caller, 'key');
  return await whileAllowed(context, kind, { caller, reply, check }, async (allowed) => {
    const signal = AbortSignal.any([allowed, bench.life]);
    let answer: IncomingMessage;
    try {
      answer = await answerFrom(context, handed, signal);
      takeHead(answer, reply);
    } catch (error) {
      throw reasonOf(error, bench);
    }
    if (streams && answer.statusCode === 200) {
      answer.setTimeout(SILENCE_MS, () => answer.destroy());
      await sendStream(reply, { 'x-accel-buffering': 'no' }, answer, signal);
      return reply;
    }
    // Fastify sends it and handles HEAD, compression and the limits on answers.
    void reply.send(answer);
    await new Promise<void>((resolve) => {
      if (reply.raw.closed || reply.raw.writableFinished) resolve();
      reply.raw.once('close', resolve).once('finish', resolve);
    });
    answer.destroy();
    return reply;
  });
}

/** Connects the caller's WebSocket with one of the other bench and copies the bytes. */
async function handOnSocket(context: ApiContext, handed: HandedOn): Promise<FastifyReply> {
  const { bench, path, headers: who, request, caller, reply } = handed;
  const upgrade = upgradeOf(request.raw);
  if (!upgrade) throw benchesError('bench_route_unknown');
  const { headers } = request;
  const protocols = (headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '' && !isPrefixed(each));
  const check = () => requireStillAdmitted(context, caller, 'key');
  return await whileAllowed(context, 'stream', { caller, reply, check }, async (allowed) => {
    const signal = AbortSignal.any([allowed, bench.life]);
    const asked = bench.far.begin({
      method: 'GET',
      path,
      signal,
      headers: {
        ...who,
        [FORWARDED_BY]: context.benches.id,
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-key': headers['sec-websocket-key'] ?? '',
        'sec-websocket-version': headers['sec-websocket-version'] ?? '',
        ...(protocols.length === 0 ? {} : { 'sec-websocket-protocol': protocols.join(', ') }),
      },
    });
    asked.setTimeout(ANSWER_MS, () => asked.destroy(new Error('It did not answer in time.')));
    const far = await new Promise<{
      answer: IncomingMessage;
      socket: import('node:net').Socket | null;
      head: Buffer;
    }>((resolve, reject) => {
      asked.once('error', reject);
      asked.once('response', (answer) => resolve({ answer, socket: null, head: Buffer.alloc(0) }));
      asked.once('upgrade', (answer, socket, head) =>
        resolve({ answer, socket: socket as import('node:net').Socket, head }),
      );
      asked.end();
    }).catch((error: unknown) => {
      throw reasonOf(error, bench);
    });
    if (far.socket === null) {
      takeHead(far.answer, reply);
      return reply.send(far.answer);
    }
    const accept = one(far.answer.headers['sec-websocket-accept']);
    const protocol = one(far.answer.headers['sec-websocket-protocol']);
    if (accept === undefined || (protocol !== undefined && !protocols.includes(protocol))) {
      far.socket.destroy();
      throw benchesError('bench_answer_refused');
    }
    const { socket, head, response } = upgrade;
    const all = {
      ...headersOf(reply),
      upgrade: 'websocket',
      connection: 'Upgrade',
      'sec-websocket-accept': accept,
      ...(protocol === undefined ? {} : { 'sec-websocket-protocol': protocol }),
    };
    reply.hijack();
    response.detachSocket(socket);
    far.socket.setTimeout(0);
    socket.setTimeout(0).setNoDelay(true);
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`);
    if (far.head.length > 0) socket.write(far.head);
    if (head.length > 0) far.socket.write(head);
    const there = far.socket;
    await new Promise<void>((resolve) => {
      const end = () => {
        socket.destroy();
        there.destroy();
        resolve();
      };
      signal.addEventListener('abort', end, { once: true });
      pipeline(socket, there, end);
      pipeline(there, socket, end);
    });
    return reply;
  });
}

/** Every route of a known bench, below /benches/{name}. */
export function forwardRoutes(app: FastifyInstance, context: ApiContext): void {
  app.route({
    method: ['GET', 'POST', 'PUT', 'DELETE'],
    url: '/benches/:bench/*',
    schema: { hide: true },
    config: { access: 'key', takes: 'stream' },
    async handler(request, reply) {
      const { bench: name } = request.params as { bench: string };
      // Forward only once: benches in a circle would forward for ever.
      if (request.headers[FORWARDED_BY] !== undefined) throw benchesError('bench_route_unknown');
      const path = (request.raw.url ?? '').replace(/^\/benches\/[^/?]*/, '');
      const route = routeOf(request.method, path);
      if (route === null) throw benchesError('bench_route_unknown');
      const bench = context.benches.get(name, true);
      const { caller } = request;
      const handed = { bench, path, headers: credentials(request), caller, request, reply };
      return await (route.answer === 'upgrade' ? handOnSocket(context, handed) : handOn(context, handed));
    },
  });
}
