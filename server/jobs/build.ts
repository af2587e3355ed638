import type { BuildReport } from '../contract/designs.ts';
import { jobsError } from '../errors/jobs.ts';
import type { BuildResult } from '../toolchain/toolchain.ts';
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
  const { job_id: jobId, fpga_id: fpgaId, submit } = stored.job;
  // Before the long part: a build for a board that is away would only be thrown away.
  board.checkPresent();
  const source = await files.read(fpgaId, jobId, 'source');
  if (source === null || !submit) throw jobsError('job_data_missing', { jobId });
  const { definition } = board.board;
  // Cancelled while the source was read: a toolchain that is called now would not hear of it.
  signal.throwIfAborted();
  context.log('queue', `${submit.filename} (${submit.size} bytes) for ${definition.name}`);

  const slot = new Gate();
  const building = toolchain.build(
    { source, filename: submit.filename, board: definition, options: submit.options },
    { started: () => slot.pass(), log: context.log, progress: context.progress, signal },
  );
  // It is waited for below, unless the job is ended before.
  building.catch(() => {});
  try {
    await Promise.race([slot.reached, building]);
    yield { kind: 'begun', stage: 'scan' };
    slot.open();
    const built = await building;
    signal.throwIfAborted();
    yield* finish(context, built);
    await program(context, built);
    return {
      event: 'program_succeeded',
      ok: true,
      design: {
        filename: submit.filename,
        build_id: built.buildId,
        module: built.report.design.module,
        job_id: jobId,
        board: board.view.definition,
      },
    };
  } finally {
    slot.close(signal.reason);
  }
}

/** Keeps what was built, and moves the node on to programming. */
async function* finish({ stored, files }: JobContext, built: BuildResult): AsyncGenerator<Step, void, void> {
  const { job_id: jobId, fpga_id: fpgaId } = stored.job;
  const { buildId, cached, bitstream, report } = built;
  // Known first: a bitstream whose build no job names may be removed.
  yield { kind: 'known', job: { build_id: buildId, cached, summary: summarise(report) } };
  // The node is restored from these after a restart, so they are on disk before the board has the design.
  await files.writeBitstream(buildId, bitstream);
  await files.write(fpgaId, jobId, 'report.json', Buffer.from(JSON.stringify(report)));
  yield { kind: 'moved', event: 'build_succeeded' };
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

/** One line for lists, e.g. `Fmax 63.2 MHz, 14 % LUT`. */
function summarise(report: BuildReport): string {
  const { fmax_mhz: fmax, met } = report.timing;
  const parts = fmax === null ? [] : [`Fmax ${fmax.toFixed(1)} MHz${met ? '' : ' (target missed)'}`];
  const lut = report.utilisation.find(({ resource }) => /^(LUT|LC)/i.test(resource)) ?? report.utilisation[0];
  if (lut && lut.available > 0)
    parts.push(`${Math.round((100 * lut.used) / lut.available)} % ${lut.resource}`);
  return parts.join(', ');
}
