import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import os from 'node:os';
import { type Clock, every } from '../clock.ts';
import { apiError } from '../errors/api.ts';
import type { BenchError } from '../errors/bench-error.ts';
import type { Listening } from './context.ts';
import { isLoopback } from './edge/caller.ts';
import { envelope } from './edge/errors.ts';
import { securityHeaders } from './edge/headers.ts';

/** All headers of a request together, bytes. */
const MOST_HEADERS = 16 * 1024;
/** A whole request has arrived after this, or is given up: 64 MiB at 1 MB/s, ms. */
const REQUEST_TIMEOUT = 120_000;
const HEADERS_TIMEOUT = 20_000;
/** How often idle connections are closed while the service ends, ms. */
const SWEEP_MS = 20;

const ANY = new Set(['0.0.0.0', '::']);
const literal = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** What cannot be parsed as HTTP is answered in the envelope too. */
function refuseBroken(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const refusals: Record<string, BenchError> = {
    HPE_HEADER_OVERFLOW: apiError('headers_too_large'),
    ERR_HTTP_REQUEST_TIMEOUT: apiError('request_timeout'),
  };
  const refusal = refusals[error.code ?? ''] ?? apiError('bad_request');
  const body = JSON.stringify(envelope(refusal));
  const headers = {
    ...securityHeaders('/'),
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    `HTTP/1.1 ${refusal.status} ${http.STATUS_CODES[refusal.status]}\r\n${lines.join('')}\r\n${body}`,
  );
}

/**
 * Where the service listens. It takes its address before there is somebody to answer, so that a port in use is
 * known before anything is opened for the bench; and it can move to the LAN and back without ending what is under way.
 */
export class Listener implements Listening {
  readonly #clock: Clock;
  #handler: http.RequestListener | null = null;
  /** Requests that came while the service was being put together. */
  readonly #early: Parameters<http.RequestListener>[] = [];
  #server: http.Server | null = null;
  /** Servers that take no new connections and serve the ones that they have. */
  readonly #retired = new Set<http.Server>();
  readonly #sockets = new Set<Socket>();
  #host = '';
  #port = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Hands requests to the handler from now on, first the ones that have been waiting for it. */
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
    return `http://${literal(host)}:${this.#port}`;
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
      .map(({ address }) => `http://${literal(address)}:${this.#port}`);
  }

  /**
   * Listens at the address, in place of the one before.
   * @throws the system's error (EADDRINUSE, EACCES, EADDRNOTAVAIL…); the address before is then in use again.
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

  /** Cuts the connections from other computers: after the move back to loopback they are no callers any more. */
  dropRemote(): void {
    for (const socket of this.#sockets) if (!isLoopback(socket.remoteAddress)) socket.destroy();
  }

  async #open(host: string, port: number): Promise<void> {
    const server = http.createServer(
      {
        maxHeaderSize: MOST_HEADERS,
        requestTimeout: REQUEST_TIMEOUT,
        headersTimeout: HEADERS_TIMEOUT,
        keepAliveTimeout: 10_000,
      },
      (request, response) => {
        if (this.#handler) this.#handler(request, response);
        else this.#early.push([request, response]);
      },
    );
    server.on('clientError', refuseBroken);
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
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

  #retire(): void {
    const server = this.#server;
    if (!server) return;
    this.#server = null;
    this.#retired.add(server);
    server.close(() => this.#retired.delete(server));
  }

  /** Takes no more connections, lets answers under way end within `graceMs`, then cuts them off. */
  async close(graceMs: number): Promise<void> {
    this.#retire();
    const ended = Promise.all(
      [...this.#retired].map(
        (server) => new Promise<void>((resolve) => server.once('close', () => resolve())),
      ),
    );
    // A connection becomes idle when its answer is complete; waiting for its keep-alive to end is no use.
    const endSweeps = every(this.#clock, SWEEP_MS, () => {
      for (const server of this.#retired) server.closeIdleConnections();
    });
    const cancel = this.#clock.after(graceMs, () => {
      for (const server of this.#retired) server.closeAllConnections();
    });
    await ended;
    cancel();
    endSweeps();
  }
}
