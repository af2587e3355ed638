import type { BoardDefinition } from '../boards/definition.ts';
import type { EngineInfo } from '../contract/bench/bench.ts';
import type { Language, ScanResult } from '../contract/designs/uploads.ts';
import type { Floorplan } from '../contract/signals/floorplan.ts';
import type { BenchError } from '../errors/bench-error.ts';
import type { DesignSymbols } from '../symbols/symbols.ts';
import type { BuildContext, BuildRequest, BuildResult, SlotUse, ToolContext } from './build-request.ts';
import type { Farm } from './farm/farm-view.ts';

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
  readonly slots: SlotUse;
  /** Starts loading the tools, so that the first build does not wait for it. */
  warm(): void;
  close(): Promise<void>;
}
