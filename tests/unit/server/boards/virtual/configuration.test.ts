import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CommandReader } from '../../../../../server/boards/virtual/configuration/command-reader.ts';
import { BANKS } from '../../../../../server/boards/virtual/configuration/configuration-memory.ts';
import { FabricRefusal } from '../../../../../server/boards/virtual/refusal.ts';
import { baseBitstream, landmarks, resealed } from '../../../../support/boards/virtual/bitstreams.ts';

const bitstream = baseBitstream();
const marks = landmarks(bitstream);

function read(bytes: Uint8Array): { reader: CommandReader; refusal: string | null } {
  const reader = new CommandReader();
  try {
    reader.push(bytes);
    return { reader, refusal: null };
  } catch (error) {
    if (!(error instanceof FabricRefusal)) throw error;
    return { reader, refusal: error.code };
  }
}

const flipped = (position: number, bit: number) => {
  const bytes = Uint8Array.from(bitstream);
  bytes[position] = (bytes[position] ?? 0) ^ (1 << bit);
  return bytes;
};

test('a bitstream wakes the chip up, and what follows is ignored', () => {
  const { reader, refusal } = read(Uint8Array.from([...bitstream, 1, 2, 3]));
  expect(refusal).toBeNull();
  expect(reader.awake).toBe(true);
});

test('any split of the bytes yields the same configuration', () => {
  const whole = read(bitstream).reader.memory;
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 40_000 }), { maxLength: 40 }), (lengths) => {
      const reader = new CommandReader();
      let at = 0;
      for (const length of lengths) {
        reader.push(bitstream.subarray(at, at + length));
        at += length;
      }
      // The commands at the end arrive byte by byte.
      reader.push(bitstream.subarray(at, -20));
      for (const byte of bitstream.subarray(Math.max(at, bitstream.length - 20)))
        reader.push(Uint8Array.of(byte));
      expect(reader.awake).toBe(true);
      const { memory } = reader;
      for (let bank = 0; bank < BANKS; bank++) {
        expect(Buffer.compare(memory.cramBank(bank), whole.cramBank(bank))).toBe(0);
        expect(Buffer.compare(memory.bramBank(bank), whole.bramBank(bank))).toBe(0);
      }
    }),
    { numRuns: 20 },
  );
});

test('a single wrong bit in the CRC or its data prevents start-up', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: marks.covered, max: marks.crc + 1 }),
      fc.integer({ min: 0, max: 7 }),
      (position, bit) => {
        expect(read(flipped(position, bit)).reader.awake).toBe(false);
      },
    ),
    { numRuns: 300 },
  );
});

test('a wrong bit in configuration data is a CRC error', () => {
  for (const position of [marks.covered + 100, marks.covered + 60_000, marks.crc - 3000])
    expect(read(flipped(position, 3)).refusal).toBe('fabric_crc');
});

test('a wrong preamble is never found', () => {
  const { reader, refusal } = read(flipped(marks.preamble + 1, 0));
  expect([refusal, reader.awake, reader.missing]).toEqual([
    null,
    false,
    'no preamble (7E AA 99 7E) was found',
  ]);
});

test('a bitstream that ends early leaves the chip asleep', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: marks.wakeUp + 1 }), (length) => {
      const { reader, refusal } = read(bitstream.subarray(0, length));
      expect([refusal, reader.awake, reader.unfinished]).toEqual([null, false, true]);
    }),
    { numRuns: 50 },
  );
});

test('garbage never wakes the chip up and never breaks the reader', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 4000 }), (garbage) => {
      const behindPreamble = Uint8Array.of(0x7e, 0xaa, 0x99, 0x7e, ...garbage);
      expect(read(garbage).reader.awake).toBe(false);
      expect(read(behindPreamble).reader.awake).toBe(false);
    }),
    { numRuns: 300 },
  );
});

test('a bitstream without a CRC does not start the chip', () => {
  const withoutCheck = Uint8Array.from([...bitstream.subarray(0, marks.crc - 1), 0x01, 0x06]);
  expect(read(withoutCheck).refusal).toBe('fabric_malformed');
});

test('bitstreams of other dies are refused by code', () => {
  expect(read(baseBitstream('icestick')).refusal).toBe('fabric_wrong_device');
  expect(read(baseBitstream('icebreaker')).refusal).toBe('fabric_wrong_device');
});

test('a multi-boot image is refused', () => {
  const reboot = Uint8Array.of(
    0x7e,
    0xaa,
    0x99,
    0x7e,
    0x92,
    0,
    0,
    0x44,
    3,
    0,
    0,
    0xa0,
    0x82,
    0,
    0,
    0x01,
    0x08,
  );
  expect(read(reboot).refusal).toBe('fabric_warmboot');
});

test('resealing an unchanged bitstream is the identity', () => {
  expect(Buffer.from(resealed(bitstream)).equals(bitstream)).toBe(true);
});
