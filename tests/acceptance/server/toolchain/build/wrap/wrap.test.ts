import { describe, expect, test } from 'vitest';
import type { BusStep } from '../../../../../../server/contract/jobs/scripts.ts';
import { wrapDesign } from '../../../../../../server/toolchain/build/wrap/wrap.ts';
import { requireMatch } from '../../../../../../server/toolchain/frontends/scan.ts';
import { seeded } from '../../../../../support/seeded.ts';
import { everyNth } from '../../../../../support/soak.ts';
import { HANDSHAKES } from '../../../../../support/toolchain/build/wrap/slaves.ts';
import { type Answer, hasIcarus, simulate } from '../../../../../support/toolchain/simulate.ts';
import { randomSlave } from '../../../../../support/toolchain/slave/random-slave.ts';
import { plainYosys, scanText } from '../../../../../support/toolchain/support.ts';

if (!hasIcarus) console.warn('Icarus Verilog is not installed: the wrappers are not simulated.');

async function run(source: string, steps: BusStep[], options = {}, bus = {}): Promise<Answer[]> {
  const scan = await scanText(source, 'slave.v', options);
  return simulate(
    { 'slave.v': source, 'wrapper.v': wrapDesign({ ...requireMatch(scan), pins: [] }) },
    steps,
    bus,
  );
}

const write = (address: number, ...data: number[]): BusStep => ({ op: 'write', address, data });
const read = (address: number, count = 1): BusStep => ({ op: 'read', address, count });
const words = (answers: Answer[]) =>
  answers.map(({ ok, silent, word }) => (ok ? word : silent ? 'silence' : 'fault'));

describe.skipIf(!hasIcarus)('in Icarus, driven by a master like the base SoC’s', () => {
  test.each(HANDSHAKES)('$title', async ({ source, once }) => {
    const steps = [write(0, 11, 22, 33), read(0, 3), write(4, 44), read(0, 3), read(60)];
    for (const idle of [1, 4]) {
      const answers = await run(source, steps, {}, { idle, gap: 1 });
      expect(words(answers.slice(3, 6))).toEqual([11, 22, 33]);
      expect(words(answers.slice(7, 10))).toEqual([11, 44, 33]);
      if (once) expect(words(answers.slice(10))).toEqual([10]);
    }
  });

  test.each(everyNth(5, [1, 2, 3, 4, 5, 8, 12, 16, 24, 31, 32]))(
    'data of %i bits: writes the low bits and zero-extends reads',
    async (width) => {
      const range = `[${width - 1}:0]`;
      const source = `module slave (input clk, input wb_cyc, input wb_stb, input wb_we, input [1:0] wb_adr,
        input ${range} wb_dat_w, output reg ${range} wb_dat_r, output reg wb_ack);
        reg ${range} memory [0:3]; initial wb_ack = 0;
        always @(posedge clk) begin
          wb_ack <= wb_cyc & wb_stb & ~wb_ack;
          if (wb_cyc & wb_stb & wb_we) memory[wb_adr] <= wb_dat_w;
          wb_dat_r <= memory[wb_adr];
        end endmodule`;
      const values = [0xffff_ffff, 0, 0xa5a5_a5a5, 0x8000_0001];
      const answers = await run(source, [write(0, ...values), read(0, 4)]);
      const kept = values.map((value) => Number(BigInt.asUintN(width, BigInt(value))));
      expect(words(answers.slice(4))).toEqual(kept);
      const { log } = await scanText(source);
      expect(log.some((line) => line.endsWith(': zero-extended to 32'))).toBe(width < 32);
    },
  );

  test('data ports of two widths', async () => {
    const source = `module slave (input wb_clk_i, input wb_cyc_i, input wb_stb_i, input wb_we_i, input wb_dat_i,
      output [1:0] wb_dat_o, output wb_ack_o); reg last = 0; assign wb_ack_o = wb_cyc_i & wb_stb_i, wb_dat_o = {last, 1'b1};
      always @(posedge wb_clk_i) if (wb_ack_o & wb_we_i) last <= wb_dat_i; endmodule`;
    const answers = await run(source, [write(0, 0xffff_fffe), read(0), write(0, 3), read(0)]);
    expect([answers[1]?.word, answers[3]?.word]).toEqual([1, 3]);
    const { log } = await scanText(source);
    expect(log).toContain('read data has 2 bits: zero-extended to 32');
    expect(log).toContain('write data has 1 bit: only the lowest bit of a written word counts');
  });

  test('upper address bits reach a slave that decodes them', async () => {
    const source = `module slave (input wb_clk_i, input wbs_cyc_i, input wbs_stb_i, input wbs_we_i, input [31:0] wbs_adr_i,
      input [31:0] wbs_dat_i, output reg [31:0] wbs_dat_o, output wbs_ack_o);
      assign wbs_ack_o = wbs_cyc_i & wbs_stb_i & wbs_adr_i[31:4] == 28'hEFFF_FFF;
      always @(*) wbs_dat_o = wbs_adr_i; endmodule`;
    expect(words(await run(source, [read(0xefff_fff8), read(0x0fff_fff8), read(0xefff_ffe0)]))).toEqual([
      0xefff_fff8,
      'silence',
      'silence',
    ]);
  });

  test('a low bound above two omits address bits; a wide port is padded with zeros', async () => {
    const source = (
      adr: string,
    ) => `module slave (input stb_i, input we_i, input ${adr} adr_i, input [31:0] dat_i,
      output [31:0] dat_o, output ack_o); assign ack_o = stb_i, dat_o = adr_i; endmodule`;
    expect(words(await run(source('[31:4]'), [read(0x80), read(0xefff_fff0)]))).toEqual([8, 0xeff_ffff]);
    expect(words(await run(source('[35:0]'), [read(0xefff_fff0)], { addressing: 'byte' }))).toEqual([
      0xefff_fff0,
    ]);
    expect(words(await run(source('[35:0]'), [read(0xefff_fff0)], { addressing: 'word' }))).toEqual([
      0x3bff_fffc,
    ]);
    expect(words(await run(source('[0:29]'), [read(0x104)]))).toEqual([0x41]);
  });

  test('err and rty end a transfer as a fault, and the next one succeeds', async () => {
    const source = `module slave (input clk_i, input cyc_i, input stb_i, input we_i, input [1:0] adr_i, input [31:0] dat_i,
      output [31:0] dat_o, output reg ack_o, output reg err_o, output reg rty_o); assign dat_o = 7;
      wire access = cyc_i & stb_i & ~(ack_o | err_o | rty_o);
      always @(posedge clk_i) {ack_o, err_o, rty_o} <= {3{access}} & (adr_i == 1 ? 3'b010 : adr_i == 2 ? 3'b001 : adr_i == 3 ? 3'b110 : 3'b100);
      initial {ack_o, err_o, rty_o} = 0; endmodule`;
    expect(words(await run(source, [read(0, 4), read(0)]))).toEqual([7, 'fault', 'fault', 'fault', 7]);
  });

  test('the watchdog ends a transfer that the slave never acknowledges, and later ones succeed', async () => {
    const source = `module slave (input clk, input wb_cyc, input wb_stb, input wb_we, input [1:0] wb_adr, input [31:0] wb_dat_w,
      output [31:0] wb_dat_r, output wb_ack, output wb_stall); reg [7:0] n = 0; always @(posedge clk) if (wb_cyc) n <= n + 1;
      assign wb_ack = wb_cyc & wb_adr == 0, wb_dat_r = 5, wb_stall = wb_adr == 1; endmodule`;
    expect(words(await run(source, [read(0), read(4), read(0)]))).toEqual([5, 'silence', 5]);
  });

  test('slaves that only read, only write, or have only one of cyc and stb', async () => {
    const reader =
      "module slave (input cyc, output [7:0] dat, output ack); assign dat = 8'h5a, ack = cyc; endmodule";
    expect(words(await run(reader, [write(0, 1), read(0, 2)]))).toEqual([0x5a, 0x5a, 0x5a]);
    const writer = `module slave (input clk, input stb, input we, input [31:0] dat_i, output ack, output reg [7:0] led);
      assign ack = stb; always @(posedge clk) if (stb & we) led <= dat_i; endmodule`;
    expect(words(await run(writer, [write(0, 1), read(0)]))).toEqual([0, 0]);
  });

  test('ties drive the design’s inputs with their value at full width', async () => {
    const source = `module slave (input wb_stb, input [31:0] wb_dat_w, input [7:0] mode, input [7:0] la_oenb, input uart_rx,
      output [31:0] wb_dat_r, output wb_ack); assign wb_ack = wb_stb, wb_dat_r = {mode, la_oenb, 15'd0, uart_rx}; endmodule`;
    expect(words(await run(source, [read(0)]))).toEqual([0x00ff_0001]);
    expect(words(await run(source, [read(0)], { ties: { mode: 1, uart_rx: 0 } }))).toEqual([0xffff_0000]);
  });

  test('accepts names that are keywords or contain characters that Verilog does not allow', async () => {
    const source = `module \\my-slave! (input \\clk , input \\wb.stb , input \\begin , input \\a[3] , output \\wb.ack , output [31:0] \\wb.dat_r );
      assign \\wb.ack = \\wb.stb ; assign \\wb.dat_r = {\\a[3] , \\begin , 4'd5}; endmodule`;
    expect(words(await run(source, [read(0)]))).toEqual([5]);
  });
});

