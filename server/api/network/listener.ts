import { randomUUID } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import os from 'node:os';
import { type Clock, every } from '../../clock.ts';
import { apiError } from '../../errors/api.ts';
import type { BenchError } from '../../errors/bench-error.ts';
import type { Logger } from '../../log.ts';
import { isLoopback, originOf, THIS_COMPUTER } from '../edge/address.ts';
import { envelope } from '../edge/errors.ts';
import { securityHeaders } from '../edge/headers.ts';
import { type Outgoing, PIECE } from '../edge/outgoing.ts';
import {
  answerUpgrade,
  asksForWebSocket,
  noteAnswer,
  whenAnswered,
  withoutUpgrade,
} from '../edge/upgrades.ts';

/** Maximum bytes of a request's headers. */
const MAX_HEADERS = 16 * 1024;
/** Time limit for receiving a whole request, ms: enough for 64 MiB at 1 MB/s. */
const REQUEST_TIMEOUT = 120_000;
const HEADERS_TIMEOUT = 20_000;
/**
 * How long an idle connection stays open, ms, and what callers learn of it, seconds. A script that computes for a minute
 * between two requests sees only afterwards that its connection was idle, and still sends over it.
 */
const IDLE_MS = 65_000;
const ADVERTISED_IDLE_S = 5;
/** Interval at which idle connections are closed while the service stops, ms. */
const SWEEP_MS = 20;

/** Maximum connections of one remote address, and of all of them. Connections from this computer don't count. */
const CONNECTIONS_PER_ORIGIN = 256;
const REMOTE_CONNECTIONS = 2048;

