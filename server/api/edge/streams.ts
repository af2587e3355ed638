import { once } from 'node:events';
import type { FastifyReply } from 'fastify';

/** A signal that is aborted when the answer was sent or the caller has gone away before. */
export function callerGone(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => controller.abort());
  return controller.signal;
}

/** Headers that were set so far, for an answer that is written by hand. */
export const headersOf = (reply: FastifyReply): Record<string, string> =>
  Object.fromEntries(Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]));

/**
 * Sends chunks as they come, the head at once, no faster than the caller reads. An error in the middle ends the
 * connection, so that the caller does not take what it got for the whole.
 */
export async function sendStream(
  reply: FastifyReply,
  headers: Record<string, string>,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  const response = reply.raw;
  const all = { ...headersOf(reply), ...headers };
  reply.hijack();
  response.writeHead(200, all);
  response.flushHeaders();
  try {
    for await (const chunk of chunks) {
      if (response.destroyed) return;
      if (!response.write(chunk)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    }
    response.end();
  } catch (error) {
    reply.log.debug({ err: error }, 'stream ended early');
    response.destroy();
  }
}
