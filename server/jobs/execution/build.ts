import type { Board } from '../../boards/board.ts';
import { type BoardDefinition, userClock } from '../../boards/definition.ts';
import type { BuildReport } from '../../contract/designs/uploads.ts';
import { type Diagnostic, MAX_DIAGNOSTICS } from '../../contract/diagnostics.ts';
import type { Job, SubmitOptions } from '../../contract/jobs/jobs.ts';
import { jobsError } from '../../errors/jobs.ts';
import type { BuildResult } from '../../toolchain/build-request.ts';
import { runDesignScript } from './design-script.ts';
import type { JobContext, Outcome, Step } from './steps.ts';

/** Where the toolchain waits with the slot that it has got until its job has begun. */
class Gate {
  readonly reached: Promise<void>;
  #reach = () => {};
  readonly #opened: Promise<void>;
  open = () => {};
  /** Turns back whoever waits here, or comes later. */
  close: (reason: unknown) => void = () => {};

  constructor() {
    this.reached = new Promise((resolve) => {
      this.#reach = resolve;
    });
    this.#opened = new Promise((resolve, reject) => {
      this.open = resolve;
      this.close = reject;
    });
    this.#opened.catch(() => {});
  }

  pass(): Promise<void> {
    this.#reach();
    return this.#opened;
  }
}

/** Source to bitstream to board: the node is reserved when the board itself has shown that it runs the design. */
export async function* build(context: JobContext): AsyncGenerator<Step, Outcome | null, void> {
  const { stored, board, toolchain, files, signal } = context;
  const { job_id: jobId, fpga_id: fpgaId, submit, design_id: designId } = stored.job;
  const again = stored.job.status === 'running';
  // Before the long part: a build for a board that is away would only be thrown away. One that is taken up again is made
  // already, and its board may be found a moment later.
  if (!again) board.checkPresent();
  const source = await files.read(fpgaId, jobId, 'source');
  if (source === null || !submit) throw jobsError('job_data_missing', { jobId });
  const { definition } = board.board;
  // Cancelled while the source was read: a toolchain that is called now would not hear of it.
  signal.throwIfAborted();
  context.log('queue', `${submit.filename} (${submit.size} bytes) for ${definition.name}`);
  for (const reason of submit.ignored ?? []) context.log('queue', `note: not part of the project: ${reason}`);
  const clocks = otherClock(submit.options, definition);
  if (clocks) context.log('queue', `warning: ${clocks.message}`);

  const slot = new Gate();
  const building = toolchain.build(
    {
      source,
      filename: submit.filename,
      board: definition,
      options: submit.options,
      owner: stored.job.owner,
      ...(again && { again }),
    },
    {
      started: () => slot.pass(),
      log: context.log,
      progress: context.progress,
      waiting: context.waiting,
      estimated: context.estimated,
      signal,
    },
  );
  // It is waited for below, unless the job is ended before.
  building.catch(() => {});
  try {
    await Promise.race([slot.reached, building]);
    yield { kind: 'begun', stage: 'scan' };
    slot.open();
    board.board.expectDesign?.();
    const built = await building;
    signal.throwIfAborted();
    yield* finish(context, clocks ? withFinding(built, clocks) : built);
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
  } finally {
    slot.close(signal.reason);
  }
}

const mhz = (hz: number): string => `${hz / 1e6} MHz`;

/** The finding that a design was written for another clock than the board's, which is fixed; null where it was not. */
function otherClock({ sys_clk_freq: wanted }: SubmitOptions, definition: BoardDefinition): Diagnostic | null {
  const { hz } = userClock(definition);
  if (wanted === undefined || wanted === hz) return null;
  return {
    severity: 'warning',
    code: 'board_warning',
    message: `sys_clk_freq asks for ${mhz(wanted)}; the clock of ${definition.name} is fixed, and the design gets ${mhz(hz)}.`,
  };
}

/** What was found of this job beside what the build itself found, which may come from the cache. */
const withFinding = (built: BuildResult, finding: Diagnostic): BuildResult => ({
  ...built,
  report: { ...built.report, diagnostics: [finding, ...built.report.diagnostics].slice(0, MAX_DIAGNOSTICS) },
});

/** Keeps what was built, and waits for the board. */
async function* finish(
  { stored, board, files }: JobContext,
  built: BuildResult,
): AsyncGenerator<Step, void, void> {
  const { job_id: jobId, fpga_id: fpgaId } = stored.job;
  const { buildId, cached, bitstream, report } = built;
  // Known first: a bitstream whose build no job names may be removed.
  yield {
    kind: 'known',
    job: { build_id: buildId, cached, summary: summarise(report), figures: figuresOf(report) },
  };
  // The node is restored from these after a restart, so they are on disk before the board has the design.
  await Promise.all([
    files.writeBitstream(buildId, bitstream),
    files.write(fpgaId, jobId, 'report.json', Buffer.from(JSON.stringify(report))),
  ]);
  checkTiming(stored.job, board.board, report);
  yield { kind: 'built' };
}

/**
 * A design that is too slow works by chance, and differently on each board and day: a real board gets it only when it
 * was asked for. The virtual board has no delays, so there it is a warning in the report.
 * @throws timing_not_met with both figures.
 */
function checkTiming({ submit }: Job, { view, definition }: Board, { timing }: BuildReport): void {
  const needed = Math.max(timing.target_mhz, userClock(definition).hz / 1e6);
  if (timing.fmax_mhz === null || timing.fmax_mhz >= needed) return;
  if (view.kind === 'virtual' || submit?.options.allow_timing_failure) return;
  throw jobsError('timing_not_met', {
    message: `The design reaches ${timing.fmax_mhz} MHz, and ${needed} MHz are needed on ${view.name}.`,
  });
}

async function program({ board, log, progress, now, signal }: JobContext, built: BuildResult): Promise<void> {
  progress('program', 0);
  log('program', `programming ${board.view.name} (${board.view.id})`);
  const began = now();
  await board.program(built.bitstream, {
    log: (line) => log('program', line),
    progress: (fraction) => progress('program', fraction),
    signal,
  });
  log('program', `programmed in ${((now() - began) / 1000).toFixed(3)} s`);
  progress('identify', 0);
  const identity = await board.identify(built.buildId, signal);
  log(
    'identify',
    `the board runs build ${identity.buildId} at ${identity.clockHz / 1e6} MHz (gateware version ${identity.version})`,
  );
}

/** What a card shows of a build. */
function figuresOf({ timing, utilisation }: BuildReport): NonNullable<Job['figures']> {
  const lut = utilisation.find(({ resource }) => /^(LUT|LC)/i.test(resource));
  return {
    fmax_mhz: timing.fmax_mhz,
    luts: lut?.used ?? null,
    luts_available: lut?.available ?? null,
  };
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
