import type { Job, JobType, Stage } from '../contract/jobs.ts';
import { assertNever } from '../errors/bench-error.ts';
import { jobsError } from '../errors/jobs.ts';
import { advance } from '../nodes/machine.ts';
import type { StoredJob } from '../store/index.ts';
import { failureOf } from './failure.ts';
import type { JobContext, JobOutcome } from './job-context.ts';
import type { NodeBoard } from './node-board.ts';
import type { NodeRecord } from './node-record.ts';
import { type NodeServices, timestamp } from './node-services.ts';

/** Progress is announced at most so often; a new stage always. */
const PROGRESS_MS = 100;

export interface JobInHandOptions {
  jobId: string;
  type: JobType;
  services: NodeServices;
  record: NodeRecord;
  board: NodeBoard;
  /** The service is ending: what has not begun begins at its next start. */
  stopped: () => boolean;
}

/** The job that a node is at: how it begins, what is shown of it, how it is interrupted. */
export class JobInHand {
  readonly jobId: string;
  readonly type: JobType;
  readonly controller = new AbortController();
  /** False while a build waits for its slot: the job is still queued. */
  begun = false;
  /** While its cancellation is on its way to the disk. */
  cancelling: Promise<void> | null = null;
  cancelled = false;
  /** From now on the job ends with the board. */
  usesBoard: boolean;
  /** Its outcome is known: whatever its handler still does counts no more. */
  over = false;
  readonly #options: JobInHandOptions;
  /** When progress was last announced, milliseconds of performance.now(). */
  #announced = 0;

  constructor(options: JobInHandOptions) {
    this.#options = options;
    this.jobId = options.jobId;
    this.type = options.type;
    this.usesBoard = options.type !== 'build_and_program';
  }

  /** The job runs from now on, unless it was cancelled; called again it does nothing. */
  begin(stage: Stage): void {
    if (this.begun || this.cancelled || this.#options.stopped()) return;
    if (this.cancelling) {
      this.cancelling.catch(() => this.begin(stage));
      return;
    }
    this.begun = true;
    const { record, services } = this.#options;
    if (this.type === 'build_and_program' && record.now.state === 'queued')
      record.set({ state: advance('queued', 'build_started') });
    this.#know({ status: 'running', started_at: timestamp(services.clock), stage });
    record.publish();
  }

  context(): JobContext {
    const { record, board, services } = this.#options;
    const { clock, logger, logs, store, toolchain } = services;
    const stored = this.#stored;
    const log = logs.log(stored.job.fpga_id, this.jobId);
    return {
      stored,
      get node() {
        return record.now;
      },
      board,
      toolchain,
      files: store.jobFiles,
      clock,
      logger,
      signal: this.controller.signal,
      log: (stage, line) => log.line(stage, line),
      progress: (stage, fraction) => this.#progress(stage, fraction),
      begin: (stage) => this.begin(stage),
      begun: async (stage) => {
        this.begin(stage);
        await this.cancelling?.catch(() => {});
        this.begin(stage);
        if (!this.begun) throw jobsError('service_stopped');
      },
      know: (known) => {
        if (this.over) throw jobsError('service_stopped');
        this.#know(known);
      },
      advance: (event) => {
        if (this.over) throw jobsError('service_stopped');
        this.usesBoard = true;
        record.set({ state: advance(record.now.state, event) });
        record.publish();
      },
    };
  }

  /** The outcome when the handler has not given one. */
  interrupted(error: unknown): JobOutcome {
    const { record, services } = this.#options;
    const failure = failureOf(error, services.logger);
    switch (this.type) {
      case 'build_and_program': {
        if (record.now.state === 'queued') this.begin('scan');
        const { state } = record.now;
        if (state !== 'building' && state !== 'programming') return { status: 'failed', failure };
        return {
          status: 'failed',
          failure,
          event: state === 'building' ? 'build_failed' : 'program_failed',
        };
      }
      case 'run':
        return { status: 'failed', failure };
      case 'reset':
        return { status: 'failed', failure, event: 'reset_failed' };
      default:
        return assertNever(this.type);
    }
  }

  get #stored(): StoredJob {
    const { record, services } = this.#options;
    return services.ledger.get(record.now.fpga_id, this.jobId);
  }

  /** Changes the job for everybody, and on disk soon. */
  #know(known: Partial<Job>): void {
    const { ledger, store, clock } = this.#options.services;
    const before = this.#stored;
    const { fraction: _fraction, ...job } = before.job;
    const after: StoredJob = { ...before, job: { ...job, ...known, updated_at: timestamp(clock) } };
    store.bench.jobs.set(this.jobId, after);
    store.touch();
    ledger.show(after);
  }

  /** Progress is shown and never costs a write. */
  #progress(stage: Stage, fraction: number): void {
    if (!this.begun || this.over) return;
    const { ledger, clock } = this.#options.services;
    const before = this.#stored;
    const rounded = Math.round(Math.min(1, Math.max(0, fraction)) * 1000) / 1000;
    const next = before.job.stage !== stage;
    const job: Job = { ...before.job, stage, fraction: rounded };
    if (next) job.updated_at = timestamp(clock);
    const announced = next || performance.now() - this.#announced >= PROGRESS_MS;
    if (announced) this.#announced = performance.now();
    ledger[announced ? 'show' : 'add']({ ...before, job });
  }
}
