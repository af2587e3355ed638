import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ChipTable, loadChipTable } from '../../../../../server/boards/virtual/chip/chip-table.ts';
import { CommandReader } from '../../../../../server/boards/virtual/configuration/command-reader.ts';
import { extractNetlist } from '../../../../../server/boards/virtual/netlist/extract.ts';
import { FabricRefusal } from '../../../../../server/boards/virtual/refusal.ts';
import { Machine } from '../../../../../server/boards/virtual/runtime/machine.ts';
import { compile } from '../../../../../server/boards/virtual/runtime/machine-plan.ts';
import { resourcePath } from '../../../../../server/paths.ts';
import { baseBitstream, landmarks, resealed } from '../../../../support/boards/virtual/bitstreams.ts';
import { buildForBoard, UART_CONSTRAINTS } from '../../../../support/boards/virtual/bridge.ts';
import { closeTools } from '../../../../support/boards/virtual/tools.ts';

let table: ChipTable;
beforeAll(() => {
  table = loadChipTable(resourcePath('fabric', 'ice40-8k.table.br'));
});
afterAll(closeTools);

/** Compiles a bitstream for the given pins, or returns the reason for the refusal. */
function load(bitstream: Uint8Array, inputs = ['B10'], outputs = ['B12']): Machine | string {
  try {
    const reader = new CommandReader();
    reader.push(bitstream);
    const netlist = extractNetlist(table, reader.memory, { package: 'ct256', clock: 'J3', inputs, outputs });
    return new Machine(
      compile(netlist),
      inputs.map(() => 0),
    );
  } catch (error) {
    if (error instanceof FabricRefusal) return error.code;
    throw error;
  }
}

/** Every way in which SB_IO passes a signal out or in (PIN_TYPE as in Lattice's technology library). */
const PADS = `
module pads(input clk, input rx, input b, output tx, inout t0, inout t1, output r0, output n0, output n1,
            input i0, input l0, output o0, output o1, output o2);
  reg toggle = 0;
  always @(posedge clk) toggle <= ~toggle;
  // tri-state: driven while b is high, direct and with a registered enable; read back
  wire back0, back1, in0, in1, held;
  SB_IO #(.PIN_TYPE(6'b1010_01)) plain (.PACKAGE_PIN(t0), .OUTPUT_ENABLE(b), .D_OUT_0(rx), .D_IN_0(back0));
  SB_IO #(.PIN_TYPE(6'b1110_01), .PULLUP(1'b1)) enabled
    (.PACKAGE_PIN(t1), .OUTPUT_ENABLE(b), .OUTPUT_CLK(clk), .D_OUT_0(rx), .D_IN_0(back1));
  SB_IO #(.PIN_TYPE(6'b0101_01)) registered (.PACKAGE_PIN(r0), .OUTPUT_CLK(clk), .D_OUT_0(rx));
  SB_IO #(.PIN_TYPE(6'b0111_01)) inverted (.PACKAGE_PIN(n0), .OUTPUT_CLK(clk), .D_OUT_0(rx));
  SB_IO #(.PIN_TYPE(6'b0101_01), .NEG_TRIGGER(1'b1)) falling (.PACKAGE_PIN(n1), .OUTPUT_CLK(clk), .D_OUT_0(toggle));
  SB_IO #(.PIN_TYPE(6'b0000_00)) both (.PACKAGE_PIN(i0), .INPUT_CLK(clk), .D_IN_0(in0), .D_IN_1(in1));
  SB_IO #(.PIN_TYPE(6'b0000_11)) latched (.PACKAGE_PIN(l0), .LATCH_INPUT_VALUE(b), .D_IN_0(held));
  assign tx = back0;
  assign o0 = back1;
  assign o1 = in0 ^ in1;
  assign o2 = held;
endmodule
`;
const PAD_PINS = {
  ...{ rx: 'B10', b: 'A1', tx: 'B12', t0: 'C16', t1: 'D16', r0: 'E16', n0: 'F16', n1: 'G16', i0: 'R16' },
  ...{ l0: 'L1', o0: 'A15', o1: 'A16', o2: 'B16' },
};

