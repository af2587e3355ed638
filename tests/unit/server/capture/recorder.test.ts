import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RecordingRequest } from '../../../../server/boards/virtual/observation.ts';
import { Machine } from '../../../../server/boards/virtual/runtime/machine.ts';
import { compile } from '../../../../server/boards/virtual/runtime/machine-plan.ts';
import { Recorder } from '../../../../server/boards/virtual/runtime/recorder.ts';
import { RunningDesign } from '../../../../server/boards/virtual/runtime/running-design.ts';
import { NetlistBuilder, TABLE } from '../../../support/boards/virtual/netlists.ts';

/** Flip-flops that rx is shifted through, a counter of four bits of the clocks in which rx is low, and a net of both. */
function machine(): Machine {
  const b = new NetlistBuilder();
  const rx = b.input('rx');
  const first = b.flipFlop(rx, { name: 'x1y1/lc0' });
  const second = b.flipFlop(first, { name: 'x1y1/lc1' });
  let carry = b.lut(TABLE.not, rx);
  let all = second;
  for (let k = 0; k < 4; k++) {
    const q = b.net();
    b.flipFlop(b.lut(TABLE.xor, q, carry), { q, name: `x2y1/lc${k}` });
    carry = b.carry(q, 0, carry);
    all = b.lut(TABLE.xor, q, all);
  }
  b.output('tx', all);
  return new Machine(compile(b.build()));
}
const PLACES = ['x1y1/lc0', 'x1y1/lc1', 'x2y1/lc0', 'x2y1/lc1', 'x2y1/lc2', 'x2y1/lc3'];

/** The same, counted by hand: what all six are after each clock. */
function model(levels: readonly number[]): number[] {
  let [first, second, count] = [0, 0, 0];
  return levels.map((level) => {
    [second, first] = [first, level];
    count = (count + 1 - level) & 15;
    return first | (second << 1) | (count << 2);
  });
}

/** Levels of rx in runs, so that the machine rests now and then. */
const levels = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 1 }), fc.integer({ min: 1, max: 60 })), {
    minLength: 1,
    maxLength: 12,
  })
  .map((runs) => runs.flatMap(([level, length]) => new Array<number>(length).fill(level)));
/** Tests of bits, also such as contradict each other. */
const bits = fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.constantFrom(0 as const, 1 as const)), {
  maxLength: 3,
});
const request = fc
  .record({
    depth: fc.integer({ min: 1, max: 40 }),
    at: fc.integer({ min: 0, max: 39 }),
    every: fc.integer({ min: 1, max: 5 }),
    trigger: fc.option(fc.record({ now: bits, before: bits }), { nil: null }),
    pause: fc.boolean(),
  })
  .map(({ depth, at, every, trigger, pause }): RecordingRequest => {
    const tests = (list: [number, 0 | 1][]) => list.map(([bit, value]) => ({ bit, value }));
    return {
      places: PLACES,
      kept: 6,
      depth,
      position: at % depth,
      every,
      pause,
      trigger: trigger && { now: tests(trigger.now), before: tests(trigger.before) },
    };
  });

/** The expected recording of samples of every clock. */
function expected(seen: number[], { depth, position, every, trigger }: RecordingRequest) {
  const holds = (tests: { bit: number; value: number }[], sample: number | undefined) =>
    tests.every(({ bit, value }) => sample !== undefined && ((sample >> bit) & 1) === value);
  const at = seen.findIndex(
    (sample, clock) => holds(trigger?.now ?? [], sample) && holds(trigger?.before ?? [], seen[clock - 1]),
  );
  const before: number[] = [];
  for (let clock = 0; clock < (at < 0 ? seen.length : at); clock += every) before.push(clock);
  if (at < 0) return { clocks: before.slice(-depth), trigger: -1 };
  const earlier = position === 0 ? [] : before.slice(-position);
  const after: number[] = [];
  for (let clock = at; clock < seen.length && after.length < depth - position; clock += every)
    after.push(clock);
  return { clocks: [...earlier, ...after], trigger: earlier.length };
}

