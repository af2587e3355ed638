import type { BoardDefinition } from '../boards/definition.ts';
import type { EngineInfo } from '../contract/bench.ts';
import type { BuildReport, ScanResult } from '../contract/designs.ts';
import type { Stage, SubmitOptions } from '../contract/jobs.ts';

/** Paths inside the tools' private file system → contents. */
export type ToolFiles = Record<string, Uint8Array | string>;

export interface ToolRun {
  tool:
    | 'yosys'
    | 'nextpnr-ice40'
    | 'icepack'
    | 'nextpnr-ecp5'
    | 'ecppack'
    | 'nextpnr-himbaechel'
    | 'gowin_pack';
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
  supports(family: BoardDefinition['fpga']['family']): boolean;
  run(run: ToolRun): Promise<ToolResult>;
  close(): Promise<void>;
}

export interface BuildRequest {
  source: Uint8Array;
  /** Base name as uploaded; its extension chooses the language. */
  filename: string;
  board: BoardDefinition;
  options: SubmitOptions;
}

/** Whom the work of the tools is told to, and who can end it. */
export interface ToolContext {
  /** One line for the job's log: written as `[   1.234 synthesis] text`. For people only: it steers nothing. */
  log(stage: Stage, line: string): void;
  /** How far a stage is, 0 to 1. */
  progress(stage: Stage, fraction: number): void;
  /** Ends the work with build_aborted. */
  signal?: AbortSignal;
}

export interface BuildContext extends ToolContext {
  /**
   * The build begins: it has a slot, or needs none since its result is in the cache or another build has just made
   * it. Called exactly once by every build that gets so far, and awaited before anything is told of a stage other
   * than `queue`; until then the job is queued. Rejects when the job must not go on, cancelled meanwhile for
   * example: the build gives back what it holds and ends with that reason.
   */
  started(): Promise<void>;
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
  readonly slots: { readonly busy: number; readonly total: number; readonly waiting: number };
  /** Starts loading the tools, so that the first build does not wait for it. */
  warm(): void;
  close(): Promise<void>;
}
