import { createReadStream, existsSync, statSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { apiError } from '../errors/api.ts';

/** Addresses of the GUI's screens; some of them are addresses of the API too, for other Accept headers. */
const SCREENS = /^\/(?:$|node\/[^/]+\/?$|job\/[^/]+\/?$|(?:bench|jobs|boards|settings)\/?$)/;

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
};

const WITHOUT_GUI = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Wishbench</title></head>
<body><h1>Wishbench is running</h1>
<p>Its graphical interface was not built: run <code>npm run build</code> and load this page again.</p>
<p>The service itself is described at <a href="/docs">/docs</a>.</p></body></html>
`;

/** A browser that opens a page names text/html first; programs ask for JSON or for anything. */
const opensPage = (request: FastifyRequest): boolean =>
  request.method === 'GET' && /^\s*text\/html\b/.test(request.headers.accept ?? '');

function sendFile(reply: FastifyReply, file: string, cache: string): FastifyReply {
  const { size } = statSync(file);
  return reply
    .header('cache-control', cache)
    .header('content-length', size)
    .type(TYPES[path.extname(file)] ?? 'application/octet-stream')
    .send(createReadStream(file));
}
