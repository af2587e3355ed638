import { readFile } from 'node:fs/promises';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import { CommandError, UsageError } from './usage.ts';

/** Which certificate of the service is trusted: one by its SHA-256, or what a PEM file vouches for. */
export interface Trust {
  fingerprint?: string | undefined;
  ca?: string | undefined;
}

const digitsOf = (fingerprint: string): string => fingerprint.replace(/[:\s]/g, '').toUpperCase();

/** A SHA-256 as browsers and the service write it. @throws UsageError */
export function fingerprintOf(text: string): string {
  const digits = digitsOf(text.replace(/^sha-?256[:=]/i, ''));
  if (!/^[0-9A-F]{64}$/.test(digits))
    throw new UsageError(
      '--fingerprint must be the SHA-256 of a certificate: 64 hex digits, colons allowed.',
    );
  return digits;
}

/** Connections to the holder of one certificate, however its name or its dates are: nothing is sent to any other. */
class PinnedAgent extends https.Agent {
  readonly #fingerprint: string;

  constructor(fingerprint: string) {
    // A resumed session would not show its certificate again.
    super({ maxCachedSessions: 0, rejectUnauthorized: false });
    this.#fingerprint = fingerprint;
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
      fail(
        new CommandError(
          `The certificate of the service is another one: its SHA-256 is ${seen}. If its operator has renewed it, log in again with that --fingerprint.`,
        ),
      );
    });
    return undefined;
  }
}

async function readAuthority(file: string): Promise<Buffer> {
  return await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`The certificate file ${file} cannot be read (${error.code}).`, { cause: error });
  });
}

/** Connections to a service that is trusted by what a person said of its certificate. */
export async function trustedAgent({ fingerprint, ca }: Trust): Promise<https.Agent> {
  return fingerprint === undefined
    ? new https.Agent({ ca: await readAuthority(ca ?? '') })
    : new PinnedAgent(fingerprintOf(fingerprint));
}
