import { afterAll, expect, test } from 'vitest';
import { toolchainError } from '../../../server/errors/toolchain.ts';
import { createEmbeddedEngine } from '../../../server/toolchain/embedded/embedded-engine.ts';
import { packProject, projectOfFiles } from '../../../server/toolchain/project/project.ts';
import { prepareDesign } from '../../../server/toolchain/scan/design.ts';
import { scanDesignSources } from '../../../server/toolchain/scan/scan.ts';
import type { ToolEngine } from '../../../server/toolchain/toolchain.ts';
import { record, requestOf } from '../pipeline/support.ts';
import { engineOptions } from '../support.ts';

const tools = createEmbeddedEngine(engineOptions);
afterAll(() => tools.close());

const FILES = {
  'top.v': `module top (input clk, rst, wb_cyc, wb_stb, wb_we, input [1:0] wb_adr,
  input [31:0] wb_dat_w, output [31:0] wb_dat_r, output wb_ack);
  assign wb_ack = wb_cyc & wb_stb, wb_dat_r = 7;
endmodule
`,
  'sim/model.v': 'module model (input clk);\n  wire = 1;\nendmodule\n',
};

/** The engine, on a machine where readings without the model end at the deadline until one may take so many seconds. */
function slow(enough: number): { engine: ToolEngine; deadlines: number[] } {
  const deadlines: number[] = [];
  // What ends at its deadline is said here alone, however busy the machine of the test is.
  const patient: ToolEngine['run'] = (request) => tools.run({ ...request, deadline: 60 });
  const run: ToolEngine['run'] = async (request) => {
    if (Object.keys(request.files).some((path) => path.endsWith('model.v'))) return patient(request);
    deadlines.push(request.deadline);
    if (request.deadline < enough) throw toolchainError('tool_deadline');
    return patient(request);
  };
  return { engine: { ...tools, run }, deadlines };
}

async function scan(
  on: ToolEngine,
  takesLong: () => Promise<void> = async () => {},
  files: Record<string, string> = FILES,
) {
  const sent = Object.entries(files).map(([path, text]) => ({ path, contents: Buffer.from(text) }));
  const request = requestOf(packProject(await projectOfFiles(sent, 2 ** 20)), 'some.zip');
  const { design } = await prepareDesign(request);
  return scanDesignSources(design, request, on, record(), { takesLong });
}

test('a busy machine is waited for where a source is left out, among the scans that take long', async () => {
  let long = 0;
  const machine = slow(5);
  const { matched, diagnostics } = await scan(machine.engine, async () => void long++);
  expect(matched?.module).toBe('top');
  expect(diagnostics.map(({ severity, file }) => `${severity} ${file}`)).toEqual(['warning sim/model.v']);
  expect(machine.deadlines.slice(0, 2)).toEqual([1, 5]);
  expect(long).toBe(1);
});

test('where that is not enough the error of the source is told', async () => {
  const { matched, diagnostics } = await scan(slow(30).engine, async () => {});
  expect(matched).toBeNull();
  expect(diagnostics[0]).toMatchObject({ severity: 'error', file: 'sim/model.v', line: 2 });
});

const errorsOf = ({ diagnostics }: Awaited<ReturnType<typeof scan>>) =>
  diagnostics.map(({ severity, file, line, message }) => `${severity} ${file}:${line}: ${message}`);

test('what is left out is told in the words of the language', async () => {
  const model = 'module model (input clk);\n  initial begin\n    @(posedge clk) ;\n  end\nendmodule\n';
  const found = await scan(slow(0).engine, undefined, { ...FILES, 'sim/model.v': model });
  expect(errorsOf(found)).toEqual([
    'warning sim/model.v:3: this file is left out, for top needs nothing of it: syntax error, unexpected `@`',
  ]);
});

test('models of the same name in two folders are left out where the slave needs neither', async () => {
  const found = await scan(slow(0).engine, undefined, {
    ...FILES,
    'sim/b/model.v': FILES['sim/model.v'],
    'sim/c/model.v': 'module model (input clk);\nendmodule\n',
  });
  expect(found.matched?.module).toBe('top');
  expect(found.diagnostics.map(({ severity, file }) => `${severity} ${file}`)).toEqual([
    'warning sim/b/model.v',
    'warning sim/model.v',
  ]);
});

test('a source of empty lines holds nothing up', async () => {
  // The names of modules were looked for from the begin of each line through all lines behind it: a minute for this one.
  const empty = `//${'\n'.repeat(60_000)}`.repeat(16);
  const found = await scan(slow(0).engine, undefined, { ...FILES, 'top.v': FILES['top.v'] + empty });
  expect(found.matched?.module).toBe('top');
}, 20_000);

test('but not where the slave needs one of them', async () => {
  const found = await scan(slow(0).engine, undefined, {
    'top.v': FILES['top.v'].replace('endmodule', '  part p (.clk(clk));\nendmodule'),
    'a/part.v': 'module part (input clk);\n  wire = 1;\nendmodule\n',
    'b/part.v': 'module part (input clk);\nendmodule\n',
  });
  expect(found.matched).toBeNull();
  expect(found.diagnostics[0]).toMatchObject({ severity: 'error', file: 'a/part.v', line: 2 });
});

