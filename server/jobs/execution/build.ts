import type { Board } from '../../boards/board.ts';
import { type BoardDefinition, userClock } from '../../boards/definition.ts';
import type { BuildReport } from '../../contract/designs/uploads.ts';
import { type Diagnostic, MAX_DIAGNOSTICS } from '../../contract/diagnostics.ts';
import type { Job, SubmitOptions } from '../../contract/jobs/jobs.ts';
import { jobsError } from '../../errors/jobs.ts';
import type { BuildResult } from '../../toolchain/build-request.ts';
import { runDesignScript } from './design-script.ts';
import type { JobContext, Outcome } from './steps.ts';

/** Builds a source and programs the board. The node is reserved when the board itself confirms the build id. */
export async function build(context: JobContext): Promise<Outcome> {
  const { stored, board, toolchain, files, signal } = context;
  const { job_id: jobId, fpga_id: fpgaId, submit, design_id: designId } = stored.job;
  const again = stored.job.status === 'running';
  // Check before the long part: a build for an absent board would be wasted. A resumed build is done already, and its
  // board may return.
  if (!again) board.checkPresent();
  const source = await files.read(fpgaId, jobId, 'source');
  if (source === null || !submit) throw jobsError('job_data_missing', { jobId });
  const { definition } = board.board;
  // The job may be cancelled while the source is read; the toolchain would not notice.
  signal.throwIfAborted();
  context.log('queue', `${submit.filename} (${submit.size} bytes) for ${definition.name}`);
  for (const reason of submit.ignored ?? []) context.log('queue', `note: not part of the project: ${reason}`);
  const clocks = otherClock(submit.options, definition);
  if (clocks) context.log('queue', `warning: ${clocks.message}`);

  const built = await toolchain.build(
    {
      source,
      filename: submit.filename,
      board: definition,
      options: submit.options,
      owner: stored.job.owner,
      ...(again && { again }),
    },
    {
      async started() {
        await context.begin('scan');
        board.board.expectDesign?.();
      },
      log: context.log,
      progress: context.progress,
      waiting: context.waiting,
      estimated: context.estimated,
      signal,
    },
  );
  signal.throwIfAborted();
  await finish(context, clocks ? withFinding(built, clocks) : built);
  signal.throwIfAborted();
  await program(context, built);
  const script = await runDesignScript(context);
  return {
    event: 'program_succeeded',
    ok: true,
    ...(script ? { script } : {}),
    design: {
      filename: submit.filename,
      build_id: built.buildId,
      module: built.report.design.module,
      job_id: jobId,
      ...(designId === undefined ? {} : { design_id: designId }),
      board: board.view.definition,
    },
  };
}

const mhz = (hz: number): string => `${hz / 1e6} MHz`;

/** The diagnostic for a design that asks for a clock other than the board's fixed one; null where the clocks match. */
function otherClock({ sys_clk_freq: wanted }: SubmitOptions, definition: BoardDefinition): Diagnostic | null {
  const { hz } = userClock(definition);
  if (wanted === undefined || wanted === hz) return null;
  return {
    severity: 'warning',
    code: 'board_warning',
    message: `sys_clk_freq asks for ${mhz(wanted)}; the clock of ${definition.name} is fixed, and the design gets ${mhz(hz)}.`,
  };
}

/** Adds a diagnostic of this job to those of the build, which may come from the cache. */
const withFinding = (built: BuildResult, finding: Diagnostic): BuildResult => ({
  ...built,
  report: { ...built.report, diagnostics: [finding, ...built.report.diagnostics].slice(0, MAX_DIAGNOSTICS) },
});

/** Stores the build and waits for the board. */
async function finish(
  { stored, board, files, learn, takeBoard }: JobContext,
  built: BuildResult,
): Promise<void> {
  const { job_id: jobId, fpga_id: fpgaId } = stored.job;
  const { buildId, cached, bitstream, report } = built;
  // Record the build first: retention may remove a bitstream that no job names.
  await learn({ build_id: buildId, cached, summary: summarise(report), figures: figuresOf(report) });
  // A restart restores the node from these files, so they are on disk before programming.
  await Promise.all([
    files.writeBitstream(buildId, bitstream),
    files.write(fpgaId, jobId, 'report.json', Buffer.from(JSON.stringify(report))),
  ]);
  checkTiming(stored.job, board.board, report);
  await takeBoard();
}

/**
 * Refuses to program a real board with a design that misses timing, unless the caller allows it. Such a design works by
 * chance. The virtual board has no delays, so there it is only a warning in the report.
 * @throws timing_not_met with both figures.
 */
function checkTiming({ submit }: Job, { view, definition }: Board, { timing }: BuildReport): void {
  const needed = Math.max(timing.target_mhz, userClock(definition).hz / 1e6);
  if (timing.fmax_mhz === null || timing.fmax_mhz >= needed) return;
  if (view.kind === 'virtual' || submit?.options.allow_timing_failure) return;
  throw jobsError('timing_not_met', {
    message: `The design reaches ${timing.fmax_mhz} MHz; ${view.name} needs ${needed} MHz.`,
  });
}

async function program(
  { board, log, progress, clock, signal }: JobContext,
  built: BuildResult,
): Promise<void> {
  progress('program', 0);
  log('program', `programming ${board.view.name} (${board.view.id})`);
  const began = clock.monotonic();
  await board.program(built.bitstream, {
    log: (line) => log('program', line),
    progress: (fraction) => progress('program', fraction),
    signal,
  });
  log('program', `programmed in ${((clock.monotonic() - began) / 1000).toFixed(3)} s`);
  progress('identify', 0);
  const { buildId, clockHz, version } = await board.identify(built.buildId, signal);
  log('identify', `the board runs build ${buildId} at ${mhz(clockHz)} (gateware version ${version})`);
}

const lutsOf = ({ utilisation }: BuildReport) =>
  utilisation.find(({ resource }) => /^(LUT|LC)/i.test(resource));

/** The build figures that a node card shows. */
function figuresOf(report: BuildReport): NonNullable<Job['figures']> {
  const { timing } = report;
  const lut = lutsOf(report);
  return {
    fmax_mhz: timing.fmax_mhz,
    luts: lut?.used ?? null,
    luts_available: lut?.available ?? null,
    timing_met: timing.met,
  };
}

/** One line for lists, e.g. `Fmax 63.2 MHz, 14 % LUT`. */
function summarise(report: BuildReport): string {
  const { fmax_mhz: fmax, met } = report.timing;
  const parts = fmax === null ? [] : [`Fmax ${fmax.toFixed(1)} MHz${met ? '' : ' (target missed)'}`];
  const lut = lutsOf(report);
  if (lut && lut.available > 0)
    parts.push(`${Math.round((100 * lut.used) / lut.available)} % ${lut.resource}`);
  return parts.join(', ');
}
