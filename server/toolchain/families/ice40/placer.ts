import { toolchainError } from '../../../errors/toolchain.ts';

/** Look-up tables from which the static placer is faster. */
const LARGE = 2000;

/** Limit of the part's utilisation for that placer. Fuller designs go to the placer that is tested on full parts. */
const HALF = 0.5;

/**
 * nextpnr's static placer (0.8), which moves all cells at once like charges that repel each other. The default placer crowds
 * a large design into the middle of a half-empty part, and routing that crowd takes most of a build.
 */
const SETTING = '"settings": { "placer": "static" },';

/** Whether a design is large, for any part. */
export const isLarge = (tables: number): boolean => tables >= LARGE;

/** Whether a design is large and the part has room for it. @param cells of the part */
export const isLargeWithRoom = (tables: number, cells: number): boolean =>
  isLarge(tables) && tables <= cells * HALF;

/**
 * Selects the static placer in a netlist. It is set in the netlist, because nextpnr is started before the netlist exists.
 * @throws tool_failed when there is no module `top`
 */
export function withPlacerOfLarge(netlist: Uint8Array, top: string): Uint8Array {
  const bytes = Buffer.from(netlist.buffer, netlist.byteOffset, netlist.byteLength);
  const head = `\n    "${top}": {\n`;
  const at = bytes.indexOf(head);
  if (at < 0) throw toolchainError('tool_failed', { message: `Yosys wrote no module ${top}.` });
  const from = at + head.length;
  return Buffer.concat([bytes.subarray(0, from), Buffer.from(`      ${SETTING}\n`), bytes.subarray(from)]);
}
