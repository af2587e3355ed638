import https from 'node:https';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';

/** A SHA-256 in any usual notation, as 64 capital hex digits. */
export const digitsOf = (fingerprint: string): string => fingerprint.replace(/[:\s]/g, '').toUpperCase();

/** Default time limit for a connection and its certificate, ms. */
const CONNECT_MS = 10_000;

/** A connection timed out; the text is the system's. */
export class LateError extends Error {
  readonly code = 'ETIMEDOUT';
}

/**
 * Connections only to the holder of one certificate, whatever its name and dates. A request gets its connection after
 * the certificate is checked and no event before, not even of an abort: so connecting has its own deadline here.
 */
export class PinnedAgent extends https.Agent {
  readonly #fingerprint: string;
  readonly #mismatch: (seen: string) => Error;
  readonly #connectMs: number;

  /**
   * @param mismatch what a connection fails with where the certificate is another one
   * @param options `connectMs`: how long making a connection may take, ms; then it fails with LateError
   */
  constructor(
    fingerprint: string,
    mismatch: (seen: string) => Error,
    { connectMs = CONNECT_MS, ...options }: https.AgentOptions & { connectMs?: number } = {},
  ) {
    // A resumed session would not show its certificate again.
    super({ ...options, maxCachedSessions: 0, rejectUnauthorized: false });
    this.#connectMs = connectMs;
    this.#fingerprint = digitsOf(fingerprint);
    this.#mismatch = mismatch;
  }

  override createConnection(
    options: https.RequestOptions & tls.ConnectionOptions,
    done?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const socket = tls.connect({ ...options, rejectUnauthorized: false });
    const late = setTimeout(
      () => socket.destroy(new LateError('No connection was made in time.')),
      this.#connectMs,
    );
    late.unref();
    socket.once('close', () => clearTimeout(late));
    const fail = (error: Error) => done?.(error, socket);
    socket.once('error', fail);
    socket.once('secureConnect', () => {
      clearTimeout(late);
      socket.off('error', fail);
      const seen = socket.getPeerCertificate().fingerprint256 ?? '';
      if (digitsOf(seen) === this.#fingerprint) return done?.(null, socket);
      socket.destroy();
      fail(this.#mismatch(seen));
    });
    return undefined;
  }
}
