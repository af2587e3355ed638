import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadCatalogue, VIRTUAL_BOARD } from '../../../server/boards/catalogue/index.ts';
import { BenchError } from '../../../server/errors/bench-error.ts';
import { resourcePath } from '../../../server/paths.ts';
import { elaborate } from '../../../server/toolchain/scan/elaborate.ts';
import { type DesignScan, judge } from '../../../server/toolchain/scan/judge.ts';
import { type OutlineOf, outlineOf } from '../../../server/toolchain/scan/outline.ts';
import { outlined } from '../../../server/toolchain/scan/outlined-design.ts';
import { designOfSource, type PreparedDesign } from '../../../server/toolchain/scan/prepared-design.ts';
import { prepareSource } from '../../../server/toolchain/scan/source.ts';
import { verilogDesigns } from '../hostile/verilog-designs.ts';
import { DIALECTS } from '../match/dialects.ts';
import { plainYosys } from '../support.ts';
import { slaveOf } from '../wrap/slaves.ts';

/** `npm run soak` reads all of the hostile designs, and more that are random; every run each fourth of them. */
const SOAK = process.env['WISHBENCH_SOAK'] === '1';
const PART = SOAK ? 1 : 4;

const board = loadCatalogue().get(VIRTUAL_BOARD)!;
const context = { log() {}, progress() {} };

async function scanned(
  source: PreparedDesign,
  mentions?: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<DesignScan | null> {
  const read = await elaborate(source, plainYosys, context, 60).catch((error: unknown) => {
    // Some of the hostile designs are too deep for the tool.
    if (error instanceof BenchError && error.code === 'tool_crashed') return null;
    throw error;
  });
  if (!read?.rtlil) return null;
  const { rtlil, diagnostics } = read;
  return judge({ source: read.source, rtlil, diagnostics }, { board, options: {} }, mentions).scan;
}

/** What is read of a design whole, and of an outline of it; null where one of them cannot be read. */
async function both(text: string, filename: string, keep: OutlineOf) {
  const source = designOfSource(prepareSource(Buffer.from(text), filename));
  const outline = source.diagnostics.length > 0 ? null : outlined(source, keep);
  if (!outline) return { whole: null, part: null };
  const whole = await scanned(source);
  const part = whole && (await scanned(outline.source, keep === 'ports' ? outline.mentions : undefined));
  return { whole, part };
}

/** What of an outline of the ports counts: a refusal, and what it says of the modules. */
const decided = ({ outcome }: DesignScan) => (['none', 'ambiguous'].includes(outcome.kind) ? outcome : null);

async function expectSame(text: string, filename: string): Promise<'same' | 'unsure'> {
  const { whole, part } = await both(text, filename, 'ports');
  if (!whole || !part) return 'unsure';
  expect(part.modules, filename).toEqual(whole.modules);
  if (whole.outcome.kind !== 'invalid' && decided(part))
    expect(part.outcome, filename).toEqual(whole.outcome);
  return 'same';
}

const sourcesIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => /\.s?v$/.test(name))
    .map((name) => ({ name, text: readFileSync(path.join(folder, name), 'utf8') }));

