import { DIES, ramPlaces } from '../../../ice40/dies.ts';

/** A cell in Yosys's layout: its type and its attributes. */
const CELL = /^ {10}"type": "SB_RAM40_4K\w*",$/gm;
const ATTRIBUTES = '\n          "attributes": {\n';
const END = '\n          },';

/** nextpnr's attribute for a place. */
const PLACE = '"BEL":';

/**
 * Adjacent places for block RAMs: the middle of the part's right column, from below.
 * @param die in place and route's names; see DIES
 * @returns nextpnr's names, `X25/Y13/ram`; null when one column has too few places
 */
export function blockRamPlaces(die: string, count: number): string[] | null {
  const geometry = DIES.get(die);
  if (geometry === undefined) return null;
  const { columns, rows } = ramPlaces(geometry);
  if (columns.length === 0 || count > rows.length) return null;
  const first = (rows.length - count) >> 1;
  return rows.slice(first, first + count).map((row) => `X${columns.at(-1)}/Y${row}/ram`);
}

/**
 * Gives the block RAMs of a netlist their places, in order. nextpnr then solves for logic only. When two hundredths of the
 * cells are of other kinds, it otherwise solves four times in each round: once for each kind, and once for all.
 * @param places one for each block RAM
 * @returns the unchanged netlist when the numbers differ, or when the design places a block RAM itself
 */
export function withBlockRamPlaced(netlist: Uint8Array, places: readonly string[]): Uint8Array {
  const text = Buffer.from(netlist.buffer, netlist.byteOffset, netlist.byteLength).toString('latin1');
  const cells = [...text.matchAll(CELL)].map(({ index }) => {
    const from = text.indexOf(ATTRIBUTES, index) + ATTRIBUTES.length;
    // Without attributes the first line is the end.
    return { from, to: text.indexOf(END, from - 1) };
  });
  const placed = cells.some(({ from, to }) => to < from || text.slice(from, to).includes(PLACE));
  if (placed || cells.length === 0 || cells.length !== places.length) return netlist;
  const pieces = cells.map(({ from }, at) => {
    const before = text.slice(cells[at - 1]?.from ?? 0, from);
    return `${before}            ${PLACE} "${places[at]}",\n`;
  });
  return Buffer.from(`${pieces.join('')}${text.slice(cells.at(-1)?.from ?? 0)}`, 'latin1');
}
