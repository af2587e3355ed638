import https from 'node:https';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';

/** A SHA-256 as people and programs write it, as 64 capital hex digits. */
export const digitsOf = (fingerprint: string): string => fingerprint.replace(/[:\s]/g, '').toUpperCase();

/** Connections to the holder of one certificate, however its name or its dates are: nothing is sent to any other. */
export class PinnedAgent extends https.Agent {
  readonly #fingerprint: string;
  readonly #mismatch: (seen: string) => Error;

  /** @param mismatch what a connection fails with where the certificate is another one */
  constructor(fingerprint: string, mismatch: (seen: string) => Error, options: https.AgentOptions = {}) {
    // A resumed session would not show its certificate again.
    super({ ...options, maxCachedSessions: 0, rejectUnauthorized: false });
    this.#fingerprint = digitsOf(fingerprint);
    this.#mismatch = mismatch;
  }

  override createConnection(
    options: https.RequestOptions & tls.ConnectionOptions,
    done?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const socket = tls.connect({ ...options, rejectUnauthorized: false });
    const fail = (error: Error) => done?.(error, socket);
    socket.once('error', fail);
    socket.once('secureConnect', () => {
      socket.off('error', fail);
      const seen = socket.getPeerCertificate().fingerprint256 ?? '';
      if (digitsOf(seen) === this.#fingerprint) return done?.(null, socket);
      socket.destroy();
      fail(this.#mismatch(seen));
    });
    return undefined;
  }
}
