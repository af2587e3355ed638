/** One file of an archive. */
export interface TarEntry {
  /** Relative, with slashes: up to 155 bytes before one of them, and up to 100 after it. */
  name: string;
  contents: Uint8Array;
}

const BLOCK = 512;

const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;

/** Offsets of a name and its prefix in a header, bytes. */
const NAME = { at: 0, most: 100 };
const PREFIX = { at: 345, most: 155 };

/** Splits a name for a header: whole, or at one of its slashes. @throws RangeError. */
function partsOf(name: string): { prefix: string; rest: string } {
  for (let slash = -1; ; ) {
    const parts = { prefix: name.slice(0, Math.max(0, slash)), rest: name.slice(slash + 1) };
    if (Buffer.byteLength(parts.rest) <= NAME.most && Buffer.byteLength(parts.prefix) <= PREFIX.most)
      return parts;
    slash = name.indexOf('/', slash + 1);
    if (slash < 0) throw new RangeError(`The name ${name} is too long for an archive.`);
  }
}

/** The text of a header field, which ends at a zero where it is shorter. */
const textAt = (header: Buffer, { at, most }: typeof NAME): string =>
  header.toString('utf8', at, at + most).replace(/\0.*$/s, '');

/** The bytes of a file in a POSIX.1-1988 archive (ustar), which `tar` reads. */
export function tarBytes({ name, contents }: TarEntry, mtimeSeconds: number): Uint8Array[] {
  const { prefix, rest } = partsOf(name);
  const header = Buffer.alloc(BLOCK);
  header.write(rest, NAME.at);
  header.write(prefix, PREFIX.at);
  header.write(octal(0o600, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(contents.length, 11), 124);
  header.write(octal(mtimeSeconds, 11), 136);
  header.write(' '.repeat(8), 148);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  header.write(
    `${octal(
      header.reduce((sum, byte) => sum + byte, 0),
      6,
    )} `,
    148,
  );
  const over = contents.length % BLOCK;
  return [header, contents, Buffer.alloc(over === 0 ? 0 : BLOCK - over)];
}

/** The end of an archive. */
export const TAR_END = new Uint8Array(2 * BLOCK);

/** Reads the files of an archive from a stream of its bytes; the end must follow the last one. @throws RangeError. */
export async function* readTar(chunks: AsyncIterable<Uint8Array>): AsyncIterable<TarEntry> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  const take = (length: number): Buffer => {
    const all = Buffer.concat(waiting);
    waiting = [all.subarray(length)];
    bytes -= length;
    return all.subarray(0, length);
  };
  let header: Buffer | null = null;
  for await (const chunk of chunks) {
    waiting.push(Buffer.from(chunk));
    bytes += chunk.length;
    for (;;) {
      if (header === null) {
        if (bytes < BLOCK) break;
        header = take(BLOCK);
        if (header.every((byte) => byte === 0)) return;
      }
      const size = Number.parseInt(header.toString('latin1', 124, 135), 8);
      const sum = Number.parseInt(header.toString('latin1', 148, 154), 8);
      const counted = header.reduce((all, byte, at) => all + (at >= 148 && at < 156 ? 0x20 : byte), 0);
      if (!Number.isSafeInteger(size) || sum !== counted) throw new RangeError('The archive is damaged.');
      const padded = Math.ceil(size / BLOCK) * BLOCK;
      if (bytes < padded) break;
      const prefix = textAt(header, PREFIX);
      const name = `${prefix}${prefix === '' ? '' : '/'}${textAt(header, NAME)}`;
      header = null;
      yield { name, contents: take(padded).subarray(0, size) };
    }
  }
  throw new RangeError('The archive ends too early.');
}
