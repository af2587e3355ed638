import os from 'node:os';
import type { BoardDefinition } from '../boards/definition.ts';
import type { Clock } from '../clock.ts';
import type { CheckStepName } from '../contract/boards/board-checks.ts';
import type { BoardEntry } from '../contract/boards/boards.ts';
import type { Job, Stage } from '../contract/jobs/jobs.ts';
import { assertNever, BenchError } from '../errors/bench-error.ts';
import { boardsError } from '../errors/boards.ts';
import { jobsError } from '../errors/jobs.ts';
import { failureOf } from '../jobs/execution/end.ts';
import type { Logger } from '../log.ts';
import { CHECK_DESIGN } from './check-design.ts';
import type { CheckRecord, StepKey, StepOutcome } from './check-record.ts';
import { type CheckedNode, failureOfJob } from './checked-node.ts';
import { judgeRate, lineRateStep, measureRate } from './line-rates.ts';
import { checkMemory, checkRead, checkWrite } from './traffic.ts';

/** Error codes that belong to one step, whatever the stage of the job. */
const STEP_OF_CODE: Readonly<Record<string, CheckStepName>> = {
  board_absent: 'seen',
  usb_unavailable: 'opened',
  usb_permission_denied: 'opened',
  usb_busy: 'opened',
  usb_driver_missing: 'opened',
  board_in_use: 'opened',
  programmer_missing: 'opened',
  programmer_ambiguous: 'opened',
  fpga_not_in_reset: 'cdone',
  cdone_low: 'cdone',
};

/** The step in which a building or programming job failed: by the error code, else by the job's stage. */
function stepToBlame(code: string, stage: Stage | undefined): CheckStepName {
  const named = STEP_OF_CODE[code];
  if (named) return named;
  // The virtual board refuses a design instead of raising CDONE.
  if (code.startsWith('fabric_') && stage === 'program') return 'cdone';
  switch (stage) {
    case 'program':
      return 'programmed';
    case 'identify':
      return 'identity';
    default:
      return 'built';
  }
}

/** Lines of the build job's log in a report, and maximum characters of each. */
const LOG_LINES = 60;
const LOG_CHARACTERS = 400;

const WORDS_ON_CDONE: Record<BoardDefinition['programmer']['kind'], string> = {
  virtual: 'CDONE is high.',
  'ice40-mpsse': 'CDONE is high.',
  openfpgaloader: 'openFPGALoader checks this itself and reported no error.',
};

/** The node's first job for the check; none while its board is absent. */
export type FirstJob = { kind: 'build' | 'reset'; job: Job } | { kind: 'none' };

interface CheckRunOptions {
  record: CheckRecord;
  node: CheckedNode;
  definition: BoardDefinition;
  board: BoardEntry;
  /** The check design. */
  source: Uint8Array;
  clock: Clock;
  logger: Logger;
  /** Fires with the reason when the check must end early. */
  ends: AbortSignal;
  /** Fires when the service stops: waiting ends. */
  stops: AbortSignal;
  /** Reports the session that the check has begun. */
  onSession: (sessionId: string | null) => void;
}

/**
 * A running check: it makes the same requests as any caller and records their outcomes. After a failed step the
 * remaining ones are skipped, but the node is always given back.
 */
export class CheckRun {
  readonly #options: CheckRunOptions;
  readonly #record: CheckRecord;
  readonly #node: CheckedNode;

  constructor(options: CheckRunOptions) {
    this.#options = options;
    this.#record = options.record;
    this.#node = options.node;
  }

  /** Runs the check; true when every step passed. Never rejects. */
  async perform(first: FirstJob): Promise<boolean> {
    const { ends } = this.#options;
    let well = true;
    try {
      await this.#check(first);
    } catch (error) {
      well = false;
      this.#blame(ends.aborted ? ends.reason : error);
    }
    try {
      await this.#giveBack(!well);
    } catch (error) {
      well = false;
      this.#record.fail({ step: 'released' }, failureOf(error));
    }
    this.#record.skipRest();
    return well;
  }

