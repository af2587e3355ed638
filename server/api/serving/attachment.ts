import type { FastifyReply } from 'fastify';

/** A file name for Content-Disposition, RFC 6266 and RFC 8187. */
export const attachment = (kind: 'inline' | 'attachment', name: string): string =>
  `${kind}; filename="${name.replace(/[^\w. -]/g, '_')}"; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)}`;

/** Answers with a file to save. */
export const sendAttachment = (
  reply: FastifyReply,
  name: string,
  type: string,
  contents: string | Buffer,
): FastifyReply =>
  reply.type(type).header('content-disposition', attachment('attachment', name)).send(contents);
