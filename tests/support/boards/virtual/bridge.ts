import { readFileSync } from 'node:fs';
import path from 'node:path';
import { appRoot } from '../../../../server/paths.ts';
import { placeAndRoute, synthesise } from './tools.ts';

const folder = path.join(appRoot, 'tests/support/boards/virtual/designs');

/** Constraints of the virtual board's two wires and its clock. */
export const UART_CONSTRAINTS = 'set_io clk J3\nset_io rx B10\nset_io tx B12\n';

/** Connections of the virtual board. */
export const UART_FABRIC = {
  package: 'ct256',
  clock: { hz: 12_000_000, pin: 'J3' },
  rx: 'B10',
  tx: 'B12',
};

/** Line rate of the bridge: 12 clocks a bit. */
export const BRIDGE_BAUD = 1_000_000;

export const designSource = (name: string): string => readFileSync(path.join(folder, name), 'utf8');

/** Bitstream of a design of the folder designs/, or of the given Verilog, with ports clk, rx and tx. */
export async function buildForBoard(
  source: string,
  top: string,
  constraints = UART_CONSTRAINTS,
): Promise<Uint8Array> {
  return placeAndRoute(await synthesise(source, top), constraints, top);
}

/** Frame that writes words from a word address on. */
export function writeFrame(address: number, words: Uint32Array): Uint8Array {
  const frame = Buffer.alloc(6 + 4 * words.length);
  frame[0] = 1;
  frame[1] = words.length;
  frame.writeUInt32BE(address, 2);
  words.forEach((word, k) => {
    frame.writeUInt32BE(word, 6 + 4 * k);
  });
  return Uint8Array.from(frame);
}

/** Frame that reads words; the answer is 4 bytes a word, most significant first. */
export function readFrame(address: number, count: number): Uint8Array {
  const frame = Buffer.alloc(6);
  frame[0] = 2;
  frame[1] = count;
  frame.writeUInt32BE(address, 2);
  return Uint8Array.from(frame);
}

export const bytesOf = (words: Uint32Array): Uint8Array => writeFrame(0, words).subarray(6);
