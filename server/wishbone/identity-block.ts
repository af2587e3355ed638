import type { Identity } from './link.ts';
import type { Frame } from './uartbone.ts';

/** First byte address of the base SoC's own registers; the user's slave has every address below. */
export const BLOCK_BASE = 0xf000_0000;

/** "WBCH", the value of the block's first register. */
export const MAGIC = 0x5742_4348;

/** Word offsets of the block's registers (docs/gateware.md). */
const REGISTER = { clocksPerBit: 8, scratch: 9, control: 12, faultAddress: 13, status: 14, crc: 15 } as const;

const byteAddress = (register: number) => BLOCK_BASE + 4 * register;

/** First byte address of the identifier memory: 64 characters, one a word, padded with 0. */
const IDENTIFIER_BASE = 0xf800_0000;

/**
 * The first gateware version with an identifier memory. In earlier ones the block repeats to the end of the address
 * space.
 */
const FIRST_WITH_IDENTIFIER = 3;

/**
 * True for the CRC register, whose read returns and restarts the CRC. The block repeats every 64 bytes.
 * @param version of the board's gateware
 */
export const isCrcRegister = (address: number, version: number): boolean =>
  address >= BLOCK_BASE &&
  (address < IDENTIFIER_BASE || version < FIRST_WITH_IDENTIFIER) &&
  ((address / 4) & 15) === REGISTER.crc;

/** A register that ignores every write, for line tests: the CRC covers the bytes. */
export const SCRATCH = byteAddress(REGISTER.scratch);

/** The whole block, its CRC last. */
export const BLOCK_READ: Frame = { kind: 'read', byteAddress: BLOCK_BASE, words: 16, fixed: false };

/** Changes the board's line rate at once: the next bytes in both directions have that rate. */
export const changeRate = (clocksPerBit: number): Frame => ({
  kind: 'write',
  byteAddress: byteAddress(REGISTER.clocksPerBit),
  data: Uint32Array.of(clocksPerBit - 1),
  fixed: false,
});

/** Constants: magic, version, clock, baud, build id (two words), FIFO bytes, watchdog clocks. */
export const IDENTITY_READ: Frame = { kind: 'read', byteAddress: BLOCK_BASE, words: 8, fixed: false };

/** Status and CRC, read at the end of every exchange. */
export const STATUS_READ: Frame = {
  kind: 'read',
  byteAddress: byteAddress(REGISTER.status),
  words: 2,
  fixed: false,
};

/** The address of the uncleared fault, read when the status shows one. */
export const FAULT_ADDRESS_READ: Frame = {
  kind: 'read',
  byteAddress: byteAddress(REGISTER.faultAddress),
  words: 1,
  fixed: false,
};

/**
 * Clears the fault. From the next fault on, the base SoC holds every access back from the design until the fault is
 * cleared. @param mark 24 bits that the base SoC ignores but its CRC covers: they distinguish two such frames
 */
export const takeHold = (mark = 0): Frame => ({
  kind: 'write',
  byteAddress: byteAddress(REGISTER.control),
  data: Uint32Array.of((mark << 8) | 1),
  fixed: false,
});

export interface BlockIdentity extends Identity {
  magic: number;
  baud: number;
  /** Bytes that the board buffers while it is busy. */
  fifoBytes: number;
  watchdogClocks: number;
}

/** @param words the eight words of IDENTITY_READ */
export function parseIdentity(words: Uint32Array): BlockIdentity {
  const [
    magic = 0,
    version = 0,
    clockHz = 0,
    baud = 0,
    high = 0,
    low = 0,
    fifoBytes = 0,
    watchdogClocks = 0,
  ] = words;
  const hex = (word: number) => word.toString(16).padStart(8, '0');
  return { magic, version, clockHz, baud, buildId: hex(high) + hex(low), fifoBytes, watchdogClocks };
}

export interface Status {
  fault: 'timeout' | 'error' | null;
  /** A byte to the board was lost or damaged since the last clear. */
  lineError: boolean;
  /** Acknowledged transfers of the design's bus, modulo 65,536. */
  transfers: number;
}

/** @param words of STATUS_READ */
export function parseStatus([flags = 0]: Uint32Array): Status {
  return {
    fault: flags & 1 ? (flags & 2 ? 'error' : 'timeout') : null,
    lineError: (flags & 4) !== 0,
    transfers: flags >>> 16,
  };
}
