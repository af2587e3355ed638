import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Booking } from '../../../../server/contract/courses/shares.ts';
import { WEEKDAYS } from '../../../../server/contract/courses/words.ts';
import { bookedNodes, requireNodesFor } from '../../../../server/courses/shares/bookings.ts';
import type { BenchError } from '../../../../server/errors/bench-error.ts';
import { course } from '../../../support/courses/share-model.ts';

const QUARTER_MS = 15 * 60_000;
const QUARTERS = 7 * 24 * 4;

const time = (quarter: number): string =>
  `${String(Math.floor(quarter / 4)).padStart(2, '0')}:${String((quarter % 4) * 15).padStart(2, '0')}`;

const booking: fc.Arbitrary<Booking> = fc
  .record({
    day: fc.constantFrom(...WEEKDAYS),
    from: fc.integer({ min: 0, max: 90 }),
    length: fc.integer({ min: 1, max: 40 }),
    nodes: fc.integer({ min: 1, max: 6 }),
  })
  .map(({ day, from, length, nodes }) => ({
    ...{ day, from: time(from), nodes },
    to: time(Math.min(95, from + length)),
  }));

const anyCourse = fc.record({
  time_zone: fc.constantFrom('Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'UTC'),
  bookings: fc.array(booking, { maxLength: 6 }),
});

test('bookings are refused exactly where a moment of a week has more than ten nodes', () => {
  fc.assert(
    fc.property(fc.array(anyCourse, { minLength: 1, maxLength: 3 }), (made) => {
      const all = made.map((one, at) => course(`c${at}`, [], one));
      const most = [Date.UTC(2026, 1, 2), Date.UTC(2026, 7, 3)].map((monday) => {
        const totals = Array.from({ length: QUARTERS }, (_, at) => {
          const booked = all.map((one) => bookedNodes(one, monday + at * QUARTER_MS));
          return booked.reduce((sum, nodes) => sum + nodes, 0);
        });
        return Math.max(...totals);
      });
      let refusals = 0;
      for (const one of all)
        try {
          requireNodesFor(one, all);
        } catch (error) {
          expect((error as BenchError).code).toBe('too_many_booked');
          refusals++;
        }
      expect(refusals > 0).toBe(Math.max(...most) > 10);
    }),
    { numRuns: 60 },
  );
});

test('a course is not refused for what others have booked', () => {
  const slot = { day: 'monday', from: '10:00', to: '11:00', nodes: 6 } as const;
  const others = ['a', 'b'].map((id) => course(id, [], { bookings: [slot] }));
  const later = course('c', [], { bookings: [{ ...slot, from: '11:00', to: '12:00' }] });
  expect(() => requireNodesFor(later, others)).not.toThrow();
});
