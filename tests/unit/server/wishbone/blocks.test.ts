import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readSamples, readStatus, stopCore } from '../../../../server/wishbone/capture-core.ts';
import type { WishboneLink } from '../../../../server/wishbone/link.ts';
import { readPins } from '../../../../server/wishbone/pin-block.ts';
import {
  parseTerminal,
  readTerminal,
  setTerminalRate,
  TERMINAL_BYTES,
  writeTerminal,
} from '../../../../server/wishbone/terminal.ts';

const TERMINAL = 0xfd00_0000;

/** A link whose reads get these words in turn, with what was asked and written. */
function linkTo(...answers: (readonly number[])[]) {
  const reads: [address: number, words: number, fixed: boolean][] = [];
  const writes: { address: number; words: number[]; fixed: boolean }[] = [];
  const link: Pick<WishboneLink, 'read' | 'write'> = {
    async read(address, count, { fixed = false } = {}) {
      reads.push([address, count, fixed]);
      return {
        ok: true,
        data: Uint32Array.from({ length: count }, (_, at) => answers[reads.length - 1]?.[at] ?? 0),
      };
    },
    async write(address, words, { fixed = false, portBlock = false } = {}) {
      expect(portBlock).toBe(true);
      writes.push({ address, words: [...words], fixed });
      return { ok: true, data: new Uint32Array() };
    },
  };
  return { link, reads, writes };
}

/** A word of the terminal: three bytes, and their number with the marks. */
const word = (bytes: readonly number[], marks = 0) =>
  (((bytes[0] ?? 0) << 24) | ((bytes[1] ?? 0) << 16) | ((bytes[2] ?? 0) << 8) | bytes.length | marks) >>> 0;

test('the terminal sends any bytes whole, each once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: TERMINAL_BYTES }), async (bytes) => {
      const { link, writes } = linkTo();
      await writeTerminal(link, bytes);
      // The address names the bytes of each word: four behind 16, else one to three.
      const sent = writes.flatMap(({ address, words, fixed }) => {
        const count = (address - TERMINAL) / 4;
        expect(fixed || words.length === 1).toBe(true);
        return words.flatMap((one) => [24, 16, 8, 0].slice(0, count).map((by) => (one >>> by) & 0xff));
      });
      expect(sent).toEqual([...bytes]);
      expect(writes.every(({ words }) => words.length > 0)).toBe(true);
    }),
  );
});

test('the terminal reads on only while its words are full', async () => {
  const full = word([0x61, 0x62, 0x63]);
  const few = linkTo([full, word([0x64]), ...Array(6).fill(0x10)]);
  expect(await readTerminal(few.link)).toEqual({
    bytes: Uint8Array.from(Buffer.from('abcd')),
    lost: false,
    damaged: false,
    sent: true,
  });
  expect(few.reads).toEqual([[TERMINAL, 8, true]]);
  const many = linkTo(Array(8).fill(full), [word([0x7a], 4)]);
  const { bytes, ...marks } = await readTerminal(many.link);
  expect(Buffer.from(bytes).toString()).toBe(`${'abc'.repeat(8)}z`);
  expect(marks).toEqual({ lost: true, damaged: false, sent: false });
  // The rest of what the board can have.
  expect(many.reads[1]).toEqual([TERMINAL, Math.ceil(TERMINAL_BYTES / 3), true]);
  expect(parseTerminal(Uint32Array.of(word([1], 8), word([])))).toMatchObject({ damaged: true, sent: false });
});

test.each([
  [12_000_000, 115_200, 104],
  [12_000_000, 1, 65_536],
  [12_000_000, 12_000_000, 4],
])(
  'the terminal of a design at %i Hz runs at %i baud with %i clocks a bit',
  async (clockHz, baud, clocks) => {
    const { link, writes } = linkTo();
    await setTerminalRate(link, clockHz, baud);
    // The last 16 bits of the block's last word, the lowest byte first.
    const value = clocks - 1;
    expect(writes).toEqual([
      { address: TERMINAL + 60, words: [((value & 0xff) << 8) | (value >> 8)], fixed: false },
    ]);
  },
);

test.each([8, 32, 33])(
  'samples of %i bits come oldest first, without the status behind them',
  async (bits) => {
    const words = Math.ceil(bits / 32);
    const bytes = Array.from({ length: 2 * words }, (_, at) => 0x0102_0304 * (at + 1));
    const { link, reads } = linkTo(bytes);
    const swapped = (at: number) =>
      Buffer.from(Uint8Array.from([24, 16, 8, 0], (by) => ((bytes[at] ?? 0) >>> by) & 0xff)).readUInt32LE();
    const mask = (at: number) =>
      at < words - 1 ? 0xffff_ffff : bits % 32 === 0 ? 0xffff_ffff : 2 ** (bits % 32) - 1;
    const sample = (from: number) =>
      Array.from({ length: words }, (_, at) => (swapped(from + at) & mask(at)) >>> 0);
    expect(await readSamples(link, { bits, depth: 16 }, 2)).toEqual({
      samples: Uint32Array.from([...sample(words), ...sample(0)]),
      words,
    });
    expect(reads).toEqual([[0xfe00_0040, 2 * words, true]]);
  },
);

test('a block that the bus does not answer is an error', async () => {
  const fault = { kind: 'timeout', byteAddress: 0 } as const;
  const link: Pick<WishboneLink, 'read'> = { read: async () => ({ ok: false, fault }) };
  const shape = { bits: 8, depth: 16 };
  for (const work of [
    () => readPins(link, 4),
    () => readTerminal(link),
    () => readStatus(link, shape),
    () => readSamples(link, shape, 1),
    () => stopCore(link),
  ])
    await expect(work()).rejects.toThrow('did not answer');
});
