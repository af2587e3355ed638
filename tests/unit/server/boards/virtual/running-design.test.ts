import { describe, expect, test } from 'vitest';
import { loadCatalogue, VIRTUAL_BOARD } from '../../../../../server/boards/catalogue/index.ts';
import { loadChipTable } from '../../../../../server/boards/virtual/chip/chip-table.ts';
import { newPulse, PULSE } from '../../../../../server/boards/virtual/protocol.ts';
import { FabricHost } from '../../../../../server/boards/virtual/runtime/fabric-host.ts';
import { Machine } from '../../../../../server/boards/virtual/runtime/machine.ts';
import { compile } from '../../../../../server/boards/virtual/runtime/machine-plan.ts';
import { RunningDesign } from '../../../../../server/boards/virtual/runtime/running-design.ts';
import { systemClock } from '../../../../../server/clock.ts';
import { resourcePath } from '../../../../../server/paths.ts';
import { baseBitstream } from '../../../../support/boards/virtual/bitstreams.ts';
import { NetlistBuilder, TABLE } from '../../../../support/boards/virtual/netlists.ts';

const CLOCK = 12_000_000;
const VIRTUAL = loadCatalogue().get(VIRTUAL_BOARD)!;

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
  return new RunningDesign(new Machine(compile(b.build())), CLOCK, 1_000_000, now);
}

/** Gives a design its turns while it is busy, and returns its output. */
function settle(running: RunningDesign): number[] {
  const sent: number[] = [];
  for (let turns = 0; ['busy', 'going-on'].includes(running.urgency); turns++) {
    sent.push(...running.runSlice());
    if (turns > 10_000) throw new Error('it never comes to rest');
  }
  return sent;
}

/** Lets milliseconds of the host pass, in which the design has its turns; returns the bytes it sent. */
function live(running: RunningDesign, clock: TickingClock, ms: number): number[] {
  const sent = settle(running);
  for (const end = clock.time + ms; clock.time < end; sent.push(...settle(running)))
    clock.pass(Math.min(4, end - clock.time));
  return sent;
}

/** A clock that advances a microsecond at each read, so that work takes time. */
function tickingClock() {
  let time = 0;
  return {
    now: () => (time += 0.001),
    pass: (ms: number) => {
      time += ms;
    },
    get time() {
      return time;
    },
  };
}
type TickingClock = ReturnType<typeof tickingClock>;

test('a design without activity rests, and bytes wake it', () => {
  const running = design(false, tickingClock().now);
  settle(running);
  expect(running.urgency).toBe('resting');
  running.send(Uint8Array.of(0x42, 0x17));
  expect(running.urgency).toBe('busy');
  expect(settle(running)).toEqual([0x42, 0x17]);
  expect(running.urgency).toBe('resting');
});

test('a resting design skips time without executing until it is woken', () => {
  const clock = tickingClock();
  const running = design(false, clock.now);
  settle(running);
  clock.pass(3_600_000);
  running.send(Uint8Array.of(1));
  expect(running.uart.now).toBeGreaterThanOrEqual(3600 * CLOCK);
  expect(settle(running)).toEqual([1]);
});

test('a busy design is urgent for a moment after its last byte, then free-running', () => {
  const clock = tickingClock();
  const running = design(true, clock.now);
  live(running, clock, 10);
  running.send(Uint8Array.of(0x5a));
  expect(running.urgency).toBe('busy');
  expect(settle(running)).toEqual([0x5a]);
  expect(running.urgency).toBe('ahead');
  live(running, clock, 100);
  expect(running.urgency).toBe('ahead');
  live(running, clock, 50);
  expect(running.urgency).toBe('free-running');
});

describe('an attended design', () => {
  const seconds = (running: RunningDesign) => running.clock / CLOCK;

  test('follows the board’s clock for a minute after a byte, and is free-running afterwards', () => {
    const clock = tickingClock();
    const running = design(true, clock.now);
    running.ready();
    live(running, clock, 200);
    expect(running.urgency).toBe('free-running');
    clock.pass(3_600_000);
    running.send(Uint8Array.of(0x5a));
    expect(live(running, clock, 1000)).toEqual([0x5a]);
    // Time before its use is not caught up.
    const before = seconds(running);
    live(running, clock, 1000);
    expect(seconds(running) - before).toBeGreaterThan(0.95);
    expect(seconds(running) - before).toBeLessThan(1.05);
    clock.pass(57_950);
    expect(running.urgency).toBe('going-on');
    clock.pass(100);
    expect(running.urgency).toBe('free-running');
  });

  test('so does one in use', () => {
    const clock = tickingClock();
    const running = design(true, clock.now);
    running.ready();
    live(running, clock, 200);
    clock.pass(3_600_000);
    const before = seconds(running);
    running.use();
    live(running, clock, 1000);
    expect(seconds(running) - before).toBeGreaterThan(0.95);
    expect(seconds(running) - before).toBeLessThan(1.05);
    expect(running.urgency).not.toBe('free-running');
  });

  test('is used by whoever reads its signals, not by whoever looks at its clock', () => {
    const clock = tickingClock();
    const running = design(true, clock.now);
    running.ready();
    live(running, clock, 200);
    running.requested({ kind: 'observe', places: [] });
    expect(running.urgency).toBe('free-running');
    running.requested({ kind: 'observe', places: ['0'] });
    expect(running.urgency).not.toBe('free-running');
  });

  test('has that minute from its thread, where tests may set less', () => {
    expect(newPulse()[PULSE.goingOn]).toBe(60_000);
  });
});

