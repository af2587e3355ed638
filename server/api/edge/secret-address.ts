import type { FastifyRequest } from 'fastify';
import { authError } from '../../errors/auth.ts';
import { looksMinted } from '../../identity/records.ts';

/** Parameters by which other services take keys in addresses; no route here has one of these names. */
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
 * Refuses a request that sends a key in its address, where proxies, logs and histories keep it: nobody is to come to
 * rely on that.
 * @throws BenchError key_in_address.
 */
export function refuseSecretsInAddress({ url }: Pick<FastifyRequest, 'url'>): void {
  const at = url.indexOf('?');
  if (at < 0) return;
  for (const [name, value] of new URLSearchParams(url.slice(at + 1)))
    if (SECRETS.has(name.toLowerCase().replace(/[-_]/g, '')) || looksMinted(value))
      throw authError('key_in_address');
}
