import { expect, test } from 'vitest';
import { uptimeBy } from '../../../../server/clock.ts';

/** A computer whose clocks are set by hand, milliseconds. */
function computer() {
  const times = { uptime: 5000.4, wall: 1_700_000_000_000, steady: 100, asked: 0 };
  const uptime = uptimeBy(
    () => {
      times.asked++;
      return times.uptime;
    },
    { now: () => times.wall, monotonic: () => times.steady },
  );
  const pass = (awake: number, asleep = 0) => {
    times.steady += awake;
    times.wall += awake + asleep;
    times.uptime += awake + asleep;
  };
  return { times, uptime, pass };
}

test('the uptime advances for up to a second without a system call', () => {
  const { times, uptime, pass } = computer();
  expect(uptime()).toBe(5000);
  pass(400);
  expect(uptime()).toBe(5400);
  pass(599);
  expect(uptime()).toBe(5999);
  expect(times.asked).toBe(1);
  pass(2);
  expect(uptime()).toBe(6001);
  expect(times.asked).toBe(2);
});

test('sleep counts at once, and setting the wall clock adds nothing', () => {
  const { times, uptime, pass } = computer();
  uptime();
  pass(10, 3_600_000);
  expect(uptime()).toBe(3_605_010);
  times.wall -= 86_400_000;
  expect(uptime()).toBe(3_605_010);
  pass(10);
  expect(uptime()).toBe(3_605_020);
  // Read once for the sleep and once for the changed clock.
  expect(times.asked).toBe(3);
});
