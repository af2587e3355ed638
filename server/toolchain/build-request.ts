import type { BoardDefinition } from '../boards/definition.ts';
import type { BuildReport } from '../contract/designs/uploads.ts';
import type { InQueue } from '../contract/jobs/in-queue.ts';
import type { Stage, SubmitOptions } from '../contract/jobs/jobs.ts';
import type { BuildEstimate } from '../contract/jobs/utilisation.ts';

export interface BuildRequest {
  source: Uint8Array;
  /** Base name as uploaded; its extension chooses the language. */
  filename: string;
  board: BoardDefinition;
  options: SubmitOptions;
  /** Whose it is: owners take turns in the queue of a farm. */
  owner?: string;
  /** The build id that must come of it: whoever asks has the same gateware and the same tools. */
  expected?: string;
  /** It was under way on a farm when the service ended: it is taken up again, with all that was told of it. */
  again?: boolean;
}

/** Whom the work of the tools is told to, and who can end it. */
export interface ToolContext {
  /** One line for the job's log: written as `[   1.234 synthesis] text`. For people only: it steers nothing. */
  log(stage: Stage, line: string): void;
  /** How far a stage is, 0 to 1. */
  progress(stage: Stage, fraction: number): void;
  /** What the build will about come to: once, when that is known. */
  estimated?(estimate: BuildEstimate): void;
  /** Ends the work with build_aborted. */
  signal?: AbortSignal;
}

export interface BuildContext extends ToolContext {
  /**
   * The build begins: it has a slot, or needs none since its result is in the cache or another build has just made
   * it, or its design was found to be wrong while it waited. Called exactly once by every build that gets so far, and awaited before anything is told of a stage other
   * than `queue`; until then the job is queued. Rejects when the job must not go on, cancelled meanwhile for
   * example: the build gives back what it holds and ends with that reason.
   */
  started(): Promise<void>;
  /** Where it stands in the line of a farm, whenever that has changed. */
  waiting?(standing: InQueue): void;
}

/** Builds that run, that may run at once, and that wait. */
export interface SlotUse {
  readonly busy: number;
  readonly total: number;
  readonly waiting: number;
}

export interface BuildResult {
  buildId: string;
  bitstream: Uint8Array;
  report: BuildReport;
  cached: boolean;
}
