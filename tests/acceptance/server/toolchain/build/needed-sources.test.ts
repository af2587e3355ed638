import { expect, test } from 'vitest';
import { bench, packed, scan, withProjects } from '../../../../support/toolchain/build/projects.ts';
import { requestOf, synthesised } from '../../../../support/toolchain/build/support.ts';

withProjects();

const BUS = `input clk_i, input [3:2] wb_adr_i, input [31:0] wb_dat_i, output reg [31:0] wb_dat_o,
  input wb_we_i, wb_stb_i, wb_cyc_i, output wb_ack_o`;
const TOP = `module top(${BUS});
reg [31:0] kept [0:3];
always @(posedge clk_i) begin
  if (wb_stb_i & wb_cyc_i & wb_we_i) kept[wb_adr_i] <= wb_dat_i;
  wb_dat_o <= kept[wb_adr_i];
end
assign wb_ack_o = wb_stb_i & wb_cyc_i;
endmodule
`;
/** Each of its 65,536 words is written separately: read only if it is needed. */
const MEMORY = `module memory #(parameter W = 16) (input clk, we, input [W-1:0] a, input [31:0] d, output reg [31:0] q);
reg [31:0] words [0:2**W-1];
integer i, j;
initial for (i = 0; i < 2**W; i = i + 2**(W/2)) for (j = i; j < i + 2**(W/2); j = j + 1) words[j] = j;
always @(posedge clk) begin if (we) words[a] <= d; q <= words[a]; end
endmodule
`;
test('an unused module delays neither the scan nor the build', async () => {
  const files = { 'rtl/top.v': TOP, 'rtl/memory.v': MEMORY };
  const found = await scan(files);
  expect(found.matched?.module).toBe('top');
  expect(found.diagnostics).toEqual([]);
  const context = await synthesised(bench.toolchain, requestOf(await packed(files), 'some.zip'));
  expect(context.text()).not.toContain('words');
});

test('excludes an unreadable source next to a slow one, and rejects the design if it needs it', async () => {
  const broken = 'module part(input [31:0] a, output [31:0] q);\nassign q = a +;\nendmodule\n';
  const files = { 'rtl/a_memory.v': MEMORY, 'rtl/part.v': broken };
  const found = await scan({ ...files, 'rtl/top.v': TOP });
  expect(found.matched?.module).toBe('top');
  expect(found.diagnostics).toMatchObject([
    { severity: 'warning', file: 'part.v', line: 2 },
    { severity: 'warning', file: 'a_memory.v', line: 4 },
  ]);
  const user = TOP.replace('assign wb_ack_o', 'wire [31:0] q;\npart p(wb_dat_i, q);\nassign wb_ack_o');
  const refused = await scan({ ...files, 'rtl/top.v': user });
  expect(refused.matched).toBeNull();
  expect(refused.diagnostics[0]).toMatchObject({ severity: 'error', file: 'part.v', line: 2 });
});

test('a testbench on which slang itself fails does not matter', async () => {
  const bench = `module top_tb();
reg clk = 0, stb = 0; wire ack;
always #5 clk = ~clk;
task access; begin
  @(posedge clk); stb <= 1;
  while (!ack) begin @(posedge clk); end
  stb <= 0;
end endtask
initial begin while (1) begin #1; access; end end
top dut(.clk_i(clk), .wb_stb_i(stb), .wb_cyc_i(stb), .wb_ack_o(ack));
endmodule
`;
  const found = await scan({ 'rtl/top.v': TOP, 'rtl/top_tb.v': bench });
  expect(found.diagnostics).toEqual([]);
  expect(found.matched?.module).toBe('top');
});
