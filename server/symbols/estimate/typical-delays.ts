/** How long one type of cell takes, ns. */
interface CellDelays {
  /** The cells that it is about, as synthesis names their types. */
  type: RegExp;
  /** The clock of a register or a memory; absent for a cell that has none. */
  clock?: string;
  /** From the clock to the outputs; without a clock from any input to any output. */
  ns: number;
  /** The same from single inputs, where those differ. */
  from?: Readonly<Record<string, number>>;
  /** How long before the clock the inputs have to be there; 0 when absent. */
  setup?: number;
}

/** A connection that the chip has beside its general routing. */
interface DirectWire {
  /** Ports as `TYPE.PORT`. */
  from: RegExp;
  to: RegExp;
  /** Only where nothing else reads the net. */
  alone?: boolean;
  ns: number;
}

/**
 * What the delays of a part are about before anything is placed: those of its cells are known then, those of its wires are
 * what they come to on average. A plain value, which threads are told.
 */
export interface TypicalDelays {
  cells: readonly CellDelays[];
  /** A net to one reader, and what comes on top each time that it has twice as many, ns. */
  wire: { ns: number; doubling: number };
  direct: readonly DirectWire[];
}
