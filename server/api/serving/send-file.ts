import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** A file name for Content-Disposition, RFC 6266 and RFC 8187. */
const disposition = (kind: 'inline' | 'attachment', name: string): string =>
  `${kind}; filename="${name.replace(/[^\w. -]/g, '_')}"; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)}`;

/** Name and media type of a file; `inline` where a browser may show it. */
interface FileHead {
  name: string;
  type: string;
  inline?: boolean;
}

/** Answers with a file. */
export function sendFile(
  reply: FastifyReply,
  { name, type, inline = false }: FileHead,
  contents: string | Uint8Array | Readable,
): FastifyReply {
  const body =
    contents instanceof Uint8Array
      ? Buffer.from(contents.buffer, contents.byteOffset, contents.byteLength)
      : contents;
  const kind = inline ? 'inline' : 'attachment';
  return reply.type(type).header('content-disposition', disposition(kind, name)).send(body);
}
