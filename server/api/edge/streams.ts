import type { ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { BenchError } from '../../errors/bench-error.ts';
import type { ApiContext } from '../context.ts';
import type { Caller } from './caller.ts';
import {
  acceptsGzip,
  compressor,
  compressWhole,
  ENCODER_BYTES,
  isWorthCompressing,
  SMALLEST,
} from './compression.ts';
import type { OpenResponseKind } from './open-responses.ts';
import { PIECE } from './outgoing.ts';

/** A signal that fires when the answer was sent, or when the caller disconnects earlier. */
export function callerGone(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => controller.abort());
  return controller.signal;
}

/**
 * Runs long work under the rights of a caller. The signal fires when the caller disconnects, or when `check` throws
 * because the rights have ended.
 * @throws BenchError that `check` threw; too_many_open, too_many_streams.
 */
export async function whileAllowed<T>(
  { underway }: ApiContext,
  kind: OpenResponseKind,
  { caller, reply, check }: { caller: Caller; reply: FastifyReply; check: () => void },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  let refusal: BenchError | null = null;
  const end = (reason: BenchError) => {
    refusal = reason;
    controller.abort();
  };
  const done = underway.begin(kind, { caller, check, end });
  const gone = () => controller.abort();
  reply.raw.once('close', gone);
  try {
    const result = await work(controller.signal);
    if (refusal) throw refusal;
    return result;
  } finally {
    done();
    reply.raw.off('close', gone);
  }
}

/** The headers set so far, for an answer that is written by hand. */
export const headersOf = (reply: FastifyReply): Record<string, string> =>
  Object.fromEntries(Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]));

/** Streams bytes from memory in pieces, as they are read. */
class Pieces extends Readable {
  #rest: Buffer;

  constructor(bytes: Buffer) {
    super({ highWaterMark: PIECE });
    this.#rest = bytes;
  }

  override _read(): void {
    const piece = this.#rest.subarray(0, PIECE);
    this.#rest = this.#rest.subarray(PIECE);
    this.push(piece.length > 0 ? piece : null);
  }
}

/** True where the caller accepts gzip, the body is worth compressing, and the contract allows it. */
function isCompressed(request: FastifyRequest, reply: FastifyReply, bytes: number | null): boolean {
  if (
    request.routeOptions.config.uncompressed ||
    reply.statusCode !== 200 ||
    reply.hasHeader('content-encoding')
  )
    return false;
  if (!isWorthCompressing(reply.getHeader('content-type'), bytes)) return false;
  varyBy(reply, 'accept-encoding');
  return acceptsGzip(request.headers['accept-encoding']);
}

/** Adds a header to Vary. */
function varyBy(reply: FastifyReply, header: string): void {
  const before = reply.getHeader('vary');
  const names = before === undefined ? [] : String(before).split(/\s*,\s*/);
  if (!names.includes(header)) reply.header('vary', [...names, header].join(', '));
}

/** Sends a streamed body when there is memory for it, compressed where that pays. */
async function sendReadable(
  { outgoing }: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  body: Readable,
): Promise<Readable> {
  const known = reply.getHeader('content-length');
  const compressed = isCompressed(request, reply, known === undefined ? null : Number(known));
  try {
    // Memory for the read-ahead, a piece in flight, and an encoder.
    if (!outgoing.isReserved(reply.raw))
      await outgoing.reserve(
        reply.raw,
        request.caller,
        body.readableHighWaterMark + PIECE + (compressed ? ENCODER_BYTES : 0),
      );
  } catch (error) {
    body.destroy();
    throw error;
  }
  if (!compressed) return body;
  reply.removeHeader('content-length');
  reply.header('content-encoding', 'gzip');
  const encoder = compressor();
  // An error on either side ends the other; Fastify sees it on the encoder.
  pipeline(body, encoder, () => {});
  return encoder;
}

/** Sends a text from memory, compressed where that pays, and in pieces where it is large. */
async function sendText(
  { outgoing }: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: string | Buffer,
): Promise<string | Buffer | Readable> {
  const length = Buffer.byteLength(payload);
  if (length > PIECE) await outgoing.reserve(reply.raw, request.caller, length);
  let body = payload;
  if (isCompressed(request, reply, length)) {
    body = await compressWhole(payload);
    reply.header('content-encoding', 'gzip');
    // The text itself is not held beyond this point.
    if (length > PIECE) await outgoing.reserve(reply.raw, request.caller, body.length);
  }
  if (Buffer.byteLength(body) <= PIECE) {
    // A handler may have set the length of the text.
    if (body !== payload) reply.header('content-length', body.length);
    return body;
  }
  reply.header('content-length', Buffer.byteLength(body));
  return new Pieces(Buffer.isBuffer(body) ? body : Buffer.from(body));
}

/** Sends every large body in pieces, when there is memory for it, compressed where that pays; see Outgoing. */
export function sendInPieces(app: FastifyInstance, context: ApiContext): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const text = typeof payload === 'string' || Buffer.isBuffer(payload);
    if (request.method === 'HEAD' || !(text || payload instanceof Readable)) return done(null, payload);
    // Too short to compress: send it at once.
    if (text && Buffer.byteLength(payload) < SMALLEST) return done(null, payload);
    const sent = text
      ? sendText(context, request, reply, payload)
      : sendReadable(context, request, reply, payload);
    sent.then((body) => done(null, body), done);
  });
}

/** Resolves when the response accepts more data, or is closed. */
const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });

/**
 * Sends chunks as they come, the head at once, at the speed of the reader. An error or the signal ends the connection,
 * so that the caller can't take a part for the whole.
 */
export async function sendStream(
  reply: FastifyReply,
  headers: Record<string, string>,
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const response = reply.raw;
  const all = { ...headersOf(reply), ...headers };
  reply.hijack();
  response.writeHead(200, all);
  response.flushHeaders();
  signal.addEventListener('abort', () => response.destroy(), { once: true });
  try {
    for await (const chunk of chunks) {
      if (response.destroyed) return;
      if (!response.write(chunk)) await drained(response);
    }
    response.end();
  } catch (error) {
    reply.log.debug({ err: error }, 'stream ended early');
    response.destroy();
  }
}
