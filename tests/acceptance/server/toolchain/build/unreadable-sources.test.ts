import { describe, expect, test } from 'vitest';
import { scanDesignSources } from '../../../../../server/toolchain/frontends/scan.ts';
import { prepareDesign } from '../../../../../server/toolchain/intake/design.ts';
import { runningTime } from '../../../../support/running-time.ts';
import {
  build,
  isSynthesised,
  packed,
  SLAVE,
  scan,
  withProjects,
} from '../../../../support/toolchain/build/projects.ts';
import { record, requestOf } from '../../../../support/toolchain/build/support.ts';
import { plainYosys } from '../../../../support/toolchain/support.ts';

withProjects();

const PART = `module part (input clk, output reg [31:0] q);
  always @(posedge clk) q <= q + 1;
endmodule
`;
const TOP = SLAVE('  assign wb_dat_r = 7;');
/** A slave and the part that it needs. */
const GOOD = { 'top.v': SLAVE('  part p (clk, wb_dat_r);'), 'part.v': PART };
const BROKEN = 'module model (input clk);\n  wire = 1;\nendmodule\n';
const OTHER = SLAVE('  wire = 1;').replace('module top', 'module other');
const EMPTY = 'module part (input clk);\nendmodule\n';
const NEEDY = TOP.replace('endmodule', '  part p (.clk(clk));\nendmodule');
const CHECKED = {
  'tb/checks.svh': 'wire = 1;\n',
  'tb/model.sv': TOP.replace('module top', '`include "checks.svh"\nmodule slave_model'),
};
const OWN_MACRO = '`ifndef SIMULATOR\n`define ALONE\n`endif\n';

/** Sources in a folder of tests, each with a mistake. */
const tests = (many: number) =>
  Object.fromEntries(
    Array.from({ length: many }, (_, n) => [
      `bench/t${n}.v`,
      `module t${n} (input clk);\n  wire = 1;\nendmodule\n`,
    ]),
  );

const warnings = (many: number) =>
  Object.keys(tests(many))
    .map((file) => `warning ${file}:2`)
    .sort();

type Files = Record<string, string>;
const placesOf = ({ diagnostics }: Awaited<ReturnType<typeof scan>>) =>
  diagnostics.map(({ severity, file, line }) => `${severity} ${file}:${line}`).sort();

