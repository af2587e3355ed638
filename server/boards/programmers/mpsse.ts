/**
 * MPSSE commands for a board whose FT2232H is wired to an iCE40 and its flash as iceprog expects (FTDI AN_108;
 * YosysHQ/icestorm `iceprog/`). AD0 SCK, AD1 MOSI, AD2 MISO, AD4 SS, AD6 CDONE, AD7 CRESET. SS and CRESET are
 * open-drain: their value stays 0 and their direction pulls them low.
 */
export const PIN = { ss: 0x10, cdone: 0x40, creset: 0x80 } as const;

/** SCK and MOSI are always driven. */
const DRIVEN = 0x03;

/** Pulls these lines low and releases the others. */
export const pins = (...low: number[]): number[] => [0x80, 0x00, low.reduce((dir, pin) => dir | pin, DRIVEN)];

/**
 * Switches off what an earlier program may have left on and a bit mode does not reset: loopback (85), three-phase
 * clocking (8D) and adaptive clocking (97) (FTDI AN_135, Configure FTDI MPSSE).
 */
export const PLAIN_SPI = [0x85, 0x8d, 0x97];

/**
 * An invalid command: the MPSSE answers BAD_COMMAND and the byte itself, which proves that it listens (FTDI AN_135).
 */
export const NO_COMMAND = 0xaa;
export const BAD_COMMAND = 0xfa;

/** Clock off the divide-by-five prescaler's 12 MHz, divisor 0: SCK at 6 MHz. */
export const CLOCK_6_MHZ = [0x8b, 0x86, 0x00, 0x00];
export const SCK_HZ = 6_000_000;

/** Reads the pins AD0 to AD7: one byte comes back. */
export const READ_PINS = [0x81];

/** Sends read data at once instead of after the latency timer. */
export const FLUSH = [0x87];

/** Maximum bytes of one data command. */
const DATA_MAX = 65_536;

const length = (bytes: number) => [(bytes - 1) & 0xff, (bytes - 1) >> 8];

/** Head of a command that shifts `bytes` bytes out, MSB first, changing MOSI on the falling edge. */
export const shiftOut = (bytes: number): number[] => [0x11, ...length(bytes)];

/** Shifts out the upper `bits` bits of `value`. */
export const shiftOutBits = (value: number, bits: number): number[] => [0x13, bits - 1, value];

/** Shifts `bytes` bytes in, MSB first, sampling MISO on the rising edge. */
export const shiftIn = (bytes: number): number[] => [0x20, ...length(bytes)];

/** Clocks without data: 8 × `bytes` plus `bits`. */
export const idleClocks = (bytes: number, bits: number): number[] => [0x8f, ...length(bytes), 0x8e, bits - 1];

/** `data` as shift-out commands of at most 64 KiB each. */
export function shiftOutAll(data: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < data.length; at += DATA_MAX) {
    const block = data.subarray(at, at + DATA_MAX);
    parts.push(Uint8Array.from(shiftOut(block.length)), block);
  }
  return Buffer.concat(parts);
}
