import type { FastifyRequest } from 'fastify';

/** All callers on this computer count under this name. */
export const THIS_COMPUTER = 'this computer';

export const isLoopback = (address: string | undefined): boolean =>
  address !== undefined && /^(::1$|(::ffff:)?127\.)/.test(address);

/** The first four groups of an IPv6 address: the network of one computer (RFC 4291, section 2.5.4). */
function network(address: string): string {
  const [before = '', after] = address.replace(/%.*$/, '').split('::');
  const groups = before === '' ? [] : before.split(':');
  const behind = after === undefined || after === '' ? [] : after.split(':');
  if (after !== undefined) while (groups.length + behind.length < 8) groups.push('0');
  return `${[...groups, ...behind].slice(0, 4).join(':')}::/64`;
}

/** The origin under which a connection counts: an IPv4 address, an IPv6 network, or this computer as a whole. */
export function originOf(address: string | undefined): string {
  if (address === undefined) return 'unknown';
  if (isLoopback(address)) return THIS_COMPUTER;
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
  return plain.includes(':') ? network(plain) : plain;
}

export const originOfRequest = (request: FastifyRequest): string => originOf(request.socket.remoteAddress);
