import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Urgency } from '../../../../../server/boards/virtual/runtime/running-design.ts';
import { type Scheduled, Scheduler } from '../../../../../server/boards/virtual/runtime/scheduler.ts';
import { systemClock } from '../../../../../server/clock.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A design that is busy for some turns, then as given; notes its turns. */
function fake(busyTurns: number, after: Urgency) {
  const turns = { slices: 0, paced: [] as number[] };
  const design = {
    get urgency(): Urgency {
      return turns.slices < busyTurns ? 'busy' : after;
    },
    runSlice() {
      turns.slices++;
      return Uint8Array.of(turns.slices);
    },
    runPaced(budget: number) {
      turns.paced.push(budget);
      return new Uint8Array(0);
    },
  };
  const delivered: number[] = [];
  const scheduled: Scheduled = {
    design,
    deliver: (bytes) => {
      delivered.push(...bytes);
    },
  };
  return { scheduled, turns, delivered };
}

test('resting designs take neither turns nor timers', () => {
  const scheduler = new Scheduler(systemClock);
  const resting = Array.from({ length: 10 }, () => fake(0, 'resting'));
  for (const { scheduled } of resting) scheduler.add(scheduled);
  scheduler.wake();
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(60_000);
  expect(resting.every(({ turns }) => turns.slices === 0 && turns.paced.length === 0)).toBe(true);
});

test('an awaited design runs at once, and not twice if already started', () => {
  const scheduler = new Scheduler(systemClock);
  const busy = fake(3, 'resting');
  scheduler.add(busy.scheduled);
  scheduler.run();
  expect(busy.delivered).toEqual([1]);
  scheduler.run();
  expect(busy.delivered).toEqual([1]);
  vi.runAllTimers();
  expect(busy.delivered).toEqual([1, 2, 3]);
  scheduler.run();
  expect(busy.delivered).toEqual([1, 2, 3]);
});

test('busy designs alternate until they rest, and their output is delivered', () => {
  const scheduler = new Scheduler(systemClock);
  const [one, other] = [fake(3, 'resting'), fake(5, 'resting')];
  scheduler.add(one.scheduled);
  scheduler.add(other.scheduled);
  scheduler.wake();
  scheduler.wake();
  vi.runAllTimers();
  expect([one.turns.slices, other.turns.slices]).toEqual([3, 5]);
  expect(other.delivered).toEqual([1, 2, 3, 4, 5]);
  expect(vi.getTimerCount()).toBe(0);
});

test('free-running designs share a small budget at intervals', () => {
  const scheduler = new Scheduler(systemClock);
  const [one, other] = [fake(2, 'free-running'), fake(0, 'free-running')];
  scheduler.add(one.scheduled);
  scheduler.add(other.scheduled);
  scheduler.wake();
  vi.advanceTimersByTime(10_000);
  const spent = [...one.turns.paced, ...other.turns.paced].reduce((sum, budget) => sum + budget, 0);
  expect(one.turns.paced.length).toBeGreaterThan(10);
  expect(other.turns.paced.length).toBeGreaterThan(10);
  expect(spent).toBeLessThan(100); // 1 % of ten seconds
  scheduler.remove(one.scheduled);
  scheduler.remove(other.scheduled);
  vi.advanceTimersByTime(1000);
  expect(vi.getTimerCount()).toBe(0);
});

test('the budget of free-running designs is shared by all threads', () => {
  const spent = (threads: number) => {
    const scheduler = new Scheduler(systemClock, () => threads);
    const { scheduled, turns } = fake(0, 'free-running');
    scheduler.add(scheduled);
    scheduler.wake();
    vi.advanceTimersByTime(10_000);
    scheduler.remove(scheduled);
    vi.advanceTimersByTime(1000);
    return turns.paced.reduce((sum, budget) => sum + budget, 0);
  };
  const alone = spent(1);
  expect(alone).toBeGreaterThan(0);
  expect(4 * spent(4)).toBeCloseTo(alone);
});

test('a design ahead of real time waits for it, and then runs', () => {
  const scheduler = new Scheduler(systemClock);
  const start = systemClock.monotonic();
  const turns: number[] = [];
  const design = {
    get urgency(): Urgency {
      if (turns.length === 5) return 'resting';
      return systemClock.monotonic() - start < 10 * turns.length ? 'ahead' : 'busy';
    },
    runSlice() {
      turns.push(systemClock.monotonic() - start);
      return new Uint8Array(0);
    },
    runPaced: () => new Uint8Array(0),
  };
  scheduler.add({ design, deliver() {} });
  scheduler.wake();
  vi.advanceTimersByTime(60);
  expect(turns).toHaveLength(5);
  turns.forEach((at, turn) => {
    expect(at).toBeGreaterThanOrEqual(10 * turn);
    expect(at).toBeLessThan(10 * turn + 5);
  });
  expect(vi.getTimerCount()).toBe(0);
});

test('a design that changes from ahead to going-on between two checks is not forgotten', () => {
  const scheduler = new Scheduler(systemClock);
  let looks = 0;
  let turns = 0;
  const design = {
    get urgency(): Urgency {
      if (turns === 5) return 'resting';
      return looks++ === 0 ? 'ahead' : 'going-on';
    },
    runSlice() {
      turns++;
      return new Uint8Array(0);
    },
    runPaced: () => new Uint8Array(0),
  };
  scheduler.add({ design, deliver() {} });
  scheduler.wake();
  vi.runAllTimers();
  expect(turns).toBe(5);
});

test('a free-running design does not delay a busy one', () => {
  const scheduler = new Scheduler(systemClock);
  const [busy, free] = [fake(4, 'resting'), fake(0, 'free-running')];
  scheduler.add(free.scheduled);
  scheduler.add(busy.scheduled);
  scheduler.wake();
  vi.advanceTimersByTime(100);
  expect(busy.turns.slices).toBe(4);
});

test('going-on designs run one by one, and a busy one runs between them', () => {
  const scheduler = new Scheduler(systemClock);
  const turns: string[] = [];
  const add = (name: string, most: number, urgency: Urgency) => {
    let left = most;
    const design = {
      get urgency(): Urgency {
        return left > 0 ? urgency : 'resting';
      },
      runSlice() {
        left--;
        turns.push(name);
        return new Uint8Array(0);
      },
      runPaced: () => new Uint8Array(0),
    };
    scheduler.add({ design, deliver() {} });
  };
  add('one', 3, 'going-on');
  add('busy', 4, 'busy');
  add('two', 2, 'going-on');
  scheduler.wake();
  vi.runAllTimers();
  expect(turns.join(' ')).toBe('busy one busy two busy one busy two one');
  expect(vi.getTimerCount()).toBe(0);
});
