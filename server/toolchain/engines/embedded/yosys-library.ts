import { readFileSync } from 'node:fs';
import { yosysResources } from './tool-packages.ts';

/** Block size of a tar archive and fields of its header, bytes. Source: POSIX.1-2017, pax, "ustar". */
const BLOCK = 512;
const NAME = { at: 0, length: 100 };
const SIZE = { at: 124, length: 12 };
const TYPE = { at: 156, length: 1 };

/** Files of Yosys's libraries, by path below `/share`. */
export function* yosysLibraries(): Generator<[path: string, contents: Uint8Array]> {
  const archive = readFileSync(yosysResources());
  const field = (header: number, { at, length }: { at: number; length: number }) =>
    archive
      .subarray(header + at, header + at + length)
      .toString('latin1')
      .replace(/\0.*$/s, '');
  for (let header = 0; header + BLOCK <= archive.length && archive[header] !== 0; ) {
    const size = Number.parseInt(field(header, SIZE), 8);
    const start = header + BLOCK;
    if (/^0?$/.test(field(header, TYPE))) yield [field(header, NAME), archive.subarray(start, start + size)];
    header = start + Math.ceil(size / BLOCK) * BLOCK;
  }
}

/** Text of a library. @throws Error when the path is unknown */
export function yosysLibrary(path: string): string {
  for (const [name, contents] of yosysLibraries()) if (name === path) return Buffer.from(contents).toString();
  throw new Error(`Yosys has no library ${path}.`);
}
