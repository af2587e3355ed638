import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { estimateFmax } from '../../../../server/symbols/estimate/estimate-fmax.ts';
import type { TypicalDelays } from '../../../../server/symbols/estimate/typical-delays.ts';
import type { Netlist } from '../../../../server/symbols/netlist-file.ts';

/** Round figures, so that a path can be added up by hand. */
const TYPICAL: TypicalDelays = {
  cells: [
    { type: /^LUT$/, ns: 10, from: { B: 4 } },
    { type: /^CARRY$/, ns: 1 },
    { type: /^FF$/, clock: 'C', ns: 2, setup: 3 },
    { type: /^RAM$/, clock: 'RCLK', ns: 20 },
  ],
  wire: { ns: 5, doubling: 2 },
  direct: [
    { from: /^CARRY\.CO$/, to: /^CARRY\.CI$/, ns: 0 },
    { from: /^LUT\.O$/, to: /^FF\.D$/, alone: true, ns: 0 },
  ],
};

type Cell = [type: string, inputs: Record<string, number[]>, outputs: Record<string, number[]>];

const CLOCK = 1;
const netlistOf = (cells: readonly Cell[]): Netlist => ({
  netnames: {},
  cells: Object.fromEntries(
    cells.map(([type, inputs, outputs], index) => [
      `cell${index}`,
      {
        type,
        connections: { ...inputs, ...outputs },
        port_directions: {
          ...Object.fromEntries(Object.keys(inputs).map((port) => [port, 'input'])),
          ...Object.fromEntries(Object.keys(outputs).map((port) => [port, 'output'])),
        },
      },
    ]),
  ),
});
const ff = (d: number, q: number): Cell => ['FF', { C: [CLOCK], D: [d] }, { Q: [q] }];
const lut = (a: number, b: number, o: number): Cell => ['LUT', { A: [a], B: [b] }, { O: [o] }];
const period = (...cells: Cell[]): number => 1000 / (estimateFmax(netlistOf(cells), TYPICAL) ?? Infinity);

describe('the slowest path of an unplaced netlist', () => {
  test('from register to register, over a wire', () => {
    expect(period(ff(2, 3), ff(3, 4))).toBeCloseTo(2 + 5 + 3);
  });

  test('through gates, with the delay of each input', () => {
    expect(period(ff(9, 2), lut(2, 0, 3), ff(3, 4))).toBeCloseTo(2 + 5 + 10 + 3);
    expect(period(ff(9, 2), lut(0, 2, 3), ff(3, 4))).toBeCloseTo(2 + 5 + 4 + 3);
  });

  test('a net with more readers is slower, and shared gates prevent packing with a register', () => {
    expect(period(ff(9, 2), ff(2, 3), ff(2, 4))).toBeCloseTo(2 + 5 + 2 + 3);
    expect(period(ff(9, 2), lut(2, 0, 3), ff(3, 4), ff(3, 5))).toBeCloseTo(2 + 5 + 10 + (5 + 2) + 3);
  });

  test('a carry chain counts only its cells', () => {
    const chain = Array.from({ length: 30 }, (_, i): Cell => ['CARRY', { CI: [100 + i] }, { CO: [101 + i] }]);
    expect(period(ff(9, 100), ...chain, ff(130, 3))).toBeCloseTo(2 + 5 + 30 + 5 + 3);
  });

  test('out of a memory of several bits, whose address comes from a register', () => {
    const ram: Cell = ['RAM', { RCLK: [CLOCK], RADDR: [2, 2] }, { RDATA: [5, 6] }];
    expect(period(ff(9, 2), ram, ff(6, 7))).toBeCloseTo(20 + 5 + 3);
  });

  test.each<[string, Cell[]]>([
    ['nothing', []],
    ['pins alone', [lut(2, 3, 4)]],
    ['a register that nothing reads', [ff(2, 3)]],
    ['a loop of gates', [ff(9, 2), lut(2, 4, 3), lut(3, 0, 4)]],
    ['a cell that nobody knows', [ff(9, 2), ['PLL', { I: [2] }, { O: [3] }], ff(3, 4)]],
    ['constants', [['FF', { C: [CLOCK], D: [] }, { Q: [2] }]]],
  ])('there is none in %s', (_, cells) => {
    expect(estimateFmax(netlistOf(cells), TYPICAL)).toBeNull();
  });

  test('is the longest of all paths, for any gates', () => {
    // Gates in rows: each reads earlier ones, so that there is no loop.
    const gates = fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(gates, fc.nat(), (inputs, last) => {
        const outputOf = (k: number) => (k === 0 ? 10 : 20 + k);
        const read = inputs.map(([a, b], k) => [outputOf(a % (k + 1)), outputOf(b % (k + 1))] as const);
        const end = outputOf(1 + (last % inputs.length));
        const cells = [ff(9, 10), ...read.map(([a, b], k) => lut(a, b, outputOf(k + 1))), ff(end, 11)];
        const readers = new Map<number, number>();
        for (const net of [...read.flat(), end]) readers.set(net, (readers.get(net) ?? 0) + 1);
        const wire = (net: number) => 5 + 2 * Math.log2(readers.get(net) ?? 1);
        // Every path, one by one.
        const arrival = (net: number): number => {
          if (net === 10) return 2;
          const [a, b] = read[net - 21]!;
          return Math.max(arrival(a) + wire(a) + 10, arrival(b) + wire(b) + 4);
        };
        const beside = end !== 10 && readers.get(end) === 1;
        expect(period(...cells)).toBeCloseTo(arrival(end) + (beside ? 0 : wire(end)) + 3);
      }),
    );
  });
});
