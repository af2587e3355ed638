import type { Job, Stage } from '../contract/jobs.ts';
import type { Failure } from '../contract/diagnostics.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../log.ts';
import type { NodeEvent } from '../nodes/machine.ts';
import type { JobFiles, StoredDesign, StoredJob, StoredNode } from '../store/index.ts';
import type { Toolchain } from '../toolchain/toolchain.ts';
import type { NodeBoard } from './node-board.ts';

/** What the handler of a job works with. */
export interface JobContext {
  readonly stored: StoredJob;
  /** The node as it is at the moment. */
  readonly node: StoredNode;
  readonly board: NodeBoard;
  readonly toolchain: Toolchain;
  readonly files: JobFiles;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Fires with a BenchError as its reason: the board was taken away, the service stops. */
  readonly signal: AbortSignal;
  log(stage: Stage, line: string): void;
  progress(stage: Stage, fraction: number): void;
  /**
   * A build has its slot: its job is running from now on and cannot be cancelled. Called again it does nothing.
   * Runs and resets have begun when their handler is called.
   */
  begin(stage: Stage): void;
  /** The same, and waits for a cancellation that is on its way. @throws when the job is not to go on. */
  begun(stage: Stage): Promise<void>;
  /** Shows what has become known of the job. */
  know(known: Partial<Job>): void;
  /** Moves the node while the job goes on: from now on the job ends with the board. */
  advance(event: NodeEvent): void;
}

/** How a job ended: the handlers say it, the node's actor keeps and shows it. */
export interface JobOutcome {
  status: 'complete' | 'failed';
  /** How the node moves with it; it stays where it is without. */
  event?: NodeEvent;
  failure?: Failure;
  /** A run's answer. */
  ok?: boolean;
  result?: Uint32Array;
  summary?: string;
  /** The design that is on the board now: with `program_succeeded`. */
  design?: StoredDesign;
}

export type JobHandler = (context: JobContext) => Promise<JobOutcome>;
