import {
  bankHeight,
  bankWidth,
  blockRamPlace,
  DIES,
  type Die,
  IO_COLUMNS,
  RAM_ROWS,
  ramBankWidth,
  tilePlace,
} from '../../../ice40/dies.ts';

/** The text is no valid iCE40 configuration. */
export class UnreadableConfiguration extends Error {}

/** Rows of bits without gaps; the first bit of a byte is the highest. */
export interface Bank {
  width: number;
  height: number;
  bits: Uint8Array;
}

/** Configuration of an iCE40. */
export interface Configuration {
  die: Die;
  /** Configuration bits by bank. */
  cram: Bank[];
  /** Contents of block RAM by bank. */
  bram: Bank[];
  /** Lines of the comment; null when the bitstream has none. */
  comment: Uint8Array[] | null;
  /** Whether the chip may load another configuration. */
  warmBoot: boolean;
}

const BANKS = [0, 1, 2, 3];
const [NEWLINE, DOT, ZERO, ONE] = [10, 0x2e, 0x30, 0x31];
const STATEMENT = /^\.(\w+)(?: (.*))?$/;

/** Takes a line after a statement, up to the next statement. */
type Data = (line: Buffer) => void;

/** Ignores empty lines. */
const skippingEmpty =
  (take: Data): Data =>
  (line) => {
    if (line.length > 0) take(line);
  };

const refuseData = skippingEmpty(() => {
  throw new UnreadableConfiguration('unexpected data line');
});

const bank = (width: number, height: number): Bank => ({
  width,
  height,
  bits: new Uint8Array(Math.ceil((width * height) / 8)),
});

/**
 * Reads the text form of a configuration, as nextpnr writes it. Source: project IceStorm, ".asc".
 * @throws UnreadableConfiguration with the line number
 */
export function readConfiguration(text: Uint8Array): Configuration {
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  const reader = new Reader();
  for (let at = 0, number = 1; at < bytes.length; number++) {
    const found = bytes.indexOf(NEWLINE, at);
    const end = found === -1 ? bytes.length : found;
    try {
      reader.line(bytes.subarray(at, end));
    } catch (error) {
      if (!(error instanceof UnreadableConfiguration)) throw error;
      throw new UnreadableConfiguration(`line ${number}: ${error.message}`);
    }
    at = end + 1;
  }
  return reader.configuration();
}

class Reader {
  #found: Pick<Configuration, 'die' | 'cram' | 'bram'> | null = null;
  #comment: Uint8Array[] | null = null;
  #warmBoot = true;
  #data: Data = refuseData;

  line(line: Buffer): void {
    if (line[0] !== DOT) {
      this.#data(line);
      return;
    }
    const [, statement = '', rest = ''] = STATEMENT.exec(line.toString('latin1')) ?? [];
    this.#data = this.#begin(statement, rest.trim());
  }

  configuration(): Configuration {
    return { ...this.#chip(), comment: this.#comment, warmBoot: this.#warmBoot };
  }

  #chip(): Pick<Configuration, 'die' | 'cram' | 'bram'> {
    if (this.#found === null) throw new UnreadableConfiguration('the .device line is missing');
    return this.#found;
  }

  #begin(statement: string, rest: string): Data {
    switch (statement) {
      case 'sym':
        return refuseData;
      case 'comment': {
        const lines: Uint8Array[] = [];
        this.#comment = lines;
        return (line) => lines.push(line);
      }
      case 'device':
        this.#device(rest);
        return refuseData;
      case 'warmboot':
        if (rest !== 'enabled' && rest !== 'disabled')
          throw new UnreadableConfiguration(`unknown .warmboot value ${rest}`);
        this.#warmBoot = rest === 'enabled';
        return refuseData;
      case 'extra_bit':
        this.#extraBit(rest);
        return refuseData;
      case 'ram_data':
        return this.#ramData(rest);
      default:
        if (!/^(io|logic|ramb|ramt|dsp[0-3]|ipcon)_tile$/.test(statement))
          throw new UnreadableConfiguration(`unknown statement .${statement}`);
        return this.#tile(statement === 'io_tile', rest);
    }
  }

  #device(name: string): void {
    if (this.#found !== null) throw new UnreadableConfiguration('second .device line');
    const die = DIES.get(name);
    if (!die) throw new UnreadableConfiguration(`unknown die ${name}`);
    this.#found = {
      die,
      cram: BANKS.map((k) => bank(bankWidth(die), bankHeight(die, k))),
      bram: BANKS.map((k) => bank(ramBankWidth(die, k), RAM_ROWS)),
    };
  }

  #extraBit(rest: string): void {
    const { cram } = this.#chip();
    const [index, column, row] = numbers(rest, 3);
    const target = cram[index ?? -1];
    if (!target || column === undefined || row === undefined)
      throw new UnreadableConfiguration(`.extra_bit ${rest} names no bank`);
    if (column >= target.width || row >= target.height)
      throw new UnreadableConfiguration(`.extra_bit ${rest} is outside its bank`);
    setBit(target, row * target.width + column);
  }

  #tile(isIo: boolean, rest: string): Data {
    const { die, cram } = this.#chip();
    const [x = -1, y = -1] = numbers(rest, 2);
    const place = tilePlace(die, x, y);
    const target = cram[place?.bank ?? -1];
    if (!place || !target) throw new UnreadableConfiguration(`no tile at ${rest}`);
    const { rows, columns } = place;
    if (isIo !== (columns.length === IO_COLUMNS))
      throw new UnreadableConfiguration(`wrong type of tile at ${rest}`);
    let next = 0;
    return skippingEmpty((line) => {
      const row = rows[next++];
      if (row === undefined || line.length !== columns.length)
        throw new UnreadableConfiguration(`wrong size of tile at ${rest}`);
      const start = row * target.width;
      for (let column = 0; column < line.length; column++) {
        if (line[column] === ONE) setBit(target, start + (columns[column] ?? 0));
        else if (line[column] !== ZERO)
          throw new UnreadableConfiguration(`a bit of the tile at ${rest} is neither 0 nor 1`);
      }
    });
  }

  #ramData(rest: string): Data {
    const { die, bram } = this.#chip();
    const [x = -1, y = -1] = numbers(rest, 2);
    const place = blockRamPlace(die, x, y);
    const target = bram[place?.bank ?? -1];
    if (!place || !target) throw new UnreadableConfiguration(`no block RAM at ${rest}`);
    let row = 0;
    return skippingEmpty((line) => {
      const digits = line.toString('latin1');
      if (row >= RAM_ROWS || !/^[\da-f]{64}$/i.test(digits))
        throw new UnreadableConfiguration(
          `the contents of the block RAM at ${rest} are not 16 lines of 64 digits`,
        );
      // 16 words a line, the last word first.
      const words = Buffer.from(digits, 'hex');
      for (let word = 15; word >= 0; word--, row++) {
        const at = (row * target.width + place.column) / 8;
        target.bits[at] = words[2 * word] ?? 0;
        target.bits[at + 1] = words[2 * word + 1] ?? 0;
      }
    });
  }
}

function setBit({ bits }: Bank, at: number): void {
  bits[at >> 3] = (bits[at >> 3] ?? 0) | (0x80 >> (at & 7));
}

function numbers(rest: string, count: number): number[] {
  const words = rest.split(/\s+/);
  if (words.length !== count || words.some((word) => !/^\d{1,6}$/.test(word)))
    throw new UnreadableConfiguration(`expected ${count} numbers, not ${JSON.stringify(rest)}`);
  return words.map(Number);
}
