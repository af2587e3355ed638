/** A net: 0 is constant low, 1 is constant high, the rest are the design's own. */
export type Net = number;

/** Four-input look-up table: bit `i0 + 2·i1 + 4·i2 + 8·i3` of `table` is the output. */
export interface Lut {
  output: Net;
  inputs: readonly [Net, Net, Net, Net];
  table: number;
}

/** Carry: the majority of three. */
export interface Carry {
  output: Net;
  inputs: readonly [Net, Net, Net];
}

/** D flip-flop. It starts at 0. */
export interface FlipFlop {
  /** Its place, e.g. `x12y7/lc3`. */
  name: string;
  q: Net;
  d: Net;
  clock: Net;
  /** Clocked by the falling edge. */
  falling: boolean;
  enable: Net;
  /** Set or reset, active high. */
  setReset: Net;
  /** It sets instead of resetting. */
  sets: boolean;
  /** The set or reset acts at once, enabled or not; else with the clock and only while enabled. */
  asynchronous: boolean;
}

/** Data width of a block RAM port: 256 × 16, 512 × 8, 1024 × 4, 2048 × 2. */
export type RamMode = 0 | 1 | 2 | 3;

/** 4 kbit block RAM with one read and one write port, each with its own clock. */
export interface BlockRam {
  name: string;
  /** -1 where a data output is not connected. */
  readData: Net[];
  readAddress: Net[];
  readClock: Net;
  readFalling: boolean;
  readClockEnable: Net;
  readEnable: Net;
  readMode: RamMode;
  writeData: Net[];
  writeAddress: Net[];
  /** A 1 keeps the bit; only for 16 bits width. */
  writeMask: Net[];
  writeClock: Net;
  writeFalling: boolean;
  writeClockEnable: Net;
  writeEnable: Net;
  writeMode: RamMode;
  /** 256 words. */
  initial: Uint16Array;
}

/** The logic of a configured fabric. */
export interface Logic {
  luts: Lut[];
  carries: Carry[];
  flipFlops: FlipFlop[];
  rams: BlockRam[];
  /** The board's clock, -1 when the design does not use it. */
  clock: Net;
  /** Pins that are driven from outside; each is one net. */
  inputs: { name: string; net: Net }[];
  /** Pins that are observed. */
  outputs: { name: string; net: Net }[];
}

/** The same with net names for messages. */
export interface Netlist extends Logic {
  /** A name of a net for messages: the place of its driver. */
  nameOf(net: Net): string;
}
