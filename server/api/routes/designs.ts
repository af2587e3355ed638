import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { apiError } from '../../errors/api.ts';
import { loadExamples } from '../../toolchain/examples.ts';
import type { ApiContext } from '../context.ts';
import { designOf } from '../designs.ts';
import { FORM_OVERHEAD } from '../edge/form.ts';
import { callerGone } from '../edge/streams.ts';
import { serve } from '../serve.ts';

/** Designs outside of nodes: matching before a build, and the examples. */
export function designRoutes(app: FastifyInstance, context: ApiContext): void {
  const { toolchain, settings, boards, examplesFolder } = context;

  serve(
    app,
    'scanDesign',
    async ({ body, reply }) => {
      const design = designOf(body, settings.current.limits.upload_bytes);
      const board = boards.board(0).definition;
      const signal = callerGone(reply);
      return await toolchain.scan({ ...design, board }, { log() {}, progress() {}, signal });
    },
    { bodyBytes: () => settings.current.limits.upload_bytes + FORM_OVERHEAD },
  );

  // What is asked for must be in the list, so no path leads out of the folder.
  const examples = () => loadExamples(examplesFolder);

  serve(app, 'listExamples', async () =>
    Promise.all(
      examples().map(async (example) => {
        const { size } = await stat(path.join(examplesFolder, example.file));
        return { ...example, size };
      }),
    ),
  );

  serve(app, 'getExample', async ({ params: { file }, reply }) => {
    if (!examples().some((example) => example.file === file)) throw apiError('example_not_found');
    return reply.type('text/plain; charset=utf-8').send(await readFile(path.join(examplesFolder, file)));
  });
}
