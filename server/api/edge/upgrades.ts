import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ENDPOINTS } from '../../contract/endpoints.ts';
import { CREDENTIAL_PROTOCOLS, VIEWER_PROTOCOL } from '../../contract/stream/stream-protocol.ts';
import { addressPattern } from './addresses.ts';

/** A connection that requests a WebSocket. */
export interface Upgrade {
  socket: Socket;
  /** Bytes received after the request. */
  head: Buffer;
  response: ServerResponse;
}

/** Requests for an upgrade that are being decided. */
const asked = new WeakMap<IncomingMessage, Upgrade>();

/** The upgrade that a request asks for, if it does. */
export const upgradeOf = (request: IncomingMessage): Upgrade | null => asked.get(request) ?? null;

/** The last parts of WebSocket paths; those of another bench begin with its name. */
const WEBSOCKETS = Object.values(ENDPOINTS)
  .filter(({ answer }) => answer === 'upgrade')
  .map(({ path }) => new RegExp(`${addressPattern(path)}/?$`));

/** Whether a request asks for a WebSocket on a path that has one. */
export function asksForWebSocket({ method, url = '', headers }: IncomingMessage): boolean {
  const [address = ''] = url.split('?');
  const asks = method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
  return asks && WEBSOCKETS.some((pattern) => pattern.test(address));
}

/** Whether a request for a stream asks only to watch. */
export const asksToView = ({ headers }: { headers: IncomingHttpHeaders }): boolean =>
  offeredBy(headers).includes(VIEWER_PROTOCOL);

const offeredBy = (headers: IncomingHttpHeaders): string[] =>
  (headers['sec-websocket-protocol'] ?? '').split(',').map((one) => one.trim());

/**
 * Moves credentials from WebSocket subprotocols, where a page must put them, into the usual headers unless those are
 * set.
 */
function takeCredentials(request: IncomingMessage): void {
  const offered = offeredBy(request.headers);
  for (const [header, prefix] of Object.entries(CREDENTIAL_PROTOCOLS)) {
    const sent = offered.find((one) => one.startsWith(prefix));
    if (sent === undefined || request.headers[header] !== undefined) continue;
    // Header values are Latin-1 once parsed.
    request.headers[header] = Buffer.from(sent.slice(prefix.length), 'base64url').toString('latin1');
  }
}

/** Answers in progress on a connection, oldest first. */
const unanswered = new WeakMap<Duplex, Set<ServerResponse>>();

/** Tracks an answer until it ends: a request for an upgrade may follow it. */
export function noteAnswer({ socket }: IncomingMessage, response: ServerResponse): void {
  const answers = unanswered.get(socket) ?? new Set();
  unanswered.set(socket, answers.add(response));
  response.once('close', () => answers.delete(response));
}

/**
 * Calls back when the answers before an upgrade have ended, unless the connection ends with them. The server no longer
 * handles the connection: this function keeps long answers going, and errors end it.
 */
export function whenAnswered(socket: Socket, callback: () => void): void {
  const [first] = unanswered.get(socket) ?? [];
  if (!first) {
    callback();
    return;
  }
  const goOn = () => first.emit('drain');
  const ignore = () => {}; // its close is what counts
  socket.on('drain', goOn).on('error', ignore);
  first.once('close', () => {
    socket.off('drain', goOn).off('error', ignore).setTimeout(0);
    if (socket.writable) whenAnswered(socket, callback);
  });
}

/** Answers a request for an upgrade like any other, until the intended handler takes the connection over. */
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
  // The server does this only for its own connections; without it, a long refusal would stall.
  socket.on('drain', () => response.emit('drain'));
  response.once('finish', () => {
    response.detachSocket(socket);
    socket.destroySoon();
  });
  asked.set(request, { socket, head, response });
  handler(request, response);
}

/** Connection options that belong to a request for an upgrade. */
const UPGRADE_OPTION = /^(upgrade|http2-settings)$/i;

/**
 * Lets the server process a request again without its request for an unsupported upgrade. HTTP allows a server to
 * ignore one (RFC 9110, section 7.8), and some libraries always ask for h2c.
 */
export function withoutUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = rawHeaders.slice(i, i + 2);
    if (UPGRADE_OPTION.test(name)) continue;
    const isConnection = /^connection$/i.test(name);
    const options = value.split(',').filter((option) => !UPGRADE_OPTION.test(option.trim()));
    lines.push(`${name}: ${isConnection ? options.join(',') : value}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
}
