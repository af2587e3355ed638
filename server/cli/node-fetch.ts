import http from 'node:http';
import type https from 'node:https';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Answer, Fetch } from '../contract/client/request.ts';

function answerOf(message: http.IncomingMessage): Answer {
  const status = message.statusCode ?? 500;
  const bytes = () => buffer(message);
  return {
    status,
    ok: status >= 200 && status < 300,
    headers: { get: (name) => [message.headers[name.toLowerCase()] ?? null].flat()[0] ?? null },
    text: async () => (await bytes()).toString('utf8'),
    json: async () => JSON.parse((await bytes()).toString('utf8')),
    arrayBuffer: async () => new Uint8Array(await bytes()).buffer,
    get body() {
      // The types of Node's stream and of the global one differ only in name.
      return Readable.toWeb(message) as ReadableStream<Uint8Array<ArrayBuffer>>;
    },
  };
}

/**
 * `fetch` over node:http, as far as the client needs it. Node's own takes 100 ms of processor time to load, most of a
 * command's time, and accepts no certificate.
 */
export function nodeFetch(agent: https.Agent | undefined): Fetch {
  return async (address, { method, headers, body, signal }) => {
    const allHeaders: Record<string, string> = { ...headers };
    let bytes: string | Buffer | null = typeof body === 'string' ? body : null;
    if (typeof body === 'object' && body !== null) {
      // A form: its encoder loads only when needed.
      const form = new Response(body);
      allHeaders['content-type'] = form.headers.get('content-type') ?? '';
      bytes = Buffer.from(await form.arrayBuffer());
    }
    if (bytes !== null) allHeaders['content-length'] = String(Buffer.byteLength(bytes));
    const options = {
      method,
      headers: allHeaders,
      ...(signal ? { signal } : {}),
      ...(agent ? { agent } : {}),
    };
    // TLS loads only when needed.
    const { request: begin } = address.startsWith('https:') ? await import('node:https') : http;
    return new Promise((resolve, reject) => {
      const request = begin(address, options, (message) => resolve(answerOf(message)));
      request.on('error', reject);
      request.end(bytes ?? undefined);
    });
  };
}
