import { describe, expect, test } from 'vitest';
import type { Netlist } from '../../../../../server/boards/virtual/netlist/netlist.ts';
import { FabricRefusal } from '../../../../../server/boards/virtual/refusal.ts';
import { Machine } from '../../../../../server/boards/virtual/runtime/machine.ts';
import { compile } from '../../../../../server/boards/virtual/runtime/machine-plan.ts';
import { CLOCK, NetlistBuilder, TABLE } from '../../../../support/boards/virtual/netlists.ts';

/** Runs a machine cycle by cycle with given inputs and returns its outputs as strings of bits. */
function trace(machine: Machine, inputs: number[][], outputs = 1): string[] {
  return inputs.map((levels) => {
    levels.forEach((level, index) => {
      machine.setInput(index, level);
    });
    machine.run(1);
    return Array.from({ length: outputs }, (_, index) => machine.output(index)).join('');
  });
}

const code = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof FabricRefusal) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'no refusal';
};

// Designs that cannot be evaluated in words are evaluated in events in both cases.
describe.each(['events', 'words'] as const)('in %s', (way) => {
  const made = (netlist: Netlist, inputs?: number[]): Machine => {
    const machine = new Machine(compile(netlist), inputs);
    machine.evaluateIn(way);
    return machine;
  };

  test('registers start at 0, and block RAM at its contents', () => {
    const b = new NetlistBuilder();
    const initial = new Uint16Array(256);
    initial[0] = 0x8001;
    const ram = b.ram({ initial });
    b.output('register', b.flipFlop(0));
    b.output('first', ram.readData[0] ?? 0);
    b.output('last', ram.readData[15] ?? 0);
    const machine = made(b.build());
    expect([machine.output(0), machine.output(1), machine.output(2)]).toEqual([0, 0, 0]);
    machine.run(1);
    expect([machine.output(0), machine.output(1), machine.output(2)]).toEqual([0, 1, 1]);
  });

  test('a synchronous reset needs the enable, an asynchronous one does not', () => {
    for (const asynchronous of [false, true]) {
      const b = new NetlistBuilder();
      const [d, enable, reset] = [b.input('d'), b.input('enable'), b.input('reset')];
      b.output('q', b.flipFlop(d, { enable, setReset: reset, asynchronous }));
      const machine = made(b.build(), [0, 0, 0]);
      const steps = [
        [1, 1, 0],
        [1, 0, 1],
        [1, 0, 0],
        [1, 1, 1],
      ];
      expect(trace(machine, steps)).toEqual(asynchronous ? ['1', '0', '0', '0'] : ['1', '1', '1', '0']);
    }
  });

  test('a set sets', () => {
    for (const asynchronous of [false, true]) {
      const b = new NetlistBuilder();
      const set = b.input('set');
      b.output('q', b.flipFlop(0, { setReset: set, sets: true, asynchronous }));
      expect(trace(made(b.build(), [0]), [[0], [1], [0]])).toEqual(['0', '1', '0']);
    }
  });

  test('an asynchronous reset acts between clock edges and beats the clock', () => {
    const b = new NetlistBuilder();
    const reset = b.input('reset');
    const q = b.flipFlop(1, { setReset: reset, asynchronous: true });
    b.output('q', q);
    const machine = made(b.build(), [0]);
    machine.run(1);
    expect(machine.output(0)).toBe(1);
    machine.setInput(0, 1);
    machine.run(0);
    expect(machine.output(0)).toBe(0);
    machine.run(1);
    expect(machine.output(0)).toBe(0);
  });

  test('a reset by the rising edge leaves the falling edge of that clock unchanged', () => {
    for (const toggles of [true, false]) {
      const b = new NetlistBuilder();
      const [beat, falling] = [b.net(), b.net()];
      b.flipFlop(b.lut(TABLE.not, beat), { q: beat });
      b.output('beat', beat);
      b.output('reset', b.flipFlop(1, { setReset: beat, asynchronous: true }));
      b.flipFlop(toggles ? b.lut(TABLE.not, falling) : 1, { q: falling, falling: true });
      b.output('falling', falling);
      const machine = made(b.build());
      const steps = Array.from({ length: 5 }, () => {
        const [step] = trace(machine, [[]], 3);
        expect(machine.resting).toBe(false);
        return step;
      });
      expect(steps).toEqual(
        toggles ? ['101', '000', '101', '000', '101'] : ['101', '001', '101', '001', '101'],
      );
    }
  });

  test('reading during a write returns the previous value', () => {
    const b = new NetlistBuilder();
    const [data, we] = [b.input('data'), b.input('we')];
    const ram = b.ram({ writeEnable: we, writeData: [data, ...new Array(15).fill(0)] });
    b.output('q', ram.readData[0] ?? 0);
    const machine = made(b.build(), [0, 0]);
    const steps = [
      [1, 1],
      [0, 0],
      [0, 1],
      [0, 0],
    ];
    expect(trace(machine, steps)).toEqual(['0', '1', '1', '0']);
  });

  test('the ports of a block RAM have their own clock edges', () => {
    for (const [writeFalling, readFalling, expected] of [
      [false, false, '01'],
      [true, false, '01'],
      [false, true, '11'],
      [true, true, '01'],
    ] as const) {
      const b = new NetlistBuilder();
      const we = b.input('we');
      const ram = b.ram({ writeEnable: we, writeData: new Array(16).fill(1), writeFalling, readFalling });
      b.output('q', ram.readData[3] ?? 0);
      const machine = made(b.build(), [0]);
      expect(trace(machine, [[1], [0]]).join('')).toBe(expected);
    }
  });

  test('a mask keeps bits, and a disabled read keeps the last word', () => {
    const b = new NetlistBuilder();
    const [we, mask, re] = [b.input('we'), b.input('mask'), b.input('re')];
    const writeMask = [mask, ...new Array(15).fill(0)];
    const ram = b.ram({ writeEnable: we, writeData: new Array(16).fill(1), writeMask, readEnable: re });
    b.output('masked', ram.readData[0] ?? 0);
    b.output('other', ram.readData[1] ?? 0);
    const machine = made(b.build(), [0, 0, 1]);
    const steps = [
      [1, 1, 1],
      [0, 0, 1],
      [1, 0, 1],
      [0, 0, 0],
      [0, 0, 1],
    ];
    expect(trace(machine, steps, 2)).toEqual(['00', '01', '01', '01', '11']);
  });

  test.each([
    // Data bit of the narrow port → the lanes it takes in a 16-bit word (Lattice, "Memory usage guide for iCE40").
    { mode: 1 as const, pin: 2, lane: 1, bit: 3 },
    { mode: 2 as const, pin: 5, lane: 3, bit: 7 },
    { mode: 3 as const, pin: 11, lane: 6, bit: 14 },
  ])('width mode $mode addresses the lanes of a word', ({ mode, pin, lane, bit }) => {
    const initial = new Uint16Array(256);
    initial[0] = 1 << bit;
    const b = new NetlistBuilder();
    const address = [0, 0, 0, 0, 0, 0, 0, 0, ...Array.from({ length: 3 }, (_, k) => (lane >> k) & 1)];
    const read = b.ram({ name: 'read', initial, readMode: mode, readAddress: address });
    b.output('narrow', read.readData[pin] ?? 0);
    const written = b.ram({
      name: 'written',
      writeMode: mode,
      writeAddress: address,
      writeEnable: 1,
      writeData: Array.from({ length: 16 }, (_, k) => (k === pin ? 1 : 0)),
    });
    for (let k = 0; k < 16; k++) b.output(`wide ${k}`, written.readData[k] ?? 0);
    const machine = made(b.build());
    machine.run(1);
    while (machine.run(1) > 0 && machine.output(1 + bit) === 0 && !machine.resting);
    expect(machine.output(0)).toBe(1);
    expect(Array.from({ length: 16 }, (_, k) => machine.output(1 + k)).indexOf(1)).toBe(bit);
    expect(Array.from({ length: 16 }, (_, k) => machine.output(1 + k)).filter(Boolean)).toHaveLength(1);
  });

  test('both edges of a clock are distinguished', () => {
    const b = new NetlistBuilder();
    const d = b.input('d');
    const rising = b.flipFlop(d);
    b.output('half a cycle later', b.flipFlop(rising, { falling: true }));
    b.output('a cycle later', b.flipFlop(rising));
    const machine = made(b.build(), [0]);
    expect(trace(machine, [[1], [0], [0]], 2)).toEqual(['10', '01', '00']);
  });

  // Place and route does so where every global buffer has its net.
  test('a clock passed through logic cells is the board’s', () => {
    const b = new NetlistBuilder();
    const clock = b.lut(TABLE.buffer, b.lut(TABLE.buffer, CLOCK));
    const q = b.net();
    b.flipFlop(b.lut(TABLE.not, q), { q, clock });
    b.output('toggles', q);
    expect(trace(made(b.build()), [[], [], []])).toEqual(['1', '0', '1']);
  });

  test('a clock inverted by a logic cell is the board’s other edge', () => {
    const b = new NetlistBuilder();
    const clock = b.lut(TABLE.not, CLOCK);
    const d = b.input('d');
    const rising = b.flipFlop(d, { clock, falling: true });
    b.output('half a cycle later', b.flipFlop(rising, { clock }));
    b.output('a cycle later', b.flipFlop(rising));
    expect(trace(made(b.build(), [0]), [[1], [0], [0]], 2)).toEqual(['10', '01', '00']);
  });

  test('a carry chain adds', () => {
    const b = new NetlistBuilder();
    let carry = 1;
    for (let k = 0; k < 12; k++) {
      const q = b.net();
      b.flipFlop(b.lut(TABLE.xor, q, carry), { q });
      b.output(`bit ${k}`, q);
      carry = b.carry(q, 0, carry);
    }
    const machine = made(b.build());
    for (let left = 1234; left > 0; ) left -= machine.run(left);
    const count = Array.from({ length: 12 }, (_, k) => machine.output(k) << k).reduce(
      (sum, bit) => sum + bit,
    );
    expect(count).toBe(1234);
  });

  test('a look-up table that ignores an input forms no loop through it', () => {
    const b = new NetlistBuilder();
    const d = b.input('d');
    const first = b.net();
    const second = b.lut(TABLE.buffer, d, first);
    b.lut(TABLE.not, second, 0, 0, 0, first);
    b.output('out', first);
    const machine = made(b.build(), [0]);
    expect(trace(machine, [[0], [1], [0]])).toEqual(['1', '0', '1']);
  });

  test('a latch holds', () => {
    const b = new NetlistBuilder();
    const [d, open] = [b.input('d'), b.input('open')];
    const q = b.net();
    b.lut(TABLE.mux, q, d, open, 0, q); // open ? d : q
    b.output('q', q);
    const steps = [
      [1, 1],
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
    ];
    expect(trace(made(b.build(), [0, 0]), steps)).toEqual(['1', '1', '0', '0', '1']);
  });

  test('a toggle made of two latches on the levels of the clock toggles', () => {
    const b = new NetlistBuilder();
    const [main, following] = [b.net(), b.net()];
    const inverted = b.lut(TABLE.not, following);
    b.lut(TABLE.mux, inverted, main, CLOCK, 0, main); // clock ? main : ~following
    b.lut(TABLE.mux, following, main, CLOCK, 0, following); // clock ? main : following
    b.output('q', following);
    expect(trace(made(b.build()), [[], [], [], []])).toEqual(['1', '0', '1', '0']);
  });

  test('a cross-coupled pair settles', () => {
    const b = new NetlistBuilder();
    const [set, reset] = [b.input('set'), b.input('reset')];
    const [q, n] = [b.net(), b.net()];
    b.lut(0x1111, reset, n, 0, 0, q); // nor
    b.lut(0x1111, set, q, 0, 0, n);
    b.output('q', q);
    const steps = [
      [1, 0],
      [0, 0],
      [0, 1],
      [0, 0],
    ];
    expect(trace(made(b.build(), [0, 1]), steps)).toEqual(['1', '1', '0', '0']);
  });

  test('a ring that starts to oscillate is an error that names one of its nets', () => {
    const b = new NetlistBuilder();
    const on = b.input('on');
    const ring = b.net();
    const second = b.lut(TABLE.buffer, ring);
    b.lut(0x7777, second, on, 0, 0, ring); // nand
    b.output('ring', ring);
    const machine = made(b.build(), [0]);
    expect(machine.output(0)).toBe(1);
    machine.setInput(0, 1);
    const refusal = code(() => machine.run(1));
    expect(refusal).toContain('fabric_oscillation');
    expect(refusal).toMatch(new RegExp(`net (${ring}|${second})`));
  });

  test('a ring that oscillates initially is refused at once', () => {
    const b = new NetlistBuilder();
    const ring = b.net();
    b.lut(TABLE.not, ring, 0, 0, 0, ring);
    b.output('ring', ring);
    expect(code(() => made(b.build()))).toContain('fabric_oscillation');
  });

  test('registers that clock each other endlessly are an error', () => {
    const b = new NetlistBuilder();
    const start = b.input('start');
    const [rising, falling] = [b.net(), b.net()];
    const clock = b.lut(0x9696, rising, falling, start); // exclusive or of the three
    b.flipFlop(b.lut(TABLE.not, rising), { q: rising, clock });
    b.flipFlop(b.lut(TABLE.not, falling), { q: falling, clock, falling: true });
    b.output('q', rising);
    const machine = made(b.build(), [0]);
    machine.setInput(0, 1);
    const refusal = code(() => machine.run(1));
    expect(refusal).toContain('fabric_oscillation');
    expect(refusal).toContain(`net ${clock}`);
  });

  test('a divided clock clocks', () => {
    const b = new NetlistBuilder();
    const [half, quarter] = [b.net(), b.net()];
    b.flipFlop(b.lut(TABLE.not, half), { q: half });
    b.flipFlop(b.lut(TABLE.not, quarter), { q: quarter, clock: half });
    b.output('half', half);
    b.output('quarter', quarter);
    expect(trace(made(b.build()), [[], [], [], []], 2)).toEqual(['11', '01', '10', '00']);
  });

  test('a register on a divided clock sees the values after the clock edge', () => {
    const b = new NetlistBuilder();
    const [clock, value] = [b.net(), b.net()];
    b.flipFlop(b.lut(TABLE.not, clock), { q: clock });
    b.flipFlop(b.lut(TABLE.not, value), { q: value });
    b.output('q', b.flipFlop(value, { clock }));
    expect(trace(made(b.build()), [[], []])).toEqual(['1', '1']);
  });

  test('a register with a gated clock captures the value before the edge', () => {
    const b = new NetlistBuilder();
    const gate = b.input('gate');
    const value = b.net();
    b.flipFlop(b.lut(TABLE.not, value), { q: value });
    b.output('q', b.flipFlop(value, { clock: b.lut(TABLE.and, CLOCK, gate) }));
    const machine = made(b.build(), [1]);
    expect(trace(machine, [[1], [1], [0], [1]])).toEqual(['0', '1', '1', '1']);
  });

  test('a gated clock is the only clock of a design', () => {
    const b = new NetlistBuilder();
    const clock = b.lut(TABLE.and, CLOCK, b.input('gate'));
    const value = b.net();
    b.output('q', b.flipFlop(b.lut(TABLE.not, value), { q: value, clock }));
    expect(trace(made(b.build(), [0]), [[0], [1], [1], [0], [1]])).toEqual(['0', '1', '0', '0', '1']);
  });

  test('a resting design costs nothing and wakes on an input change', () => {
    const b = new NetlistBuilder();
    const d = b.input('d');
    let last = d;
    for (let k = 0; k < 5; k++) last = b.flipFlop(last);
    b.output('q', last);
    const machine = made(b.build(), [0]);
    expect(machine.run(1_000_000_000)).toBe(1_000_000_000);
    expect(machine.resting).toBe(true);
    machine.setInput(0, 1);
    expect(machine.resting).toBe(false);
    expect(machine.run(100)).toBe(5);
    expect(machine.output(0)).toBe(1);
  });

  test('an output that follows an input changes at once, even if nothing else changes', () => {
    const b = new NetlistBuilder();
    const d = b.input('d');
    const kept = b.net();
    b.flipFlop(kept, { q: kept });
    b.output('out', b.lut(TABLE.xor, d, kept));
    const machine = made(b.build(), [0]);
    machine.run(100);
    expect(machine.evaluation).toBe(way);
    for (const level of [1, 0, 1]) {
      machine.setInput(0, level);
      expect(machine.run(100)).toBe(1);
      expect(machine.output(0)).toBe(level);
      expect(machine.run(100)).toBe(100);
    }
  });
});

test('a chain of ten thousand look-up tables is evaluated', () => {
  const b = new NetlistBuilder();
  const d = b.input('d');
  let last = d;
  for (let k = 0; k < 10_000; k++) last = b.lut(TABLE.xor, last, b.flipFlop(last));
  b.output('out', last);
  const machine = new Machine(compile(b.build()), [0]);
  machine.setInput(0, 1);
  machine.run(0);
  expect(machine.output(0)).toBe(1);
});