test('a recording holds exactly the clocks around its trigger, for any idle stretches', () => {
  fc.assert(
    fc.property(levels, request, fc.integer({ min: 1, max: 80 }), (line, wanted, slice) => {
      const one = machine();
      const recorder = new Recorder(one, wanted);
      // Runs that end where the level changes, at an output that changes, and anywhere else.
      for (let clock = 0; clock < line.length; ) {
        const level = line[clock] as 0 | 1;
        one.setInput(0, level);
        let end = clock;
        while (end < line.length && line[end] === level && end - clock < slice) end++;
        for (; clock < end; ) clock += recorder.run(clock, end - clock);
      }
      const seen = model(line);
      const { clocks, trigger } = expected(seen, wanted);
      const result = recorder.result();
      expect([...result.samples]).toEqual(clocks.map((clock) => seen[clock]));
      expect(result.trigger).toBe(trigger);
      const at = trigger >= 0 ? clocks[trigger]! : clocks.at(-1)!;
      expect(result.clock).toBe(at + 1);
      if (trigger > 0) expect(result.lag).toBe(at - clocks[trigger - 1]!);
    }),
    { numRuns: 60, endOnFailure: true },
  );
});

test('peeked values are those of the last clock, and peeking changes nothing', () => {
  fc.assert(
    fc.property(levels, (line) => {
      const one = machine();
      const two = machine();
      const seen = model(line);
      line.forEach((level, clock) => {
        for (const each of [one, two]) {
          each.setInput(0, level);
          each.run(1);
        }
        const sum = one.peek(PLACES).reduce((value, bit, k) => value | (bit << k), 0);
        expect(sum).toBe(seen[clock]);
        expect(one.output(0)).toBe(two.output(0));
        expect(one.resting).toBe(two.resting);
      });
    }),
    { numRuns: 10 },
  );
});

test('unobservable places are reported as unknown, and constants read as their value', () => {
  const one = machine();
  expect(one.unknown(['x1y1/lc0', 'x9y9/lc0', '1', 'x2y1/lc3'])).toEqual([1]);
  expect(one.peek(['0', '1'])).toEqual([0, 1]);
});

const HZ = 12_000_000;
const WANTED: RecordingRequest = {
  places: PLACES,
  kept: 6,
  depth: 64,
  position: 8,
  every: 1,
  trigger: { now: [{ bit: 0, value: 0 }], before: [{ bit: 0, value: 1 }] },
  pause: false,
};

function running() {
  let time = 0;
  const design = new RunningDesign(machine(), HZ, 1_000_000, () => (time += 0.001));
  const pass = (ms: number) => {
    time += ms;
  };
  const settle = () => {
    for (let turns = 0; design.urgency === 'busy'; turns++) {
      design.runSlice();
      const recording = design.takeRecording();
      if (recording) return recording;
      if (turns > 10_000) throw new Error('it never comes to rest');
    }
    return null;
  };
  return { design, settle, pass };
}

test('a resting design is recorded to the end, including the time asleep', () => {
  const { design, settle, pass } = running();
  settle();
  design.record({ ...WANTED, position: 0, trigger: null });
  expect(settle()?.count).toBe(64);

  design.record({ ...WANTED, position: 60 });
  expect(settle()).toBeNull();
  expect(design.urgency).toBe('resting');
  pass(1000);
  const before = design.clock;
  design.send(Uint8Array.of(0));
  const recording = settle()!;
  expect(recording.count).toBe(64);
  expect(recording.trigger).toBe(60);
  // The start bit comes one clock after the byte was sent, and reaches the register another clock later.
  expect(recording.clock).toBeGreaterThan(before + HZ * 0.9);
  expect([...recording.samples.subarray(0, 60)].every((sample) => sample === recording.samples[0])).toBe(
    true,
  );
});

test('the clock stops with the last sample, steps, and resumes', () => {
  const { design, settle } = running();
  settle();
  design.record({ ...WANTED, position: 63, pause: true });
  design.send(Uint8Array.of(0x55));
  const recording = settle()!;
  // However few samples there are before the trigger, its own is the last.
  expect(recording).toMatchObject({ paused: true, clock: design.clock });
  expect(recording.trigger).toBe(recording.count - 1);
  expect(design.paused).toBe(true);
  expect(design.urgency).toBe('resting');
  expect(design.peek(PLACES).reduce((sum, bit, k) => sum | (bit << k), 0)).toBe(recording.samples.at(-1));
  const { clock } = design;
  design.step(7);
  expect(design.clock).toBe(clock + 7);
  expect(design.urgency).toBe('resting');
  design.pause(false);
  expect(design.urgency).toBe('busy');
  settle();
  expect(design.clock).toBeGreaterThan(clock + 9 * 12);
});
