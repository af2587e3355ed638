import { crc16 } from '../../../ice40/crc16.ts';
import { RAM_ROWS } from '../../../ice40/dies.ts';
import type { Bank, Configuration } from './configuration.ts';

const PREAMBLE = [0x7e, 0xaa, 0x99, 0x7e];
/** Rows of block RAM contents in one write. */
const RAM_CHUNK = 128;

const word = (value: number): [number, number] => [value >> 8, value & 0xff];
const setBank = (index: number) => [0x11, index];
const setFrequency = (range: number) => [0x51, range];
const setWidth = (bits: number) => [0x62, ...word(bits - 1)];
const setHeight = (rows: number) => [0x72, ...word(rows)];
const setOffset = (row: number) => [0x82, ...word(row)];
const setWarmBoot = (enabled: boolean) => [0x92, ...word(enabled ? 0x20 : 0)];
const WRITE_CRAM = [0x01, 0x01];
const WRITE_BRAM = [0x01, 0x03];
const RESET_CRC = [0x01, 0x05];
const WAKE_UP = [0x01, 0x06];
/** The command without its two bytes: the CRC of everything before it. */
const CHECK_CRC = [0x22];

/** The slowest oscillator range for reading a flash. */
const LOW = 0;
/** Follows each block of data. */
const END_OF_DATA = [0, 0];

/**
 * Writes the bitstream of a configuration, with icepack's order of commands.
 * Source: project IceStorm, "iCE40 bitstream format".
 */
export function writeBitstream(configuration: Configuration): Uint8Array {
  const { comment, warmBoot } = configuration;
  const before = [
    ...(comment === null ? [] : commentBytes(comment)),
    ...PREAMBLE,
    ...setFrequency(LOW),
    ...RESET_CRC,
  ];
  const checked = concatenate([
    setWarmBoot(warmBoot),
    ...cramBlocks(configuration.cram),
    ...bramBlocks(configuration.bram),
    CHECK_CRC,
  ]);
  const crc = crc16(0xffff, checked);
  return concatenate([before, checked, word(crc), WAKE_UP, [0]]);
}

type Bytes = ArrayLike<number>;

function cramBlocks(banks: readonly Bank[]): Bytes[] {
  const [{ width, height } = { width: 0, height: 0 }] = banks;
  const data = ({ bits }: Bank, index: number) => [setBank(index), WRITE_CRAM, bits, END_OF_DATA];
  // When the halves of a chip differ, each bank has its own height, in another order.
  if (areAlike(banks)) return [setWidth(width), setHeight(height), setOffset(0), ...banks.flatMap(data)];
  return [
    setWidth(width),
    setOffset(0),
    ...banks.flatMap((bank, index) => [setHeight(bank.height), ...data(bank, index)]),
  ];
}

function bramBlocks(banks: readonly Bank[]): Bytes[] {
  const [{ width } = { width: 0 }] = banks;
  if (width === 0) return [];
  const alike = areAlike(banks);
  const chunks = Array.from({ length: RAM_ROWS / RAM_CHUNK }, (_, chunk) => chunk * RAM_CHUNK);
  const data = (bank: Bank, index: number): Bytes[] => [
    setBank(index),
    ...chunks.flatMap((row) => [
      setOffset(row),
      ...(alike ? [] : [setWidth(bank.width)]),
      WRITE_BRAM,
      bank.bits.subarray((row * bank.width) / 8, ((row + RAM_CHUNK) * bank.width) / 8),
      END_OF_DATA,
    ]),
  ];
  return [...(alike ? [setWidth(width)] : []), setHeight(RAM_CHUNK), ...banks.flatMap(data)];
}

const areAlike = ([first, ...others]: readonly Bank[]): boolean =>
  others.every(({ width, height }) => width === first?.width && height === first.height);

const commentBytes = (lines: readonly Uint8Array[]): number[] => [
  ...[0xff, 0],
  ...lines.flatMap((line) => [...line, 0]),
  ...[0, 0xff],
];

function concatenate(parts: readonly Bytes[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
