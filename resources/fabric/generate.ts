/**
 * Generates the chip table of the iCE40 8k die (iCE40-HX8K, LP8K, HX4K) from the chip database in
 * @yowasp/nextpnr-ice40: `npm run generate -- chip-table`.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import {
  type ColumnName,
  IO_PINS,
  LOGIC_PINS,
  RAM_PINS,
  TABLE_VERSION,
  type TableHeader,
} from '../../server/boards/virtual/chip/table-format.ts';
import { appRoot, resourcePath } from '../../server/paths.ts';
import { type Bel, ChipDatabase } from './chip-database.ts';

/** nextpnr's constids of the ice40 family that the table needs. Source: nextpnr ice40/constids.inc. */
const BEL = { logic: 404, ram: 405, io: 406, globalBuffer: 407, warmboot: 409 };
const PIN: Record<string, number> = {
  i0: 1, i1: 2, i2: 3, i3: 4, o: 5, lo: 6, cin: 7, cout: 8, cen: 9, clk: 10, sr: 11,
  mask: 12, rdata: 28, wdata: 44, waddr: 60, raddr: 71,
  wclk: 82, wclke: 83, we: 84, rclk: 85, rclke: 86, re: 87,
  latch: 89, ce: 90, iclk: 91, oclk: 92, oe: 93, dout0: 94, dout1: 95, din0: 96, din1: 97,
  userSignal: 98, globalOutput: 99,
};

const DATABASE = path.join(appRoot, 'node_modules/@yowasp/nextpnr-ice40/gen/share/ice40/chipdb-8k.bin');
const TABLE_FILE = resourcePath('fabric', 'ice40-8k.table.br');

/** The table before compression. */
function buildTable(file = DATABASE): Buffer {
  const db = new ChipDatabase(file);
  const tileOf = (x: number, y: number) => y * db.width + x;
  const columns: Record<ColumnName, number[]> = { ...switchColumns(db, tileOf) };

  const bels = Array.from({ length: db.belCount }, (_, i) => db.bel(i));
  const pin = (bel: Bel, name: string, offset = 0) => bel.pins.get((PIN[name] as number) + offset) ?? -1;
  const ioIndex = new Map<string, number>();
  const ioOfBel = new Map<number, number>();
  const buffers: Bel[] = [];
  const warmboot: number[] = [];
  bels.forEach((bel, index) => {
    const tile = tileOf(bel.x, bel.y);
    if (bel.type === BEL.logic) {
      columns.logicPlace.push(tile * 8 + bel.z);
      for (const name of LOGIC_PINS)
        columns.logicPins.push(/^i\d$/.test(name) ? unpermuted(db, pin(bel, name), name) : pin(bel, name));
    } else if (bel.type === BEL.ram) {
      columns.ramPlace.push(tile);
      for (const [name, width] of Object.entries(RAM_PINS))
        for (let k = 0; k < width; k++) columns.ramPins.push(pin(bel, name, k));
    } else if (bel.type === BEL.io) {
      ioIndex.set(`${bel.x},${bel.y},${bel.z}`, columns.ioPlace.length);
      ioOfBel.set(index, columns.ioPlace.length);
      columns.ioPlace.push(tile * 2 + bel.z);
      for (const name of IO_PINS) columns.ioPins.push(pin(bel, name));
    } else if (bel.type === BEL.globalBuffer) buffers.push(bel);
    else if (bel.type === BEL.warmboot) warmboot.push(...bel.pins.values());
  });
  const ioAt = (x: number, y: number, z: number): number => {
    const index = ioIndex.get(`${x},${y},${z}`);
    if (index === undefined) throw new Error(`no IO cell at ${x},${y},${z}`);
    return index;
  };

  const inputEnable: [number, number, number][] = columns.ioPlace.map(() => [-1, -1, -1]);
  for (const { io, bits } of db.inputEnable()) {
    const index = ioIndex.get(io.join());
    if (index !== undefined) inputEnable[index] = bits;
  }
  const header: TableHeader = {
    version: TABLE_VERSION,
    die: '8k',
    width: db.width,
    height: db.height,
    wires: db.wireCount,
    grid: db.grid(),
    tileTypes: db.tileTypes(),
    globalBuffers: db.globals().map((global) => {
      const bel = buffers.find(({ x, y }) => x === global.x && y === global.y);
      if (!bel) throw new Error(`no global buffer at ${global.x},${global.y}`);
      return {
        input: pin(bel, 'userSignal'),
        output: pin(bel, 'globalOutput'),
        padIo: ioAt(global.padX, global.padY, global.padZ),
        extraBit: global.extra,
      };
    }),
    warmboot,
    packages: Object.fromEntries(
      [...db.packages()].map(([name, pins]) => [
        name,
        Object.fromEntries([...pins].map(([at, bel]) => [at, ioOfBel.get(bel) as number])),
      ]),
    ),
    inputEnable,
    columns: [],
  };
  return serialise(header, columns);
}

