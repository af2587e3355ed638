import type { BoardEntry, BoardView, DiscoveryProblem } from '../contract/boards/boards.ts';
import type { WishboneLink } from '../wishbone/link.ts';
import type { BoardDefinition, ProgrammingMode } from './definition.ts';
import type { BoardSample, FabricObservation, Recording } from './virtual/observation.ts';

export type { BoardEntry as KnownBoard, DiscoveryProblem };

export interface ProgramContext {
  /** Writes one line to the job's log. */
  log(line: string): void;
  /** 0 to 1. */
  progress(fraction: number): void;
  signal?: AbortSignal;
}

/** The inside of a virtual board: its running design and its clock. */
export interface BoardInside {
  /** The board's clock is paused: the design answers nothing. */
  readonly paused: boolean;
  /** Calls back when the clock stops; returns the function that ends it. */
  onPaused(listener: () => void): () => void;
  /**
   * Reads values, or controls the clock.
   * @throws BenchError fabric_stopped where nothing runs.
   */
  observe(request: FabricObservation): Promise<BoardSample>;
  /** Calls back when a recording triggers, where that is known before its end. Returns the function that ends it. */
  onTriggered?(listener: () => void): () => void;
  /** Calls back at the end of each recording; null when the design ended first. Returns the function that ends it. */
  onRecorded(listener: (recording: Recording | null) => void): () => void;
}

/**
 * The board in a node's slot: it takes bitstreams and answers over its UART. Virtual and real boards are the same to
 * jobs.
 */
export interface Board {
  readonly definition: BoardDefinition;
  readonly view: BoardView;
  /** Absent for real boards. */
  readonly inside?: BoardInside;
  /** Announces a design, so that the board can prepare what programming needs. */
  expectDesign?(): void;
  /**
   * Configures the FPGA and returns when CDONE is high. An open link ends: open a new one afterwards.
   * @throws BenchError of the boards area (absent, busy, refused, cdone low…).
   */
  program(bitstream: Uint8Array, context: ProgramContext): Promise<void>;
  /** Marks the design as handed to its user: later traffic is the user's. */
  designReady?(): void;
  /**
   * Opens the Wishbone link over the board's UART. One at a time.
   * @throws BenchError of the boards area (port busy, permission denied, vanished).
   */
  openLink(): Promise<WishboneLink>;
  close(): Promise<void>;
}

export interface AssignOptions {
  /** Its id in the catalogue; required while more than one fits. */
  definition?: string;
  /** Target of the programmer; default is the first mode of the definition. */
  mode?: ProgrammingMode;
}

/** The boards of all slots, with their arrivals and removals. */
export interface BoardPool {
  /** The board in the slot at the moment; another object after a reassignment. */
  board(slot: number): Board;
  /** Boards in slots first, in their order, then boards without one. */
  list(): BoardEntry[];
  /** Empty while discovery works. */
  problems(): DiscoveryProblem[];
  /**
   * Puts a board into a slot, or the slot's virtual board when `boardId` is null. A board in another slot leaves it.
   * Resolves when the assignment is stored and in force.
   * @throws BenchError board_unknown, board_ambiguous, board_unsupported, board_slot_busy.
   */
  assign(slot: number, boardId: string | null, options?: AssignOptions): Promise<BoardView>;
  /** Calls back on every arrival, removal and reassignment; returns the function that ends it. */
  onChange(listener: (view: BoardView) => void): () => void;
  close(): Promise<void>;
}
