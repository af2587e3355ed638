import { describe, expect, test } from 'vitest';
import type { BenchError } from '../../../../../server/errors/bench-error.ts';
import { exampleSource } from '../../../../../server/toolchain/examples.ts';
import { packProject, projectOfArchive } from '../../../../../server/toolchain/intake/project.ts';
import { keepBuilt } from '../../../../support/built.ts';
import {
  bench,
  build,
  packed,
  SLAVE,
  scan,
  withProjects,
} from '../../../../support/toolchain/build/projects.ts';

withProjects();

test('the example builds with its header, its modules and its memory contents', async () => {
  const source = exampleSource({ file: 'tone.zip' });
  const project = await projectOfArchive(source, 2 ** 20);
  expect(Buffer.from(packProject(project)).equals(source)).toBe(true);
  // The examples are built for others too, each once in a run; the one below is built here.
  await keepBuilt(bench.folder, [{ filename: 'tone.zip', source }]);
  const { built, error } = await build(source);
  expect(error).toBeNull();
  expect(built?.report.design).toMatchObject({ module: 'tone', addressing: 'word' });
  expect(built?.report.diagnostics).toEqual([]);
  expect(await build(source)).toMatchObject({ built: { buildId: built?.buildId, cached: true } });
  // One sample more or less is another build.
  const other = project.files.map((file) =>
    file.path.endsWith('.hex')
      ? { ...file, contents: Buffer.from(Buffer.from(file.contents).toString().replace('ff', 'fe')) }
      : file,
  );
  const changed = await build(packProject({ files: other }));
  expect(changed.built?.cached).toBe(false);
  expect(changed.log).toContain('note: sim/tone_tb.v is a testbench and is not read');
  expect(changed.built?.buildId).not.toBe(built?.buildId);
  expect(Buffer.from(changed.built?.bitstream ?? []).equals(Buffer.from(built?.bitstream ?? []))).toBe(false);
});

describe('dependencies between files', () => {
  test('headers next to the file, at the top, or unique by name; an included file is not a separate source', async () => {
    const found = await scan({
      'rtl/top.v':
        `\`include "beside.vh"\n\`include "inc/top.vh"\n\`include "only.vh"\n\`include "part.v"\n${SLAVE('  assign wb_dat_r = `A + `B + `C + PART;')}`.replace(
          'module top (',
          'module top #(parameter PART = `PART) (',
        ),
      'rtl/beside.vh': '`define A 1\n',
      'inc/top.vh': '`define B 2\n',
      'deep/er/only.vh': '`include "../nested.vh"\n',
      'deep/nested.vh': '`define C 3\n',
      'part.v': '`define PART 4\n',
      'pins.pcf': 'set_io led B3\n',
    });
    expect(found.diagnostics).toEqual([]);
    expect(found.matched?.module).toBe('top');
    expect(found.log).toContain('note: pins.pcf binds no port outside the bus');
  });

  test('macros and packages under any file name', async () => {
    const found = await scan({
      'a_top.sv': `module top (input clk, rst, wb_cyc, wb_stb, wb_we, input [1:0] wb_adr,
  input [31:0] wb_dat_w, output logic [31:0] wb_dat_r, output logic wb_ack);
  assign wb_ack = wb_cyc & wb_stb;
  assign wb_dat_r = sizes::SIZE + more::SIZE + \`STEP;
endmodule
`,
      'z_sizes.sv': 'package sizes;\n  localparam SIZE = 3;\nendpackage\n',
      'zz_more.sv': 'package more;\n  localparam SIZE = 1;\nendpackage\n',
      'zzz_macros.v': '`define STEP 5\n',
    });
    expect(found.diagnostics).toEqual([]);
    expect(found.matched?.module).toBe('top');
  });

  test('rejects circular package dependencies', async () => {
    const { diagnostics } = await scan({
      'a.sv': `package b;\n  localparam ONE = a::TWO;\nendpackage\npackage a;\n  localparam TWO = b::ONE;\nendpackage\n${SLAVE('  assign wb_dat_r = a::TWO;')}`,
    });
    expect(diagnostics[0]).toMatchObject({ severity: 'error', file: 'a.sv' });
  });

  test('top selects one of several modules', async () => {
    const two = {
      'a.v': SLAVE('  assign wb_dat_r = 1;'),
      'b.v': SLAVE('  assign wb_dat_r = 2;').replace('top', 'other'),
    };
    expect((await scan(two)).matched).toBeNull();
    expect((await scan(two, 'other')).matched?.module).toBe('other');
  });
});

