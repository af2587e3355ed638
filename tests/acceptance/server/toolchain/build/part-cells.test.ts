import { afterAll, expect, test } from 'vitest';
import { loadCatalogue } from '../../../../../server/boards/catalogue/index.ts';
import { baseAhead } from '../../../../../server/toolchain/build/ahead/base-gates.ts';
import { gatewareSources } from '../../../../../server/toolchain/build/gateware.ts';
import { createEmbeddedEngine } from '../../../../../server/toolchain/engines/embedded/embedded-engine.ts';
import { embeddedVersion } from '../../../../../server/toolchain/engines/embedded/tool-packages.ts';
import { NETLIST, PART_CELLS } from '../../../../../server/toolchain/families/family.ts';
import { ice40 } from '../../../../../server/toolchain/families/ice40/ice40.ts';
import {
  freshToolchain,
  record,
  refusal,
  requestOf,
  slave,
} from '../../../../support/toolchain/build/support.ts';
import { storedRuns } from '../../../../support/toolchain/support.ts';

const engine = createEmbeddedEngine(storedRuns);
afterAll(() => engine.close());

/** Logic, sums, registers of several kinds, block RAM, and cells that a design instantiates itself, with parameters. */
const source = `module top(input clk, pin, rst, en, we, input [8:0] a, input [7:0] d, output reg [7:0] q, output [7:0] n, output out);
  wire fast, far;
  SB_PLL40_CORE #(.FEEDBACK_PATH("SIMPLE"), .DIVR(4'd0), .DIVF(7'd63), .DIVQ(3'd5), .FILTER_RANGE(3'd1)) pll
    (.REFERENCECLK(clk), .PLLOUTCORE(far), .BYPASS(1'b0), .RESETB(1'b1));
  SB_GB share(.USER_SIGNAL_TO_GLOBAL_BUFFER(far), .GLOBAL_BUFFER_OUTPUT(fast));
  SB_IO #(.PIN_TYPE(6'b101001), .PULLUP(1'b1)) io(.PACKAGE_PIN(pin), .OUTPUT_ENABLE(en), .D_OUT_0(we), .D_IN_0(out));
  reg [7:0] memory[0:511]; reg [7:0] sum = 3;
  always @(posedge fast) begin if (we) memory[a] <= d; q <= memory[a]; end
  always @(posedge fast or posedge rst) if (rst) sum <= 0; else if (en) sum <= sum + (d ^ {8{out}});
  assign n = sum * (we ? 3 : 5);
endmodule`;

interface NetlistJson {
  modules: { top: { cells: Record<string, { type: string }> } };
}

test.each(['virtual-hx8k', 'icebreaker', 'icestick'])(
  'synthesis for %s gives the same netlist with black-box cells as with their Verilog',
  async (id) => {
    const board = loadCatalogue().get(id)!;
    const versions = { yosys: embeddedVersion('yosys') };
    const inputs = { board, family: ice40, versions };
    const kept = await baseAhead(inputs, '0123456789abcdef', await gatewareSources());
    const cells = kept!.files[PART_CELLS]!;
    const synthesised = async (ahead: boolean) => {
      const steps = ice40.synthesis(board, 'top', { arithmetic: 0, cells: ahead });
      const lines: string[] = [];
      const { files } = await engine.run({
        tool: 'yosys',
        args: ['-s', 'build.ys'],
        files: {
          ...ice40.synthesisFiles,
          ...(ahead && { [PART_CELLS]: cells }),
          'top.v': source,
          'build.ys': `${['read_verilog top.v', ...steps].join('\n')}\n`,
        },
        outputs: [NETLIST],
        deadline: 100,
        onLine: (line) => lines.push(line),
      });
      const netlist: NetlistJson = JSON.parse(Buffer.from(files[NETLIST]!).toString());
      return { netlist, read: lines.some((line) => line.includes('cells_sim.v')) };
    };
    const [before, after] = [await synthesised(false), await synthesised(true)];
    expect([before.read, after.read]).toEqual([true, false]);
    // The attributes of the library's own modules are in another order.
    expect(after.netlist).toEqual(before.netlist);
    expect(JSON.stringify(after.netlist.modules.top)).toBe(JSON.stringify(before.netlist.modules.top));
    const types = Object.values(after.netlist.modules.top.cells).map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(['SB_PLL40_CORE', 'SB_IO', 'SB_RAM40_4K', 'SB_CARRY']));
  },
);

test.each([
  ['written', ['', 'module SB_GB'], /^module SB_GB: a cell of the part has this name; rename it$/],
  [
    'made by a macro',
    ['`define CELL(name) module SB_``name\n', '`CELL(GB)'],
    /^duplicate definition of 'SB_GB'/,
  ],
])('rejects a module with the name of a cell, by that name: %s', async (_how, [define, head], words) => {
  const { toolchain, dispose } = freshToolchain();
  try {
    const own = `${define}${head}(input USER_SIGNAL_TO_GLOBAL_BUFFER, output GLOBAL_BUFFER_OUTPUT);
      assign GLOBAL_BUFFER_OUTPUT = USER_SIGNAL_TO_GLOBAL_BUFFER; endmodule`;
    const named = `${slave('  SB_GB b(.USER_SIGNAL_TO_GLOBAL_BUFFER(wb_we), .GLOBAL_BUFFER_OUTPUT(wb_dat_r[0]));')}\n${own}\n`;
    const error = await refusal(toolchain.build(requestOf(named, 'own.v'), record()));
    expect(error.diagnostics?.map(({ message }) => message)).toContainEqual(expect.stringMatching(words));
  } finally {
    await dispose();
  }
});
