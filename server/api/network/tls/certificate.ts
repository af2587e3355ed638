import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { Clock } from '../../../clock.ts';
import type { TlsView } from '../../../contract/bench/bench.ts';
import type { TlsSettings } from '../../../contract/bench/settings.ts';
import { apiError } from '../../../errors/api.ts';
import {
  createDurably,
  type FileSystem,
  readIfPresent,
  syncFolder,
  systemReason,
} from '../../../store/filesystem.ts';

/** A certificate with its key, as PEM, and its public description. */
export interface Certificate {
  cert: Buffer;
  key: Buffer;
  view: TlsView;
}

const DAY_MS = 86_400_000;
/** The longest validity that browsers accept for a manually trusted certificate. */
const VALID_DAYS = 825;
/** How long before its end the bench renews its own certificate. */
const RENEW_DAYS = 30;

/** Host names and addresses of this computer for callers on the LAN. */
function ownNames(allowedHosts: readonly string[]): string[] {
  const host = os.hostname().toLowerCase();
  const addresses = Object.values(os.networkInterfaces())
    .flatMap((one) => one ?? [])
    .filter(({ scopeid }) => !scopeid)
    .map(({ address }) => address);
  return [...new Set(['localhost', host, `${host.split('.')[0]}.local`, ...allowedHosts, ...addresses])];
}

/**
 * Checks that certificate and key match and are valid now.
 * @throws BenchError certificate_unusable.
 */
function checked(cert: Buffer, key: Buffer, now: number, own: boolean): Certificate {
  let parsed: X509Certificate;
  let belongs: boolean;
  try {
    parsed = new X509Certificate(cert);
    belongs = parsed.checkPrivateKey(createPrivateKey(key));
  } catch (cause) {
    throw apiError('certificate_unusable', {
      message: 'The certificate or its key is not a readable PEM file, or the key has a passphrase.',
      cause,
    });
  }
  if (!belongs)
    throw apiError('certificate_unusable', { message: 'The key does not belong to the certificate.' });
  const ends = Date.parse(parsed.validTo);
  if (ends <= now)
    throw apiError('certificate_unusable', {
      message: `The certificate expired on ${new Date(ends).toISOString().slice(0, 10)}.`,
    });
  return {
    cert,
    key,
    view: {
      fingerprint: parsed.fingerprint256,
      expires_at: new Date(ends).toISOString(),
      self_signed: own,
      names: (parsed.subjectAltName ?? '')
        .split(', ')
        .map((name) => name.replace(/^(DNS|IP Address):/, ''))
        .filter((name) => name !== ''),
    },
  };
}

/** The bench's own certificate; creates it when it is missing or ends soon. */
async function ownCertificate(
  files: FileSystem,
  folder: string,
  clock: Clock,
  allowedHosts: readonly string[],
): Promise<Certificate> {
  const certFile = path.join(folder, 'certificate.pem');
  const keyFile = path.join(folder, 'key.pem');
  const [cert, key] = await Promise.all([readIfPresent(files, certFile), readIfPresent(files, keyFile)]);
  if (cert && key) {
    try {
      const kept = checked(cert, key, clock.now() + RENEW_DAYS * DAY_MS, true);
      if (ownNames(allowedHosts).every((name) => isIP(name) !== 0 || kept.view.names.includes(name)))
        return kept;
    } catch {
      // It ends soon or is damaged: create another one.
    }
  }
  const { generate } = await import('selfsigned');
  const made = await generate([{ name: 'commonName', value: `Wishbench on ${os.hostname()}`.slice(0, 64) }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    // A caller's clock may be slightly behind.
    notBeforeDate: new Date(clock.now() - DAY_MS),
    notAfterDate: new Date(clock.now() + VALID_DAYS * DAY_MS),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: ownNames(allowedHosts).map((name) =>
          isIP(name) === 0 ? { type: 2, value: name } : { type: 7, ip: name },
        ),
      },
    ],
  });
  const fresh = { cert: Buffer.from(made.cert), key: Buffer.from(made.private) };
  await files.mkdir(folder, { recursive: true, mode: 0o700 });
  await createDurably(files, keyFile, fresh.key);
  await createDurably(files, certFile, fresh.cert);
  await syncFolder(files, folder);
  return checked(fresh.cert, fresh.key, clock.now(), true);
}

/**
 * The certificate that the settings require.
 * @param folder of the bench's own certificate
 * @throws BenchError certificate_unusable.
 */
export async function loadCertificate(
  tls: Exclude<TlsSettings, { kind: 'none' }>,
  {
    files,
    folder,
    clock,
    allowedHosts,
  }: { files: FileSystem; folder: string; clock: Clock; allowedHosts: readonly string[] },
): Promise<Certificate> {
  switch (tls.kind) {
    case 'own':
      try {
        return await ownCertificate(files, folder, clock, allowedHosts);
      } catch (cause) {
        throw apiError('certificate_unusable', {
          message: `The certificate could not be created: ${systemReason(cause)}.`,
          cause,
        });
      }
    case 'files': {
      const read = async (file: string): Promise<Buffer> => {
        try {
          return await files.readFile(file);
        } catch (cause) {
          throw apiError('certificate_unusable', {
            message: `${file} cannot be read: ${systemReason(cause)}.`,
            cause,
          });
        }
      };
      return checked(await read(tls.certificate), await read(tls.key), clock.now(), false);
    }
  }
}