/** What the slave does not need, the warnings about it, and words of the log. */
const EXCLUDED: [what: string, files: Files, places: string[], said?: RegExp][] = [
  [
    'a piece of a testbench, and what pastes tokens',
    {
      ...GOOD,
      'sim/a_model.v':
        'module memory_model (input clk, output reg q);\n  initial begin q = 0; @(posedge clk) q = 1; end\nendmodule\n',
      'sim/bench.v': 'module bench;\n  reg clk;\n  top dut (.clk(clk));\n  initial wait (clk);\nendmodule\n',
      'sim/insert.v': 'reg [7:0] lonely;\nalways @(posedge clk) lonely <=;\n',
      'sim/pasted.v': '`define TASK(x) $f``x\nmodule pasted;\n  initial $fdisplay(1);\nendmodule\n',
    },
    ['warning sim/insert.v:2', 'warning sim/pasted.v:3'],
    /^warning: sim\/insert\.v:2: this file is excluded, because top does not need it: /m,
  ],
  [
    'models of one name in several folders',
    {
      'top.v': TOP,
      'sim/model.v': BROKEN,
      'sim/b/model.v': BROKEN,
      'sim/c/model.v': BROKEN.replace('  wire = 1;\n', ''),
    },
    ['warning sim/b/model.v:2', 'warning sim/c/model.v:1', 'warning sim/model.v:1'],
  ],
  [
    'a model whose macros only it or an earlier source uses',
    {
      'a_top.v': TOP.replace('  assign', '`ifdef FAST\n`endif\n  assign'),
      'sim/model.v': `\`define FAST\n// \`define SLOW\n${BROKEN}`,
      'z_part.v': `\`ifdef SLOW\n\`endif\n${EMPTY}`,
    },
    ['warning sim/model.v:4'],
  ],
  [
    'a source with the definition of a macro that another one also has',
    {
      'bench/a.v': `${OWN_MACRO}module a (input clk);\n  wire = 1;\nendmodule\n`,
      'bench/b.v': `${OWN_MACRO}module b (\n\`ifdef ALONE\n  input clk\n\`endif\n);\nendmodule\n`,
      'top.v': TOP,
    },
    ['warning bench/a.v:5'],
  ],
  [
    'the user of its macros',
    {
      ...GOOD,
      'sim/defines.v': '`define HALF 5\nmodule ticks;\n  initial forever #`HALF;\nendmodule\n',
      'sim/user.v': 'module user (output reg q);\n  initial begin q = 0; @(q) q = `HALF; end\nendmodule\n',
    },
    ['warning sim/defines.v:3', 'warning sim/user.v:3'],
  ],
  [
    'a fragment that nothing includes, although it instantiates the slave',
    {
      'top.v': TOP,
      'insert.v':
        '// Goes into a module.\n  input wb_cyc, wb_stb;\n  output reg wb_ack;\n  always @(posedge clk) wb_ack <= wb_stb;\n  top below (.clk(clk), .wb_stb(wb_stb));\n',
    },
    ['warning insert.v:2'],
  ],
  ['a model of the bus in a folder of tests', { ...CHECKED, 'rtl/top.v': TOP }, ['warning tb/checks.svh:1']],
  [
    'each of many tests, and no test that the slave needs',
    { ...tests(40), 'rtl/top.v': NEEDY, 'bench/part.v': EMPTY },
    warnings(40),
  ],
  [
    'tests beside a slave in their folder',
    { ...tests(5), 'bench/top.v': TOP, 'rtl/part.v': EMPTY },
    warnings(5),
  ],
  ['an unbalanced `endif', { 'top.v': TOP, 'old/part.v': `${EMPTY}\`endif\n` }, ['warning old/part.v:3']],
  [
    'what includes a file with a mistake',
    {
      ...GOOD,
      'sim/tasks.vh': '`include "absent.vh"\n',
      'sim/first.v': '`include "tasks.vh"\nmodule first (output q);\n  assign q = 1;\nendmodule\n',
      'sim/second.v': '`include "tasks.vh"\nmodule second (output q);\n  assign q = 1;\nendmodule\n',
    },
    ['warning sim/tasks.vh:1', 'warning sim/tasks.vh:1'],
    /this file is excluded, because top does not need it: `include "absent\.vh"/,
  ],
  [
    'copies of a module that is the same',
    { ...GOOD, 'y_part.v': PART, 'z/part.v': `// A copy.\n\n${PART.replace('module', ' module')}` },
    ['warning y_part.v:1', 'warning z/part.v:3'],
  ],
];

/** What is wrong with a project that is refused: its first error. */
const REFUSED: [what: string, files: Files, file: string, line: number, message?: RegExp][] = [
  ['that has a slave of its own', { ...GOOD, 'other.v': OTHER }, 'other.v', 4],
  [
    'that is around the slave',
    { ...GOOD, 'board.v': 'module board (input clk);\n  top t (.clk(clk));\n  wire = 1;\nendmodule\n' },
    'board.v',
    3,
  ],
  ['that is needed', { ...GOOD, 'part.v': PART.replace('q <=', 'q <= <') }, 'part.v', 2],
  [
    'that is needed, or its copy',
    { 'top.v': NEEDY, 'a/part.v': BROKEN.replace('model', 'part'), 'b/part.v': EMPTY },
    'a/part.v',
    2,
  ],
  [
    'that has macros of others',
    {
      'a.v': '`define WIDTH 32\nmodule a;\n  wire = 1;\nendmodule\n',
      'top.v': SLAVE('`ifdef WIDTH\n  assign wb_dat_r = 1;\n`else\n  assign wb_dat_r = 2;\n`endif'),
    },
    'a.v',
    3,
  ],
  [
    'that has the slave, after a model with another mistake',
    { 'sim/model.v': BROKEN, 'top.v': SLAVE('  assign wb_dat_r =;') },
    'top.v',
    4,
    /^expected expression/,
  ],
  ['in a folder of tests that has everything', { ...CHECKED, 'tb/top.v': TOP }, 'checks.svh', 1],
  [
    'without which no module remains',
    {
      'rtl/regs.sv': 'module regs import absent::*; (input a, output b);\n  assign b = a;\nendmodule\n',
      'words.sv': 'package words;\n  localparam SIZE = 3;\nendpackage\n',
    },
    'rtl/regs.sv',
    1,
    /^unknown package 'absent': upload its file too/,
  ],
];

