import type { FastifyInstance } from 'fastify';
import type { Script } from '../../contract/jobs/scripts.ts';
import { designsError } from '../../errors/designs.ts';
import { exportScript, extensionOf } from '../../scripts/export.ts';
import { scriptProblems } from '../../scripts/script-problems.ts';
import type { ApiContext } from '../context.ts';
import { ownName } from '../edge/caller.ts';
import { validationError } from '../edge/validation.ts';
import { attachment } from '../serving/attachment.ts';
import { serve } from '../serving/serve.ts';
import { SCRIPT_BYTES } from './scripts-routes.ts';

/** Largest source of a job: the memory to reserve before it is read. */
const SOURCE_BYTES = 1 << 20;

/** Routes of designs: their versions, scripts, panels and waveforms. */
export function designRoutes(app: FastifyInstance, context: ApiContext): void {
  const { designs } = context;

  serve(app, 'listDesigns', async ({ query: { owner, limit = 100 }, caller }) => {
    const whose = owner ?? ownName(caller);
    return await designs.list(whose === '*' ? null : whose, limit);
  });

  serve(app, 'getDesign', ({ params }) => designs.get(params.design_id));

  serve(app, 'getDesignSource', async ({ params: { design_id, job_id }, caller, reply }) => {
    const version = (await designs.get(design_id)).versions.find((one) => one.job_id === job_id);
    await context.outgoing.reserve(reply.raw, caller, version?.bytes ?? SOURCE_BYTES);
    const { filename, source } = await designs.source(design_id, job_id);
    return reply
      .type('text/plain')
      .header('content-disposition', attachment('inline', filename))
      .send(Buffer.from(source.buffer, source.byteOffset, source.byteLength));
  });

  const scriptOf = async (designId: string): Promise<Script> => {
    const script = await designs.document(designId, 'script');
    if (!script) throw designsError('no_script');
    return script;
  };

  serve(app, 'getDesignScript', ({ params }) => scriptOf(params.design_id));

  serve(app, 'exportDesignScript', async ({ params: { design_id, format }, reply }) => {
    const text = exportScript(await scriptOf(design_id), format, designs.nameOf(design_id));
    return reply
      .type('text/plain; charset=utf-8')
      .header('content-disposition', attachment('attachment', `${design_id}.${extensionOf(format)}`))
      .send(text);
  });

  serve(
    app,
    'putDesignScript',
    async ({ params, body }) => {
      const problems = scriptProblems(body, ['body']);
      if (problems.length > 0) throw validationError(problems);
      await designs.keep(params.design_id, 'script', body);
      return body;
    },
    { bodyBytes: () => SCRIPT_BYTES },
  );

  serve(app, 'deleteDesignScript', async ({ params, reply }) => {
    await designs.drop(params.design_id, 'script');
    return reply.send();
  });

  serve(app, 'getDesignPanel', async ({ params }) => {
    const panel = await designs.document(params.design_id, 'panel');
    if (!panel) throw designsError('no_panel');
    return panel;
  });

  serve(app, 'putDesignPanel', async ({ params, body }) => {
    await designs.keep(params.design_id, 'panel', body);
    return body;
  });

  serve(app, 'deleteDesignPanel', async ({ params, reply }) => {
    await designs.drop(params.design_id, 'panel');
    return reply.send();
  });

  serve(app, 'getDesignWaves', async ({ params }) => {
    const waves = await designs.document(params.design_id, 'waves');
    if (!waves) throw designsError('no_waves');
    return waves;
  });

  serve(app, 'putDesignWaves', async ({ params, body }) => {
    await designs.keep(params.design_id, 'waves', body);
    return body;
  });

  serve(app, 'deleteDesignWaves', async ({ params, reply }) => {
    await designs.drop(params.design_id, 'waves');
    return reply.send();
  });
}
