import type { Clock } from '../../clock.ts';
import type { InQueue } from '../../contract/jobs/in-queue.ts';
import type { Job, Stage } from '../../contract/jobs/jobs.ts';
import type { BusFault } from '../../contract/jobs/runs.ts';
import type { Script, ScriptOutcome } from '../../contract/jobs/scripts.ts';
import type { BuildEstimate } from '../../contract/jobs/utilisation.ts';
import type { NodeEvent } from '../../nodes/machine.ts';
import type { NodeBoard } from '../../nodes/node-board.ts';
import type { JobFiles, StoredDesign, StoredJob } from '../../store/index.ts';
import type { Toolchain } from '../../toolchain/toolchain.ts';

/** What a job handler works with. */
export interface JobContext {
  readonly stored: StoredJob;
  readonly board: NodeBoard;
  readonly toolchain: Toolchain;
  readonly files: JobFiles;
  readonly clock: Clock;
  /** The stored script of the job's design; null where there is none. */
  keptScript(): Promise<Script | null>;
  /**
   * Fires when the job is cancelled, its board disappears or the service stops. The last two give a BenchError as the
   * reason.
   */
  readonly signal: AbortSignal;
  /** The job runs, in this stage; it can't be cancelled any more. Rejects, here and below, where the job has ended. */
  begin(stage: Stage): Promise<void>;
  /** Adds facts to the job's record. */
  learn(facts: Partial<Job>): Promise<void>;
  /** The design is built: resolves when the job has the board. */
  takeBoard(): Promise<void>;
  log(stage: Stage, line: string): void;
  progress(stage: Stage, fraction: number): void;
  /** Shows the estimate of the build's figures. */
  estimated(estimate: BuildEstimate): void;
  /** Shows the build's place in the farm's queue. */
  waiting(standing: InQueue): void;
}

/** The events with which a job may end. */
export type EndEvent = Extract<
  NodeEvent,
  | 'build_failed'
  | 'program_succeeded'
  | 'program_failed'
  | 'reset_succeeded'
  | 'reset_failed'
  | 'board_failed'
>;

/** How a job that did not fail ends. */
export interface Outcome {
  /** The event that the node takes; without it the node stays in its state. */
  event?: EndEvent;
  /** A run's answer: false after a bus fault. */
  ok: boolean;
  /** Why `ok` is false. */
  fault?: BusFault;
  summary?: string;
  /** The outcome of the design's script. */
  script?: ScriptOutcome;
  /** The words that a run read. */
  words?: Uint32Array;
  /** The first words that a run wrote or read. */
  moved?: readonly number[];
  /** The design on the board. */
  design?: StoredDesign;
}

/** The work of one type of job: returns how the job ends, or throws the failure. */
export type JobHandler = (context: JobContext) => Promise<Outcome>;