const ANY = new Set(['0.0.0.0', '::']);
const literal = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** The head of an answer to data that is not HTTP. */
function answerOf(refusal: BenchError, requestId: string): { headers: Record<string, string>; body: string } {
  const body = JSON.stringify(envelope(refusal));
  const headers = {
    ...securityHeaders('/'),
    'x-request-id': requestId,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  return { headers, body };
}

/**
 * A listening address of the service. It takes the port before the bench is ready, so a port in use is found early. It
 * can move to the LAN and back without ending open connections.
 */
export class Listener {
  readonly #clock: Clock;
  #handler: http.RequestListener | null = null;
  /** Requests that arrived before the service was ready. */
  readonly #early: Parameters<http.RequestListener>[] = [];
  #server: http.Server | https.Server | null = null;
  /** With a certificate it serves HTTPS. */
  #certificate: { cert: Buffer; key: Buffer } | null = null;
  /** Servers that take no new connections but still serve their open ones. */
  readonly #retired = new Set<http.Server | https.Server>();
  readonly #sockets = new Set<Socket>();
  /** Number of connections of each remote address. */
  readonly #remote = new Map<string, number>();
  readonly #logger: Logger;
  readonly #outgoing: Outgoing;
  #host = '';
  #port = 0;

  constructor(options: { clock: Clock; logger: Logger; outgoing: Outgoing }) {
    this.#clock = options.clock;
    this.#logger = options.logger;
    this.#outgoing = options.outgoing;
  }

  /** Passes requests to the handler, the waiting ones first. */
  serve(handler: http.RequestListener): void {
    this.#handler = handler;
    for (const [request, response] of this.#early.splice(0)) handler(request, response);
  }

  get host(): string {
    return this.#host;
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    const host = this.#host === '0.0.0.0' ? '127.0.0.1' : this.#host === '::' ? '::1' : this.#host;
    return `${this.#scheme}://${literal(host)}:${this.#port}`;
  }

  get lanUrls(): string[] {
    if (isLoopback(this.#host) || this.#host === 'localhost') return [];
    if (!ANY.has(this.#host)) return [this.url];
    return Object.values(os.networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(
        ({ internal, family, scopeid }) =>
          !internal && (family === 'IPv4' || (this.#host === '::' && !scopeid)),
      )
      .map(({ address }) => `${this.#scheme}://${literal(address)}:${this.#port}`);
  }

  get #scheme(): string {
    return this.#certificate ? 'https' : 'http';
  }

  /** Serves HTTPS with this certificate: new connections get it, open ones stay. */
  secure(certificate: { cert: Buffer; key: Buffer }): void {
    this.#certificate = certificate;
    if (this.#server instanceof https.Server) this.#server.setSecureContext(certificate);
  }

  /**
   * Listens at the address instead of the old one.
   * @throws the system's error (EADDRINUSE, EACCES, EADDRNOTAVAIL…); then it listens at the old address again.
   */
  async listen(host: string, port: number): Promise<void> {
    const before = { host: this.#host, port: this.#port };
    this.#retire();
    try {
      await this.#open(host, port);
    } catch (error) {
      if (before.host !== '') await this.#open(before.host, before.port);
      throw error;
    }
  }

  /** Closes remote connections, after a return to loopback. */
  dropRemote(): void {
    for (const socket of this.#sockets) if (!isLoopback(socket.remoteAddress)) socket.destroy();
  }

  /** Stops listening and closes all connections. */
  stop(): void {
    this.#retire();
    for (const socket of this.#sockets) socket.destroy();
    this.#host = '';
    this.#port = 0;
  }

  async #open(host: string, port: number): Promise<void> {
    const options = {
      maxHeaderSize: MAX_HEADERS,
      requestTimeout: REQUEST_TIMEOUT,
      headersTimeout: HEADERS_TIMEOUT,
      keepAliveTimeout: IDLE_MS,
      highWaterMark: PIECE,
    };
    const handle: http.RequestListener = (request, response) => {
      response.setHeader('keep-alive', `timeout=${ADVERTISED_IDLE_S}`);
      noteAnswer(request, response);
      if (this.#handler) this.#handler(request, response);
      else this.#early.push([request, response]);
    };
    const server = this.#certificate
      ? https.createServer({ ...options, ...this.#certificate, minVersion: 'TLSv1.2' }, handle)
      : http.createServer(options, handle);
    server.on('clientError', (error, socket) => this.#refuseBroken(error, socket as Socket));
    server.on('checkExpectation', (_request, response) => {
      const { headers, body } = this.#refusal(apiError('expectation_failed'));
      response.writeHead(apiError('expectation_failed').status, headers).end(body);
    });
    server.on('connection', (socket) => this.#take(socket));
    server.on('upgrade', (request: http.IncomingMessage, stream, head) => {
      // Upgrades arrive over TCP, encrypted or not.
      const socket = stream as Socket;
      whenAnswered(socket, () => {
        if (asksForWebSocket(request)) return answerUpgrade(request, socket, head, handle);
        withoutUpgrade(request, socket, head);
        server.emit(server instanceof https.Server ? 'secureConnection' : 'connection', socket);
      });
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port }, () => {
        server.off('error', reject);
        resolve();
      });
    });
    this.#server = server;
    this.#host = host;
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Tracks a connection. One above the limit is closed without an answer, which would cost what the limit saves. */
  #take(socket: Socket): void {
    if (this.#sockets.has(socket)) return;
    const origin = originOf(socket.remoteAddress);
    const count = (this.#remote.get(origin) ?? 0) + 1;
    if (origin !== THIS_COMPUTER) {
      const all = [...this.#remote.values()].reduce((sum, one) => sum + one, 0);
      if (count > CONNECTIONS_PER_ORIGIN || all >= REMOTE_CONNECTIONS) return void socket.destroy();
      this.#remote.set(origin, count);
    }
    this.#sockets.add(socket);
    this.#outgoing.watch(socket);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      const left = (this.#remote.get(origin) ?? 0) - 1;
      if (left > 0) this.#remote.set(origin, left);
      else this.#remote.delete(origin);
    });
  }

  /** The answer to data that is not HTTP, with its line in the log. */
  #refusal(refusal: BenchError): ReturnType<typeof answerOf> {
    const request = randomUUID();
    this.#logger.info({ request, status: refusal.status, error: refusal.code }, 'not a request');
    return answerOf(refusal, request);
  }

  /** Data that is not HTTP gets the error envelope too. */
  #refuseBroken(error: NodeJS.ErrnoException, socket: Socket): void {
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
    const refusals: Record<string, BenchError> = {
      HPE_HEADER_OVERFLOW: apiError('headers_too_large'),
      ERR_HTTP_REQUEST_TIMEOUT: apiError('request_timeout'),
    };
    const refusal = refusals[error.code ?? ''] ?? apiError('bad_request');
    const { headers, body } = this.#refusal(refusal);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(
      `HTTP/1.1 ${refusal.status} ${http.STATUS_CODES[refusal.status]}\r\n${lines.join('')}\r\n${body}`,
    );
  }

  #retire(): void {
    const server = this.#server;
    if (!server) return;
    this.#server = null;
    this.#retired.add(server);
    server.close(() => this.#retired.delete(server));
  }

  /** Takes no more connections, waits up to `graceMs` for open answers, then closes them. */
  async close(graceMs: number): Promise<void> {
    this.#retire();
    const ended = Promise.all(
      [...this.#retired].map(
        (server) => new Promise<void>((resolve) => server.once('close', () => resolve())),
      ),
    );
    // A connection becomes idle when its answer is complete: close it without waiting for its keep-alive.
    const endSweeps = every(this.#clock, SWEEP_MS, () => {
      for (const server of this.#retired) server.closeIdleConnections();
    });
    const cancel = this.#clock.after(graceMs, () => {
      for (const server of this.#retired) server.closeAllConnections();
      // The servers no longer track upgraded connections.
      for (const socket of this.#sockets) socket.destroy();
    });
    await ended;
    cancel();
    endSweeps();
  }
}
