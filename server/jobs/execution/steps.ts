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

/** What the handler of a job works with. */
export interface JobContext {
  readonly stored: StoredJob;
  readonly board: NodeBoard;
  readonly toolchain: Toolchain;
  readonly files: JobFiles;
  readonly clock: Clock;
  /** The script that is kept with the design of a submit; null where there is none. */
  keptScript(): Promise<Script | null>;
  /** Milliseconds of a clock that never jumps. */
  now(): number;
  /** Fires when the job is cancelled, its board is taken away or the service stops; the last two give a BenchError. */
  readonly signal: AbortSignal;
  log(stage: Stage, line: string): void;
  progress(stage: Stage, fraction: number): void;
  /** What a build will about come to. */
  estimated(estimate: BuildEstimate): void;
  /** Where a build stands in the line of workers. */
  waiting(standing: InQueue): void;
}

/** What becomes of a job and its node while the job goes on. */
export type Step =
  /** The job runs from now on, in this stage; it cannot be cancelled any more. */
  | { kind: 'begun'; stage: Stage }
  /** More is known of the job. */
  | { kind: 'known'; job: Partial<Job> }
  /** The design is built: from now on the job needs the board. */
  | { kind: 'built' };

/** How a job ends that got through. */
export interface Outcome {
  /** How the node moves with it; it stays where it is without. */
  event?: NodeEvent;
  /** A run's answer: false when the design did not acknowledge. */
  ok: boolean;
  /** Why `ok` is false. */
  fault?: BusFault;
  summary?: string;
  /** How the script of the design went. */
  script?: ScriptOutcome;
  /** The words that a run read. */
  words?: Uint32Array;
  /** The first words that a run wrote or read. */
  moved?: readonly number[];
  /** The design that is on the board now. */
  design?: StoredDesign;
}

/**
 * The work of one type of job. It yields what changes on the way and goes on when that is so, or is ended there
 * because the job was cancelled before it began. It returns how the job ends, or throws why it failed.
 */
export type JobHandler = (context: JobContext) => AsyncGenerator<Step, Outcome | null, void>;
