/** Places in sources: nextpnr only prints them. */
const SOURCE = /"\w*src": "(?:[^"\\\n]|\\.)*"/g;
/** A slice of a block RAM's contents: nextpnr only copies it. */
const CONTENTS = /"INIT_[0-9A-F]": "[01xz]{256}"/g;

/** A block RAM of IceStorm's text form: its place, then sixteen slices of 64 digits. */
const RAM_DATA = /^(\.ram_data (\d+) (\d+)\n)(?:[0-9a-f]{64}\n){16}/gm;

/** A block RAM in Yosys's layout, with its parameters, and in nextpnr's, with its place. */
const RAM =
  /^ {8}"([^\n]*)": \{\n {10}"hide_name": \d+,\n {10}"type": "SB_RAM40_4K\w*",\n {10}"parameters": \{\n([^}]*)\}/gm;
const PLACED_RAM =
  /^ {8}"([^\n]*)_RAM": \{\n {10}"hide_name": \d+,\n {10}"type": "ICESTORM_RAM",\n {10}"parameters": \{[^}]*\},\n {10}"attributes": \{[^}]*"NEXTPNR_BEL": "X(\d+)\/Y(\d+)\/ram"/gm;
const SLICE = /"(INIT_[0-9A-F])": "([01xz]{256})"/g;

const SLICES = Array.from({ length: 16 }, (_, slice) => `INIT_${slice.toString(16).toUpperCase()}`);

const decode = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, byteLength).toString('latin1');

/** The text of a netlist that decides its placement and routing: all but places in sources and contents of block RAM. */
export const decisive = (netlist: Uint8Array): string =>
  decode(netlist).replace(SOURCE, '').replace(CONTENTS, '');

/** 256 digits, the highest first, as 64 hexadecimal ones; an undefined one is 0. */
const hexadecimal = (digits: string): string =>
  BigInt(`0b0${digits.replace(/[^01]/g, '0')}`)
    .toString(16)
    .padStart(64, '0');

/**
 * Contents of the block RAMs by place, `25 13`; null when one has no place. The texts are searched, because parsing them
 * would hold up the service for a tenth of a second.
 */
function contentsOf(netlist: string, placed: string): Map<string, string> | null {
  const places = new Map(
    [...placed.matchAll(PLACED_RAM)].map(([, name = '', x, y]) => [name, `${x} ${y}`] as const),
  );
  const contents = new Map<string, string>();
  for (const [, name = '', parameters = ''] of netlist.matchAll(RAM)) {
    const place = places.get(name);
    if (place === undefined) return null;
    const slices = new Map([...parameters.matchAll(SLICE)].map(([, key = '', digits = '']) => [key, digits]));
    contents.set(place, SLICES.map((key) => `${hexadecimal(slices.get(key) ?? '')}\n`).join(''));
  }
  return contents;
}

/**
 * Fills the block RAMs of a configuration with the contents that a netlist gives them.
 * @param configuration in IceStorm's text form, with the places of `placed`
 * @param placed nextpnr's netlist: the same cells as those of `netlist`
 * @returns null when the block RAMs of the three differ, or when a netlist has an unknown layout
 */
export function withContents(
  configuration: Uint8Array,
  placed: Uint8Array,
  netlist: Uint8Array,
): Uint8Array | null {
  const contents = contentsOf(decode(netlist), decode(placed));
  if (!contents) return null;
  let [blocks, filled] = [0, 0];
  const text = decode(configuration).replace(RAM_DATA, (found, head: string, x: string, y: string) => {
    blocks++;
    const own = contents.get(`${x} ${y}`);
    if (own === undefined) return found;
    filled++;
    return `${head}${own}`;
  });
  return filled === contents.size && filled === blocks ? Buffer.from(text, 'latin1') : null;
}
