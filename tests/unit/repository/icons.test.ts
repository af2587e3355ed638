import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { resourcePath } from '../../../server/paths.ts';

/** Width and height of a PNG, from its first chunk. */
const sizeOfPng = (bytes: Buffer) => {
  expect(bytes.toString('latin1', 1, 4)).toBe('PNG');
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)] as const;
};
const square = (side: number) => [side, side] as const;

test('the icon of Windows has every size that its shell shows', () => {
  const file = readFileSync(resourcePath('icons', 'icon.ico'));
  const entries = Array.from({ length: file.readUInt16LE(4) }, (_, at) =>
    file.subarray(6 + 16 * at, 22 + 16 * at),
  );
  const sizes = entries.map((entry) => {
    const image = file.subarray(entry.readUInt32LE(12), entry.readUInt32LE(12) + entry.readUInt32LE(8));
    const [width] = sizeOfPng(image);
    // A byte, in which 256 is 0.
    expect([entry[0], entry[1]]).toEqual(square(width % 256));
    return width;
  });
  expect(sizes).toEqual([16, 24, 32, 48, 64, 128, 256]);
});

test('the icon of macOS has every size, from 16 to 1024', () => {
  const file = readFileSync(resourcePath('icons', 'icon.icns'));
  expect(file.readUInt32BE(4)).toBe(file.length);
  const sizes: number[] = [];
  for (let at = 8; at < file.length; at += file.readUInt32BE(at + 4))
    sizes.push(sizeOfPng(file.subarray(at + 8))[0]);
  expect(sizes).toEqual([16, 32, 64, 128, 256, 512, 1024]);
});

test('an icon of Linux has the size of its name', () => {
  const names = readdirSync(resourcePath('icons', 'linux'));
  expect(names.map((name) => Number.parseInt(name, 10)).toSorted((a, b) => a - b)).toEqual([
    16, 32, 48, 64, 128, 256, 512,
  ]);
  for (const name of names)
    expect(sizeOfPng(readFileSync(resourcePath('icons', 'linux', name)))).toEqual(
      square(Number.parseInt(name, 10)),
    );
});
