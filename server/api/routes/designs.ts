import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import Type, { type Static } from 'typebox';
import { apiError } from '../../errors/api.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import { answer, answerList, answerText, describe } from '../answers.ts';
import type { ApiContext } from '../context.ts';
import { DesignForm, designOf } from '../designs.ts';
import { FORM_OVERHEAD, type Form } from '../edge/form.ts';
import { callerGone } from '../edge/streams.ts';
import { Example } from '../schemas/bench.ts';
import { ScanResult } from '../schemas/details.ts';
import type { Api } from './common.ts';

const ExampleParams = Type.Object({ file: Type.String({ minLength: 1, maxLength: 128 }) });

/** Designs outside of nodes: matching before a build, and the examples. */
export function designRoutes(app: Api, context: ApiContext): void {
  const { toolchain, settings, boards, examplesFolder } = context;

  app.post(
    '/scan',
    {
      config: { takes: 'form', bodyBytes: () => settings.current.limits.upload_bytes + FORM_OVERHEAD },
      schema: describe({
        id: 'scanDesign',
        summary: 'Find the Wishbone slave of a design without building it',
        tag: 'designs',
        body: DesignForm,
        consumes: ['multipart/form-data'],
        ok: {
          200: answer(
            'What was found; `matched` is null when nothing fits, and each module says why.',
            ScanResult,
          ),
        },
        errors: [...Object.keys(toolchainError.specs), 'service_stopping'],
      }),
    },
    async (request, reply) => {
      const design = designOf(request.body as unknown as Form, settings.current.limits.upload_bytes);
      const board = boards.board(0).definition;
      const signal = callerGone(reply);
      return await toolchain.scan({ ...design, board }, { log() {}, progress() {}, signal });
    },
  );

  /** What is asked for must be in the list, so no path leads out of the folder. */
  const examples = async (): Promise<Omit<Static<typeof Example>, 'size'>[]> =>
    JSON.parse(await readFile(path.join(examplesFolder, 'index.json'), 'utf8'));

  app.get(
    '/examples',
    {
      schema: describe({
        id: 'listExamples',
        summary: 'The example designs',
        tag: 'designs',
        ok: { 200: answerList('The examples.', Example) },
      }),
    },
    async () =>
      Promise.all(
        (await examples()).map(async (example) => {
          const { size } = await stat(path.join(examplesFolder, example.file));
          return { ...example, size };
        }),
      ),
  );

  app.get(
    '/examples/:file',
    {
      schema: describe({
        id: 'getExample',
        summary: 'The source of an example',
        tag: 'designs',
        params: ExampleParams,
        ok: { 200: answerText('The source file.', 'text/plain') },
        errors: ['example_not_found'],
      }),
    },
    async (request, reply) => {
      const { file } = request.params;
      if (!(await examples()).some((example) => example.file === file)) throw apiError('example_not_found');
      return reply.type('text/plain; charset=utf-8').send(await readFile(path.join(examplesFolder, file)));
    },
  );
}
