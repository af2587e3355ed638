import type { FastifyInstance } from 'fastify';
import type { Script } from '../../contract/jobs/scripts.ts';
import { designsError } from '../../errors/designs.ts';
import { exportScript, extensionOf } from '../../scripts/export.ts';
import { scriptProblems } from '../../scripts/script-problems.ts';
import type { ApiContext } from '../context.ts';
import { ownName } from '../edge/caller.ts';
import { validationError } from '../edge/validation.ts';
import { ownAddress } from '../serving/own-address.ts';
import { sendFile } from '../serving/send-file.ts';
import { serve } from '../serving/serve.ts';
import { sendSamples } from '../signals/samples-body.ts';
import { SCRIPT_BYTES } from './scripts-routes.ts';

/** Largest source of a job: the memory to reserve before it is read. */
const SOURCE_BYTES = 1 << 20;
/** Largest capture, 65,536 samples of 256 bits: the same. */
const CAPTURE_BYTES = 2 << 20;

/** Routes of designs: their versions, scripts, panels and waveforms. */
export function designRoutes(app: FastifyInstance, context: ApiContext): void {
  const { designs, captures, savedCaptures } = context;

  serve(app, 'listDesigns', async ({ query: { owner, limit = 100 }, caller }) => {
    const whose = owner ?? ownName(caller);
    return await designs.list(whose === '*' ? null : whose, limit);
  });

  serve(app, 'getDesign', ({ params }) => designs.get(params.design_id));

  serve(app, 'getDesignSource', async ({ params: { design_id, job_id }, caller, reply }) => {
    const version = (await designs.get(design_id)).versions.find((one) => one.job_id === job_id);
    await context.outgoing.reserve(reply.raw, caller, version?.bytes ?? SOURCE_BYTES);
    const { filename, source } = await designs.source(design_id, job_id);
    return sendFile(reply, { name: filename, type: 'text/plain', inline: true }, source);
  });

  const scriptOf = async (designId: string): Promise<Script> => {
    const script = await designs.document(designId, 'script');
    if (!script) throw designsError('no_script');
    return script;
  };

  serve(
    app,
    'getDesignScript',
    async ({ params, reply }) =>
      (await designs.document(params.design_id, 'script')) ?? reply.code(204).send(),
  );

  serve(app, 'exportDesignScript', async ({ params: { design_id, format }, request, reply }) => {
    const script = await scriptOf(design_id);
    const text = exportScript(script, format, designs.nameOf(design_id), ownAddress(request));
    const name = `${design_id}.${extensionOf(format)}`;
    return sendFile(reply, { name, type: 'text/plain; charset=utf-8' }, text);
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

  serve(
    app,
    'getDesignPanel',
    async ({ params, reply }) =>
      (await designs.document(params.design_id, 'panel')) ?? reply.code(204).send(),
  );

  serve(app, 'putDesignPanel', async ({ params, body }) => {
    await designs.keep(params.design_id, 'panel', body);
    return body;
  });

  serve(app, 'deleteDesignPanel', async ({ params, reply }) => {
    await designs.drop(params.design_id, 'panel');
    return reply.send();
  });

  serve(
    app,
    'getDesignWaves',
    async ({ params, reply }) =>
      (await designs.document(params.design_id, 'waves')) ?? reply.code(204).send(),
  );

  serve(app, 'putDesignWaves', async ({ params, body }) => {
    await designs.keep(params.design_id, 'waves', body);
    return body;
  });

  serve(app, 'deleteDesignWaves', async ({ params, reply }) => {
    await designs.drop(params.design_id, 'waves');
    return reply.send();
  });

  serve(app, 'listDesignCaptures', ({ params }) => savedCaptures.list(params.design_id));

  serve(app, 'saveCapture', async ({ params: { design_id }, body: { name, fpga_id, capture_id } }) => {
    const samples = captures.samples(fpga_id, capture_id);
    if (samples.view.design_id !== design_id) throw designsError('capture_of_other_design');
    return await savedCaptures.save(design_id, name, samples);
  });

  serve(app, 'exportDesignCapture', async ({ params: { design_id, capture_id, format }, caller, reply }) => {
    await context.outgoing.reserve(reply.raw, caller, CAPTURE_BYTES);
    const samples = await savedCaptures.samples(design_id, capture_id.toLowerCase());
    return sendSamples(reply, samples, format, { name: 'capture', now: context.clock.now() });
  });

  serve(app, 'deleteDesignCapture', async ({ params, reply }) => {
    await savedCaptures.remove(params.design_id, params.capture_id.toLowerCase());
    return reply.send();
  });
}
