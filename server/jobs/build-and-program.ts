import type { BuildReport } from '../contract/designs.ts';
import { jobsError } from '../errors/jobs.ts';
import type { StoredDesign } from '../store/index.ts';
import type { BuildResult } from '../toolchain/toolchain.ts';
import { failureOf } from './failure.ts';
import type { JobContext, JobOutcome } from './job-context.ts';

/** Source to bitstream to board: the node is reserved when the board itself has shown that it runs the design. */
export async function buildAndProgram(context: JobContext): Promise<JobOutcome> {
  if (context.node.state !== 'queued') {
    context.begin('scan');
    return { status: 'failed', failure: failureOf(jobsError('run_skipped'), context.logger) };
  }
  let built: BuildResult;
  try {
    built = await build(context);
  } catch (error) {
    context.begin('scan');
    // An aborted build says that it was aborted; why is the signal's reason.
    const reason = context.signal.aborted ? context.signal.reason : error;
    return { status: 'failed', event: 'build_failed', failure: failureOf(reason, context.logger) };
  }
  const { buildId, report } = built;
  context.advance('build_succeeded');
  try {
    await program(context, built);
  } catch (error) {
    return { status: 'failed', event: 'program_failed', failure: failureOf(error, context.logger) };
  }
  const design: StoredDesign = {
    filename: context.stored.job.submit?.filename ?? '',
    build_id: buildId,
    module: report.design.module,
    job_id: context.stored.job.job_id,
    board: context.board.view.definition,
  };
  return { status: 'complete', event: 'program_succeeded', design, ok: true };
}

async function build(context: JobContext): Promise<BuildResult> {
  const { job_id: jobId, fpga_id: fpgaId, submit } = context.stored.job;
  // Before the long part: a build for a board that is away would only be thrown away.
  context.board.checkPresent();
  const source = await context.files.read(fpgaId, jobId, 'source');
  if (source === null || !submit) throw jobsError('job_data_missing', { jobId });
  const board = context.board.board.definition;
  // Cancelled while the source was read: a toolchain that is called now would not hear of it.
  context.signal.throwIfAborted();
  context.log('queue', `${submit.filename} (${submit.size} bytes) for ${board.name}`);
  const built = await context.toolchain.build(
    { source, filename: submit.filename, board, options: submit.options },
    {
      started: () => context.begin('scan'),
      log(stage, line) {
        // A toolchain that does not say when it has a slot says it with its first line of a stage.
        if (stage !== 'queue') context.begin(stage);
        context.log(stage, line);
      },
      progress(stage, fraction) {
        if (stage !== 'queue') context.begin(stage);
        context.progress(stage, fraction);
      },
      signal: context.signal,
    },
  );
  context.signal.throwIfAborted();
  await context.begun('pack');
  // Known first: a bitstream whose build no job names may be removed.
  context.know({ build_id: built.buildId, cached: built.cached, summary: summarise(built.report) });
  // The node is restored from these after a restart, so they are on disk before the board has the design.
  await context.files.writeBitstream(built.buildId, built.bitstream);
  await context.files.write(fpgaId, jobId, 'report.json', Buffer.from(JSON.stringify(built.report)));
  return built;
}

async function program(context: JobContext, built: BuildResult): Promise<void> {
  context.progress('program', 0);
  context.log('program', `programming ${context.board.view.name} (${context.board.view.id})`);
  const began = context.clock.now();
  await context.board.program(built.bitstream, {
    log: (line) => context.log('program', line),
    progress: (fraction) => context.progress('program', fraction),
    signal: context.signal,
  });
  context.log('program', `programmed in ${((context.clock.now() - began) / 1000).toFixed(3)} s`);
  context.progress('identify', 0);
  const identity = await context.board.identify(built.buildId, context.signal);
  context.log(
    'identify',
    `the board runs build ${identity.buildId} at ${identity.clockHz / 1e6} MHz (gateware version ${identity.version})`,
  );
}

/** One line for lists, e.g. `Fmax 63.2 MHz, 14 % LUT`. */
function summarise(report: BuildReport): string {
  const { fmax_mhz: fmax, met } = report.timing;
  const parts = fmax === null ? [] : [`Fmax ${fmax.toFixed(1)} MHz${met ? '' : ' (target missed)'}`];
  const lut = report.utilisation.find(({ resource }) => /^(LUT|LC)/i.test(resource)) ?? report.utilisation[0];
  if (lut && lut.available > 0)
    parts.push(`${Math.round((100 * lut.used) / lut.available)} % ${lut.resource}`);
  return parts.join(', ');
}