/** The wire to LUT input `iN`, without permuted inputs. */
function unpermuted(db: ChipDatabase, wire: number, name: string): number {
  const sources = db.uphill(wire).map((pip) => db.pip(pip).source);
  const found = sources.find((source) => db.wireName(source).endsWith(`:in_${name[1]}`));
  if (found === undefined) throw new Error(`no input ${name} before permutation at wire ${wire}`);
  return found;
}

function switchColumns(db: ChipDatabase, tileOf: (x: number, y: number) => number): Record<ColumnName, number[]> {
  const pips: { source: number; value: number }[][] = Array.from({ length: db.switchCount }, () => []);
  const targets = new Int32Array(db.switchCount).fill(-1);
  for (let index = 0; index < db.pipCount; index++) {
    const pip = db.pip(index);
    if (targets[pip.switch] !== -1 && targets[pip.switch] !== pip.target && db.switchBits(pip.switch))
      throw new Error(`switch ${pip.switch} drives two wires`);
    targets[pip.switch] = pip.target;
    pips[pip.switch]?.push(pip);
  }
  const shapes = new Map<string, number>();
  const column: Record<ColumnName, number[]> = {
    switchStart: [], switchShape: [], switchTarget: [], switchPips: [], shapeStart: [0], shapeBits: [],
    pipSource: [], pipValue: [], logicPlace: [], logicPins: [], ramPlace: [], ramPins: [], ioPlace: [], ioPins: [],
  };
  const byTile: { index: number; bits: [number, number][] }[][] = Array.from(
    { length: db.width * db.height },
    () => [],
  );
  for (let index = 0; index < db.switchCount; index++) {
    const place = db.switchBits(index);
    if (place && (pips[index]?.length ?? 0) > 0)
      byTile[tileOf(place.x, place.y)]?.push({ index, bits: place.bits });
  }
  for (const switches of byTile) {
    column.switchStart.push(column.switchTarget.length);
    for (const { index, bits } of switches) {
      const key = bits.join(';');
      let shape = shapes.get(key);
      if (shape === undefined) {
        shape = shapes.size;
        shapes.set(key, shape);
        for (const [row, col] of bits) column.shapeBits.push(row * 64 + col);
        column.shapeStart.push(column.shapeBits.length);
      }
      const target = targets[index] as number;
      const sources = (pips[index] ?? []).sort((a, b) => a.value - b.value);
      column.switchShape.push(shape);
      column.switchTarget.push(target);
      column.switchPips.push(sources.length);
      for (const { source, value } of sources) {
        column.pipSource.push(source - target);
        column.pipValue.push(value);
      }
    }
  }
  column.switchStart.push(column.switchTarget.length);
  return column;
}

function serialise(header: TableHeader, columns: Record<ColumnName, number[]>): Buffer {
  const bodies: Buffer[] = [];
  for (const [name, values] of Object.entries(columns) as [ColumnName, number[]][]) {
    let low = 0;
    let high = 0;
    for (const value of values) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
    const type = low >= 0 && high < 256 ? 'u8' : low >= 0 && high < 65536 ? 'u16' : 'i32';
    const size = { u8: 1, u16: 2, i32: 4 }[type];
    const body = Buffer.alloc((values.length * size + 3) & ~3);
    values.forEach((value, i) => {
      if (type === 'u8') body[i] = value;
      else if (type === 'u16') body.writeUInt16LE(value, 2 * i);
      else for (let plane = 0; plane < 4; plane++) body[plane * values.length + i] = (value >> (8 * plane)) & 255;
    });
    header.columns.push({ name, type, length: values.length });
    bodies.push(body);
  }
  const json = Buffer.from(JSON.stringify(header), 'utf8');
  const padded = Buffer.concat([json, Buffer.alloc(-json.length & 3, ' ')]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(padded.length);
  return Buffer.concat([length, padded, ...bodies]);
}

const digestOf = (table: Buffer): string => createHash('sha256').update(table).digest('hex');

/** SHA-256 of the file's table, uncompressed: compressed bytes depend on Node's compressor. */
export const chipTableDigest = (): string => digestOf(brotliDecompressSync(readFileSync(TABLE_FILE)));

/** SHA-256 of the table of the installed chip database. */
export const currentChipTable = (): string => digestOf(buildTable());

/** Writes the table and prints its size. */
export function writeChipTable(): void {
  const table = buildTable();
  const compressed = brotliCompressSync(table, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_LGWIN]: 24,
      [constants.BROTLI_PARAM_SIZE_HINT]: table.length,
    },
  });
  writeFileSync(TABLE_FILE, compressed);
  process.stdout.write(`${TABLE_FILE}: ${table.length} bytes, ${compressed.length} compressed\n`);
}
