import type { BoardDefinition } from '../boards/definition.ts';
import type { EngineInfo } from '../contract/bench.ts';
import type { BuildReport, ScanResult } from '../contract/designs.ts';
import type { Floorplan } from '../contract/floorplan.ts';
import type { InQueue } from '../contract/in-queue.ts';
import type { Stage, SubmitOptions } from '../contract/jobs.ts';
import type { BuildEstimate } from '../contract/utilisation.ts';
import type { BenchError } from '../errors/bench-error.ts';
import type { DesignSymbols } from '../symbols/symbols.ts';
import type { FarmView } from './remote/farm-view.ts';
import type { Language } from './scan/language.ts';

/** Paths inside the tools' private file system → contents. */
export type ToolFiles = Record<string, Uint8Array | string>;

export interface ToolRun {
  /** `yosys`, or a tool of a family. */
  tool: string;
  args: string[];
  files: ToolFiles;
  /**
   * Files that are still being made. The tool may be started before they are there and waits where it opens
   * them; its deadline counts from when all have arrived. One that rejects ends the run with its reason.
   */
  late?: Record<string, Promise<Uint8Array | string>>;
  /** Files to bring back; one that the tool did not write is absent from the result. */
  outputs: string[];
  /** Seconds after which the run is ended. */
  deadline: number;
  /** Called for every line of the tool's output, as it comes. */
  onLine(line: string): void;
  signal?: AbortSignal;
}

export interface ToolResult {
  files: Record<string, Uint8Array>;
  seconds: number;
  /** Highest memory of the tool, bytes, where the engine can tell. */
  peakMemory?: number;
}

/**
 * Runs one tool of the toolchain on files that are handed to it and nothing else.
 * Rejects with a BenchError of the toolchain area: tool_failed (exit code), tool_crashed (a trap inside
 * WebAssembly), tool_deadline, tool_memory, tool_missing, build_aborted.
 */
export interface ToolEngine {
  readonly name: 'embedded' | 'native';
  /** tool → version line, for the report and the build id. */
  versions(): Promise<Record<string, string>>;
  run(run: ToolRun): Promise<ToolResult>;
  close(): Promise<void>;
}

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

/** A queue of builds that others make. */
export interface Farm {
  /** As it may be shown. */
  readonly address: string;
  /**
   * The farm as it is; where the queue does not answer, as it was last known, with why.
   * @param most builds of a line
   */
  look(most: number): Promise<{ view: FarmView; problem: string | null }>;
  /** Why there is no room for another build, and after how many seconds there may be; null where there is. */
  full(owner: string): { whose: 'all' | 'owner' | 'memory'; waiting: number; after: number } | null;
}

export interface BuildResult {
  buildId: string;
  bitstream: Uint8Array;
  report: BuildReport;
  cached: boolean;
}

/** HDL source to bitstream. */
export interface Toolchain {
  /**
   * Waits for a build slot (first come, first served), then builds. Rejects with a BenchError, which carries what
   * the tools have found in the design, or with what `context.started` rejects with.
   */
  build(request: BuildRequest, context: BuildContext): Promise<BuildResult>;
  /** Elaborates and matches only. */
  scan(request: BuildRequest, context: ToolContext): Promise<ScanResult>;
  /** The bitstream without a user design, that reset flashes; from resources/base when it is there. */
  baseBitstream(board: BoardDefinition): Promise<Uint8Array>;
  engines(): Promise<EngineInfo[]>;
  /** What designs can be written in here: with why not, as a build would be refused, or null. */
  languages(): Promise<{ language: Language; refusal: BenchError | null }[]>;
  /** Names and places of a build's signals; null where it is not kept any more, or has none. */
  symbols(buildId: string): Promise<DesignSymbols | null>;
  /** Where a build's cells are in the chip; null where it is not kept any more, or has none. */
  floorplan(buildId: string): Promise<Floorplan | null>;
  /** Present where builds are made by others. */
  readonly farm?: Farm;
  readonly slots: { readonly busy: number; readonly total: number; readonly waiting: number };
  /** Starts loading the tools, so that the first build does not wait for it. */
  warm(): void;
  close(): Promise<void>;
}
