/**
 * The chip table: the facts about one iCE40 die for turning configuration bits into a netlist.
 * resources/fabric/generate.ts makes it from nextpnr's chip database; chip-table.ts reads it.
 * File: brotli over [u32 length of the header][header, JSON, UTF-8][columns, one after another, each aligned to 4]. All
 * numbers are little-endian. A column of 32-bit integers is stored as four byte planes (all lowest bytes first), which
 * compresses to half.
 */
export const TABLE_VERSION = 1;

/** Pins of a logic cell in the order of the `logicPins` column; the LUT inputs are those before permutation. */
export const LOGIC_PINS = ['i0', 'i1', 'i2', 'i3', 'o', 'lo', 'cin', 'cout', 'cen', 'clk', 'sr'] as const;
/** Pins of an IO cell in the order of the `ioPins` column. */
export const IO_PINS = ['latch', 'ce', 'iclk', 'oclk', 'oe', 'dout0', 'dout1', 'din0', 'din1'] as const;
/** Pins of a block RAM in the order of the `ramPins` column, with the width of each. */
export const RAM_PINS = {
  mask: 16,
  rdata: 16,
  wdata: 16,
  waddr: 11,
  raddr: 11,
  wclk: 1,
  wclke: 1,
  we: 1,
  rclk: 1,
  rclke: 1,
  re: 1,
} as const;
export const RAM_PIN_COUNT = Object.values(RAM_PINS).reduce((sum, width) => sum + width, 0);

/** Position of a configuration bit inside its tile. */
type BitPosition = readonly [row: number, column: number];

export interface TableHeader {
  version: number;
  /** nextpnr's name of the die, e.g. `8k`. */
  die: string;
  /** Tiles across and down, the IO ring included. */
  width: number;
  height: number;
  wires: number;
  /** Per tile `y * width + x`: index into `tileTypes`. */
  grid: number[];
  /** Configuration entries by name (`LC_0`, `NegClk`, `IOB_0.PINTYPE_3` …) for each type of tile. */
  tileTypes: { rows: number; columns: number; entries: Record<string, BitPosition[]> }[];
  /** Global buffers, with the pad that can drive each one and the extra bit that selects it. */
  globalBuffers: GlobalBuffer[];
  /** Wires into the warm-boot cell. */
  warmboot: number[];
  /** Package name → pin name → index of the IO cell. */
  packages: Record<string, Record<string, number>>;
  /** Per IO cell: x, y, z of its input-enable and pull-up bits. */
  inputEnable: (readonly [x: number, y: number, z: number])[];
  columns: { name: ColumnName; type: 'u8' | 'u16' | 'i32'; length: number }[];
}

interface GlobalBuffer {
  /** Wire that the fabric drives when the pad does not. */
  input: number;
  output: number;
  /** Index of the IO cell whose pad can drive it. */
  padIo: number;
  /** CRAM bank, column and row of the bit that selects the pad. */
  extraBit: readonly [bank: number, column: number, row: number];
}

/**
 * Switches are ordered by tile. A switch connects its target wire to one of its sources: the one whose `pipValue`
 * equals the number of the switch's configuration bits, first bit highest; 0 means open.
 */
export const COLUMN_NAMES = [
  /** Per tile, and one past the last: index of its first switch. */
  'switchStart',
  /** Per switch: its list of configuration bits. */
  'switchShape',
  /** Per switch: wire that it drives. */
  'switchTarget',
  /** Per switch: number of its sources. */
  'switchPips',
  /** Per list of bits, and one past the last: index into `shapeBits`. */
  'shapeStart',
  /** `row * 64 + column`. */
  'shapeBits',
  /** Per pip: source wire minus target wire. */
  'pipSource',
  'pipValue',
  /** Per logic cell: `tile * 8 + z`. */
  'logicPlace',
  /** Per logic cell: LOGIC_PINS.length wires, -1 for a missing pin. */
  'logicPins',
  /** Per block RAM: tile of its lower half. */
  'ramPlace',
  'ramPins',
  /** Per IO cell: `tile * 2 + z`. */
  'ioPlace',
  'ioPins',
] as const;

export type ColumnName = (typeof COLUMN_NAMES)[number];
