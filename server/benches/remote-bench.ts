import http from 'node:http';
import https from 'node:https';
import { LateError, PinnedAgent } from './pinned-agent.ts';

/** Time limit for a connection, ms. */
const CONNECT_MS = 2_000;
/** Maximum connections to one bench for forwarded requests; streams occupy some of them for long. */
const MAX_CONNECTIONS = 64;

/** Names the forwarding bench: such a request is not local where it arrives, and is not forwarded again. */
export const FORWARDED_BY = 'x-forwarded-by-bench';

/** The address of a bench, and the proof of its identity. */
export interface Place {
  /** `http://host:port` or `https://host:port`. */
  readonly address: string;
  /** SHA-256 of its certificate; null for one from an authority that the system trusts, or for plain HTTP. */
  readonly fingerprint: string | null;
}

export interface RemoteAddress {
  method: string;
  path: string;
  headers?: http.OutgoingHttpHeaders;
  /** Aborts the request at any point. */
  signal?: AbortSignal | undefined;
}

/** An answer that can't be a bench's: too large, or of the wrong form. */
export class WrongAnswerError extends Error {
  override readonly name = 'WrongAnswerError';
}

/** The certificate has another fingerprint than the known one. */
export class OtherCertificateError extends Error {
  override readonly name = 'OtherCertificateError';
}

/** Connections to one remote bench. Redirects are not followed, so no other host gets a request. */
export class RemoteBench {
  readonly address: string;
  readonly #agent: http.Agent | https.Agent;
  readonly #secure: boolean;

  constructor({ address, fingerprint }: Place) {
    this.address = address.replace(/\/$/, '');
    this.#secure = address.startsWith('https:');
    const options = { keepAlive: true, maxSockets: MAX_CONNECTIONS, maxFreeSockets: 2, timeout: 10_000 };
    this.#agent = !this.#secure
      ? new http.Agent(options)
      : fingerprint === null
        ? new https.Agent(options)
        : new PinnedAgent(
            fingerprint,
            () => new OtherCertificateError('Its certificate does not match the fingerprint.'),
            {
              ...options,
              connectMs: CONNECT_MS,
            },
          );
  }

  /** Begins a request, whose body the caller sends. A connection timeout is an error of the request. */
  begin({ method, path, headers = {}, signal }: RemoteAddress): http.ClientRequest {
    const { hostname, port } = new URL(this.address);
    const request = (this.#secure ? https : http).request({
      agent: this.#agent,
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? (this.#secure ? 443 : 80) : Number(port),
      method,
      path,
      headers,
      maxHeaderSize: 16 * 1024,
      ...(signal ? { signal } : {}),
    });
    // A reused socket is connected already.
    const timer = setTimeout(
      () => request.destroy(new LateError('No connection was made in time.')),
      CONNECT_MS,
    );
    timer.unref();
    request.once('socket', (socket) => {
      if (!socket.connecting) clearTimeout(timer);
      else socket.once(this.#secure ? 'secureConnect' : 'connect', () => clearTimeout(timer));
    });
    request.once('close', () => clearTimeout(timer));
    return request;
  }

  /**
   * Reads one small answer as a whole, within `timeoutMs`.
   * @throws WrongAnswerError beyond `maxBytes`; the error of the connection
   */
  async ask(
    asked: Omit<RemoteAddress, 'signal'> & { body?: Buffer },
    { timeoutMs, maxBytes }: { timeoutMs: number; maxBytes: number },
  ): Promise<{ status: number; text: string }> {
    const { body, ...rest } = asked;
    const late = AbortSignal.timeout(timeoutMs);
    return await new Promise((resolve, fail) => {
      const reject = (error: Error) =>
        fail(late.aborted ? new LateError('It did not answer in time.', { cause: error }) : error);
      const request = this.begin({ ...rest, signal: late });
      const end = (error: Error) => {
        request.destroy();
        fail(error);
      };
      request.once('error', reject);
      // A server that upgrades or sends endless informational answers is no bench.
      request.once('upgrade', (_answer, socket) => {
        socket.destroy();
        fail(new WrongAnswerError('It switched the protocol without being asked.'));
      });
      request.once('response', (answer) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        answer.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > maxBytes) end(new WrongAnswerError('Its answer is too large.'));
          else chunks.push(chunk);
        });
        answer.once('error', reject);
        answer.once('aborted', () => reject(new Error('Its answer was cut off.')));
        answer.once('end', () =>
          resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
        );
      });
      request.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