test('while the line is quiet, board and host count equal time after a short start', () => {
  const clock = tickingClock();
  const running = design(true, clock.now);
  live(running, clock, 200);
  running.send(Uint8Array.of(1));
  const sent = settle(running);
  const quiet = running.uart.quietSince;
  const silence = () => (1000 * (running.uart.now - quiet)) / CLOCK;
  expect(sent).toEqual([1]);
  expect(silence()).toBeGreaterThan(15);
  expect(silence()).toBeLessThan(25);
  for (const ms of [10, 30, 30, 30]) {
    const before = clock.time;
    live(running, clock, ms);
    expect(clock.time - before).toBeGreaterThanOrEqual(ms);
  }
  expect(silence()).toBeGreaterThan(95);
  expect(silence()).toBeLessThan(105);
});

describe('the base SoC as its bitstream, and a host that sends a frame in pieces', () => {
  const READ_MAGIC = [Uint8Array.of(2, 1), Uint8Array.of(0x3c, 0, 0, 0)];
  /** The bench's first board, running and without contact. */
  function baseSoc(clock: TickingClock): RunningDesign {
    const { fpga, clock: oscillator, serial } = VIRTUAL;
    const host = new FabricHost(
      { package: fpga.package, clock: oscillator, rx: serial.rx, tx: serial.tx },
      () => loadChipTable(resourcePath('fabric', 'ice40-8k.table.br')),
      { ...systemClock, monotonic: clock.now },
    );
    host.setBaud(serial.baud);
    host.configure(baseBitstream());
    const { design } = host;
    if (!design) throw new Error(host.status().refusal?.message);
    live(design, clock, 1);
    return design;
  }

  test.each([0, 70, 90])('pieces sent %i ms apart form one frame', (ms) => {
    const clock = tickingClock();
    const running = baseSoc(clock);
    const sent: number[] = [];
    for (const piece of READ_MAGIC) {
      sent.push(...live(running, clock, ms));
      running.send(piece);
    }
    sent.push(...live(running, clock, 10));
    expect(Buffer.from(sent).toString('latin1')).toBe('WBCH');
    expect(running.urgency).toBe('resting');
  });

  test('after 125 ms an incomplete frame is dropped', () => {
    const clock = tickingClock();
    const running = baseSoc(clock);
    running.send(READ_MAGIC[0]!);
    live(running, clock, 125);
    expect(running.urgency).toBe('resting');
    for (const piece of READ_MAGIC) running.send(piece);
    expect(Buffer.from(live(running, clock, 10)).toString('latin1')).toBe('WBCH');
  });

  test('also when the thread runs only once the host continues', () => {
    const clock = tickingClock();
    const running = baseSoc(clock);
    running.send(READ_MAGIC[0]!);
    settle(running);
    clock.pass(125);
    settle(running);
    for (const piece of READ_MAGIC) running.send(piece);
    expect(Buffer.from(live(running, clock, 10)).toString('latin1')).toBe('WBCH');
  });
});

test('a free-running design never overtakes real time', () => {
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
  // Only the time of reading the clock is left to catch up.
  expect(running.uart.now - behind).toBeLessThan(CLOCK / 1000);
});

test('a slowly settling design does not block its thread', () => {
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
  const machine = new Machine(compile(b.build()));
  expect(machine.run(1_000_000)).toBeLessThan(1_000_000);
  expect(machine.laborious).toBe(true);
});

test('a stopped design retains its reason and does not run again', () => {
  const b = new NetlistBuilder();
  const rx = b.input('rx');
  const ring = b.net();
  b.lut(0xdddd, ring, rx, 0, 0, ring); // nand of the ring and not rx
  b.output('tx', ring);
  const running = new RunningDesign(new Machine(compile(b.build())), CLOCK, 1_000_000, tickingClock().now);
  running.send(Uint8Array.of(0));
  settle(running);
  expect(running.stopped?.code).toBe('fabric_oscillation');
  expect(running.urgency).toBe('resting');
});
