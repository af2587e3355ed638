import os from 'node:os';
import type { FastifyRequest } from 'fastify';
import { authError } from '../../errors/auth.ts';
import type { ApiContext } from '../context.ts';

/** Host header → name without port, lower case; null when it is not a host. */
function hostName(header: string): string | null {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+?)\.?(?::\d{1,5})?$/i.exec(header);
  return match?.[1]?.toLowerCase() ?? null;
}

const literal = (address: string): string => (address.includes(':') ? `[${address}]` : address);

function ownNames(context: ApiContext, request: FastifyRequest): Set<string> {
  const names = new Set(['localhost', '127.0.0.1', '[::1]']);
  const { network } = context.settings.current;
  for (const name of network.allowed_hosts) names.add(name.toLowerCase());
  const { host } = context.listening();
  if (host !== '0.0.0.0' && host !== '::') names.add(literal(host).toLowerCase());
  if (network.lan) {
    const own = os.hostname().toLowerCase();
    names.add(own);
    names.add(`${own.split('.')[0]}.local`);
    // The connection's own local address is always this service, whatever the interfaces are.
    const local = request.socket.localAddress?.replace(/^::ffff:/, '').replace(/%.*$/, '');
    if (local) names.add(literal(local));
  }
  return names;
}

/**
 * Whether a page of another site makes this request, by the browser's Fetch Metadata headers. Following a link may open
 * a page. Anything else needs a user's navigation and no script. Images, scripts and frames of other sites get nothing.
 * Browsers send the headers to https and to this computer only (W3C Fetch Metadata, sections 2.1 to 2.4).
 */
function fromOtherSite({ headers, method, routeOptions, is404 }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== 'cross-site' && site !== 'same-site') return false;
  const followed = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  if (method !== 'GET' || !followed) return true;
  const page =
    is404 || routeOptions.config.access === 'open' || /^\s*text\/html\b/.test(headers.accept ?? '');
  return !page && headers['sec-fetch-user'] !== '?1';
}

/**
 * Refuses requests for another host (a rebound DNS name) and from pages of another origin. The port of Host does not
 * count: a forwarded port is still this service.
 * @throws BenchError host_not_allowed, origin_not_allowed.
 */
export function checkOrigin(context: ApiContext, request: FastifyRequest): void {
  const host = request.headers.host ?? '';
  const name = hostName(host);
  if (name === null || !ownNames(context, request).has(name)) throw authError('host_not_allowed');
  if (fromOtherSite(request)) throw authError('origin_not_allowed');
  const { origin } = request.headers;
  if (origin === undefined) return;
  const url = URL.canParse(origin) ? new URL(origin) : null;
  const ours = url !== null && (url.protocol === 'http:' || url.protocol === 'https:');
  const port = (text: string, standard: string) => /:(\d+)$/.exec(text)?.[1] ?? standard;
  const standard = url?.protocol === 'https:' ? '443' : '80';
  if (!ours || hostName(url.host) !== name || port(url.host, standard) !== port(host, standard))
    throw authError('origin_not_allowed');
}
