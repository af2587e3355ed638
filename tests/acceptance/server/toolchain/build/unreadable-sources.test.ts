import { describe, expect, test } from 'vitest';
import { runningTime } from '../../../../support/running-time.ts';
import {
  build,
  isSynthesised,
  packed,
  SLAVE,
  scan,
  withProjects,
} from '../../../../support/toolchain/build/projects.ts';

withProjects();

const PART = `module part (input clk, output reg [31:0] q);
  always @(posedge clk) q <= q + 1;
endmodule
`;

describe('an unreadable source', () => {
  const GOOD = { 'top.v': SLAVE('  part p (clk, wb_dat_r);'), 'part.v': PART };
  const MODEL = `module memory_model (input clk, output reg q);
  initial begin
    q = 0;
    @(posedge clk) q = 1;
  end
endmodule
`;

  test('is excluded with a warning if the slave does not need it', async () => {
    const files = {
      ...GOOD,
      'sim/a_model.v': MODEL,
      // A testbench around the slave, and a piece of one.
      'sim/bench.v': 'module bench;\n  reg clk;\n  top dut (.clk(clk));\n  initial wait (clk);\nendmodule\n',
      'sim/insert.v': 'reg [7:0] lonely;\nalways @(posedge clk) lonely <=;\n',
      'sim/pasted.v': '`define TASK(x) $f``x\nmodule pasted;\n  initial $fdisplay(1);\nendmodule\n',
    };
    const found = await scan(files);
    expect(found.matched?.module).toBe('top');
    expect(found.diagnostics.map(({ severity, file }) => `${severity} ${file}`).sort()).toEqual([
      'warning sim/insert.v',
      'warning sim/pasted.v',
    ]);
    expect(found.log).toMatch(
      /^warning: sim\/insert\.v:2: this file is excluded, because top does not need it: /m,
    );
    await isSynthesised(files);
  });

  test.each([
    [
      'has a slave of its own',
      { ...GOOD, 'other.v': SLAVE('  wire = 1;').replace('module top', 'module other') },
      'other.v',
    ],
    [
      'is around the slave',
      { ...GOOD, 'board.v': 'module board (input clk);\n  top t (.clk(clk));\n  wire = 1;\nendmodule\n' },
      'board.v',
    ],
    ['is needed', { ...GOOD, 'part.v': PART.replace('q <=', 'q <= <') }, 'part.v'],
    [
      'has macros of others',
      {
        'a.v': '`define WIDTH 32\nmodule a;\n  wire = 1;\nendmodule\n',
        'top.v': SLAVE('`ifdef WIDTH\n  assign wb_dat_r = 1;\n`else\n  assign wb_dat_r = 2;\n`endif'),
      },
      'a.v',
    ],
  ] as [string, Record<string, string>, string][])(
    'is the reported error if it %s',
    async (_, files, file) => {
      const { matched, diagnostics } = await scan(files);
      expect(matched).toBeNull();
      expect(diagnostics[0]).toMatchObject({ severity: 'error', code: 'slang_error', file });
    },
  );

  test('is not an error if nothing reads it', async () => {
    const found = await scan({
      ...GOOD,
      'sim/bench.v':
        '`include "tasks.vh"\n`define PASTE(x) $f``x\nmodule bench;\n  top dut ();\n  initial begin $oddly; $finish; end\nendmodule\n',
      'sim/tasks.vh': '`define NAMED(x) $oddly``x\n',
    });
    expect(found.matched?.module).toBe('top');
    expect(found.diagnostics).toEqual([]);
    expect(found.log).toContain('note: sim/bench.v is a testbench and is not read');
  });

  test('is excluded because of a file that it includes', async () => {
    const found = await scan({
      ...GOOD,
      'sim/tasks.vh': '`include "absent.vh"\n',
      'sim/first.v': '`include "tasks.vh"\nmodule first (output q);\n  assign q = 1;\nendmodule\n',
      'sim/second.v': '`include "tasks.vh"\nmodule second (output q);\n  assign q = 1;\nendmodule\n',
    });
    expect(found.matched?.module).toBe('top');
    expect(found.log).toMatch(/this file is excluded, because top does not need it: `include "absent\.vh"/);
  });

  test('is excluded together with the macros that only excluded files use', async () => {
    const found = await scan({
      ...GOOD,
      'sim/defines.v': '`define HALF 5\nmodule ticks;\n  initial forever #`HALF;\nendmodule\n',
      'sim/user.v': 'module user (output reg q);\n  initial begin q = 0; @(q) q = `HALF; end\nendmodule\n',
    });
    expect(found.matched?.module).toBe('top');
    expect(found.diagnostics.map(({ file }) => file).sort()).toEqual(['sim/defines.v', 'sim/user.v']);
  });

  test('is excluded if top names the slave, as the error suggests', async () => {
    const files = { ...GOOD, 'other.v': SLAVE('  wire = 1;').replace('module top', 'module other') };
    expect((await scan(files)).diagnostics[0]?.message).toMatch(/; top=top builds top without this file$/);
    expect((await scan(files, 'top')).matched?.module).toBe('top');
    expect((await scan(files, 'other')).diagnostics[0]).toMatchObject({ severity: 'error', file: 'other.v' });
  });

  test('is not the reported error if neither it nor the rest has a slave', async () => {
    const { diagnostics } = await scan({
      'regs.v':
        'module regs (input s_awvalid, output s_awready);\n  assign s_awready = s_awvalid;\nendmodule\n',
      'sim/a_model.v': MODEL,
    });
    expect(diagnostics[0]).toMatchObject({ severity: 'error', code: 'design_no_slave', file: 'regs.v' });
  });

  test('is the reported error if no module remains without it', async () => {
    const { diagnostics } = await scan({
      'rtl/regs.sv': 'module regs import absent::*; (input a, output b);\n  assign b = a;\nendmodule\n',
      'words.sv': 'package words;\n  localparam SIZE = 3;\nendpackage\n',
    });
    expect(diagnostics[0]).toMatchObject({ severity: 'error', file: 'rtl/regs.sv', line: 1 });
    expect(diagnostics[0]?.message).toMatch(/^unknown package 'absent': upload its file too/);
  });

  test('files that a testbench includes are the design under test', async () => {
    const bench = (name: string) => `\`timescale 1ns/1ps
\`include "${name}"
module tb; reg clk; top dut (.clk(clk)); initial begin \`TICK #10 $finish; end endmodule
`;
    const files = { 'rtl/top.v': SLAVE('  part p (clk, wb_dat_r);'), 'rtl/part.v': PART };
    const found = await scan({ ...files, 'sim/tb.v': bench('top.v') });
    expect(found.matched?.module).toBe('top');
    // Through a file with only includes, with a part of the testbench.
    const all = '`include "part.v"\n`include "top.v"\n`include "tick.v"\n';
    const ticks = '`define TICK #1\ntask tick; #1; endtask\n';
    const more = { 'sim/tb.v': bench('all.v'), 'sim/all.v': all, 'sim/tick.v': ticks };
    const others = await scan({ ...files, ...more });
    expect(others.matched?.module).toBe('top');
    expect(others.diagnostics).toEqual([]);
  });

  test('skips a VHDL fragment that is meant for copying', async () => {
    const part = 'component pll\n  port (clk : in std_logic);\nend component;\n';
    const found = await scan({ 'top.v': SLAVE('  assign wb_dat_r = 1;'), 'ip/pll_inst.vhd': part });
    expect(found.matched?.module).toBe('top');
    expect(found.log).toContain(
      'note: ip/pll_inst.vhd is a fragment without an entity or package, and is not read',
    );
  });

  test('an upload of testbenches only: that is the reported error', async () => {
    const bench = 'module bench;\n  reg clk;\n  initial $finish;\nendmodule\n';
    const { matched, diagnostics } = await scan({
      'a_tb.v': bench,
      'b_tb.v': bench.replace('bench', 'other'),
    });
    expect(matched).toBeNull();
    expect(diagnostics).toMatchObject([
      {
        code: 'design_no_slave',
        message: expect.stringMatching(/^every source of this project is a testbench/),
      },
    ]);
    const refusal = await build(await packed({ 'a_tb.v': bench, 'b_tb.v': bench.replace('bench', 'other') }));
    expect(refusal.error).toMatchObject({ code: 'design_no_slave' });
  });

  test('two files with an identical module: one is excluded', async () => {
    const copies = { 'y_part.v': PART, 'z/part.v': `// A copy.\n\n${PART.replace('module', ' module')}` };
    const { matched, diagnostics } = await scan({ ...GOOD, ...copies });
    expect(matched?.module).toBe('top');
    expect(diagnostics.map(({ severity, file, line }) => [severity, file, line]).sort()).toEqual([
      ['warning', 'y_part.v', 1],
      ['warning', 'z/part.v', 3],
    ]);
  });

  test('finds copies within long blank text quickly', async () => {
    const long = `/*${'x'.repeat(200_000)}*/\n`;
    const ranFor = await runningTime();
    const { matched } = await scan({ ...GOOD, 'part.v': `${long}${PART}`, 'y_part.v': `${long}${PART}` });
    expect(matched?.module).toBe('top');
    expect(ranFor()).toBeLessThan(5000);
  });
});
