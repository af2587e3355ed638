import { toolchainError } from '../../../errors/toolchain.ts';

/** Look-up tables from which on a design is placed as a whole: below it the usual placer takes as long. */
const LARGE = 2000;

/** Most of a part that such a design may fill. Fuller ones are left to the placer that has been tried on full parts. */
const HALF = 0.5;

/**
 * The placer that moves all cells at once as charges that repel each other (nextpnr 0.8). The usual one crowds a large design
 * into the middle of a part that is half empty, and most of a build is then the routing of that crowd.
 */
const SETTING = '"settings": { "placer": "static" },';

/** Whether a design is large, whatever part it is for. */
export const isLarge = (tables: number): boolean => tables >= LARGE;

/** Whether a design is large, in a part that has room for it. @param cells that the part has */
export const isLargeWithRoom = (tables: number, cells: number): boolean =>
  isLarge(tables) && tables <= cells * HALF;

/**
 * A netlist of Yosys that asks nextpnr for the placer of large designs. In the netlist, since the tool has been started with its
 * options before there is one.
 * @throws tool_failed where it has no module `top`
 */
export function withPlacerOfLarge(netlist: Uint8Array, top: string): Uint8Array {
  const bytes = Buffer.from(netlist.buffer, netlist.byteOffset, netlist.byteLength);
  const head = `\n    "${top}": {\n`;
  const at = bytes.indexOf(head);
  if (at < 0) throw toolchainError('tool_failed', { message: `Yosys ended without the module ${top}.` });
  const from = at + head.length;
  return Buffer.concat([bytes.subarray(0, from), Buffer.from(`      ${SETTING}\n`), bytes.subarray(from)]);
}