describe('the ports of an outline are those of the elaborated design', () => {
  test('of every example, of what the bench is made of, and of every convention of names', async () => {
    const files = [
      ...['examples', 'check', 'gateware'].flatMap((folder) => sourcesIn(resourcePath(folder))),
      ...DIALECTS.map((dialect, at) => ({ name: `d${at}.v`, text: slaveOf(dialect) })),
    ];
    const unsure: string[] = [];
    for (const { name, text } of files) if ((await expectSame(text, name)) === 'unsure') unsure.push(name);
    // Alone it has no module that can be read: it is a part of others.
    expect(unsure.filter((name) => !name.startsWith('wishbench_'))).toEqual([]);
    for (const { name, text } of files.slice(0, 12)) {
      const { whole, part } = await both(text, name, 'all but initial');
      expect(part?.modules, name).toEqual(whole?.modules);
      expect(part?.outcome, name).toEqual(whole?.outcome);
    }
  }, 240_000);

  test('of hostile designs, where both can be read', async () => {
    const bait = { read: '/nowhere/a', relative: '../a', link: '/nowhere/b', write: '/nowhere/c' };
    let same = 0;
    const seen = new Set<string>();
    for (const { source, filename, pace } of verilogDesigns(bait)) {
      const text = typeof source === 'string' ? source : new TextDecoder().decode(source);
      const bodies = text.replace(/"[^"\n]*"/g, '""');
      if (pace !== 'quick' || text.length > 20_000 || seen.has(bodies)) continue;
      seen.add(bodies);
      if (seen.size % PART !== 0) continue;
      if ((await expectSame(text, filename)) === 'same') same++;
    }
    expect(same).toBeGreaterThan(30 / PART);
  }, 240_000);

  test.each([
    [
      'widths of parameters, functions and macros',
      `\`define W(n) ((n) * 4)
       module m #(parameter A = 3, parameter B = depth(A), parameter [7:0] C = "x") (
         input [\`W(2)-1:0] a, input [B-1:0] b, input [A-1:2] c, output reg [$clog2(B+1)-1:0] q, inout p);
         localparam L = B == 8 ? 2 : 0;
         function integer depth(input integer n); begin depth = 1; while (n > 0) begin depth = depth * 2; n = n - 1; end end endfunction
         always @(*) q = b;
       endmodule`,
    ],
    [
      'names in the header, directions in the body',
      `module m(clk, d, q, \\odd.name , e);
         parameter N = 4; parameter M = N * 2;
         input clk; input [M-1:0] d; output [N:1] q; reg [N:1] q; (* keep *) input signed [3:0] \\odd.name ;
         output e; wire e = d[0] & clk; reg [3:0] other = 4'd2, more;
         always @(posedge clk) begin if (d[0]) q <= d; else begin q <= 0; end end
       endmodule`,
    ],
    [
      'branches of the preprocessor',
      `module m(input a
       \`ifdef SYNTHESIS
         , input only_here
       \`else
         , input not_here
       \`endif
       , output b);
       \`ifdef NOTHING
         always @(posedge a) begin : x end
       \`else
         assign b
         \`ifdef ALSO_NOTHING
           = 1;
         \`else
           = a;
         \`endif
       \`endif
       endmodule`,
    ],
    [
      'everything that may stand in a body',
      `module child #(parameter W = 1) (input [W-1:0] i, output o); assign o = ^i; endmodule
       module m(input clk, input [7:0] d, output reg [7:0] q, output [2:0] t);
         integer i; genvar g; wire [7:0] w; reg [7:0] mem [0:15];
         task bump; input [7:0] by; begin q = q + by; end endtask
         function [7:0] twice(input [7:0] x); case (x) 0: twice = 0; default: begin twice = x * 2; end endcase endfunction
         generate for (g = 0; g < 3; g = g + 1) begin : bits if (g > 1) child c(.i(d[g]), .o(t[g])); else begin assign t[g] = d[g]; end end endgenerate
         for (g = 0; g < 8; g = g + 1) begin assign w[g] = d[7 - g]; end
         if (1) begin : yes wire x = clk; end else begin : no wire y = clk; end
         initial for (i = 0; i < 16; i = i + 1) mem[i] = i;
         initial begin : named mem[3] = 7; if (0) begin mem[2] = 1; end end
         (* full_case, parallel_case *) always @(posedge clk) case (d[1:0]) 2'b00: q <= twice(d); 2'b01: begin q <= mem[d[3:0]]; end default: ; endcase
         specify (clk => q[0]) = 1; endspecify
       endmodule`,
    ],
    [
      'a module without content, and one that cannot stand alone',
      'module shell(input a, output b); endmodule\nmodule needs #(parameter W) (input [W-1:0] a); wire b = a[0]; endmodule\nmodule m(a, b); input a; output b; parameter P = 1; endmodule',
    ],
    [
      'slaves within each other',
      `module in(input clk, input stb, input we, input [3:0] adr, input [31:0] dat_i, output [31:0] dat_o, output ack); assign ack = stb; assign dat_o = 1; endmodule
       module out(input clk, input stb, input we, input [3:0] adr, input [31:0] dat_i, output [31:0] dat_o, output ack); in u(clk, stb, we, adr, dat_i, dat_o, ack); endmodule`,
    ],
  ])('%s', async (_, text) => {
    expect(await expectSame(text, 'm.v')).toBe('same');
  });

  test('types of SystemVerilog, from packages and beside the modules', async () => {
    const text = `package p; typedef logic [11:0] word_t; parameter int N = 5; endpackage
      typedef struct packed { logic [3:0] a; logic b; } pair_t;
      module m #(parameter int W = p::N) (input logic clk, input p::word_t d, input pair_t s, output logic [W-1:0] q);
        typedef enum logic [1:0] {A, B} state_t; state_t state;
        always_ff @(posedge clk) begin q <= d[W-1:0]; state <= A; end
        always_comb begin end
      endmodule`;
    expect(await expectSame(text, 'm.sv')).toBe('same');
  });

  test('of designs put together at random', async () => {
    const name = fc.constantFrom('alpha', 'beta', 'gamma', 'delta', 'wb_ack', 'wb_stb', 'dat');
    const width = fc.constantFrom('', '[7:0] ', '[W-1:0] ', '[W*2:2] ', '[f(W):0] ', '[`SIZE-1:0] ');
    const port = fc.record({ name, width, direction: fc.constantFrom('input', 'output', 'inout') });
    const item = fc.constantFrom(
      'wire x1; assign x1 = 1;',
      'reg [7:0] r1 = 3; always @(*) if (r1[0]) r1[1] = 1; else r1[1] = 0;',
      'reg r2; always @(*) begin case (W) 1: r2 = 0; default: begin r2 = 1; end endcase end',
      'reg [3:0] m1 [0:3]; integer k; initial for (k = 0; k < 4; k = k + 1) m1[k] = k;',
      'generate if (W > 3) begin : big wire y; end else begin : small wire z; end endgenerate',
      '`ifdef SYNTHESIS\nwire s1;\n`else\nthis is never read;\n`endif',
      '`ifndef NEVER\nwire s2 = 1; `endif wire s3;',
      'localparam L = W + 1; // begin',
      '/* module */ wire c1 /* endmodule */ = "endmodule" == 1;',
      'task t; begin : inside end endtask',
    );
    const body = fc.uniqueArray(item, { maxLength: 6 });
    const module = fc.tuple(
      fc.uniqueArray(port, { selector: (one) => one.name, maxLength: 6 }),
      body,
      fc.boolean(),
    );
    const source = (modules: [{ name: string; width: string; direction: string }[], string[], boolean][]) =>
      `\`define SIZE 6\n${modules
        .map(([ports, items, ansi], at) => {
          const declared = ports.map(({ name: id, width: range, direction }) => `${direction} ${range}${id}`);
          const head = ansi ? declared.join(', ') : ports.map(({ name: id }) => id).join(', ');
          const inside = ansi ? [] : declared.map((one) => `${one};`);
          const fn = 'function integer f(input integer n); f = n + 1; endfunction';
          return `module m${at} #(parameter W = ${at + 3}) (${head});\n${[fn, ...inside, ...items].join('\n')}\nendmodule`;
        })
        .join('\n')}\n`;
    await fc.assert(
      fc.asyncProperty(fc.array(module, { minLength: 1, maxLength: 8 }), async (modules) => {
        // Else all may be testbenches, which are not read.
        const design = `${source(modules)}module whole (input clk); endmodule\n`;
        expect(await expectSame(design, 'm.v')).toBe('same');
      }),
      { numRuns: SOAK ? 200 : 10 },
    );
  }, 120_000);
});

describe('what an outline leaves', () => {
  test('lines stay where they are, and what the modules name is told', () => {
    const text =
      'module a(input x);\n  wire y =\n    x;\n  inner \\odd* (y);\n`define K 1\nendmodule\nmodule b; endmodule\n';
    const outline = outlineOf(text, 'ports');
    expect(outline?.text.split('\n')).toHaveLength(text.split('\n').length);
    expect(outline?.text.split('\n')[4]).toContain('`define K 1');
    expect(outline?.text).not.toContain('inner');
    expect([...(outline?.mentions.get('a') ?? [])]).toEqual(expect.arrayContaining(['inner', 'odd*', 'y']));
    expect(outline?.mentions.get('b')?.size).toBe(0);
  });

  test.each([
    ['a macro that ends a module', '`define E endmodule\nmodule m(input a);\n`E\n'],
    [
      'a branch that opens what the other does not',
      'module m(input a);\nalways @(a)\n`ifdef X\nif (a) begin\n`else\nif (!a)\n`endif\n;\nend\nendmodule',
    ],
    ['a module in a module', 'module m(input a); module n; endmodule endmodule'],
    ['a source that ends too soon', 'module m(input a); initial begin'],
    ['a source that ends within a function', 'module m(input a); function f; input b;'],
    ['an end too many', 'module m(input a); wire b; end wire c; endmodule'],
    ['names whose declaration a macro may hide', '`define D(n) n\nmodule m(a); `D(input a;) endmodule'],
  ])('%s is left to the tool', (_, text) => {
    expect(outlineOf(text, 'ports')).toBeNull();
  });

  test('any text at all is read to its end', () => {
    const word = fc.constantFrom(
      'module',
      'endmodule',
      'begin',
      'end',
      '(',
      ')',
      ';',
      '`ifdef X',
      '`endif',
      '(*',
      '*)',
      'a',
      '"',
      '\\',
      'initial',
      'else',
      '\n',
      'case',
      'endcase',
      'function',
      'endfunction',
      'generate',
      'import',
      '`',
      '/*',
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 60 }), (words) => {
        const text = words.join(' ');
        for (const keep of ['ports', 'all but initial'] as const) {
          const outline = outlineOf(text, keep);
          if (outline) expect(outline.text.split('\n')).toHaveLength(text.split('\n').length);
        }
      }),
      { numRuns: SOAK ? 1_000_000 : 5000 },
    );
  });
});
