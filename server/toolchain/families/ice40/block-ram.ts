import { DIES, ramPlaces } from '../../../ice40/dies.ts';

/** As Yosys lays a cell out: its type, what it has beside that, and its attributes. */
const CELL = /^ {10}"type": "SB_RAM40_4K\w*",$/gm;
const ATTRIBUTES = '\n          "attributes": {\n';
const END = '\n          },';

/** The one that a place is given by, as nextpnr reads it. */
const PLACE = '"BEL":';

/**
 * Places for so many block RAMs beside each other: in the middle of a part's right column, from below.
 * @param die as place and route names it; see DIES
 * @returns names as nextpnr has them, `X25/Y13/ram`; null where one column has no room for them
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
 * A netlist of Yosys whose block RAMs have their places, in the order in which they come. nextpnr then solves for logic alone: where
 * two hundredths of the cells are of other kinds it does so four times a round, once for each kind and once for all.
 * @param places as many as there are block RAMs
 * @returns the netlist as it is where that is not how many there are, or where the design places one by itself
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
