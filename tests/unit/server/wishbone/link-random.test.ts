import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BenchError } from '../../../../server/errors/bench-error.ts';
import { count, MUTE, openBench, REFUSING, TestDesign } from '../../../support/wishbone/bench.ts';
import type { WireOptions } from '../../../support/wishbone/model-port.ts';

type Drawn<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never;

/** A random call. */
const call = fc.record({
  op: fc.constantFrom('read' as const, 'write' as const),
  at: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 100 }).map((index) => 4 * index) },
    { weight: 1, arbitrary: fc.constantFrom(REFUSING - 12, MUTE - 4, MUTE + 8) },
  ),
  length: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 700 })),
  fixed: fc.boolean(),
  /** Wait for it before the next one. */
  wait: fc.boolean(),
});
const wire = fc.record({
  usbMs: fc.constantFrom(0, 0.2, 3),
  latencyMs: fc.constantFrom(0, 1, 16),
  pieces: fc.array(fc.integer({ min: 1, max: 64 }), { maxLength: 5 }),
});

test('over any lossless line, calls give the same results as one by one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 12 }), wire, async (calls, line) => {
      const { link, clock } = await openBench(line);
      const memory = new Map<number, number>();
      let seed = 1;
      const running: Promise<void>[] = [];
      for (const { op, at, length, fixed, wait } of calls) {
        const words = count(length, seed++);
        const expected = words.slice();
        let fault: unknown = null;
        for (let i = 0; i < length && !fault; i++) {
          const address = at + (fixed ? 0 : 4 * i);
          const base = (address & 0xffff_fc00) >>> 0;
          if (base === REFUSING) fault = { kind: 'error', byteAddress: address };
          else if (base === MUTE) fault = { kind: 'timeout', byteAddress: address };
          else if (op === 'write') memory.set(address, words[i] ?? 0);
          else expected[i] = memory.get(address) ?? 0;
        }
        const data = op === 'read' ? expected : new Uint32Array(0);
        const outcome = op === 'read' ? link.read(at, length, { fixed }) : link.write(at, words, { fixed });
        const checked = outcome.then((result) =>
          expect(result).toEqual(fault ? { ok: false, fault } : { ok: true, data }),
        );
        running.push(checked.then(() => {}));
        if (wait) await clock.until(checked);
      }
      await clock.until(Promise.all(running));
      await clock.until(link.close());
      expect(clock.pending).toBe(0);
    }),
    { numRuns: 60 },
  );
});

/** Damage to a byte; `before` are the bytes of its side so far, including it. */
interface DamageEvent {
  side: 'toBoard' | 'fromBoard';
  at: number;
  how: (byte: number, before: number[]) => number[] | 'broken';
}

/** Damage to the bytes with the given indexes, counted from the opening of the link. */
const damage = fc.array(
  fc.record({
    side: fc.constantFrom('toBoard' as const, 'fromBoard' as const),
    at: fc.oneof(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 6000 })),
    how: fc.oneof(
      fc.integer({ min: 1, max: 255 }).map((by) => (byte: number, _: number[]) => [byte ^ by]),
      fc.constant(() => []),
      fc.constant((byte: number) => [byte, byte]),
      fc.uint8Array({ minLength: 1, maxLength: 70 }).map((noise) => (byte: number) => [byte, ...noise]),
      // A whole answer or command once more.
      fc
        .constantFrom(8, 12, 16, 24, 40)
        .map((length) => (byte: number, before: number[]) => [byte, ...before.slice(-length)]),
      fc.constant(() => 'broken' as const),
    ),
  }),
  { minLength: 1, maxLength: 4 },
);

/** A link to a design that never returns a word twice, over a line with these faults until they are switched off. */
async function openDamaged(line: Partial<WireOptions>, events: readonly DamageEvent[]) {
  const never = { toBoard: Number.POSITIVE_INFINITY, fromBoard: Number.POSITIVE_INFINITY };
  let from = never;
  const seen = { toBoard: 0, fromBoard: 0 };
  const history = { toBoard: [] as number[], fromBoard: [] as number[] };
  const through = (side: 'toBoard' | 'fromBoard') => (byte: number) => {
    const index = seen[side]++ - from[side];
    history[side].push(byte);
    const event = events.find((each) => each.side === side && each.at === index);
    return event?.how(byte, history[side]) ?? [byte];
  };
  const bench = await openBench(
    { ...line, toBoard: through('toBoard'), fromBoard: through('fromBoard') },
    new TestDesign({ unique: true }),
  );
  from = { ...seen };
  const endDamage = () => {
    from = never;
  };
  return { ...bench, endDamage };
}

