import { readFile } from 'node:fs/promises';
import https from 'node:https';
import { digitsOf, PinnedAgent } from '../benches/pinned-agent.ts';
import { CommandError, UsageError } from './usage.ts';

/** The trusted certificate of the service: one with a SHA-256, or those of a PEM file. */
export interface Trust {
  fingerprint?: string | undefined;
  ca?: string | undefined;
}

/** A SHA-256 in the form of browsers and the service. @throws UsageError */
export function fingerprintOf(text: string): string {
  const digits = digitsOf(text.replace(/^sha-?256[:=]/i, ''));
  if (!/^[0-9A-F]{64}$/.test(digits))
    throw new UsageError(
      '--fingerprint must be the SHA-256 of a certificate: 64 hex digits, colons allowed.',
    );
  return digits;
}

const anotherCertificate = (seen: string): Error =>
  new CommandError(
    `The certificate of the service has changed: its SHA-256 is ${seen}. If its operator has renewed it, log in again with that --fingerprint.`,
  );

async function readAuthority(file: string): Promise<Buffer> {
  return await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`The certificate file ${file} cannot be read (${error.code}).`, { cause: error });
  });
}

/** An agent with the chosen trust. */
export async function trustedAgent({ fingerprint, ca }: Trust): Promise<https.Agent> {
  return fingerprint === undefined
    ? new https.Agent({ ca: await readAuthority(ca ?? '') })
    : new PinnedAgent(fingerprintOf(fingerprint), anotherCertificate);
}
