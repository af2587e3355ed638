import type { FastifyInstance } from 'fastify';
import { apiError } from '../../errors/api.ts';
import { proposeMap } from '../../registermap/propose/propose.ts';
import { exampleSource, loadExamples } from '../../toolchain/examples.ts';
import { isProjectName } from '../../toolchain/intake/project.ts';
import type { ApiContext } from '../context.ts';
import { FORM_OVERHEAD } from '../edge/form.ts';
import { callerGone } from '../edge/streams.ts';
import { serve } from '../serving/serve.ts';
import { sourceFiles } from './source-files.ts';
import { designOf, requireBuildable } from './uploads.ts';

/** Routes of designs without a node: the scan before a build, and the examples. */
export function scanRoutes(app: FastifyInstance, context: ApiContext): void {
  const { toolchain, settings, boards, examplesFolder } = context;

  serve(
    app,
    'scanDesign',
    async ({ body, reply }) => {
      const design = await designOf(body, settings.current.limits.upload_bytes);
      await requireBuildable(context, design);
      const board = boards.board(0).definition;
      const signal = callerGone(reply);
      const scan = await toolchain.scan({ ...design, board }, { log() {}, progress() {}, signal });
      if (!scan.matched) return scan;
      const { filename, source } = design;
      const files = await sourceFiles(filename, source);
      const proposal = proposeMap(files, scan.matched, filename.replace(/\.[^.]*$/, ''));
      return proposal.registers.length === 0 ? scan : { ...scan, proposal };
    },
    { bodyBytes: () => settings.current.limits.upload_bytes + FORM_OVERHEAD },
  );

  // The name must be in the list, so no path can leave the folder.
  const examples = () => loadExamples(examplesFolder);

  serve(app, 'listExamples', () =>
    examples().map((example) => ({ ...example, size: exampleSource(example, examplesFolder).length })),
  );

  serve(app, 'getExample', async ({ params: { file }, reply }) => {
    if (!examples().some((example) => example.file === file)) throw apiError('example_not_found');
    const type = isProjectName(file) ? 'application/zip' : 'text/plain; charset=utf-8';
    return reply.type(type).send(exampleSource({ file }, examplesFolder));
  });
}