test('over such a line batched calls are correct too', async () => {
  const short = fc.record({
    op: fc.constantFrom('read' as const, 'write' as const),
    at: fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: 0, max: 100 }).map((index) => 4 * index) },
      { weight: 1, arbitrary: fc.constantFrom(REFUSING - 4, MUTE) },
    ),
    length: fc.integer({ min: 1, max: 4 }),
    fixed: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(short, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 3 }),
      wire,
      damage,
      async (batches, line, events) => {
        const { link, clock, design } = await openDamaged(line, events);
        let used = 0;
        let seed = 1;
        for (const calls of batches) {
          const made = calls.map(async (one) => {
            const words = count(one.length, seed++ * 0x1000_0001);
            const { at, length, fixed } = one;
            const result = await (one.op === 'read'
              ? link.read(at, length, { fixed })
              : link.write(at, words, { fixed }));
            return { ...one, ok: result.ok, values: one.op === 'read' && result.ok ? result.data : words };
          });
          for (const settled of await clock.until(Promise.allSettled(made))) {
            if (settled.status === 'rejected') {
              expect(['link_silent', 'link_corrupted']).toContain(settled.reason.code);
              continue;
            }
            const { op, at, fixed, ok, values } = settled.value;
            if (!ok) continue;
            // The design has received exactly these words, after those of earlier calls.
            const found = design.accesses.findIndex(
              (_, first) =>
                first >= used &&
                values.every((value, k) => {
                  const access = design.accesses[first + k];
                  return (
                    access?.op === op &&
                    access.byteAddress === at + (fixed ? 0 : 4 * k) &&
                    access.value === value
                  );
                }),
            );
            expect(found).toBeGreaterThanOrEqual(used);
            used = found + values.length;
          }
        }
        await clock.until(link.close());
      },
    ),
    { numRuns: 60 },
  );
});

/** Contact is lost, and no attempt to restore it gets a whole answer: found at random. */
const GARBLED_AT_EACH_ATTEMPT: [Drawn<typeof call>[], Drawn<typeof wire>, DamageEvent[]] = [
  [
    { op: 'read', at: REFUSING - 12, length: 1, fixed: false, wait: false },
    { op: 'write', at: 0, length: 2, fixed: false, wait: false },
    { op: 'read', at: 0, length: 1, fixed: false, wait: false },
  ],
  { usbMs: 0, latencyMs: 0, pieces: [] },
  [
    { side: 'toBoard', at: 88, how: () => [] },
    { side: 'toBoard', at: 32, how: () => 'broken' },
    { side: 'fromBoard', at: 12, how: () => 'broken' },
    { side: 'toBoard', at: 13, how: (byte) => [byte, byte] },
  ],
];

test('over a line that corrupts, drops, duplicates and invents bytes, no word is wrong', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(call, { minLength: 1, maxLength: 12 }),
      wire,
      damage,
      async (calls, line, events) => {
        const { link, clock, design, endDamage } = await openDamaged(line, events);
        let used = 0;
        let seed = 1;
        for (const { op, at, length, fixed } of calls) {
          const words = count(length, seed++ * 0x1000_0001);
          const outcome = op === 'read' ? link.read(at, length, { fixed }) : link.write(at, words, { fixed });
          const result = await clock.until(outcome.catch((error: BenchError) => error));
          if (result instanceof BenchError) {
            expect(['link_silent', 'link_corrupted']).toContain(result.code);
            continue;
          }
          if (!result.ok || length === 0) continue;
          // The design has received exactly these words, once, since the last successful call.
          const values = op === 'read' ? result.data : words;
          const accesses = design.accesses.slice(used);
          const first = accesses.findIndex((access) => access.op === op && access.value === values[0]);
          expect(first).toBeGreaterThanOrEqual(0);
          expect(accesses.slice(first, first + length)).toEqual(
            [...values].map((value, i) => ({ op, byteAddress: at + (fixed ? 0 : 4 * i), value })),
          );
          used += first + length;
        }
        // The damage is over: the link works again.
        endDamage();
        const probe = () =>
          link.read(0, 10).then(
            (result) => result.ok,
            () => false,
          );
        expect((await clock.until(probe())) || (await clock.until(probe()))).toBe(true);
        await clock.until(link.close());
        expect(clock.pending).toBe(0);
      },
    ),
    { numRuns: 150, examples: [GARBLED_AT_EACH_ATTEMPT] },
  );
});
