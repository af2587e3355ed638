import { expect, test } from 'vitest';
import { scanDesignSources } from '../../../../../../server/toolchain/frontends/scan.ts';
import { prepareDesign } from '../../../../../../server/toolchain/intake/design.ts';
import { packed } from '../../../../../support/toolchain/build/projects.ts';
import { record, requestOf } from '../../../../../support/toolchain/build/support.ts';
import { plainYosys } from '../../../../../support/toolchain/support.ts';

const FILES = {
  'top.v': `module top (input clk, rst, wb_cyc, wb_stb, wb_we, input [1:0] wb_adr,
  input [31:0] wb_dat_w, output [31:0] wb_dat_r, output wb_ack);
  assign wb_ack = wb_cyc & wb_stb, wb_dat_r = 7;
endmodule
`,
  'sim/model.v': 'module model (input clk);\n  wire = 1;\nendmodule\n',
};

async function scan(files: Record<string, string> = FILES, takesLong: () => Promise<void> = async () => {}) {
  const request = requestOf(await packed(files), 'some.zip');
  const { design } = await prepareDesign(request);
  return scanDesignSources(design, request, plainYosys, record(), takesLong);
}

test('a broken source that the slave does not need is excluded, among the scans that take long', async () => {
  let long = 0;
  const { matched, diagnostics } = await scan(FILES, async () => void long++);
  expect(matched?.module).toBe('top');
  expect(diagnostics).toMatchObject([
    {
      ...{ severity: 'warning', code: 'slang_warning', file: 'sim/model.v', line: 2 },
      message: expect.stringMatching(
        /^this file is excluded, because top needs nothing of it: expected a declaration name/,
      ),
    },
  ]);
  expect(long).toBe(1);
});

const errorsOf = ({ diagnostics }: Awaited<ReturnType<typeof scan>>) =>
  diagnostics.map(({ severity, file, line, message }) => `${severity} ${file}:${line}: ${message}`);

test('models of the same name in two folders are left out where the slave needs neither', async () => {
  const found = await scan({
    ...FILES,
    'sim/b/model.v': FILES['sim/model.v'],
    'sim/c/model.v': 'module model (input clk);\nendmodule\n',
  });
  expect(found.matched?.module).toBe('top');
  expect(found.diagnostics.map(({ severity, file }) => `${severity} ${file}`)).toEqual([
    'warning sim/b/model.v',
    'warning sim/c/model.v',
    'warning sim/model.v',
  ]);
});

test('a source of empty lines holds nothing up', async () => {
  // The names of modules were looked for from the begin of each line through all lines behind it: a minute for this one.
  const empty = `//${'\n'.repeat(60_000)}`.repeat(16);
  const found = await scan({ ...FILES, 'top.v': FILES['top.v'] + empty });
  expect(found.matched?.module).toBe('top');
}, 20_000);

test('but not where the slave needs one of them', async () => {
  const found = await scan({
    'top.v': FILES['top.v'].replace('endmodule', '  part p (.clk(clk));\nendmodule'),
    'a/part.v': 'module part (input clk);\n  wire = 1;\nendmodule\n',
    'b/part.v': 'module part (input clk);\nendmodule\n',
  });
  expect(found.matched).toBeNull();
  expect(found.diagnostics[0]).toMatchObject({ severity: 'error', file: 'a/part.v', line: 2 });
});

test('the error of the slave is told, not that of a model before it', async () => {
  const found = await scan({
    'sim/model.v': FILES['sim/model.v'],
    'top.v': FILES['top.v'].replace('wb_stb,', 'wb_stb\n  ,').replace('wb_dat_r = 7', 'wb_dat_r ='),
  });
  expect(found.matched).toBeNull();
  expect(errorsOf(found)[0]).toMatch(/^error top\.v:4: expected expression/);
});

test('a model with macros that only it uses, or what is read before it, is left out', async () => {
  const found = await scan({
    'a_top.v': FILES['top.v'].replace('  assign', '`ifdef FAST\n`endif\n  assign'),
    'sim/model.v': `\`define FAST\n// \`define SLOW\n${FILES['sim/model.v']}`,
    'z_part.v': '`ifdef SLOW\n`endif\nmodule part (input clk);\nendmodule\n',
  });
  expect(found.matched?.module).toBe('top');
});