describe('pads', () => {
  const inputs = ['rx', 'b', 'i0', 'l0'] as const;
  const outputs = ['tx', 'o0', 'o1', 'o2', 'r0', 'n0', 'n1', 't1'] as const;
  let machine: Machine;

  beforeAll(async () => {
    const constraints = Object.entries({ clk: 'J3', ...PAD_PINS })
      .map(([port, pin]) => `set_io ${port} ${pin}\n`)
      .join('');
    const bitstream = await buildForBoard(PADS, 'pads', constraints);
    const loaded = load(
      bitstream,
      inputs.map((name) => PAD_PINS[name]),
      outputs.map((name) => PAD_PINS[name]),
    );
    if (typeof loaded === 'string') throw new Error(loaded);
    machine = loaded;
  });

  /** Applies levels, lets clocks pass, and reads one output. */
  function after(levels: Partial<Record<(typeof inputs)[number], number>>, cycles: number) {
    inputs.forEach((name, index) => {
      if (levels[name] !== undefined) machine.setInput(index, levels[name]);
    });
    for (let left = cycles; left > 0; ) left -= machine.run(left);
    machine.run(0);
    return Object.fromEntries(outputs.map((name, index) => [name, machine.output(index)]));
  }

  test('a tri-state pad has its driver’s level, or that of its pull-up', () => {
    expect(after({ b: 1, rx: 1 }, 2)).toMatchObject({ tx: 1, o0: 1 });
    expect(after({ b: 1, rx: 0 }, 2)).toMatchObject({ tx: 0, o0: 0 });
    expect(after({ b: 0, rx: 0 }, 0)).toMatchObject({ o0: 0 });
    expect(after({ b: 0, rx: 0 }, 1)).toMatchObject({ o0: 1 });
  });

  test('registered outputs update on their clock edge, inverted or not', () => {
    after({ rx: 0 }, 1);
    expect(after({ rx: 1 }, 0)).toMatchObject({ r0: 0, n0: 1 });
    expect(after({}, 1)).toMatchObject({ r0: 1, n0: 0 });
  });

  test('an output of the falling edge carries the value of the rising edge', () => {
    const { n1: first = 0 } = after({}, 1);
    expect(after({}, 1)).toMatchObject({ n1: 1 - first });
  });

  test('an input is sampled at both edges', () => {
    after({ i0: 0 }, 2);
    expect(after({ i0: 1 }, 0)).toMatchObject({ o1: 0 });
    expect(after({}, 1)).toMatchObject({ o1: 0 });
  });

  test('a latched input holds', () => {
    expect(after({ b: 0, l0: 1 }, 0)).toMatchObject({ o2: 1 });
    after({ b: 1 }, 0);
    expect(after({ l0: 0 }, 1)).toMatchObject({ o2: 1 });
    expect(after({ b: 0 }, 0)).toMatchObject({ o2: 0 });
  });
});

describe('designs that are refused, by code', () => {
  const ports = 'input clk, input rx, output tx';
  test.each([
    {
      code: 'fabric_pll',
      verilog: `module top(${ports}); wire fast; reg q = 0;
        SB_PLL40_CORE #(.FEEDBACK_PATH("SIMPLE"), .DIVR(4'd0), .DIVF(7'd63), .DIVQ(3'd5), .FILTER_RANGE(3'd1))
          pll (.REFERENCECLK(clk), .PLLOUTCORE(fast), .RESETB(1'b1), .BYPASS(1'b0));
        always @(posedge fast) q <= rx; assign tx = q; endmodule`,
    },
    {
      code: 'fabric_warmboot',
      verilog: `module top(${ports}); SB_WARMBOOT boot (.BOOT(rx), .S1(1'b0), .S0(1'b1)); assign tx = rx; endmodule`,
    },
    {
      code: 'fabric_io',
      verilog: `module top(${ports}); SB_IO #(.PIN_TYPE(6'b0100_01))
        ddr (.PACKAGE_PIN(tx), .OUTPUT_CLK(clk), .D_OUT_0(rx), .D_OUT_1(1'b1)); endmodule`,
    },
    {
      code: 'fabric_contention',
      verilog: `module top(input clk, inout rx, output tx); SB_IO #(.PIN_TYPE(6'b1010_01))
        pad (.PACKAGE_PIN(rx), .OUTPUT_ENABLE(tx), .D_OUT_0(1'b0), .D_IN_0(tx)); endmodule`,
    },
    {
      code: 'fabric_oscillation',
      verilog: `module top(${ports}); (* keep *) wire a;
        SB_LUT4 #(.LUT_INIT(16'h5555)) ring (.I0(a), .I1(1'b0), .I2(1'b0), .I3(1'b0), .O(a));
        assign tx = a; endmodule`,
    },
  ])(
    '$code',
    async ({ code, verilog }) => {
      expect(load(await buildForBoard(verilog, 'top', UART_CONSTRAINTS))).toBe(code);
    },
    120_000,
  );

  test('bits without a known meaning', () => {
    const bitstream = baseBitstream();
    expect(load(bitstream)).toBeInstanceOf(Machine);
    // The first bit of a bank lies in the corner of the chip, where there is no tile.
    const { covered } = landmarks(bitstream);
    const data = bitstream.findIndex(
      (byte, at) => at > covered && byte === 0x01 && bitstream[at + 1] === 0x01,
    );
    bitstream[data + 2] = (bitstream[data + 2] ?? 0) | 0x80;
    expect(load(resealed(bitstream))).toBe('fabric_unknown_bits');
  });

  test('a design that does not use its pins has an idle line', () => {
    const bitstream = baseBitstream();
    const loaded = load(bitstream, ['B10'], ['T16']);
    expect(typeof loaded === 'string' ? loaded : loaded.output(0)).toBe(1);
  });
});
