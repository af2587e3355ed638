import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BenchError } from '../../../../server/errors/bench-error.ts';
import { count, TestDesign } from '../../../support/wishbone/bench.ts';
import { BASE, RATES, rateBench } from '../../../support/wishbone/rate-bench.ts';

test('over any schedule of rates, damage, resets and new hosts, no word is wrong and the link stays usable', async () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...RATES).map((rate) => ({ kind: 'rate' as const, rate })) },
    {
      weight: 4,
      arbitrary: fc
        .tuple(fc.constantFrom('write' as const, 'read' as const), fc.integer({ min: 1, max: 400 }))
        .map(([kind, length]) => ({ kind, length })),
    },
    // The next bytes meet a fault.
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('damage' as const),
        side: fc.constantFrom('toBoard' as const, 'fromBoard' as const),
        after: fc.integer({ min: 0, max: 150 }),
        how: fc.constantFrom('flip' as const, 'lose' as const, 'double' as const, 'broken' as const),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ kind: 'reset' as const }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'host' as const }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'pause' as const }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 14 }), async (steps) => {
      const planned = { toBoard: new Map<number, string>(), fromBoard: new Map<number, string>() };
      const seen = { toBoard: 0, fromBoard: 0 };
      const through = (side: 'toBoard' | 'fromBoard') => (byte: number) => {
        const how = planned[side].get(seen[side]++);
        if (how === 'flip') return [byte ^ 0x20];
        if (how === 'lose') return [];
        if (how === 'double') return [byte, byte];
        return how === 'broken' ? ('broken' as const) : [byte];
      };
      const design = new TestDesign({ unique: true });
      const { connect, clock, model } = rateBench(
        { toBoard: through('toBoard'), fromBoard: through('fromBoard') },
        design,
      );
      const calm = () => {
        planned.toBoard.clear();
        planned.fromBoard.clear();
      };
      let { port, open } = connect();
      let link = await open();
      let used = 0;
      let seed = 1;
      const failed = (error: unknown) => {
        if (error instanceof BenchError) return error;
        throw error;
      };
      for (const one of steps) {
        if (one.kind === 'damage') planned[one.side].set(seen[one.side] + one.after, one.how);
        else if (one.kind === 'pause') await clock.pass(300);
        else if (one.kind === 'reset') model.configure();
        else if (one.kind === 'host') {
          port.destroy();
          calm();
          ({ port, open } = connect());
          link = await open();
        } else if (one.kind === 'rate') await clock.until(link.setLineRate(one.rate).catch(failed));
        else {
          const words = count(one.length, seed++ * 0x1000_0001);
          const call = one.kind === 'read' ? link.read(0, one.length) : link.write(0, words);
          const result = await clock.until(call.catch(failed));
          if (result instanceof BenchError || !result.ok) continue;
          const values = one.kind === 'read' ? result.data : words;
          const accesses = design.accesses.slice(used);
          const first = accesses.findIndex(({ op, value }) => op === one.kind && value === values[0]);
          expect(first).toBeGreaterThanOrEqual(0);
          expect(accesses.slice(first, first + one.length).map(({ value }) => value)).toEqual([...values]);
          used += first + one.length;
        }
      }
      calm();
      const probe = () =>
        link.read(0, 10).then(
          ({ ok }) => ok,
          () => false,
        );
      expect((await clock.until(probe())) || (await clock.until(probe()))).toBe(true);
      for (const rate of RATES) await clock.until(link.setLineRate(rate));
      expect(link.lineRate).toBe(3_000_000);
      expect(await clock.until(probe())).toBe(true);
      await clock.until(link.close());
      expect(model.hears(BASE)).toBe(true);
      expect(clock.pending).toBe(0);
    }),
    { numRuns: 150 },
  );
});
