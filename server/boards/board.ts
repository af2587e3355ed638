import type { BoardEntry, BoardView, DiscoveryProblem } from '../contract/boards/boards.ts';
import type { WishboneLink } from '../wishbone/link.ts';
import type { BoardDefinition, ProgrammingMode } from './definition.ts';
import type { BoardSample, FabricObservation, Recording } from './virtual/observation.ts';

export type { BoardEntry as KnownBoard, DiscoveryProblem };

export interface ProgramContext {
  /** One line for the job's log. */
  log(line: string): void;
  /** 0 to 1. */
  progress(fraction: number): void;
  signal?: AbortSignal;
}

/** What runs on a board, looked at from inside, and its clock: of virtual boards. */
export interface BoardInside {
  /** The board's clock stands: nothing that is sent to the design is answered. */
  readonly paused: boolean;
  /** Calls back when the clock stops; returns the function that ends it. */
  onPaused(listener: () => void): () => void;
  /**
   * Looks inside, or holds the clock.
   * @throws BenchError fabric_stopped where nothing runs.
   */
  observe(request: FabricObservation): Promise<BoardSample>;
  /** Told when the trigger of a recording has come, where that is known before its end. Returns the function that ends it. */
  onTriggered?(listener: () => void): () => void;
  /** Told of the end of each recording; null when what ran went before. Returns the function that ends it. */
  onRecorded(listener: (recording: Recording | null) => void): () => void;
}

/**
 * What a node has in its slot: a board that takes bitstreams and answers over its UART. Virtual and real
 * boards are the same to jobs.
 */
export interface Board {
  readonly definition: BoardDefinition;
  readonly view: BoardView;
  /** Absent for boards that cannot be looked into. */
  readonly inside?: BoardInside;
  /** Told that a design is on its way: what would take time before it can be programmed is done meanwhile. */
  expectDesign?(): void;
  /**
   * Configures the FPGA and returns when CDONE is high. An open link ends: open a new one afterwards.
   * @throws BenchError of the boards area (absent, busy, refused, cdone low…).
   */
  program(bitstream: Uint8Array, context: ProgramContext): Promise<void>;
  /** Told that what was programmed is there for its user: whoever talks to it from now on uses it. */
  designReady?(): void;
  /**
   * Opens the Wishbone link over the board's UART. One at a time.
   * @throws BenchError of the boards area (port busy, permission denied, vanished).
   */
  openLink(): Promise<WishboneLink>;
  close(): Promise<void>;
}

export interface AssignOptions {
  /** Which catalogue board it is; needed while more than one fits. */
  definition?: string;
  /** Where the programmer writes; the first mode of the definition when absent. */
  mode?: ProgrammingMode;
}

/** The boards of all slots: who is where, who has come and who has gone. */
export interface BoardPool {
  /** The board that is in the slot at the moment; another object after a reassignment. */
  board(slot: number): Board;
  /** Boards in slots first, in their order, then boards without one. */
  list(): BoardEntry[];
  /** Empty while discovery works. */
  problems(): DiscoveryProblem[];
  /**
   * Puts a board into a slot, or the slot's virtual board when `boardId` is null; a board that was in another
   * slot leaves it. Resolves when the assignment is kept and in force.
   * @throws BenchError board_unknown, board_ambiguous, board_unsupported, board_slot_busy.
   */
  assign(slot: number, boardId: string | null, options?: AssignOptions): Promise<BoardView>;
  /** Calls back on every arrival, removal and reassignment; returns the function that ends it. */
  onChange(listener: (view: BoardView) => void): () => void;
  close(): Promise<void>;
}