describe('an error has its file and line', () => {
  test('for syntax errors and for errors that only synthesis detects', async () => {
    const syntax = await scan({
      'top.v': SLAVE('  part p ();'),
      'rtl/part.v': 'module part;\n  wire = ;\nendmodule\n',
    });
    expect(syntax.diagnostics[0]).toMatchObject({ severity: 'error', file: 'rtl/part.v', line: 2 });
    const drivers = await build(
      await packed({
        'top.v': SLAVE('  part p (clk, wb_dat_r);'),
        'rtl/part.v':
          'module part (input clk, output reg [31:0] q);\n  always @(posedge clk) q <= 1;\n  always @(posedge clk) q <= 2;\nendmodule\n',
      }),
    );
    expect(drivers.error?.message).toMatch(
      /^rtl\/part\.v:2: .* by the block at rtl\/part\.v:2 and the block at rtl\/part\.v:3:/,
    );
  });

  test('an instance of a module that no file contains', async () => {
    const { diagnostics } = await scan({
      'rtl/top.v': SLAVE('  absent a (wb_dat_r);'),
      'b.v': 'module b; endmodule\n',
    });
    expect(diagnostics[0]).toMatchObject({ file: 'rtl/top.v', line: 4, module: 'absent' });
    expect(diagnostics[0]?.message).toMatch(/^unknown module 'absent': upload its file too, /);
  });

  test.each([
    ['BUFG', /is a cell of Xilinx FPGAs, which this part does not have: write a module of that name/],
    ['altsyncram', /is a cell of Intel \(Altera\) FPGAs, /],
    ['EFB', /is a cell of Lattice FPGAs, /],
    ['rPLL', /is a cell of Gowin FPGAs, /],
    [
      'sky130_fd_sc_hd__buf_2',
      /is a standard cell of SkyWater, so the source is a netlist: upload the sources/,
    ],
    ['NAND2_X1', /is a standard cell of Nangate, /],
    ['bufg', /^unknown module 'bufg': upload its file too, as a project/],
  ])('a cell of another chip family, which no file contains: %s', async (cell, said) => {
    const text = SLAVE(`  ${cell} a (.x(wb_dat_r[0]));\n  ${cell} b (.x(wb_dat_r[1]));`);
    const { diagnostics } = await scan({ 'top.v': text });
    expect(diagnostics).toHaveLength(1);
    expect(diagnostics[0]).toMatchObject({ module: cell, message: expect.stringMatching(said) });
  });

  test('a missing module is an error only if the slave needs it', async () => {
    const found = await scan({
      'top.v': SLAVE('  assign wb_dat_r = 0;'),
      'vendor.v': 'module vendor_pad (input a, output b);\n  VENDOR_CELL c (.i(a), .o(b));\nendmodule\n',
    });
    expect(found.diagnostics).toEqual([]);
    expect(found.matched?.module).toBe('top');
  });

  test('a missing module is the reported error, even if the design has another bus', async () => {
    const { diagnostics } = await scan({
      'regs.v': `module regs (input aclk, s_axil_awvalid, s_axil_arvalid, output s_axil_awready, s_axil_arready);
  absent a (aclk, s_axil_awready, s_axil_arready);
endmodule
`,
      'helper.v': 'module helper (input a, output b);\n  assign b = a;\nendmodule\n',
    });
    expect(diagnostics[0]).toMatchObject({ severity: 'error', file: 'regs.v', line: 2, module: 'absent' });
  });

  test.each([
    [
      '`include "absent.vh" // with a "remark"',
      '`include "absent.vh": this file was not uploaded; upload it too',
    ],
    ['`include <absent.vh>', '`include "absent.vh"'],
    ['reg [7:0] m [0:3]; initial $readmemh("absent.hex", m);', '$readmemh of "absent.hex"'],
    ['`include "/etc/passwd"', '`include "/etc/passwd"'],
    ['`include "../../etc/passwd"', '`include "../../etc/passwd"'],
    ['reg [7:0] m [0:3]; initial $readmemh("/etc/passwd", m);', '$readmemh of "/etc/passwd"'],
    ['reg [7:0] m [0:3]; initial $readmemh({"/etc", "/passwd"}, m);', 'passwd'],
  ])('%s', async (line, message) => {
    const { diagnostics, matched } = await scan({
      'rtl/top.v': SLAVE(`${line}\n  assign wb_dat_r = 0;`),
      'x.hex': '0\n',
    });
    expect(matched).toBeNull();
    expect(diagnostics[0]).toMatchObject({
      severity: 'error',
      code: 'design_file_reference',
      file: 'rtl/top.v',
      line: 4,
    });
    expect(diagnostics[0]?.message).toContain(message);
  });

  test('also in a memory file that a source includes', async () => {
    const { matched, diagnostics } = await scan({
      'top.v': SLAVE('`include "code.hex"\n  assign wb_dat_r = 0;'),
      'code.hex': '`include "/etc/passwd"\n',
    });
    expect(matched).toBeNull();
    expect(diagnostics[0]).toMatchObject({
      code: 'design_file_reference',
      message: expect.stringContaining('`include "/etc/passwd"'),
    });
  });

  test('a binary file is named', async () => {
    const error: BenchError = await scan({ 'top.v': SLAVE(''), 'rtl/b.v': 'module b;\u0000endmodule' }).then(
      () => expect.unreachable(),
      (reason) => reason,
    );
    expect(error).toMatchObject({ code: 'design_binary', diagnostics: [{ file: 'rtl/b.v', line: 1 }] });
  });
});
