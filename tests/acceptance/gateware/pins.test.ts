import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  bitsOfWords,
  composeInputs,
  PINS_BASE,
  parseSnapshot,
  wordsOfBits,
} from '../../../server/wishbone/pin-block.ts';
import { encodeFrame } from '../../../server/wishbone/uartbone.ts';
import { bytes, haveIcarus, type Stimulus, settled, simulate } from '../../support/gateware/simulate.ts';

const FAST = { clockHz: 400_000, baud: 100_000 };
const bitsOf = (width: number) => fc.bigInt({ min: 0n, max: (1n << BigInt(width)) - 1n });

test('bits survive the conversion to words and back, for 1 to 8 words', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 8 }).chain((count) => fc.tuple(fc.constant(count), bitsOf(32 * count))),
      ([count, bits]) => {
        expect(bitsOfWords(wordsOfBits(bits, count))).toBe(bits);
      },
    ),
  );
  // Bytes as they come over the line, the least significant bit of each first.
  expect(wordsOfBits(0x0123n, 1)).toEqual(Uint32Array.of(0x2301_0000));
});

test('inputs of any width are the last bits on the line and end with the block’s last word', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 64 }).chain((width) => fc.tuple(fc.constant(width), bitsOf(width))),
      ([width, levels]) => {
        const { byteAddress, words } = composeInputs(levels, width);
        expect(byteAddress + 4 * words.length).toBe(PINS_BASE + 64);
        expect(bitsOfWords(words) >> BigInt(32 * words.length - width)).toBe(levels);
      },
    ),
  );
});

test('a snapshot of any width survives composition and parsing', () => {
  fc.assert(
    fc.property(
      fc
        .integer({ min: 1, max: 64 })
        .chain((width) => fc.tuple(fc.constant(width), bitsOf(width), bitsOf(width), bitsOf(width))),
      ([width, levels, rose, fell]) => {
        const chain = levels | (rose << BigInt(width)) | (fell << BigInt(2 * width));
        const words = wordsOfBits(chain, Math.ceil((3 * width) / 32));
        expect(parseSnapshot(words, width)).toEqual({ levels, rose, fell });
      },
    ),
  );
});

describe.skipIf(!haveIcarus)('the port block in simulation', () => {
  const drive = (levels: bigint, inputs: number): Stimulus[] => {
    const { byteAddress, words } = composeInputs(levels, inputs);
    return bytes(...encodeFrame({ kind: 'write', byteAddress, data: words, fixed: false }));
  };
  const look = (inputs: number): Stimulus[] => {
    const words = Math.ceil((3 * (inputs + 24)) / 32);
    return [...bytes(...encodeFrame({ kind: 'read', byteAddress: PINS_BASE, words, fixed: false })), settled];
  };
  const access = (kind: 'read' | 'write'): Stimulus[] =>
    bytes(
      ...encodeFrame(
        kind === 'read'
          ? { kind, byteAddress: 0, words: 1, fixed: false }
          : { kind, byteAddress: 0, data: Uint32Array.of(7), fixed: false },
      ),
    );

  /** The snapshots in what was sent, taken apart as bench.v's slave puts them together. */
  function snapshots(sent: number[], inputs: number) {
    const outputs = inputs + 24;
    const size = 4 * Math.ceil((3 * outputs) / 32);
    return Array.from({ length: sent.length / size }, (_, at) => {
      const view = Buffer.from(sent.slice(at * size, (at + 1) * size));
      const words = Uint32Array.from({ length: size / 4 }, (_, word) => view.readUInt32BE(4 * word));
      const { levels, rose, fell } = parseSnapshot(words, outputs);
      const taken = (bits: bigint, from: number, width: number) =>
        (bits >> BigInt(from)) & ((1n << BigInt(width)) - 1n);
      return {
        echoed: taken(levels, 0, inputs),
        rose: taken(rose, 0, inputs),
        fell: taken(fell, 0, inputs),
        counters: [taken(levels, inputs, 11), taken(levels, inputs + 11, 11)],
        pulse: [levels, rose, fell].map((bits) => taken(bits, inputs + 22, 2)),
      };
    });
  }

  test.each([1, 2, 16, 31, 32, 33, 40])(
    '%i inputs: new levels take effect atomically, and each edge is reported once',
    async (inputs) => {
      const ones = (1n << BigInt(inputs)) - 1n;
      const pattern = 0x9a_5566_7788n & ones;
      const first = 1n << BigInt(inputs - 1);
      const stimuli = [
        ...look(inputs),
        ...drive(pattern, inputs),
        ...look(inputs),
        ...look(inputs),
        ...drive(ones, inputs),
        ...drive(0n, inputs),
        ...look(inputs),
        ...drive(pattern, inputs),
        ...look(inputs),
      ];
      const { sent, violations } = await simulate(stimuli, { ...FAST, pins: inputs });
      expect(violations).toEqual([]);
      const seen = snapshots(sent, inputs);
      const edges = (from: bigint, to: bigint) => ({ rose: to & ~from & ones, fell: from & ~to & ones });
      expect(seen.map(({ echoed, rose, fell }) => ({ echoed, rose, fell }))).toEqual([
        { echoed: first, rose: 0n, fell: 0n },
        { echoed: pattern, ...edges(first, pattern) },
        { echoed: pattern, rose: 0n, fell: 0n },
        { echoed: 0n, rose: ones & ~pattern, fell: ones },
        { echoed: pattern, ...edges(0n, pattern) },
      ]);
      // The counter moves on while it is read: its two copies are never torn.
      for (const { counters } of seen) expect(counters[0]).toBe(counters[1]);
      expect(new Set(seen.map(({ counters }) => counters[0])).size).toBeGreaterThan(1);
    },
  );

  test('detects a pulse of one clock, rising or falling', async () => {
    const stimuli = [...look(16), ...access('write'), ...look(16), ...look(16)];
    const { sent, violations } = await simulate(stimuli, { ...FAST, pins: 16 });
    expect(violations).toEqual([]);
    const [, after, then] = snapshots(sent, 16);
    expect(after?.pulse).toEqual([0b10n, 0b11n, 0b11n]);
    expect(then?.pulse).toEqual([0b10n, 0n, 0n]);
  });

  test('transfers and the port block do not disturb each other', async () => {
    const stimuli = [
      ...access('write'),
      ...drive(5n, 16),
      ...access('read'),
      ...drive(6n, 16),
      ...access('read'),
      settled,
    ];
    const { sent, bus } = await simulate(stimuli, { ...FAST, pins: 16 });
    expect(sent).toEqual([0, 0, 0, 7, 0, 0, 0, 7]);
    expect(bus).toHaveLength(3);
  });
});
