import type { BoardDefinition } from '../boards/definition.ts';
import type { BuildReport } from '../contract/designs/uploads.ts';
import type { InQueue } from '../contract/jobs/in-queue.ts';
import type { Stage, SubmitOptions } from '../contract/jobs/jobs.ts';
import type { BuildEstimate } from '../contract/jobs/utilisation.ts';

/** What a job asks the toolchain to build. */
export interface BuildRequest {
  source: Uint8Array;
  /** Base name of the upload. Its extension chooses the language. */
  filename: string;
  board: BoardDefinition;
  options: SubmitOptions;
  /** Owner of the job. The farm's queue serves owners in turn. */
  owner?: string;
  /** The build id that the caller expects. A different id means different gateware or tools. */
  expected?: string;
  /** A farm built this when the service ended. The build is resumed with its whole log. */
  again?: boolean;
}

/** Receives the output of a tool run, and can end it. */
export interface ToolContext {
  /** Adds one line to the job's log: `[   1.234 synthesis] text`. No code reads it. */
  log(stage: Stage, line: string): void;
  /** How far a stage is, 0 to 1. */
  progress(stage: Stage, fraction: number): void;
  /** Called once, as soon as the size and speed of the build can be estimated. */
  estimated?(estimate: BuildEstimate): void;
  /** Ends the work with build_aborted. */
  signal?: AbortSignal;
}

/** ToolContext of a build, which also waits for a slot. */
export interface BuildContext extends ToolContext {
  /**
   * Marks the begin of the build. The toolchain calls it exactly once: when the build has a slot, when the result
   * comes from the cache or another build, or when an early scan refuses the design. Until it resolves the job is
   * queued, and the log has lines of the stage `queue` only. It rejects when the job must not run, for example
   * after a cancel. The build then gives back its slot and rejects with the same reason.
   */
  started(): Promise<void>;
  /** Called when the build's place in a farm's line changes. */
  waiting?(standing: InQueue): void;
}

/** Build slots: in use, in total, and the builds that wait for one. */
export interface SlotUse {
  readonly busy: number;
  readonly total: number;
  readonly waiting: number;
}

/** A finished build. */
export interface BuildResult {
  buildId: string;
  bitstream: Uint8Array;
  report: BuildReport;
  cached: boolean;
}