describe('an unreadable source', () => {
  test.each(EXCLUDED)('is excluded: %s', async (_, files, places, said = /(?:)/) => {
    const found = await scan(files);
    expect(found.matched?.module).toBe('top');
    expect(placesOf(found)).toEqual(places);
    expect(found.log).toMatch(said);
  });

  test('does not hinder synthesis', () => isSynthesised({ ...GOOD, 'sim/model.v': BROKEN }));

  test.each(REFUSED)('is the reported error %s', async (_, files, file, line, message = /(?:)/) => {
    const { matched, diagnostics } = await scan(files);
    expect(matched).toBeNull();
    expect(diagnostics[0]).toMatchObject({ severity: 'error', code: 'slang_error', file, line });
    expect(diagnostics[0]?.message).toMatch(message);
  });

  test('makes a scan a slow one, once', async () => {
    const request = requestOf(await packed({ 'top.v': TOP, 'sim/model.v': BROKEN }), 'some.zip');
    const { design } = await prepareDesign(request);
    let long = 0;
    await scanDesignSources(design, request, plainYosys, record(), async () => void long++);
    expect(long).toBe(1);
  });

  test('is excluded if top names the slave, as the error suggests', async () => {
    const files = { ...GOOD, 'other.v': OTHER };
    expect((await scan(files)).diagnostics[0]?.message).toMatch(/; top=top builds top without this file$/);
    expect((await scan(files, 'top')).matched?.module).toBe('top');
    expect((await scan(files, 'other')).diagnostics[0]).toMatchObject({ severity: 'error', file: 'other.v' });
  });

  test('is not the reported error if neither it nor the rest has a slave', async () => {
    const { diagnostics } = await scan({
      'regs.v':
        'module regs (input s_awvalid, output s_awready);\n  assign s_awready = s_awvalid;\nendmodule\n',
      'sim/model.v': BROKEN,
    });
    expect(diagnostics[0]).toMatchObject({ severity: 'error', code: 'design_no_slave', file: 'regs.v' });
  });
});

test.each<[what: string, files: Files, note: string]>([
  [
    'a testbench with its tasks',
    {
      ...GOOD,
      'sim/bench.v':
        '`include "tasks.vh"\n`define PASTE(x) $f``x\nmodule bench;\n  top dut ();\n  initial begin $oddly; $finish; end\nendmodule\n',
      'sim/tasks.vh': '`define NAMED(x) $oddly``x\n',
    },
    'note: sim/bench.v is a testbench and is not read',
  ],
  [
    'a VHDL fragment that is meant for copying',
    {
      'top.v': SLAVE('  assign wb_dat_r = 1;'),
      'ip/pll_inst.vhd': 'component pll\n  port (clk : in std_logic);\nend component;\n',
    },
    'note: ip/pll_inst.vhd is a fragment without an entity or package, and is not read',
  ],
  [
    'two backticks in a row in a licence',
    {
      'top.v': `// provided \`\`AS IS''\n${TOP.replace('  assign', '`ifdef OTHER\n  wire x = `PRESET;\n`endif\n  assign')}`,
      'part.v': EMPTY,
    },
    '',
  ],
])('%s is not read and does no harm', async (_, files, note) => {
  const found = await scan(files);
  expect(found.matched?.module).toBe('top');
  expect(found.diagnostics).toEqual([]);
  expect(found.log).toContain(note);
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

test('an upload of testbenches only: that is the reported error', async () => {
  const bench = 'module bench;\n  reg clk;\n  initial $finish;\nendmodule\n';
  const { error } = await build(await packed({ 'a_tb.v': bench, 'b_tb.v': bench.replace('bench', 'other') }));
  expect(error?.code).toBe('design_no_slave');
  expect(error?.diagnostics).toMatchObject([
    { message: expect.stringMatching(/^every source of this project is a testbench/) },
  ]);
});

test('long blank text causes no delay', async () => {
  // The search for module names once ran from each line start through all lines after it: a minute for the first one.
  const ranFor = await runningTime();
  const empty = `//${'\n'.repeat(60_000)}`.repeat(16);
  const long = `/*${'x'.repeat(200_000)}*/\n`;
  const copies = { 'part.v': `${long}${PART}`, 'y_part.v': `${long}${PART}` };
  const { matched } = await scan({ 'top.v': GOOD['top.v'] + empty, ...copies, 'sim/model.v': BROKEN });
  expect(matched?.module).toBe('top');
  expect(ranFor()).toBeLessThan(20_000);
});