test('leaves signed ports, inouts and unused ports unchanged', async () => {
  const source = `module slave (input clk, input signed [31:0] wb_dat_w, input wb_stb, output wb_ack, inout [3:0] pads,
    output signed [15:0] extra, output signed [31:0] wb_dat_r);
    assign wb_ack = wb_stb, wb_dat_r = wb_dat_w, extra = -1; endmodule`;
  const scan = await scanText(source);
  const wrapper = wrapDesign(requireMatch(scan));
  expect(wrapper).toMatch(/\.\\pads \(inout_0\)/);
  expect(wrapDesign({ ...requireMatch(scan), pins: [] })).toMatch(/\.\\pads \(\)/);
  expect(wrapper).toMatch(/\.\\extra \(pins_from_design\[15:0\]\)/);
  expect(wrapDesign({ ...requireMatch(scan), pins: [] })).toMatch(/\.\\extra \(\)/);
});

test('Yosys reads the wrapper without a warning', async () => {
  for (const seed of everyNth(
    4,
    Array.from({ length: 14 }, (_, at) => at),
  )) {
    const { text: source, filename } = randomSlave(seeded(seed));
    const wrapper = wrapDesign(requireMatch(await scanText(source, filename)));
    const lines: string[] = [];
    await plainYosys.run({
      tool: 'yosys',
      args: [
        '-q',
        '-p',
        'read_verilog wrapper.v; read_verilog -sv slave.v; hierarchy -check -top wishbench_user; proc; check -assert',
      ],
      files: { 'wrapper.v': wrapper, 'slave.v': source },
      outputs: [],
      deadline: 60,
      onLine: (line) => lines.push(line),
    });
    expect(lines.filter((line) => line.includes('wrapper.v'))).toEqual([]);
  }
});
