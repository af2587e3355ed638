import { type Netlist, readNetlist } from '../../../symbols/netlist-file.ts';

/** Places in sources: nextpnr only prints them. */
const SOURCE = /"\w*src": "(?:[^"\\\n]|\\.)*"/g;
/** A slice of a block RAM's contents: nextpnr only copies it. */
const CONTENTS = /"INIT_[0-9A-F]": "[01xz]{256}"/g;

/** A block RAM of IceStorm's text form: its place, then sixteen slices of 64 digits. */
const RAM_DATA = /^(\.ram_data (\d+) (\d+)\n)(?:[0-9a-f]{64}\n){16}/gm;

const SLICES = Array.from({ length: 16 }, (_, slice) => `INIT_${slice.toString(16).toUpperCase()}`);

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** The text of a netlist that decides its placement and routing: all but places in sources and contents of block RAM. */
export const decisive = (netlist: Uint8Array): string =>
  decode(netlist).replace(SOURCE, '').replace(CONTENTS, '');

/** 256 digits, the highest first, as 64 hexadecimal ones; an undefined one is 0. */
const slice = (digits: unknown): string => {
  const defined = typeof digits === 'string' ? digits.replace(/[^01]/g, '0') : '';
  return BigInt(`0b0${defined}`).toString(16).padStart(64, '0');
};

/** Contents of the block RAMs by place, `25 13`; null for one without a place. */
function contentsOf({ cells }: Netlist, placed: Netlist): Map<string, string> | null {
  const contents = new Map<string, string>();
  for (const [name, { type, parameters = {} }] of Object.entries(cells)) {
    if (!type.startsWith('SB_RAM40_4K')) continue;
    const place = String(placed.cells[`${name}_RAM`]?.attributes?.['NEXTPNR_BEL'] ?? '');
    const [, x, y] = /^X(\d+)\/Y(\d+)\/ram$/.exec(place) ?? [];
    if (x === undefined) return null;
    contents.set(`${x} ${y}`, SLICES.map((key) => `${slice(parameters[key])}\n`).join(''));
  }
  return contents;
}

/**
 * Fills the block RAMs of a configuration with the contents that a netlist gives them.
 * @param configuration in IceStorm's text form, with the places of `placed`
 * @param placed nextpnr's netlist: the same cells as those of `netlist`
 * @returns null when a netlist cannot be read, or when the block RAMs of the three differ
 */
export function withContents(
  configuration: Uint8Array,
  placed: Uint8Array,
  netlist: Uint8Array,
): Uint8Array | null {
  const [before, after] = [readNetlist(decode(netlist)), readNetlist(decode(placed))];
  const contents = before && after && contentsOf(before, after);
  if (!contents) return null;
  let filled = 0;
  const text = Buffer.from(configuration.buffer, configuration.byteOffset, configuration.byteLength)
    .toString('latin1')
    .replace(RAM_DATA, (found, head: string, x: string, y: string) => {
      const own = contents.get(`${x} ${y}`);
      if (own === undefined) return found;
      filled++;
      return `${head}${own}`;
    });
  return filled === contents.size ? Buffer.from(text, 'latin1') : null;
}
