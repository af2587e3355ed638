import { describe, expect, test } from 'vitest';
import {
  armCore,
  type CoreShape,
  type CoreTrigger,
  readSamples,
  readStatus,
  stopCore,
} from '../../../server/wishbone/capture-core.ts';
import type { WishboneLink } from '../../../server/wishbone/link.ts';
import { encodeFrame } from '../../../server/wishbone/uartbone.ts';
import { bytes, haveIcarus, type Stimulus, settled, simulate } from '../../support/gateware/simulate.ts';

const FAST = { clockHz: 400_000, baud: 100_000 };

/** Actions of a script on the line: words of the link, and stimuli between them. */
interface Line extends Pick<WishboneLink, 'read' | 'write'> {
  wait(clocks: number): void;
  access(kind: 'read' | 'write'): void;
}

/**
 * Plays a script twice: first to record what it sends, then with the answers of the simulation. Its requests must not
 * depend on the answers.
 */
async function play<T>(shape: CoreShape, script: (line: Line) => Promise<T>, pins = 0) {
  const stimuli: Stimulus[] = [];
  let answers: number[] | null = null;
  const add = (...more: readonly Stimulus[]) => {
    if (answers === null) stimuli.push(...more);
  };
  const line: Line = {
    async read(byteAddress, count, options = {}) {
      add(
        ...bytes(...encodeFrame({ kind: 'read', byteAddress, words: count, fixed: options.fixed ?? false })),
        settled,
      );
      const view = Buffer.from(answers?.splice(0, 4 * count) ?? new Uint8Array(4 * count));
      return {
        ok: true,
        data: Uint32Array.from({ length: count }, (_, word) => view.readUInt32BE(4 * word)),
      };
    },
    async write(byteAddress, data) {
      add(...bytes(...encodeFrame({ kind: 'write', byteAddress, data, fixed: false })));
      return { ok: true, data: new Uint32Array() };
    },
    wait: (clocks) => add(['gap', clocks]),
    access(kind) {
      if (kind === 'read') answers?.splice(0, 4);
      const frame =
        kind === 'read'
          ? ({ kind, byteAddress: 0, words: 1, fixed: false } as const)
          : ({ kind, byteAddress: 0, data: Uint32Array.of(7), fixed: false } as const);
      add(...bytes(...encodeFrame(frame)));
    },
  };
  await script(line);
  const capture = { bits: shape.bits, depthLog2: Math.log2(shape.depth) };
  const trace = await simulate(stimuli, { ...FAST, capture, pins });
  expect(trace.violations).toEqual([]);
  answers = trace.sent;
  const result = await script(line);
  expect(answers).toEqual([]);
  return { result, bus: trace.bus };
}

/** Samples as bench.v makes them: the bus, and a counter of clocks. */
function taken({ samples, words }: { samples: Uint32Array; words: number }) {
  return Array.from({ length: samples.length / words }, (_, at) => {
    const all = [...samples.subarray(at * words, (at + 1) * words)].reduceRight(
      (sum, word) => (sum << 32n) | BigInt(word),
      0n,
    );
    return { cycle: Number(all & 1n), writes: Number((all >> 1n) & 1n), life: all >> 2n };
  });
}

const NOW: CoreTrigger = { value: 0n, mask: 0n, onlyEdge: false, after: 16, every: 1 };

