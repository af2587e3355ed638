import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { CREDENTIAL_PROTOCOLS, VIEWER_PROTOCOL } from '../contract/stream-protocol.ts';

/** A connection that asks to become a WebSocket. */
export interface Upgrade {
  socket: Socket;
  /** What came behind the request already. */
  head: Buffer;
  response: ServerResponse;
}

/** Requests that ask for an upgrade, while it is being decided. */
const asked = new WeakMap<IncomingMessage, Upgrade>();

/** The upgrade that a request asks for, if it does. */
export const upgradeOf = (request: IncomingMessage): Upgrade | null => asked.get(request) ?? null;

export const isWebSocket = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket';

/** Whether a request for a stream asks to watch alone. */
export const asksToView = ({ headers }: { headers: IncomingHttpHeaders }): boolean =>
  offeredBy(headers).includes(VIEWER_PROTOCOL);

const offeredBy = (headers: IncomingHttpHeaders): string[] =>
  (headers['sec-websocket-protocol'] ?? '').split(',').map((one) => one.trim());

/** Puts what a page says of its caller in subprotocols where everybody else puts it, unless it is there already. */
function takeCredentials(request: IncomingMessage): void {
  const offered = offeredBy(request.headers);
  for (const [header, prefix] of Object.entries(CREDENTIAL_PROTOCOLS)) {
    const sent = offered.find((one) => one.startsWith(prefix));
    if (sent === undefined || request.headers[header] !== undefined) continue;
    // Header values are Latin-1 by the time that they are read.
    request.headers[header] = Buffer.from(sent.slice(prefix.length), 'base64url').toString('latin1');
  }
}

/** Answers a request for an upgrade as any other, until the one whom it is meant for takes the connection over. */
export function answerUpgrade(
  request: IncomingMessage,
  socket: Socket,
  head: Buffer,
  handler: RequestListener,
): void {
  takeCredentials(request);
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  socket.on('error', () => {}); // its close is what counts
  response.once('finish', () => {
    response.detachSocket(socket);
    socket.destroySoon();
  });
  asked.set(request, { socket, head, response });
  handler(request, response);
}

/**
 * Has the server read a request again as if it had not asked for an upgrade to a protocol that is not spoken here:
 * HTTP lets it be ignored (RFC 9110, section 7.8), and some libraries always ask for h2c.
 */
export function withoutUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (/^(upgrade|connection|http2-settings)$/i.test(name)) continue;
    lines.push(`${name}: ${rawHeaders[i + 1] ?? ''}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
}
