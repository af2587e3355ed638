import type { FastifyRequest } from 'fastify';

/** The address of this service as the caller knows it, without a slash at the end. The host was checked before. */
export const ownAddress = ({ protocol, headers }: FastifyRequest): string =>
  `${protocol}://${headers.host ?? ''}`;
