import type { BoardDefinition } from '../boards/definition.ts';
import type { EngineInfo } from '../contract/bench/bench.ts';
import type { Language, ScanResult } from '../contract/designs/uploads.ts';
import type { Floorplan } from '../contract/signals/floorplan.ts';
import type { BenchError } from '../errors/bench-error.ts';
import type { DesignSymbols } from '../symbols/symbols.ts';
import type { BuildContext, BuildRequest, BuildResult, SlotUse, ToolContext } from './build-request.ts';
import type { Farm } from './farm/farm-view.ts';

/** Turns HDL sources into bitstreams. */
export interface Toolchain {
  /**
   * Waits for a build slot, first come, first served, then builds. Rejects with a BenchError, which carries the
   * diagnostics of the design, or with the reason of `context.started`.
   */
  build(request: BuildRequest, context: BuildContext): Promise<BuildResult>;
  /** Elaborates the design and finds its slave, without a build. */
  scan(request: BuildRequest, context: ToolContext): Promise<ScanResult>;
  /** The bitstream without a user design, for reset. It comes from resources/base where there is one. */
  baseBitstream(board: BoardDefinition): Promise<Uint8Array>;
  engines(): Promise<EngineInfo[]>;
  /** Every language with the error that refuses it here; null where it can be built. */
  languages(): Promise<{ language: Language; refusal: BenchError | null }[]>;
  /** Names and places of a build's signals; null when the build has none or is not in the cache. */
  symbols(buildId: string): Promise<DesignSymbols | null>;
  /** Places of a build's cells in the chip; null when the build has none or is not in the cache. */
  floorplan(buildId: string): Promise<Floorplan | null>;
  /** Present when workers of a farm make the builds. */
  readonly farm?: Farm;
  readonly slots: SlotUse;
  /** Starts to load the tools, to make the first build faster. */
  warm(): void;
  close(): Promise<void>;
}
