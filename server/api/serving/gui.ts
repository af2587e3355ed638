import { existsSync } from 'node:fs';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Paths of the GUI's screens in links. The API uses some of them too, for callers that don't open a page. */
const SCREENS = /^\/(?:node\/[^/]+|job\/[^/]+|bench|jobs|boards|settings|audit|courses?(?:\/[^/]+)?)\/?$/;

/** File names that Vite generates, in folders. */
const FILE = /^(?:\w[\w.-]*\/)*\w[\w.-]*$/;

const WITHOUT_GUI = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Wishbench</title></head>
<body><h1>Wishbench is running</h1>
<p>Its graphical interface was not built: run <code>npm run build</code> and load this page again.</p>
<p>The service itself is described at <a href="docs">/docs</a>.</p></body></html>
`;

/** A browser that opens a page lists text/html first; programs ask for JSON or for anything. */
const opensPage = (request: FastifyRequest): boolean =>
  request.method === 'GET' && /^\s*text\/html\b/.test(request.headers.accept ?? '');

/**
 * The address of a screen on the page, which keeps its place behind `#`. It is relative to the link's path, because a
 * reverse proxy may add a path prefix that the service does not know.
 */
function placeOnPage(path: string, query: string): string {
  const parameters = new URLSearchParams(query);
  const bench = parameters.get('bench');
  parameters.delete('bench');
  const there = bench === null ? '' : `?${new URLSearchParams({ bench })}`;
  const up = '../'.repeat(path.split('/').length - 2) || './';
  return `${up}${there}#${path}${parameters.size > 0 ? `?${parameters}` : ''}`;
}

/** Names below assets/ contain a hash of the contents, so these files never change. */
const cacheOf = (file: string): string =>
  file.includes(`${path.sep}assets${path.sep}`) ? 'public, max-age=31536000, immutable' : 'no-cache';

/** Serves the built GUI at `/` and redirects the paths of its screens; a plain page where it was not built. */
export async function serveGui(app: FastifyInstance, folder: string): Promise<void> {
  const built = () => existsSync(path.join(folder, 'index.html'));
  await app.register(fastifyStatic, {
    serve: false,
    cacheControl: false,
    dotfiles: 'ignore',
    // build.mjs puts compressed copies next to each file; a file without one is sent as it is.
    preCompressed: true,
    setHeaders: (response, file) => response.header('cache-control', cacheOf(file)),
  });

  const page = (reply: FastifyReply): FastifyReply =>
    built() ? reply.sendFile('index.html', folder) : reply.type('text/html; charset=utf-8').send(WITHOUT_GUI);

  app.addHook('onRequest', async (request, reply) => {
    const [address = '', query = ''] = request.url.split('?');
    if (!SCREENS.test(address)) return;
    reply.header('vary', 'accept');
    if (opensPage(request)) return reply.redirect(placeOnPage(address, query));
  });
  app.get('/', { schema: { hide: true }, config: { access: 'open' } }, (_request, reply) => page(reply));
  app.get('/*', { schema: { hide: true }, config: { access: 'open' } }, (request, reply) => {
    const { '*': file } = request.params as { '*': string };
    if (!built() || !FILE.test(file)) return reply.callNotFound();
    return reply.sendFile(file, folder);
  });
}
