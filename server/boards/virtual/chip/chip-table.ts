import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import {
  COLUMN_NAMES,
  type ColumnName,
  IO_PINS,
  LOGIC_PINS,
  RAM_PIN_COUNT,
  TABLE_VERSION,
  type TableHeader,
} from './table-format.ts';

/** The driver of a wire, packed into one number: see `DriverKind`. 0 is none. */
export const DRIVER = {
  none: 0,
  lut: 1,
  lutCascade: 2,
  carry: 3,
  ram: 4,
  pad0: 5,
  pad1: 6,
  buffer: 7,
} as const;

export const driverKind = (driver: number): number => driver >>> 24;
/** Index of the cell: logic cell, `block RAM * 16 + bit`, IO cell or global buffer. */
export const driverIndex = (driver: number): number => driver & 0xff_ffff;

type Columns = Record<ColumnName, Uint8Array | Uint16Array | Int32Array>;

const isComplete = (columns: Partial<Columns>): columns is Columns =>
  COLUMN_NAMES.every((name) => columns[name] !== undefined);

/** The chip table of one die, ready for look-ups. table-format.ts describes the columns. */
export interface ChipTable extends Omit<TableHeader, 'columns' | 'grid'>, Columns {
  grid: Uint8Array;
  /** Per wire: the cell that drives it (DRIVER kind << 24 | index), 0 when none does. */
  drivers: Int32Array;
}

/**
 * Reads and inflates a chip table made by resources/fabric/generate.ts: 30 ms and 20 MB for the 8k die.
 * @throws Error when the file is missing or of another version.
 */
export function loadChipTable(file: string): ChipTable {
  return parseChipTable(brotliDecompressSync(readFileSync(file)));
}

function parseChipTable(data: Buffer): ChipTable {
  const headerLength = data.readUInt32LE(0);
  const { columns, ...header }: TableHeader = JSON.parse(data.toString('utf8', 4, 4 + headerLength));
  if (header.version !== TABLE_VERSION)
    throw new Error(`The chip table has version ${header.version}, not ${TABLE_VERSION}: generate it again.`);
  const named: Partial<Columns> = {};
  let at = 4 + headerLength;
  for (const { name, type, length } of columns) {
    const size = { u8: 1, u16: 2, i32: 4 }[type];
    const bytes = data.subarray(at, at + length * size);
    // Copies release the inflated file and give the views the alignment they need.
    if (type === 'u8') named[name] = Uint8Array.from(bytes);
    else if (type === 'u16') named[name] = new Uint16Array(Uint8Array.from(bytes).buffer);
    else named[name] = joinPlanes(bytes, length);
    at += (length * size + 3) & ~3;
  }
  if (!isComplete(named)) throw new Error('The chip table lacks a column: generate it again.');
  const table = { ...header, ...named, grid: Uint8Array.from(header.grid) };
  return { ...table, drivers: findDrivers(table) };
}

function joinPlanes(bytes: Uint8Array, length: number): Int32Array {
  const joined = new Int32Array(length);
  for (let i = 0; i < length; i++)
    joined[i] =
      (bytes[i] ?? 0) |
      ((bytes[length + i] ?? 0) << 8) |
      ((bytes[2 * length + i] ?? 0) << 16) |
      ((bytes[3 * length + i] ?? 0) << 24);
  return joined;
}

function findDrivers(table: Omit<ChipTable, 'drivers'>): Int32Array {
  const drivers = new Int32Array(table.wires);
  const drive = (wire: number | undefined, kind: number, index: number) => {
    if (wire !== undefined && wire >= 0) drivers[wire] = (kind << 24) | index;
  };
  for (let cell = 0, at = 0; cell < table.logicPlace.length; cell++, at += LOGIC_PINS.length) {
    drive(table.logicPins[at + 4], DRIVER.lut, cell);
    drive(table.logicPins[at + 5], DRIVER.lutCascade, cell);
    drive(table.logicPins[at + 7], DRIVER.carry, cell);
  }
  for (let ram = 0, at = 16; ram < table.ramPlace.length; ram++, at += RAM_PIN_COUNT)
    for (let bit = 0; bit < 16; bit++) drive(table.ramPins[at + bit], DRIVER.ram, ram * 16 + bit);
  for (let io = 0, at = 0; io < table.ioPlace.length; io++, at += IO_PINS.length) {
    drive(table.ioPins[at + 7], DRIVER.pad0, io);
    drive(table.ioPins[at + 8], DRIVER.pad1, io);
  }
  table.globalBuffers.forEach((buffer, index) => {
    drive(buffer.output, DRIVER.buffer, index);
  });
  return drivers;
}
