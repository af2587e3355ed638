import { expect, test } from 'vitest';
import { Machine } from '../../../server/boards/virtual/runtime/machine.ts';
import { RunningDesign } from '../../../server/boards/virtual/runtime/running-design.ts';
import { NetlistBuilder, TABLE } from './support/netlists.ts';

const CLOCK = 12_000_000;

/** tx follows rx; with `counting` a counter that tx depends on never rests. */
function design(counting: boolean, now: () => number): RunningDesign {
  const b = new NetlistBuilder();
  const rx = b.input('rx');
  let carry = 1;
  let all = 1;
  for (let k = 0; counting && k < 16; k++) {
    const q = b.net();
    b.flipFlop(b.lut(TABLE.xor, q, carry), { q });
    carry = b.carry(q, 0, carry);
    all = b.lut(TABLE.and, q, all);
  }
  b.output('tx', b.flipFlop(counting ? b.lut(TABLE.or, rx, all) : rx, {}));
  return new RunningDesign(new Machine(b.build()), CLOCK, 1_000_000, now);
}

/** Gives a design its turns until it is not busy, and returns what it has sent. */
function settle(running: RunningDesign): number[] {
  const sent: number[] = [];
  for (let turns = 0; running.urgency === 'busy'; turns++) {
    sent.push(...running.runSlice());
    if (turns > 10_000) throw new Error('it never comes to rest');
  }
  return sent;
}

/** A clock that goes on a microsecond whenever it is read, so that work takes time. */
function tickingClock() {
  let time = 0;
  return {
    now: () => (time += 0.001),
    pass: (ms: number) => {
      time += ms;
    },
  };
}

test('a design without activity rests, and bytes wake it', () => {
  const running = design(false, tickingClock().now);
  settle(running);
  expect(running.urgency).toBe('resting');
  running.send(Uint8Array.of(0x42, 0x17));
  expect(running.urgency).toBe('busy');
  expect(settle(running)).toEqual([0x42, 0x17]);
  expect(running.urgency).toBe('resting');
});

test('a resting design passes the time until it is woken without executing it', () => {
  const clock = tickingClock();
  const running = design(false, clock.now);
  settle(running);
  clock.pass(3_600_000);
  running.send(Uint8Array.of(1));
  expect(running.uart.now).toBeGreaterThanOrEqual(3600 * CLOCK);
  expect(settle(running)).toEqual([1]);
});

test('a design that never rests is busy for a moment after its last byte, then free-running', () => {
  const running = design(true, tickingClock().now);
  settle(running);
  running.send(Uint8Array.of(0x5a));
  expect(running.urgency).toBe('busy');
  expect(settle(running)).toEqual([0x5a]);
  expect(running.urgency).toBe('free-running');
});

test('a free-running design is never ahead of the clock on the wall', () => {
  const clock = tickingClock();
  const running = design(true, clock.now);
  settle(running);
  const ahead = running.uart.now;
  running.runPaced(1000);
  expect(running.uart.now).toBe(ahead);
  clock.pass(100 + (1000 * ahead) / CLOCK);
  running.runPaced(1000);
  expect(running.uart.now).toBeGreaterThan(ahead);
  const behind = running.uart.now;
  running.runPaced(1000);
  // Only the time that the clock has gone on by being read is left to make up for.
  expect(running.uart.now - behind).toBeLessThan(CLOCK / 1000);
});

test('a design that settles slowly does not hold its thread', () => {
  // A counter changes in every cycle what ripples through a long latch chain against the order of evaluation.
  const b = new NetlistBuilder();
  const rx = b.input('rx');
  const toggle = b.net();
  b.flipFlop(b.lut(TABLE.not, toggle), { q: toggle });
  const stages = Array.from({ length: 400 }, () => b.net());
  stages.forEach((net, k) => {
    // open ? before : itself, and always open
    b.lut(TABLE.mux, net, stages[k + 1] ?? toggle, b.lut(TABLE.or, rx, toggle), 0, net);
  });
  b.output('tx', b.lut(TABLE.or, stages[0] ?? 0, rx));
  const machine = new Machine(b.build());
  expect(machine.run(1_000_000)).toBeLessThan(1_000_000);
  expect(machine.laborious).toBe(true);
});

test('a design that stops keeps its reason and is not run again', () => {
  const b = new NetlistBuilder();
  const rx = b.input('rx');
  const ring = b.net();
  b.lut(0xdddd, ring, rx, 0, 0, ring); // nand of the ring and not rx
  b.output('tx', ring);
  const running = new RunningDesign(new Machine(b.build()), CLOCK, 1_000_000, tickingClock().now);
  running.send(Uint8Array.of(0));
  settle(running);
  expect(running.stopped?.code).toBe('fabric_oscillation');
  expect(running.urgency).toBe('resting');
});
