import type { FastifyRequest } from 'fastify';
import { authError } from '../../errors/auth.ts';
import { looksMinted } from '../../identity/records.ts';

/** Query parameters that other services use for keys; no route here has one of these names. */
const SECRETS = new Set([
  'apikey',
  'xapikey',
  'key',
  'token',
  'accesstoken',
  'operatortoken',
  'xoperatortoken',
  'xsessionid',
]);

/**
 * Refuses a request with a key in its URL, because proxies, logs and histories store URLs.
 * @throws BenchError key_in_address.
 */
export function refuseSecretsInAddress({ url }: Pick<FastifyRequest, 'url'>): void {
  const at = url.indexOf('?');
  if (at < 0) return;
  for (const [name, value] of new URLSearchParams(url.slice(at + 1)))
    if (SECRETS.has(name.toLowerCase().replace(/[-_]/g, '')) || looksMinted(value))
      throw authError('key_in_address');
}