describe.skipIf(!haveIcarus)('the capture core in simulation', () => {
  test.each([3, 8, 31, 32, 33, 64])('%i bits: captures every clock as a complete sample', async (bits) => {
    const shape = { bits, depth: 16 };
    const { result } = await play(shape, async (line) => {
      await armCore(line, shape, NOW);
      line.wait(100);
      return { status: await readStatus(line, shape), samples: await readSamples(line, shape, 16) };
    });
    expect(result.status).toEqual({ samples: 16, after: 16, lag: 1 });
    const lives = taken(result.samples).map(({ life }) => life);
    const ones = (1n << BigInt(bits - 2)) - 1n;
    expect(lives).toEqual(lives.map((_, at) => ((lives[0] ?? 0n) + BigInt(at)) & ones));
  });

  test('captures an access in its first clock with the samples before it, and does not disturb the bus', async () => {
    const shape = { bits: 16, depth: 32 };
    const { result, bus } = await play(shape, async (line) => {
      await armCore(line, shape, { value: 3n, mask: 3n, onlyEdge: true, after: 20, every: 1 });
      line.access('read');
      line.wait(200);
      const early = await readStatus(line, shape);
      line.access('write');
      line.wait(200);
      line.access('write');
      return { early, status: await readStatus(line, shape), samples: await readSamples(line, shape, 32) };
    });
    expect(bus.map((text) => text[0])).toEqual(['R', 'W', 'W']);
    expect(result.early).toBeNull();
    expect(result.status).toEqual({ samples: 32, after: 20, lag: 1 });
    const seen = taken(result.samples);
    expect(seen.slice(0, 12).map(({ cycle }) => cycle)).toEqual(new Array(12).fill(0));
    expect([seen[12]?.cycle, seen[12]?.writes]).toEqual([1, 1]);
    for (let at = 1; at < 32; at++) expect(seen[at]?.life).toBe((seen[at - 1]?.life ?? 0n) + 1n);
  });

  test('an early trigger has fewer samples before it; a masked value compares only its bits', async () => {
    const shape = { bits: 10, depth: 64 };
    const { result } = await play(shape, async (line) => {
      // The low five bits of the counter: at most 32 clocks away.
      await armCore(line, shape, {
        value: 0b10110_00n,
        mask: 0b11111_00n,
        onlyEdge: false,
        after: 8,
        every: 1,
      });
      line.wait(100);
      return { status: await readStatus(line, shape), samples: await readSamples(line, shape, 8) };
    });
    expect(result.status?.after).toBe(8);
    expect(result.status?.samples).toBeLessThanOrEqual(40);
    expect((taken(result.samples)[0]?.life ?? 0n) & 31n).toBe(0b10110n);
  });

  test('samples are at the requested interval; the trigger’s sample is taken in its own clock', async () => {
    const shape = { bits: 20, depth: 16 };
    const { result } = await play(shape, async (line) => {
      await armCore(line, shape, { value: 1n, mask: 1n, onlyEdge: true, after: 6, every: 100 });
      line.wait(1000);
      line.access('read');
      line.wait(1000);
      return { status: await readStatus(line, shape), samples: await readSamples(line, shape, 10) };
    });
    const { status } = result;
    expect(status?.after).toBe(6);
    expect(status?.lag).toBeLessThanOrEqual(100);
    const apart = taken(result.samples).map(({ life }, at, all) =>
      Number(life - (all[at - 1]?.life ?? life)),
    );
    expect(apart.slice(1)).toEqual([100, 100, 100, status?.lag, 100, 100, 100, 100, 100]);
    expect(taken(result.samples)[4]?.cycle).toBe(1);
  });

  test('a stopped capture keeps its samples; the next one starts afresh', async () => {
    const shape = { bits: 12, depth: 16 };
    const { result, bus } = await play(
      shape,
      async (line) => {
        const never = { value: 1n, mask: 1n, onlyEdge: true, after: 4, every: 40 };
        await armCore(line, shape, never);
        line.wait(300);
        await stopCore(line);
        const first = await readStatus(line, shape);
        const samples = await readSamples(line, shape, 4);
        await armCore(line, shape, { ...NOW, after: 2 });
        line.wait(20);
        return { first, samples, second: await readStatus(line, shape) };
      },
      16,
    );
    expect(bus).toEqual([]);
    expect(result.first?.after).toBeNull();
    expect(result.first?.samples).toBeGreaterThan(4);
    const lives = taken(result.samples).map(({ life }) => life);
    expect(lives.slice(1).map((life, at) => (life - (lives[at] ?? 0n)) & 1023n)).toEqual([40n, 40n, 40n]);
    expect(result.second).toMatchObject({ samples: 2, after: 2 });
  });
});
