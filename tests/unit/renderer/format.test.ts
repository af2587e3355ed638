import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatPinWishes, parsePinWishes } from '../../../renderer/src/format/pin-wishes.ts';
import { formatBytes, formatCount, formatPercent } from '../../../renderer/src/format/size.ts';
import { formatAgo, formatCountdown, formatDuration } from '../../../renderer/src/format/time.ts';
import {
  formatField,
  formatWord,
  hexAddress,
  hexWord,
  NUMBER_FORMATS,
  parseAddress,
  parseWord,
  parseWords,
  plainWord,
} from '../../../renderer/src/format/words.ts';

const words = fc.integer({ min: 0, max: 0xffff_ffff });

describe('words', () => {
  test('are grouped in fours in hex and binary, in threes in decimal', () => {
    expect(hexWord(0xdeadbeef)).toBe('0xDEAD_BEEF');
    expect(hexWord(5)).toBe('0x0000_0005');
    expect(formatWord(4_294_967_295, 'decimal')).toBe('4_294_967_295');
    expect(formatWord(0xffff_ffff, 'signed')).toBe('−1');
    expect(formatWord(0x8000_0000, 'signed')).toBe('−2_147_483_648');
    expect(formatWord(10, 'binary')).toBe('0b0000_0000_0000_0000_0000_0000_0000_1010');
  });

  test('addresses have four digits, or eight in two groups', () => {
    expect(hexAddress(0x10)).toBe('0x0010');
    expect(hexAddress(0x1_0000)).toBe('0x0001_0000');
    expect(hexAddress(0xf000_0004)).toBe('0xF000_0004');
  });

  test('fields have their exact width', () => {
    expect(formatField(5, 3, 'hex')).toBe('0x5');
    expect(formatField(5, 3, 'binary')).toBe('0b101');
    expect(formatField(7, 3, 'signed')).toBe('−1');
    expect(formatField(3, 3, 'signed')).toBe('3');
    expect(formatField(0xffff_ffff, 32, 'signed')).toBe('−1');
  });

  test('displayed and copied words parse to the same word in every format', () => {
    fc.assert(
      fc.property(words, fc.constantFrom(...NUMBER_FORMATS), (word, format) => {
        expect(parseWord(formatWord(word, format))).toBe(word);
        expect(parseWord(plainWord(word, format))).toBe(word);
        expect(plainWord(word, format)).toMatch(/^-?[0-9a-fA-Fx]+b?[01]*$/);
      }),
    );
  });

  test.each([
    ['0x10', 16],
    ['0X10', 16],
    ['10h', 16],
    ['ffh', null],
    ['0ffh', 255],
    ['16', 16],
    ['-1', 0xffff_ffff],
    ['−1', 0xffff_ffff],
    ['-2147483648', 0x8000_0000],
    ['-2147483649', null],
    ['4294967295', 0xffff_ffff],
    ['4294967296', null],
    ['0x1_0000_0000', null],
    ['0b1010_1010', 0xaa],
    ['0xDEAD_BEEF', 0xdeadbeef],
    ['', null],
    ['0x', null],
    ['12cats', null],
    ['1e3', null],
    ['1.5', null],
  ])('%j is read as %j', (typed, word) => {
    expect(parseWord(typed)).toBe(word);
  });

  test('lists of words take any usual separator, and one bad word spoils them', () => {
    expect(parseWords('1, 2;3\n0x4')).toEqual([1, 2, 3, 4]);
    expect(parseWords('1 two')).toBeNull();
    expect(parseWords('')).toEqual([]);
  });

  test('addresses are multiples of 4 and not negative', () => {
    expect(parseAddress('0x10')).toEqual({ address: 16 });
    expect(parseAddress('0x11')).toEqual({ problem: 'unaligned' });
    expect(parseAddress('-4')).toEqual({ problem: 'no-number' });
    expect(parseAddress('here')).toEqual({ problem: 'no-number' });
  });
});

describe('times', () => {
  test.each([
    [0, '< 1 ms'],
    [0.0004, '< 1 ms'],
    [0.0006, '1 ms'],
    [0.32, '320 ms'],
    [0.9996, '1.0 s'],
    [4.1, '4.1 s'],
    [59.94, '59.9 s'],
    [59.96, '1 m 00 s'],
    [130, '2 m 10 s'],
    [3900, '1 h 05 m'],
    [-1, '–'],
    [Number.NaN, '–'],
  ])('%d s lasts %j', (seconds, shown) => {
    expect(formatDuration(seconds)).toBe(shown);
  });

  test.each([
    [2832, '47:12'],
    [9, '0:09'],
    [3729, '1:02:09'],
    [0.2, '0:01'],
    [-5, '0:00'],
  ])('%d s are left as %j', (seconds, shown) => {
    expect(formatCountdown(seconds)).toBe(shown);
  });

  test('how long ago, in the unit that fits', () => {
    const now = Date.parse('2026-01-02T10:00:00Z');
    expect(formatAgo(now - 2000, now)).toBe('just now');
    expect(formatAgo(now + 2000, now)).toBe('just now');
    expect(formatAgo(now - 12_000, now)).toBe('12 s ago');
    expect(formatAgo(now - 300_000, now)).toBe('5 min ago');
    expect(formatAgo(now - 3 * 3_600_000, now)).toBe('3 h ago');
    expect(formatAgo(now - 3 * 86_400_000, now)).toBe('2025-12-30');
  });
});

test('sizes and counts', () => {
  expect(formatBytes(512)).toBe('512 B');
  expect(formatBytes(4300)).toBe('4.2 KiB');
  expect(formatBytes(135_180)).toBe('132 KiB');
  expect(formatBytes(1 << 20)).toBe('1.0 MiB');
  expect(formatCount(12_288)).toBe('12,288');
  expect(formatPercent(0.62)).toBe('62 %');
});

test('submitted pins are parsed and formatted consistently', () => {
  const wishes = { sw: 0x12, wide: '0x123456789a', led: 'LED', btn: 'B5,C3', one: 'PIN35' };
  expect(parsePinWishes('sw=0x1_2  wide=0x123456789a led=LED btn=B5,C3 one=PIN35')).toEqual(wishes);
  expect(parsePinWishes(formatPinWishes(wishes))).toEqual(wishes);
  expect(parsePinWishes(' ')).toEqual({});
  for (const text of ['sw', 'sw=', '=1', 'sw=0xZZ', 'sw=0x10000000000000000', 'led=B5,', 'sw=-1'])
    expect(parsePinWishes(text), text).toBeNull();
});