test('a macro that a source defines itself it does not have of one that is left out', async () => {
  const own = '`ifndef SIMULATOR\n`define ALONE\n`endif\n';
  const found = await scan({
    'bench/a.v': `${own}module a (input clk);\n  wire = 1;\nendmodule\n`,
    'bench/b.v': `${own}module b (\n\`ifdef ALONE\n  input clk\n\`endif\n);\nendmodule\n`,
    'top.v': FILES['top.v'],
  });
  expect(found.matched?.module).toBe('top');
});

test('a part that nothing includes is left out, whatever it speaks of', async () => {
  const found = await scan({
    'top.v': FILES['top.v'],
    'insert.v': `// Goes into a module.
  input wb_cyc, wb_stb;
  output reg wb_ack;
  always @(posedge clk) wb_ack <= wb_stb;
  top below (.clk(clk), .wb_stb(wb_stb));
`,
  });
  expect(found.matched?.module).toBe('top');
  expect(errorsOf(found)).toEqual([
    expect.stringMatching(
      /^warning insert\.v:2: this file is excluded, because top needs nothing of it: member not/,
    ),
  ]);
});

test('what simulates a bus in a folder of tests is left out, where it cannot be read and the slave stands elsewhere', async () => {
  const model = FILES['top.v'].replace('module top', '`include "checks.svh"\nmodule slave_model');
  const files = { 'tb/checks.svh': 'wire = 1;\n', 'tb/model.sv': model };
  const found = await scan({ ...files, 'rtl/top.v': FILES['top.v'] });
  expect(found.matched?.module).toBe('top');
  expect(errorsOf(found)[0]).toContain(
    'warning tb/checks.svh:1: this file is excluded, because top needs nothing',
  );
  // Where all stands in such a folder, any of it may be meant.
  const other = await scan({ ...files, 'tb/top.v': FILES['top.v'] });
  expect(other.matched).toBeNull();
});

/** Sources in a folder of tests, each with a mistake. */
const tests = (many: number, broken = true) =>
  Object.fromEntries(
    Array.from({ length: many }, (_, n) => [
      `bench/t${n}.v`,
      `module t${n} (input clk);\n  wire ${broken ? '' : 'a '}= 1;\nendmodule\n`,
    ]),
  );

test('of many tests that cannot be read each is named, and those that the slave needs are read', async () => {
  const many = {
    ...tests(40),
    'rtl/top.v': FILES['top.v'].replace('endmodule', '  help h (clk);\nendmodule'),
  };
  const helper = 'module help (input clk);\nendmodule\n';
  const found = await scan({ ...many, 'bench/help.v': helper });
  expect(found.matched?.module).toBe('top');
  expect(errorsOf(found)).toHaveLength(40);
});

test('where no slave may stand outside of them each is tried', async () => {
  const found = await scan({
    ...tests(5),
    'bench/top.v': FILES['top.v'],
    'rtl/part.v': 'module part (input clk);\nendmodule\n',
  });
  expect(found.matched?.module).toBe('top');
  expect(errorsOf(found)).toHaveLength(5);
});

test('a condition without an end is found in its file, which is left out', async () => {
  const found = await scan({
    'top.v': FILES['top.v'],
    'old/part.v': 'module part (input clk);\nendmodule\n`endif\n',
  });
  expect(found.matched?.module).toBe('top');
  expect(errorsOf(found)[0]).toContain('warning old/part.v:3: this file is excluded');
});

test('a licence with two ticks in a row pastes no tokens together', async () => {
  const found = await scan({
    'top.v': `// provided \`\`AS IS''\n${FILES['top.v'].replace('  assign', '`ifdef OTHER\n  wire x = `PRESET;\n`endif\n  assign')}`,
    'part.v': 'module part (input clk);\nendmodule\n',
  });
  expect(errorsOf(found)).toEqual([]);
  expect(found.matched?.module).toBe('top');
});
