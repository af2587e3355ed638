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
    /** Maximum bytes of the body. */
    bodyBytes?: () => number;
    /** The kind of the body: JSON, a form with a file, ignored, ignored on a refused request, or a stream. */
    takes?: 'json' | 'form' | 'nothing' | 'refused' | 'stream';
    /** Text media types that are accepted besides JSON. */
    orText?: readonly string[];
    /** Whether the handler gets JSON as text; decided from the raw query. */
    asText?: (query: unknown) => boolean;
  }
}

/** A client that is refused during its body reads the answer only after sending more of it. */
const MAX_DRAIN = 64 << 20;
const DRAIN_MS = 5_000;

const megabytes = (bytes: number): string =>
  bytes >= 1 << 20 ? `${+(bytes / (1 << 20)).toFixed(1)} MiB` : `${+(bytes / 1024).toFixed(1)} KiB`;

/** Reads and discards the rest of the body, within limits of bytes and time, so that the client reaches the answer. */
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

/** Reads the whole body, at most `limit` bytes; `advertised` is the limit that the error names. */
async function readBody(
  request: FastifyRequest,
  stream: IncomingMessage,
  clock: Clock,
  limit: number,
  advertised = limit,
): Promise<Buffer> {
  const tooLarge = () =>
    apiError('file_too_large', {
      message: `The request is larger than the limit of ${megabytes(advertised)}.`,
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
      reject(apiError('bad_request', { message: 'The body was cut off.' }));
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
    throw validationError(
      [{ loc: ['body'], msg: 'is not UTF-8', type: 'json_invalid' }],
      'Save the text as UTF-8 and send it again.',
    );
  }
}

const mediaType = (request: FastifyRequest): string =>
  (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';

const WANTED = { json: 'application/json', form: 'multipart/form-data' } as const;

/** Bodies of routes that take none are read and dropped up to this size, bytes. */
const IGNORED_BYTES = 64 * 1024;

/** Reads bodies as each route requires, and refuses every other media type. */
export function readBodies(app: FastifyInstance, clock: Clock): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (request: FastifyRequest, stream: IncomingMessage) => {
    const { takes = 'nothing', bodyBytes, orText = [], asText } = request.routeOptions.config;
    // The answer is 404 or 405, whatever the size of the body.
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
