import { EDGE_COLUMNS, EDGE_ROWS } from '../../../ice40/dies.ts';

/** Configuration memory of the iCE40 8k die: four banks of CRAM and four of block RAM contents. */
export const CRAM_WIDTH = 872;
export const CRAM_HEIGHT = 272;
export const BRAM_WIDTH = 128;
export const BRAM_HEIGHT = 256;
export const BANKS = 4;

/** Columns of logic tiles in one half of the die: the left edge's IO tile, then 16 tiles, one of them RAM. */
const COLUMN_WIDTHS = [18, 54, 54, 54, 54, 54, 54, 54, 42, 54, 54, 54, 54, 54, 54, 54, 54];
const COLUMN_STARTS = COLUMN_WIDTHS.map((_, i) => COLUMN_WIDTHS.slice(0, i).reduce((a, b) => a + b, 0));
const TILES = 34;
const LAST = TILES - 1;
const HALF = (TILES - 2) / 2;

/** Columns of a tile's configuration bits; every tile has 16 rows. */
const columnsOf = (x: number, y: number): number =>
  x === 0 || x === LAST || y === 0 || y === LAST ? 18 : x === 8 || x === 25 ? 42 : 54;

/** Configuration bits in the order of the bitstream: rows of bytes, most significant bit first. */
export class ConfigurationMemory {
  readonly #cram = Array.from({ length: BANKS }, () => new Uint8Array((CRAM_WIDTH / 8) * CRAM_HEIGHT));
  readonly #bram = Array.from({ length: BANKS }, () => new Uint8Array((BRAM_WIDTH / 8) * BRAM_HEIGHT));

  /** The configuration bits of bank 0 to 3. */
  cramBank(index: number): Uint8Array {
    return bankOf(this.#cram, index);
  }

  /** The contents of the block RAMs of bank 0 to 3. */
  bramBank(index: number): Uint8Array {
    return bankOf(this.#bram, index);
  }

  cramBit(bank: number, column: number, row: number): boolean {
    const at = row * CRAM_WIDTH + column;
    return (((this.cramBank(bank)[at >> 3] ?? 0) >> (7 - (at & 7))) & 1) === 1;
  }

  /**
   * The configuration bits of tile (x, y), `row * columns + column`, or null when all are 0. Geometry of the banks:
   * icestorm, icepack/icepack.cc.
   */
  tile(x: number, y: number): { bits: Uint8Array; columns: number } | null {
    const columns = columnsOf(x, y);
    const bits = new Uint8Array(16 * columns);
    const right = x > HALF;
    const top = y > HALF;
    const bank = this.cramBank((top ? 1 : 0) | (right ? 2 : 0));
    const fromEdge = right ? LAST - x : x;
    const left = COLUMN_STARTS[fromEdge] ?? 0;
    const width = COLUMN_WIDTHS[fromEdge] ?? 0;
    const bottom = 16 * (top ? LAST - y : y);
    const atTopOrBottom = columns === 18 && x !== 0 && x !== LAST;
    let any = 0;
    for (let row = 0; row < 16; row++) {
      let cramRow = top ? bottom + 15 - row : bottom + row;
      if (atTopOrBottom) cramRow = bottom + 15 - (EDGE_ROWS[row] ?? 0);
      const start = cramRow * CRAM_WIDTH;
      // Most rows of most tiles are empty.
      if (!anyByte(bank, (start + left) >> 3, (start + left + width - 1) >> 3)) continue;
      for (let column = 0; column < columns; column++) {
        let inTile = columns === 18 ? width - 1 - column : right ? width - 1 - column : column;
        if (atTopOrBottom) {
          const scattered = EDGE_COLUMNS[column] ?? 0;
          inTile = right ? width - 1 - scattered : scattered;
        }
        const at = start + left + inTile;
        const bit = ((bank[at >> 3] ?? 0) >> (7 - (at & 7))) & 1;
        bits[row * columns + column] = bit;
        any |= bit;
      }
    }
    return any ? { bits, columns } : null;
  }

  /** Initial contents of the block RAM whose lower tile is (x, y): 256 words of 16 bits. */
  blockRam(x: number, y: number): Uint16Array {
    const words = new Uint16Array(256);
    const top = y > HALF;
    const bank = this.bramBank((top ? 1 : 0) | (x > HALF ? 2 : 0));
    const first = (16 * ((top ? y - 1 - HALF : y - 1) >> 1)) / 8;
    for (let word = 0; word < 256; word++) {
      const at = word * (BRAM_WIDTH / 8) + first;
      words[word] = ((bank[at] ?? 0) << 8) | (bank[at + 1] ?? 0);
    }
    return words;
  }

  /** Bits that are 1 in all of CRAM. */
  population(): number {
    let count = 0;
    for (const bank of this.#cram) for (let byte of bank) for (; byte; byte &= byte - 1) count++;
    return count;
  }
}

function anyByte(bytes: Uint8Array, first: number, last: number): boolean {
  for (let at = first; at <= last; at++) if (bytes[at]) return true;
  return false;
}

function bankOf(banks: readonly Uint8Array[], index: number): Uint8Array {
  const bank = banks[index];
  if (!bank) throw new RangeError(`There is no bank ${index}.`);
  return bank;
}
