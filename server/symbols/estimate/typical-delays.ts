/** Delays of one type of cell, ns. */
interface CellDelays {
  /** The cell types, as synthesis names them. */
  type: RegExp;
  /** The clock of a register or a memory; absent for other cells. */
  clock?: string;
  /** From the clock to the outputs; without a clock from any input to any output. */
  ns: number;
  /** The same from single inputs, where those differ. */
  from?: Readonly<Record<string, number>>;
  /** Set-up time of the inputs; 0 when absent. */
  setup?: number;
}

/** A direct connection besides the chip's general routing. */
interface DirectWire {
  /** Ports as `TYPE.PORT`. */
  from: RegExp;
  to: RegExp;
  /** Only where nothing else reads the net. */
  alone?: boolean;
  ns: number;
}

/**
 * Typical delays of a part before placement: exact ones of its cells, and averages of its wires. A plain value, so that
 * threads can receive it.
 */
export interface TypicalDelays {
  cells: readonly CellDelays[];
  /** A net to one reader, and the increase for each doubling of the readers, ns. */
  wire: { ns: number; doubling: number };
  direct: readonly DirectWire[];
}
