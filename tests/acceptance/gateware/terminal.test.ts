import { describe, expect, test } from 'vitest';
import type { WishboneLink } from '../../../server/wishbone/link.ts';
import {
  parseTerminal,
  setTerminalRate,
  TERMINAL_BYTES,
  writeTerminal,
} from '../../../server/wishbone/terminal.ts';
import { encodeFrame } from '../../../server/wishbone/uartbone.ts';
import { bytes, haveIcarus, type Stimulus, settled, simulate } from '../../support/gateware/simulate.ts';

const CLOCK = 400_000;
const LOOP = { clockHz: CLOCK, baud: 100_000, pins: 1, terminalBaud: 50_000 };
const BASE = 0xfd00_0000;

/** The frames that a call of the link's users would send. */
async function frames(work: (link: Pick<WishboneLink, 'write'>) => Promise<void>): Promise<Stimulus[]> {
  const sent: Stimulus[] = [];
  await work({
    async write(byteAddress, data, { fixed = false } = {}) {
      sent.push(...bytes(...encodeFrame({ kind: 'write', byteAddress, data, fixed })));
      return { ok: true, data: new Uint32Array() };
    },
  });
  return sent;
}

const write = (text: string) => frames((link) => writeTerminal(link, Buffer.from(text)));
const read = (words: number): Stimulus[] =>
  bytes(...encodeFrame({ kind: 'read', byteAddress: BASE, words, fixed: true }));

/** The readings in the sent bytes, of `words` words each. */
function readings(sent: readonly number[], words: readonly number[]) {
  let at = 0;
  return words.map((count) => {
    const part = Buffer.from(sent.slice(at, at + 4 * count));
    at += 4 * count;
    const { bytes: found, ...marks } = parseTerminal(
      Uint32Array.from({ length: count }, (_, word) => part.readUInt32BE(4 * word)),
    );
    return { text: Buffer.from(found).toString(), ...marks };
  });
}

const quiet = { lost: false, damaged: false, sent: true };

describe.skipIf(!haveIcarus)('the terminal in simulation', () => {
  test('echoes written bytes through the slave’s loop, in chunks of any length', async () => {
    const stimuli = [
      ...read(1),
      ...(await write('Hello, world')),
      settled,
      ...read(3),
      ...read(2),
      ...(await write('a')),
      settled,
      ...(await write('bcdef')),
      settled,
      ...read(8),
      ...read(1),
      settled,
    ];
    const { sent, bus, violations } = await simulate(stimuli, LOOP);
    expect(violations).toEqual([]);
    expect(bus).toEqual([]);
    expect(readings(sent, [1, 3, 2, 8, 1])).toEqual([
      { text: '', ...quiet },
      { text: 'Hello, wo', ...quiet },
      { text: 'rld', ...quiet },
      { text: 'abcdef', ...quiet },
      { text: '', ...quiet },
    ]);
  });

  test('reads bytes that arrive during a read completely and only once', async () => {
    const text = 'The quick brown fox jumps over the lazy dog';
    const stimuli = [
      ...(await write(text)),
      ...Array.from({ length: 12 }, () => read(2)).flat(),
      settled,
      ...read(16),
      settled,
    ];
    // A byte of the loop takes 80 clocks, one of the host's line 40: the readings overtake the text.
    const { sent } = await simulate(stimuli, LOOP);
    const found = readings(sent, [...Array.from({ length: 12 }, () => 2), 16]);
    expect(found.map((one) => one.text).join('')).toBe(text);
    expect(found.slice(0, -1).some((one) => !one.sent)).toBe(true);
    expect(found.filter((one) => one.text.length > 0).length).toBeGreaterThan(2);
  });

  test('an overflow drops the newest bytes and sets the lost flag once', async () => {
    const stimuli = [
      ...(await write('x'.repeat(TERMINAL_BYTES))),
      settled,
      ...(await write('y'.repeat(8))),
      settled,
      ...read(171),
      ...read(1),
      settled,
    ];
    const { sent } = await simulate(stimuli, { ...LOOP, terminalBaud: 100_000 });
    const [first, second] = readings(sent, [171, 1]);
    expect(first).toMatchObject({ lost: true, damaged: false });
    expect(first?.text).toMatch(/^x{512}$/);
    expect(second).toMatchObject({ text: '', lost: false });
  });

  test('sets the line rate', async () => {
    const set = await frames((link) => setTerminalRate(link, CLOCK, 100_000));
    const { sent } = await simulate([...set, ...(await write('ok')), settled, ...read(1), settled], LOOP);
    expect(readings(sent, [1])).toEqual([{ text: 'ok', ...quiet }]);
  });
});
