import { expect, test } from 'vitest';
import { EngineChoice } from '../../../../../server/boards/virtual/runtime/engine-choice.ts';

/** A choice on a clock of its own; `cost` is a clock's time in either engine, nanoseconds. */
function chooser(cost: { events: number; words: number }, possible = true, later?: (() => void)[]) {
  let now = 0;
  let compiled = 0;
  const choice = new EngineChoice(
    () => now,
    (done) => {
      compiled++;
      if (later) later.push(() => done(possible));
      else done(possible);
    },
  );
  let settledFor = 0;
  let told = 0;
  /** A run of this many milliseconds, reported as a machine reports it. */
  const one = (clocks: number, ms: number) => {
    if (settledFor > 0) {
      now += ms;
      settledFor -= clocks;
      return;
    }
    const started = choice.start();
    now += ms;
    told++;
    settledFor = choice.finish(started, clocks);
  };
  /** Runs of a hundred clocks each; every `disturbed`th of them has to wait for the processor. */
  const run = (runs: number, disturbed = Number.POSITIVE_INFINITY) => {
    for (let k = 1; k <= runs; k++)
      one(100, (100 * cost[choice.current]) / 1e6 + (k % disturbed === 0 ? 5 : 0));
  };
  /** Runs that end with changes of a line; each costs 400 ns besides its clocks. */
  const line = (runs: number, clocksOf: (k: number) => number) => {
    for (let k = 1; k <= runs; k++) {
      const clocks = clocksOf(k);
      one(clocks, (400 + clocks * cost[choice.current]) / 1e6);
    }
  };
  return { choice, run, line, compiled: () => compiled, told: () => told };
}

test('a design that runs fast in events is never compiled to words', () => {
  const { choice, run, compiled } = chooser({ events: 75, words: 40 });
  run(50_000);
  expect(choice.current).toBe('events');
  expect(compiled()).toBe(0);
});

test('a fast design is rarely sampled, yet its becoming busy is noticed', () => {
  const cost = { events: 75, words: 250 };
  const { choice, run, compiled, told } = chooser(cost);
  run(10_000);
  // Some 530 runs of 100 clocks are a sample, after which 500 are not reported.
  expect(told()).toBeLessThan(6000);
  cost.events = 1000;
  run(5000);
  expect(compiled()).toBe(1);
  expect(choice.current).toBe('words');
});

test('a busy computer does not make a design count as slow', () => {
  const { run, compiled } = chooser({ events: 75, words: 40 });
  run(50_000, 3);
  expect(compiled()).toBe(0);
});

test('a busy design switches to words and stays there, rarely sampled', () => {
  const { choice, run, compiled, told } = chooser({ events: 1000, words: 250 });
  run(5000);
  expect(choice.current).toBe('words');
  const before = told();
  run(100_000);
  // Half of the runs are not reported; those of the five trials of events all are.
  expect(told() - before).toBeLessThan(55_000);
  expect(choice.current).toBe('words');
  expect(compiled()).toBe(1);
});

test('a much slower engine is not tried for long', () => {
  const { choice, run } = chooser({ events: 1000, words: 250 });
  run(5000);
  let inEvents = 0;
  for (let k = 0; k < 100_000; k++) {
    if (choice.current === 'events') inEvents++;
    run(1);
  }
  // Tried again after 20,000 runs of 100 clocks, then after 40,000.
  expect(inEvents).toBeGreaterThan(10);
  expect(inEvents).toBeLessThan(30);
  expect(choice.current).toBe('words');
});

test('a design whose behaviour changes is recompiled, less and less often', () => {
  const cost = { events: 1000, words: 250 };
  const { choice, run, compiled } = chooser(cost);
  run(50_000);
  expect(compiled()).toBe(1);
  cost.words = 400; // what it does now is more than what it did
  run(50_000);
  expect(compiled()).toBe(2);
  run(100_000);
  expect(compiled()).toBe(2);
  for (let phase = 0; phase < 40; phase++) {
    cost.words = phase % 2 ? 400 : 250;
    run(20_000);
  }
  expect(compiled()).toBeLessThan(6);
  expect(choice.current).toBe('words');
});

test('a temporarily busy computer causes no recompilation', () => {
  const { run, compiled } = chooser({ events: 1000, words: 250 });
  run(50_000);
  run(50_000, 3);
  run(50_000);
  expect(compiled()).toBe(1);
});

test('a design slower in words returns to events', () => {
  const { choice, run, compiled } = chooser({ events: 300, words: 900 });
  run(5000);
  expect(compiled()).toBe(1);
  expect(choice.current).toBe('events');
});

test('a design that calms down returns to events', () => {
  const cost = { events: 1000, words: 250 };
  const { choice, run } = chooser(cost);
  run(5000);
  expect(choice.current).toBe('words');
  cost.events = 50;
  run(50_000);
  expect(choice.current).toBe('events');
});

test('a design that cannot be compiled is not tried again', () => {
  const { choice, run, compiled } = chooser({ events: 1000, words: 250 }, false);
  run(50_000);
  expect(choice.current).toBe('events');
  expect(compiled()).toBe(1);
});

test('a design with a quiet line is judged by long runs', () => {
  const { choice, line } = chooser({ events: 700, words: 70 });
  line(5000, () => (choice.current === 'words' ? 2800 : 280));
  expect(choice.current).toBe('words');
});

test('a design whose line changes almost every clock is judged by short runs', () => {
  const { choice, line } = chooser({ events: 160, words: 60 });
  line(50_000, () => 2);
  expect(choice.current).toBe('words');
});

test('short runs, dominated by call overhead, do not make a design with long runs count as slow', () => {
  const { line, compiled } = chooser({ events: 30, words: 60 });
  line(50_000, (k) => (k % 20 === 0 ? 600 : 4));
  expect(compiled()).toBe(0);
});

test('a design runs in events until it is compiled, rarely sampled', () => {
  const later: (() => void)[] = [];
  const { choice, run, compiled, told } = chooser({ events: 1000, words: 250 }, true, later);
  run(20_000);
  expect(choice.current).toBe('events');
  expect(compiled()).toBe(1);
  expect(told()).toBeLessThan(3000);
  later.shift()?.();
  expect(choice.current).toBe('words');
  run(20_000);
  expect(choice.current).toBe('words');
  expect(compiled()).toBe(1);
});

test('a design fixed to an engine during compilation stays with it', () => {
  const later: (() => void)[] = [];
  const { choice, run } = chooser({ events: 1000, words: 250 }, true, later);
  run(20_000);
  choice.fix('events');
  later.shift()?.();
  run(20_000);
  expect(choice.current).toBe('events');
});
