import { expect, test } from 'vitest';
import { scanDesignSources } from '../../../../../../server/toolchain/frontends/scan.ts';
import { prepareDesign } from '../../../../../../server/toolchain/intake/design.ts';
import { runningTime } from '../../../../../support/running-time.ts';
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

test('excludes a broken source that the slave does not need, queued once as a slow scan', async () => {
  let long = 0;
  const { matched, diagnostics } = await scan(FILES, async () => void long++);
  expect(matched?.module).toBe('top');
  expect(diagnostics).toMatchObject([
    {
      ...{ severity: 'warning', code: 'slang_warning', file: 'sim/model.v', line: 2 },
      message: expect.stringMatching(
        /^this file is excluded, because top does not need it: expected a declaration name/,
      ),
    },
  ]);
  expect(long).toBe(1);
});

const errorsOf = ({ diagnostics }: Awaited<ReturnType<typeof scan>>) =>
  diagnostics.map(({ severity, file, line, message }) => `${severity} ${file}:${line}: ${message}`);

test('excludes models of the same name in two folders if the slave needs neither', async () => {
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

test('a source of empty lines causes no delay', async () => {
  // The search for module names used to run from each line start through all lines after it: a minute for this one.
  const empty = `//${'\n'.repeat(60_000)}`.repeat(16);
  const ranFor = await runningTime();
  const found = await scan({ ...FILES, 'top.v': FILES['top.v'] + empty });
  expect(found.matched?.module).toBe('top');
  expect(ranFor()).toBeLessThan(20_000);
});

test('rejects same-name modules with a broken copy if the slave needs one', async () => {
  const found = await scan({
    'top.v': FILES['top.v'].replace('endmodule', '  part p (.clk(clk));\nendmodule'),
    'a/part.v': 'module part (input clk);\n  wire = 1;\nendmodule\n',
    'b/part.v': 'module part (input clk);\nendmodule\n',
  });
  expect(found.matched).toBeNull();
  expect(found.diagnostics[0]).toMatchObject({ severity: 'error', file: 'a/part.v', line: 2 });
});

test('reports the slave’s error, not that of an earlier model', async () => {
  const found = await scan({
    'sim/model.v': FILES['sim/model.v'],
    'top.v': FILES['top.v'].replace('wb_stb,', 'wb_stb\n  ,').replace('wb_dat_r = 7', 'wb_dat_r ='),
  });
  expect(found.matched).toBeNull();
  expect(errorsOf(found)[0]).toMatch(/^error top\.v:4: expected expression/);
});

test('excludes a model whose macros only it or an earlier source uses', async () => {
  const found = await scan({
    'a_top.v': FILES['top.v'].replace('  assign', '`ifdef FAST\n`endif\n  assign'),
    'sim/model.v': `\`define FAST\n// \`define SLOW\n${FILES['sim/model.v']}`,
    'z_part.v': '`ifdef SLOW\n`endif\nmodule part (input clk);\nendmodule\n',
  });
  expect(found.matched?.module).toBe('top');
});

test('a source uses its own definition of a macro, not one from an excluded file', async () => {
  const own = '`ifndef SIMULATOR\n`define ALONE\n`endif\n';
  const found = await scan({
    'bench/a.v': `${own}module a (input clk);\n  wire = 1;\nendmodule\n`,
    'bench/b.v': `${own}module b (\n\`ifdef ALONE\n  input clk\n\`endif\n);\nendmodule\n`,
    'top.v': FILES['top.v'],
  });
  expect(found.matched?.module).toBe('top');
});

test('excludes a fragment that nothing includes, even if it instantiates the slave', async () => {
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
      /^warning insert\.v:2: this file is excluded, because top does not need it: member not/,
    ),
  ]);
});

test('excludes an unreadable bus model in a test folder if the slave is elsewhere', async () => {
  const model = FILES['top.v'].replace('module top', '`include "checks.svh"\nmodule slave_model');
  const files = { 'tb/checks.svh': 'wire = 1;\n', 'tb/model.sv': model };
  const found = await scan({ ...files, 'rtl/top.v': FILES['top.v'] });
  expect(found.matched?.module).toBe('top');
  expect(errorsOf(found)[0]).toContain(
    'warning tb/checks.svh:1: this file is excluded, because top does not need it',
  );
  // If everything is in such a folder, any of it may be meant.
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

test('names each of many unreadable tests, and reads those that the slave needs', async () => {
  const many = {
    ...tests(40),
    'rtl/top.v': FILES['top.v'].replace('endmodule', '  help h (clk);\nendmodule'),
  };
  const helper = 'module help (input clk);\nendmodule\n';
  const found = await scan({ ...many, 'bench/help.v': helper });
  expect(found.matched?.module).toBe('top');
  expect(errorsOf(found)).toHaveLength(40);
});

test('tries each source of a test folder if no slave is elsewhere', async () => {
  const found = await scan({
    ...tests(5),
    'bench/top.v': FILES['top.v'],
    'rtl/part.v': 'module part (input clk);\nendmodule\n',
  });
  expect(found.matched?.module).toBe('top');
  expect(errorsOf(found)).toHaveLength(5);
});

test('finds an unbalanced `endif in its file and excludes it', async () => {
  const found = await scan({
    'top.v': FILES['top.v'],
    'old/part.v': 'module part (input clk);\nendmodule\n`endif\n',
  });
  expect(found.matched?.module).toBe('top');
  expect(errorsOf(found)[0]).toContain('warning old/part.v:3: this file is excluded');
});

test('two backticks in a row in a licence do not paste tokens', async () => {
  const found = await scan({
    'top.v': `// provided \`\`AS IS''\n${FILES['top.v'].replace('  assign', '`ifdef OTHER\n  wire x = `PRESET;\n`endif\n  assign')}`,
    'part.v': 'module part (input clk);\nendmodule\n',
  });
  expect(errorsOf(found)).toEqual([]);
  expect(found.matched?.module).toBe('top');
});
