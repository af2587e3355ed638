import type { FastifyInstance, FastifyReply } from 'fastify';
import type { RecordedScript, Script, ScriptReport, ScriptRun } from '../../contract/jobs/scripts.ts';
import { designsError } from '../../errors/designs.ts';
import { exportScript, extensionOf } from '../../scripts/export.ts';
import { junitOf } from '../../scripts/junit.ts';
import { recordedScript } from '../../scripts/recorded-script.ts';
import { runScript } from '../../scripts/run-script.ts';
import { scriptProblems } from '../../scripts/script-problems.ts';
import type { ApiContext } from '../context.ts';
import { requireHolder, requireStillAdmitted } from '../edge/caller.ts';
import { whileAllowed } from '../edge/streams.ts';
import { validationError } from '../edge/validation.ts';
import { ownAddress } from '../serving/own-address.ts';
import { sendFile } from '../serving/send-file.ts';
import { serve } from '../serving/serve.ts';

/** Largest script, bytes. */
export const SCRIPT_BYTES = 1 << 20;

/** The file name of a design without one. */
const SOME_FILE = 'design.v';

/** Routes of scripts on nodes: generated from a session, run, reported. */
export function scriptRoutes(app: FastifyInstance, context: ApiContext): void {
  const { pool, streams, designs, clock } = context;

  const ofSession = async (fpgaId: number): Promise<RecordedScript> => {
    const { done, polled, missing } = await streams.done(fpgaId);
    const { script, skipped, reads } = recordedScript(done, polled);
    return { script, skipped: skipped + missing, reads };
  };

  serve(app, 'getSessionScript', ({ params }) => ofSession(params.fpga_id));

  serve(app, 'exportSessionScript', async ({ params: { fpga_id, format }, request, reply }) => {
    const file = pool.node(fpga_id).design?.filename ?? SOME_FILE;
    const { script } = await ofSession(fpga_id);
    const name = `node-${fpga_id}.${extensionOf(format)}`;
    const text = exportScript(script, format, file, ownAddress(request));
    return sendFile(reply, { name, type: 'text/plain; charset=utf-8' }, text);
  });

  /** The script to run: the uploaded one, that of the named design, or that of the node's design. */
  async function scriptOf({ script, design_id: named }: ScriptRun, fpgaId: number): Promise<Script> {
    if (script) {
      const problems = scriptProblems(script, ['body', 'script']);
      if (problems.length > 0) throw validationError(problems);
      return script;
    }
    const designId = named ?? pool.node(fpgaId).design?.design_id;
    const kept = designId ? await designs.document(designId, 'script') : null;
    if (!kept) throw designsError('no_script');
    return kept;
  }

  /** Answers with JSON, or with XML where the query asks for it. */
  const answerWith = (
    report: ScriptReport,
    format: 'json' | 'junit' | undefined,
    name: string,
    reply: FastifyReply,
  ): ScriptReport | FastifyReply =>
    format === 'junit' ? reply.type('application/xml; charset=utf-8').send(junitOf(report, name)) : report;

  serve(
    app,
    'runScript',
    async ({ params: { fpga_id: fpgaId }, query, body, caller, reply }) => {
      // Check access to the node before loading the script.
      const { bus, close } = streams.bus(fpgaId, caller.owner);
      try {
        const script = await scriptOf(body, fpgaId);
        const check = () => {
          requireStillAdmitted(context, caller, 'key');
          requireHolder(context, caller, fpgaId);
        };
        const report = await whileAllowed(context, 'wait', { caller, reply, check }, (signal) =>
          runScript(script, bus, { clock, signal }),
        );
        return answerWith(report, query.format, pool.node(fpgaId).design?.filename ?? SOME_FILE, reply);
      } finally {
        close();
      }
    },
    { bodyBytes: () => SCRIPT_BYTES },
  );

  serve(app, 'getScriptReport', async ({ params: { fpga_id, job_id }, query, reply }) => {
    const { submit } = pool.job(fpga_id, job_id);
    const report = await pool.scriptReport(fpga_id, job_id);
    if (!report) throw designsError('no_script');
    return answerWith(report, query.format, submit?.filename ?? SOME_FILE, reply);
  });
}
