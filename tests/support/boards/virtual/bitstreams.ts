import { readFileSync } from 'node:fs';
import { crc16 } from '../../../../server/ice40/crc16.ts';
import { resourcePath } from '../../../../server/paths.ts';

/** The base bitstream of the virtual board: a real one, made by nextpnr and icepack. */
export const baseBitstream = (board = 'virtual-hx8k'): Uint8Array =>
  Uint8Array.from(readFileSync(resourcePath('base', `${board}.bin`)));

function find(bytes: Uint8Array, wanted: number[], from = 0): number {
  for (let at = from; at + wanted.length <= bytes.length; at++)
    if (wanted.every((byte, k) => bytes[at + k] === byte)) return at;
  throw new Error('not found');
}

/** Positions in a bitstream of icepack: what the CRC covers begins at `covered`, its two bytes are at `crc`. */
export function landmarks(bytes: Uint8Array): {
  preamble: number;
  covered: number;
  crc: number;
  wakeUp: number;
} {
  const preamble = find(bytes, [0x7e, 0xaa, 0x99, 0x7e]);
  const covered = find(bytes, [0x01, 0x05], preamble) + 2;
  const wakeUp = bytes.lastIndexOf(0x06);
  return { preamble, covered, crc: wakeUp - 3, wakeUp: wakeUp - 1 };
}

/** The bitstream with its CRC made right again after a change. */
export function resealed(bytes: Uint8Array): Uint8Array {
  const { covered, crc } = landmarks(bytes);
  const sealed = Uint8Array.from(bytes);
  const value = crc16(0xffff, sealed, covered, crc);
  sealed[crc] = value >> 8;
  sealed[crc + 1] = value & 0xff;
  return sealed;
}
