import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defaultSlots } from '../../../../../server/toolchain/build/build-slots.ts';
import { Slots } from '../../../../../server/toolchain/slots.ts';

const GB = 2 ** 30;

test('serves in order of arrival, and reports each position', async () => {
  const slots = new Slots(1);
  const order: string[] = [];
  const places: Record<string, number[]> = { a: [], b: [], c: [] };
  const take = (name: string) =>
    slots
      .acquire(undefined, (place) => places[name]!.push(place))
      .then((release) => {
        order.push(name);
        return release;
      });
  const [a, b, c] = [take('a'), take('b'), take('c')];
  const releaseA = await a;
  expect({ busy: slots.busy, waiting: slots.waiting }).toEqual({ busy: 1, waiting: 2 });
  releaseA();
  releaseA(); // a second time changes nothing
  const releaseB = await b;
  expect(slots.busy).toBe(1);
  releaseB();
  (await c)();
  expect(order).toEqual(['a', 'b', 'c']);
  expect(places).toEqual({ a: [], b: [1], c: [2, 1] });
  expect({ busy: slots.busy, waiting: slots.waiting }).toEqual({ busy: 0, waiting: 0 });
});

test('with the newest first, a newcomer precedes those waiting', async () => {
  const slots = new Slots(1, 'newest');
  const release = await slots.acquire();
  const order: string[] = [];
  const taken = ['a', 'b', 'c'].map(async (name) => {
    const next = await slots.acquire();
    order.push(name);
    next();
  });
  release();
  await Promise.all(taken);
  expect(order).toEqual(['c', 'b', 'a']);
});

test('an aborted wait leaves the queue, and the others move up', async () => {
  const slots = new Slots(1);
  const release = await slots.acquire();
  const stop = new AbortController();
  const gone = slots.acquire(stop.signal);
  const places: number[] = [];
  const next = slots.acquire(undefined, (place) => places.push(place));
  stop.abort();
  await expect(gone).rejects.toMatchObject({ code: 'build_aborted' });
  expect(places).toEqual([2, 1]);
  release();
  (await next)();
  await expect(slots.acquire(AbortSignal.abort())).rejects.toMatchObject({ code: 'build_aborted' });
  expect(slots.busy).toBe(0);
});

test('never exceeds the slots and loses none, for any sequence', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.constantFrom('acquire', 'release', 'abort'), { maxLength: 60 }),
      async (total, steps) => {
        const slots = new Slots(total);
        const held: (() => void)[] = [];
        const waiting: AbortController[] = [];
        let served = 0;
        let given = 0;
        let asked = 0;
        for (const step of steps) {
          if (step === 'acquire') {
            const stop = new AbortController();
            waiting.push(stop);
            const mine = asked++;
            slots.acquire(stop.signal).then(
              (release) => {
                waiting.splice(waiting.indexOf(stop), 1);
                expect(mine).toBeGreaterThanOrEqual(served);
                served = mine;
                given++;
                held.push(release);
              },
              () => {},
            );
          } else if (step === 'release') held.shift()?.();
          else waiting.splice(waiting.length >> 1, 1)[0]?.abort();
          await Promise.resolve();
          await Promise.resolve();
          expect(slots.busy).toBeLessThanOrEqual(total);
          if (slots.waiting > 0) expect(slots.busy).toBe(total);
        }
        while (slots.busy > 0 || slots.waiting > 0) {
          held.shift()?.();
          await Promise.resolve();
          await Promise.resolve();
        }
        expect(given).toBeLessThanOrEqual(asked);
      },
    ),
  );
});

test('one slot for each core, limited by the memory', () => {
  expect(defaultSlots(4, 16 * GB)).toBe(4);
  expect(defaultSlots(2, 4 * GB)).toBe(2);
  expect(defaultSlots(2, 2 * GB)).toBe(2);
  expect(defaultSlots(2, 1.5 * GB)).toBe(1);
  expect(defaultSlots(1, 16 * GB)).toBe(1);
  expect(defaultSlots(16, 4 * GB)).toBe(6);
  expect(defaultSlots(16, 1 * GB)).toBe(1);
});