test('the error of the slave is told, not that of a model before it', async () => {
  const found = await scan(slow(0).engine, undefined, {
    'sim/model.v': FILES['sim/model.v'],
    'top.v': FILES['top.v'].replace('wb_stb,', 'wb_stb\n  ,').replace('wb_dat_r = 7', 'wb_dat_r ='),
  });
  expect(found.matched).toBeNull();
  expect(errorsOf(found)[0]).toBe(
    'error top.v:4: syntax error: a value or a name is probably missing in line 4, between `=` and `;`',
  );
});

test('a model with macros that only it uses, or what is read before it, is left out', async () => {
  const found = await scan(slow(0).engine, undefined, {
    'a_top.v': FILES['top.v'].replace('  assign', '`ifdef FAST\n`endif\n  assign'),
    'sim/model.v': `\`define FAST\n// \`define SLOW\n${FILES['sim/model.v']}`,
    'z_part.v': '`ifdef SLOW\n`endif\nmodule part (input clk);\nendmodule\n',
  });
  expect(found.matched?.module).toBe('top');
});

test('a macro that a source defines itself it does not have of one that is left out', async () => {
  const own = '`ifndef SIMULATOR\n`define ALONE\n`endif\n';
  const found = await scan(slow(0).engine, undefined, {
    'bench/a.v': `${own}module a (input clk);\n  wire = 1;\nendmodule\n`,
    'bench/b.v': `${own}module b (\n\`ifdef ALONE\n  input clk\n\`endif\n);\nendmodule\n`,
    'top.v': FILES['top.v'],
  });
  expect(found.matched?.module).toBe('top');
});

test('a part that nothing includes is left out, whatever it speaks of', async () => {
  const found = await scan(slow(0).engine, undefined, {
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
    'warning insert.v:2: this file is left out, for top needs nothing of it: syntax error, unexpected `input`',
  ]);
});

const CHECKS = '`define CHECK(v) check(v, `__FILE__, `__LINE__, `"v`")\n`define CLOCK(n) reg ``n;\n';

test('what simulates a bus in a folder of tests is left out, where it cannot be read and the slave stands elsewhere', async () => {
  const model = FILES['top.v'].replace('module top', '`include "checks.svh"\nmodule slave_model');
  const files = { 'tb/checks.svh': CHECKS, 'tb/model.sv': model };
  const found = await scan(slow(0).engine, undefined, { ...files, 'rtl/top.v': FILES['top.v'] });
  expect(found.matched?.module).toBe('top');
  expect(errorsOf(found)[0]).toContain(
    'warning tb/checks.svh:1: this file is left out, for top needs nothing',
  );
  // Where all stands in such a folder, any of it may be meant.
  const other = await scan(slow(0).engine, undefined, { ...files, 'tb/top.v': FILES['top.v'] });
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

test('of many tests that cannot be read a few are tried, and the others left out with them', async () => {
  const many = {
    ...tests(40),
    'rtl/top.v': FILES['top.v'].replace('endmodule', '  help h (clk);\nendmodule'),
  };
  const helper = 'module help (input clk);\nendmodule\n';
  const machine = slow(0);
  const found = await scan(machine.engine, undefined, { ...many, 'bench/help.v': helper });
  expect(found.matched?.module).toBe('top');
  expect(errorsOf(found)).toHaveLength(4);
  expect(machine.deadlines.length).toBeLessThan(12);
});

test('where no slave may stand outside of them each is tried', async () => {
  const found = await scan(slow(0).engine, undefined, {
    ...tests(5),
    'bench/top.v': FILES['top.v'],
    'rtl/part.v': 'module part (input clk);\nendmodule\n',
  });
  expect(found.matched?.module).toBe('top');
  expect(errorsOf(found)).toHaveLength(5);
});

test('the edition of the language that comes farther is the only one behind the first reading', async () => {
  const machine = slow(0);
  const found = await scan(machine.engine, undefined, {
    'a.v': 'module a (input logic clk);\n  always_comb begin end\nendmodule\n',
    'm/x.v': 'module x (input clk);\n  wire = 1;\nendmodule\n',
    'm/y.v': 'module y (input clk);\n  wire = 1;\nendmodule\n',
    'top.v': FILES['top.v'],
  });
  expect(found.matched?.module).toBe('top');
  // Verilog 2005 and SystemVerilog, then without x, then without y.
  expect(machine.deadlines).toHaveLength(4);
});

test('a condition without an end is found in its file, which is left out', async () => {
  const found = await scan(slow(0).engine, undefined, {
    'top.v': FILES['top.v'],
    'old/part.v': 'module part (input clk);\nendmodule\n`endif\n',
  });
  expect(found.matched?.module).toBe('top');
  expect(errorsOf(found)[0]).toContain('warning old/part.v:3: this file is left out');
});

test('a licence with two ticks in a row pastes no tokens together', async () => {
  const found = await scan(slow(0).engine, undefined, {
    'top.v': `// provided \`\`AS IS''\n${FILES['top.v'].replace('  assign', '`ifdef OTHER\n  wire x = `PRESET;\n`endif\n  assign')}`,
    'part.v': 'module part (input clk);\nendmodule\n',
  });
  expect(errorsOf(found)).toEqual([]);
  expect(found.matched?.module).toBe('top');
});
