import { expect, test } from 'vitest';
import { HoldTimes } from '../../../../server/jobs/hold-times.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

test('the wait is known after five holds, from how long the last fifty took', () => {
  const clock = new FakeClock();
  const holds = new HoldTimes(clock);
  const hold = (seconds: number) => {
    holds.observe(3, false);
    holds.observe(3, false);
    clock.advance(seconds * 1000);
    holds.observe(3, true);
    holds.observe(3, true);
  };
  for (let at = 0; at < 4; at++) hold(100);
  expect(holds.expectedWait(1, 10)).toBeNull();
  hold(100);
  expect(holds.expectedWait(1, 10)).toBe(10);
  expect(holds.expectedWait(3, 1)).toBe(300);
  expect(holds.expectedWait(1, 0)).toBeNull();
  for (let at = 0; at < 50; at++) hold(20);
  expect(holds.expectedWait(1, 10)).toBe(2);
});
