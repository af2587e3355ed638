import type { BoardView } from '../nodes/model.ts';
import type { WishboneLink } from '../wishbone/link.ts';
import type { BoardDefinition } from './definition.ts';

export interface ProgramContext {
  /** One line for the job's log. */
  log(line: string): void;
  /** 0 to 1. */
  progress(fraction: number): void;
  signal?: AbortSignal;
}

/**
 * What a node has in its slot: a board that takes bitstreams and answers over its UART. Virtual and real
 * boards are the same to jobs.
 */
export interface Board {
  readonly definition: BoardDefinition;
  readonly view: BoardView;
  /**
   * Configures the FPGA and returns when CDONE is high. An open link ends: open a new one afterwards.
   * @throws BenchError of the boards area (absent, busy, refused, cdone low…).
   */
  program(bitstream: Uint8Array, context: ProgramContext): Promise<void>;
  /**
   * Opens the Wishbone link over the board's UART. One at a time.
   * @throws BenchError of the boards area (port busy, permission denied, vanished).
   */
  openLink(): Promise<WishboneLink>;
  close(): Promise<void>;
}

/** The boards of all slots: who is where, who has come and who has gone. */
export interface BoardPool {
  board(slot: number): Board;
  /** Calls back on every arrival, removal and reassignment; returns the function that ends it. */
  onChange(listener: (view: BoardView) => void): () => void;
  close(): Promise<void>;
}
