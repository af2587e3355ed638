/** Width of the terminal's register for the clocks of a bit, less one. */
export const TERMINAL_RATE_BITS = 16;

/** Clocks a bit of a design's serial line, as close as the terminal can get. */
export const terminalClocks = (clockHz: number, baud: number): number =>
  Math.max(4, Math.min(2 ** TERMINAL_RATE_BITS, Math.round(clockHz / baud)));
