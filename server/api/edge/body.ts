import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../../clock.ts';
import { apiError } from '../../errors/api.ts';
import { FORM_OVERHEAD, parseForm } from './form.ts';
import { parseRequestJson } from './json.ts';
import { TextBody } from './text-body.ts';
import { validationError } from './validation.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Bytes that the body may have. */
    bodyBytes?: () => number;
    /** What the body is: JSON, a form with a file, nothing that matters, of a request that is refused, or handed on as it comes. */
    takes?: 'json' | 'form' | 'nothing' | 'refused' | 'stream';
    /** Media types of texts that it may be instead of JSON. */
    orText?: readonly string[];
    /** Whether JSON is handed over as its text, too: by the query as it was sent. */
    asText?: (query: unknown) => boolean;
  }
}

/** A client that is refused in the middle of its body reads the answer only after it has sent on for a while. */
const MAX_DRAIN = 64 << 20;
const DRAIN_MS = 5_000;

const megabytes = (bytes: number): string =>
  bytes >= 1 << 20 ? `${+(bytes / (1 << 20)).toFixed(1)} MiB` : `${+(bytes / 1024).toFixed(1)} KiB`;

/** Reads on and throws away, so that the client gets to the answer, within bounds of bytes and time. */
function drain(stream: IncomingMessage, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const cancel = clock.after(DRAIN_MS, done);
    function done() {
      cancel();
      stream.off('data', onData);
      resolve();
    }
    function onData(chunk: Buffer) {
      bytes += chunk.length;
      if (bytes > MAX_DRAIN) done();
    }
    stream.on('data', onData);
    stream.once('end', done);
    stream.once('close', done);
    stream.resume();
  });
}

/** The whole body, at most `limit` bytes; `advertised` is the limit as the caller knows it. */
async function readBody(
  request: FastifyRequest,
  stream: IncomingMessage,
  clock: Clock,
  limit: number,
  advertised = limit,
): Promise<Buffer> {
  const tooLarge = () =>
    apiError('file_too_large', {
      message: `The request is larger than the ${megabytes(advertised)} that are accepted.`,
    });
  if (Number(request.headers['content-length']) > limit) {
    await drain(stream, clock);
    throw tooLarge();
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  await new Promise<void>((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= limit) return void chunks.push(chunk);
      settle();
      chunks.length = 0;
      void drain(stream, clock).then(() => reject(tooLarge()));
    };
    const onEnd = () => {
      settle();
      resolve();
    };
    const onBroken = () => {
      settle();
      reject(apiError('bad_request', { message: 'The body broke off.' }));
    };
    const settle = () => {
      stream.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken);
    };
    stream.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken);
  });
  return Buffer.concat(chunks);
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw validationError([{ loc: ['body'], msg: 'is not UTF-8', type: 'json_invalid' }]);
  }
}

const mediaType = (request: FastifyRequest): string =>
  (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';

const WANTED = { json: 'application/json', form: 'multipart/form-data' } as const;

/** Bodies of routes that take none are read and dropped up to this size. */
const IGNORED_BYTES = 64 * 1024;

/** Reads bodies by what the route takes; every other type is refused in one way. */
export function readBodies(app: FastifyInstance, clock: Clock): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (request: FastifyRequest, stream: IncomingMessage) => {
    const { takes = 'nothing', bodyBytes, orText = [], asText } = request.routeOptions.config;
    // The answer is that there is nothing here, or not by this method, however large the body.
    if (request.is404 || takes === 'refused') {
      await drain(stream, clock);
      return undefined;
    }
    if (takes === 'stream') return stream;
    if (takes === 'nothing') {
      await readBody(request, stream, clock, IGNORED_BYTES);
      return undefined;
    }
    const limit = bodyBytes?.() ?? IGNORED_BYTES;
    const type = mediaType(request);
    const encoding = request.headers['content-encoding'] ?? 'identity';
    const isOther = orText.includes(type);
    if ((type !== WANTED[takes] && !isOther) || encoding !== 'identity') {
      await drain(stream, clock);
      const wanted = [WANTED[takes], ...orText].join(' or ');
      throw apiError('unsupported_media_type', {
        message: `The body is not ${wanted}${encoding === 'identity' ? '' : ' without Content-Encoding'}.`,
        remedy: `Send it with Content-Type: ${wanted}.`,
      });
    }
    const advertised = takes === 'form' ? limit - FORM_OVERHEAD : limit;
    const bytes = await readBody(request, stream, clock, limit, advertised);
    if (takes === 'form') return parseForm(request.headers, bytes);
    if (bytes.length === 0) return undefined;
    const text = decoded(bytes);
    return isOther || asText?.(request.query) ? new TextBody(text) : parseRequestJson(text, ['body']);
  });
}