  async #check(first: FirstJob): Promise<void> {
    const { clock, source, ends, onSession } = this.#options;
    if (first.kind === 'reset') await this.#reset(first.job);
    ends.throwIfAborted();
    await this.#step({ step: 'seen' }, async () => this.#seen());
    const build = first.kind === 'build' ? first.job : await this.#node.submit(CHECK_DESIGN, source);
    const built = await this.#program(build);
    onSession(this.#node.begin(built));
    await this.#step({ step: 'identity' }, () => this.#identity(built));
    await this.#step({ step: 'memory' }, () => checkMemory(this.#node));
    await this.#step({ step: 'write' }, () => checkWrite(this.#node, clock));
    await this.#step({ step: 'read' }, () => checkRead(this.#node, clock));
    await this.#lineRates();
  }

  async #step(key: StepKey, work: () => Promise<StepOutcome>): Promise<void> {
    this.#options.ends.throwIfAborted();
    this.#record.begin(key);
    this.#record.end(key, await work());
  }

  /** Records the reason for the end at the present step. */
  #blame(error: unknown): void {
    if (!(error instanceof BenchError))
      this.#options.logger.error({ err: error }, 'a board check failed with an unexpected error');
    const { steps } = this.#record;
    const come =
      steps.find(({ state }) => state === 'running') ?? steps.find(({ state }) => state === 'waiting');
    if (come && !steps.some(({ state }) => state === 'failed')) {
      const cancelled = error instanceof BenchError && error.code === 'check_cancelled';
      if (cancelled) this.#record.end(come, { happened: error.message, skipped: true });
      else this.#record.fail(come, failureOf(error));
    }
    this.#record.skipRest('released');
  }

  async #reset(job: Job): Promise<void> {
    this.#record.begin({ step: 'reset' });
    const ended = await this.#node.follow(job);
    await this.#keepLog(job);
    if (ended.status !== 'complete') throw failureOfJob(ended);
    this.#record.end({ step: 'reset' }, { happened: 'The base SoC is on the board, and the node is idle.' });
  }

  #seen(): StepOutcome {
    const { kind, usb, serialPort, present, reason, remedy } = this.#options.board;
    if (kind === 'virtual') return { happened: 'A virtual board is always present.', skipped: true };
    if (!present || !usb)
      throw boardsError('board_absent', {
        ...(reason === undefined ? {} : { message: reason }),
        ...(remedy === undefined ? {} : { remedy }),
      });
    const hex = (id: number) => id.toString(16).padStart(4, '0');
    const product = usb.product === null ? '' : `, “${usb.product}”`;
    const serial = usb.serial === null ? 'no serial number' : `serial number ${usb.serial}`;
    const device = `${hex(usb.vendorId)}:${hex(usb.productId)}${product}, ${serial}, at ${usb.port}`;
    if (serialPort == null)
      return { happened: `${device}; no serial port yet.`, warning: failureOf(boardsError('port_missing')) };
    return { happened: `${device}; serial port ${serialPort}.` };
  }

  /** Follows the build job to its end. @throws its failure, after recording it at the step that failed. */
  async #program(job: Job): Promise<Job> {
    const record = this.#record;
    record.begin({ step: 'built' });
    const ended = await this.#node.follow(job, ({ stage }) => {
      if (stage !== 'program' && stage !== 'identify') return;
      if (this.#stateOf('built') === 'running') record.end({ step: 'built' }, { happened: 'It is built.' });
      record.begin({ step: 'opened' });
      record.begin({ step: 'programmed' });
    });
    await this.#keepLog(job);
    if (ended.status === 'cancelled') throw failureOfJob(ended);
    const { failure, stage } = ended;
    const blamed = failure ? stepToBlame(failure.error, stage) : null;
    if (blamed !== 'built' && blamed !== 'seen') await this.#describeBuild(ended);
    for (const step of ['opened', 'programmed', 'cdone'] as const) {
      if (blamed === step || blamed === 'built' || blamed === 'seen') break;
      this.#cameThrough(step);
    }
    if (!failure || !blamed) return ended;
    record.fail({ step: blamed }, failure);
    throw failureOfJob(ended);
  }

  /** Records that a step of programming passed. */
  #cameThrough(step: 'opened' | 'programmed' | 'cdone'): void {
    const { board, definition } = this.#options;
    switch (step) {
      case 'opened':
        if (board.kind === 'virtual')
          this.#record.end({ step }, { happened: 'A virtual board has no device.', skipped: true });
        else
          this.#record.end(
            { step },
            { happened: 'The programmer opened the device; no other program held it.' },
            { timed: false },
          );
        break;
      case 'programmed':
        this.#record.end({ step }, { happened: 'The board accepted the whole bitstream.' });
        break;
      case 'cdone':
        this.#record.end(
          { step },
          { happened: WORDS_ON_CDONE[definition.programmer.kind] },
          { timed: false },
        );
        break;
      default:
        assertNever(step);
    }
  }

  /** Records the build from its report. */
  async #describeBuild(job: Job): Promise<void> {
    const { timing, versions, engine } = await this.#node.report(job);
    this.#record.add({ versions: { ...this.#record.view.versions, engine, ...versions } });
    const { fmax_mhz: fmax, target_mhz: target, met } = timing;
    const speed = fmax === null ? 'any clock' : `${fmax.toFixed(1)} MHz`;
    const happened = `It reaches ${speed} at a target of ${target} MHz${job.cached ? '; from the cache' : ''}.`;
    this.#record.end(
      { step: 'built' },
      {
        happened,
        figures: { ...(fmax === null ? {} : { fmax_mhz: fmax }), target_mhz: target },
        ...(met ? {} : { warning: failureOf(boardsError('check_timing_missed')) }),
      },
      { timed: this.#stateOf('built') === 'running' },
    );
  }

  #stateOf(step: CheckStepName) {
    return this.#record.steps.find((one) => one.step === step)?.state;
  }

  async #identity({ build_id: built }: Job): Promise<StepOutcome> {
    const { buildId, clockHz, version } = await this.#node.overLink((link) => link.identity());
    this.#record.add({ identity: { build_id: buildId, clock_hz: clockHz, gateware_version: version } });
    if (!built?.endsWith(buildId))
      throw jobsError('identity_mismatch', { message: `The board shows build ${buildId}, not ${built}.` });
    return { happened: `Build ${buildId}, gateware version ${version}, ${clockHz / 1e6} MHz.` };
  }

  /** Measures every rate that board and port support, ascending. */
  async #lineRates(): Promise<void> {
    const { clock, definition } = this.#options;
    const rates = await this.#node.overLink(async (link) => [...link.lineRates]);
    this.#record.insertBefore('released', rates.map(lineRateStep));
    for (const baud of rates)
      await this.#step({ step: 'line_rate', baud }, async () => {
        const measured = await this.#node.overLink((link) => measureRate(link, baud, clock));
        return judgeRate(measured, baud === definition.serial.baud);
      });
  }

  /** Stores the end of the job's log, without the name of the user's folder. */
  async #keepLog(job: Job): Promise<void> {
    const text = (await this.#node.log(job)).toString('utf8').replaceAll(os.homedir(), '~');
    const lines = text.trimEnd().split('\n').slice(-LOG_LINES);
    this.#record.add({ log: lines.map((line) => line.slice(0, LOG_CHARACTERS)) });
  }

  async #giveBack(afterFailure: boolean): Promise<void> {
    const step = { step: 'released' } as const;
    this.#record.begin(step);
    if (this.#options.stops.aborted) {
      const happened = 'The service stopped. Its next start releases the node of the check.';
      this.#record.end(step, { happened, skipped: true });
      return;
    }
    const job = await this.#node.askBack(afterFailure);
    if (!job) {
      const { state } = this.#node;
      this.#record.end(step, {
        happened: `The node needs no release: it is ${state}.`,
        skipped: true,
      });
      return;
    }
    const ended = await this.#node.follow(job);
    if (ended.status !== 'complete') throw failureOfJob(ended);
    this.#record.end(step, { happened: 'The base SoC is on the board, and the node is idle.' });
  }
}
