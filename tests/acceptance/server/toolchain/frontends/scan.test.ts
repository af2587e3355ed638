import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../../../../server/contract/diagnostics.ts';
import { BenchError } from '../../../../../server/errors/bench-error.ts';
import { toolchainError } from '../../../../../server/errors/toolchain.ts';
import { type DesignScan, requireMatch } from '../../../../../server/toolchain/frontends/scan.ts';
import type { ToolEngine } from '../../../../../server/toolchain/tool-engine.ts';
import { SOAK } from '../../../../support/soak.ts';
import { plainYosys, scanText } from '../../../../support/toolchain/support.ts';

/** A slave with OpenCores names and the given contents. */
const slave = (name: string, body = '', ports = '') => `module ${name} (
  input wb_clk_i, input wb_rst_i, input wb_cyc_i, input wb_stb_i, input wb_we_i, input [31:0] wb_adr_i,
  input [31:0] wb_dat_i, output [31:0] wb_dat_o, output reg wb_ack_o${ports});
  assign wb_dat_o = 32'd1;
  always @(posedge wb_clk_i) wb_ack_o <= wb_cyc_i & wb_stb_i & ~wb_ack_o & ~wb_rst_i;
  ${body}
endmodule
`;

function failure(scan: DesignScan): BenchError {
  try {
    requireMatch(scan);
  } catch (error) {
    if (error instanceof BenchError) return error;
    throw error;
  }
  return expect.unreachable();
}

describe('scan results', () => {
  test('modules with their ports as elaborated, parameters at their defaults', async () => {
    const scan = await scanText(`
      module m #(parameter W = 8, parameter A = $clog2(W * 4)) (
        input [A-1:0] adr, input [31:2] high, input [0:7] up, output reg [W-1:0] q, inout p
      \`ifdef SYNTHESIS
        , input only_here
      \`endif
      ); always @(*) q = adr; endmodule`);
    expect(scan.modules).toEqual([
      {
        name: 'm',
        file: 'design.v',
        line: 2,
        problem: expect.stringContaining('wb_ack'),
        ports: [
          { name: 'adr', direction: 'input', width: 5, offset: 0 },
          { name: 'high', direction: 'input', width: 30, offset: 2 },
          { name: 'up', direction: 'input', width: 8, offset: 0 },
          { name: 'q', direction: 'output', width: 8, offset: 0 },
          { name: 'p', direction: 'inout', width: 1, offset: 0 },
          { name: 'only_here', direction: 'input', width: 1, offset: 0 },
        ],
      },
    ]);
  });

  test('a slave inside another is a part of it; a testbench around one is ignored', async () => {
    const scan = await scanText(
      `${slave('inner')}${slave('outer', 'inner i(.wb_clk_i(wb_clk_i), .wb_ack_o());')}
      module tb; reg clk; outer dut(.wb_clk_i(clk)); endmodule`,
    );
    expect(scan.matched?.module).toBe('outer');
    expect(scan.log.join('\n')).not.toContain('part of tb');
  });

  test('arrays of instances, gates, interfaces and parameterised modules are not missing modules', async () => {
    const scan = await scanText(
      `interface port_if; logic a; endinterface
      module child #(parameter W) (input [W-1:0] a); wire y; nand n(y, a[0], a[1]); endmodule
      module pair(input a, output b); not n(b, a); endmodule
      ${slave('m', 'child #(.W(4)) c(.a(wb_dat_i[3:0])); port_if i(); pair p[1:0](.a(wb_dat_i[1:0]));')}`,
      'm.sv',
    );
    expect(scan.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(scan.matched?.module).toBe('m');
    expect(scan.modules.map(({ name }) => name).sort()).toEqual(['child', 'm', 'pair']);
  });

  test('builds only the slave inside another module, with a note in the log', async () => {
    const scan = await scanText(
      `${slave('inner')} module soc(input clk, output led); inner i(.wb_clk_i(clk), .wb_ack_o(led)); endmodule`,
    );
    expect(requireMatch(scan).module).toBe('inner');
    expect(scan.log).toContain('note: inner is part of soc, which is not a slave; only inner is built');
  });

  test('the reason of a rejection is the last line of the log', async () => {
    const scan = await scanText(slave('m', 'nowhere u(.a(wb_we_i));'));
    expect(scan.log.at(-1)).toBe(`error: ${failure(scan).message}`);
  });

  test('the log explains the match of the bus and the handling of the other ports', async () => {
    const scan = await scanText(
      slave('gpio', '', ', input [7:0] pins, input [3:0] enable_n, input uart_rx, output led, inout sda'),
    );
    expect(scan.log).toEqual(
      expect.arrayContaining([
        'Wishbone slave: module gpio, 32-bit data, classic handshake, reset active high',
        'input pins (8 bits) is a pin, initially 0: an input outside the bus',
        expect.stringMatching(/^input enable_n \(4 bits\) is a pin, initially all ones: /),
        'input uart_rx is a pin, initially 1: a serial line idles high',
        'output led is a pin',
        'inout sda is a pin, initially 0x1 while the design does not drive it: an I2C line idles high',
      ]),
    );
    expect(scan.log.some((line) => line.startsWith('addresses: byte, because '))).toBe(true);
  });
});

describe('the language version', () => {
  test('SystemVerilog in a .v file, and words of SystemVerilog as names in one', async () => {
    const modern = await scanText(slave('m', 'logic a; always_comb a = wb_we_i;'), 'm.v');
    expect(modern.matched?.module).toBe('m');
    const old = await scanText(slave('m', 'reg do, bit, logic, design, cell;'), 'm.v');
    expect(old.matched?.module).toBe('m');
    const named = await scanText(slave('m', 'reg do, bit, logic;'), 'm.sv');
    expect(failure(named)).toMatchObject({ code: 'design_invalid' });
    expect(failure(named).message).toMatch(/^m\.sv:6: /);
  });

  test('typed parameters need their keyword only once', async () => {
    const text = slave(
      'm',
      'wire [W-1:0] x = A[0] ? F(1, B) : B; function int F(input int p, q); F = p + q; endfunction',
    ).replace(
      'module m (',
      "module m #(parameter\n  int W = 8, logic [1:0] A = {1'b1, 1'b0},\n  int B = 4, C = 5, localparam int D = 1, byte E = 2) (",
    );
    const { modules, diagnostics } = await scanText(text, 'm.sv');
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(modules.map(({ name }) => name)).toEqual(['m']);
  });

  test('reads case comments at any place, or treats them as plain comments', async () => {
    const body = `reg [1:0] n;
  always @(posedge wb_clk_i) begin
    // synthesis parallel_case full_case
    casez (wb_adr_i[1:0])
      2'b0?: n <= 1;
      2'b10: n <= 2;
    endcase // synthesis full_case
    case (f(n)) /* synopsys full_case */
      0: n <= 0;
    endcase
  end // synthesis parallel_case
  function [1:0] f(input [1:0] a); f = a; endfunction`;
    const { matched, diagnostics } = await scanText(slave('m', body), 'm.v');
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(matched?.module).toBe('m');
  });

  test('reports the error of the reading that went further', async () => {
    const scan = await scanText(slave('m', 'logic a;\n  logic b;\n  assign = 3;'), 'm.v');
    expect(failure(scan)).toMatchObject({ code: 'design_invalid' });
    expect(failure(scan).message).toMatch(/^m\.v:8: expected expression/);
  });
});

describe('designs that cannot be built', () => {
  test.each<[what: string, source: string, code: string, message: RegExp, first?: Partial<Diagnostic>]>([
    ['a syntax error', 'module m(input a;\nendmodule', 'design_invalid', /^design\.v:1: expected '\)'/],
    ['no module', '`define A 1\n', 'design_no_slave', /defines no module/],
    [
      'no bus',
      'module m(input a, output b);\nassign b = a;\nendmodule',
      'design_no_slave',
      /strobe.*acknowledge/,
      { line: 1, module: 'm' },
    ],
    [
      'data ports that are too wide',
      'module m(input stb_i, input [63:0] dat_i, output ack_o); assign ack_o = stb_i; endmodule\n',
      'design_no_slave',
      /64 bits/,
      { line: 1, module: 'm', port: 'dat_i' },
    ],
    [
      'a module without content',
      'module m(input clk, input wb_stb, input [31:0] wb_dat_w, output wb_ack); endmodule',
      'design_no_slave',
      /it has ports but is empty/,
    ],
    [
      'the ports of a master',
      'module m(input clk, output cyc_o, output stb_o, input ack_i, output [31:0] dat_o, input [31:0] dat_i); assign cyc_o = ack_i; endmodule',
      'design_no_slave',
      /those of a master/,
    ],
    ['two slaves', slave('a') + slave('b'), 'design_ambiguous', /: a, b\.$/, { line: 1, module: 'a' }],
    [
      'a module that is missing',
      slave('m', '\n\n  nowhere u(.a(wb_we_i));'),
      'design_invalid',
      /^design\.v:8: unknown module 'nowhere'/,
      { code: 'slang_error', line: 8, column: 3, module: 'nowhere' },
    ],
    [
      'a name of the bench',
      slave('wishbench_top'),
      'design_invalid',
      /^design\.v:1: .*are reserved for the bench/,
      { line: 1, module: 'wishbench_top' },
    ],
    [
      'modules behind a condition',
      `\`ifdef WITH_BUS\n${slave('m')}\`ifdef ALL\n\`define WITH_BUS\n\`endif\n${slave('n')}\`endif\n`,
      'design_no_slave',
      /^design\.v:2: the source defines no module: `ifdef WITH_BUS excludes m and 1 more,/,
    ],
    [
      'a testbench',
      'module tb;\n  reg clk;\n  initial begin\n    clk = 0;\n    @(posedge clk) $finish;\n  end\nendmodule',
      'design_no_slave',
      /^design\.v:1: module tb is a testbench: it has no ports and simulates a design; upload the design/,
    ],
    [
      'a number that only a simulation has',
      slave('m', 'real level;'),
      'design_invalid',
      /^design\.v:6: value of type 'real' is/,
    ],
    [
      'an end of a simulation',
      slave('m', 'initial $finish;'),
      'design_invalid',
      /^design\.v:6: unsupported system task '?\$finish/,
    ],
    [
      'an interface that is nowhere',
      `\`default_nettype none\nmodule m(bus_if.slave bus);\n  assign bus.ack = bus.stb;\nendmodule`,
      'design_invalid',
      /^design\.v:2: unknown interface 'bus_if'/,
    ],
    [
      'a port without a direction',
      'module m(a, b);\n  input a;\n  assign b = a;\nendmodule',
      'design_invalid',
      /^design\.v:1: port 'b' has no I\/O member/,
    ],
    [
      'a file that is opened',
      slave('m', 'integer f;\n  initial f = $fopen("/etc/passwd");'),
      'design_file_reference',
      /^design\.v:7: .*\$fopen/,
    ],
  ])('%s', async (_, source, code, message, first = {}) => {
    const error = failure(await scanText(source));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
    expect(error.diagnostics[0]).toMatchObject({ severity: 'error', ...first });
  });

  test('reads a value of 70,000 digits', async () => {
    const state = `reg [69999:0] state; always @(posedge wb_clk_i) state <= 70000'b${'0'.repeat(70_000)};`;
    expect((await scanText(slave('m', state))).matched?.module).toBe('m');
  });

  test('ignores a file for simulation in a branch not taken', async () => {
    const body = 'parameter LOG = 0; integer f; generate if (LOG) initial f = $fopen("log.txt"); endgenerate';
    expect((await scanText(slave('m', body))).matched?.module).toBe('m');
  });

  test('ignores a memory file in a branch not taken', async () => {
    const source = slave(
      'm',
      'parameter F = ""; reg [31:0] r[0:3];\n generate if (F != "") initial $readmemh(F, r); endgenerate',
    );
    expect((await scanText(source)).matched?.module).toBe('m');
  });

  test('the log of a design without a slave shows the contract next to the ports found', async () => {
    const { log } = await scanText(
      'module m(input clk, input [31:2] wb_adr, output ready); assign ready = clk; endmodule',
    );
    const text = log.join('\n');
    expect(text).toContain('wb_adr                   in    1..30  word address (byte address / 4)');
    expect(text).toMatch(
      /What was found:\nmodule m: it has no strobe .*\n {2}input {2}clk\n {2}input {2}wb_adr \[31:2\]\n/,
    );
  });
});

describe('the form fields', () => {
  test('top selects a module; an unknown one is rejected with the known names', async () => {
    const both = slave('a') + slave('b');
    expect(requireMatch(await scanText(both, 'x.v', { top: 'b' })).module).toBe('b');
    expect(failure(await scanText(both, 'x.v', { top: 'c' }))).toMatchObject({
      code: 'design_top_unknown',
      message: 'The design has no module c; it has a, b.',
      diagnostics: [{ code: 'design_top_unknown', module: 'c' }],
    });
    const none = await scanText(`${both} module n(input a, output b); assign b = a; endmodule`, 'x.v', {
      top: 'n',
    });
    expect(failure(none)).toMatchObject({
      code: 'design_no_slave',
      diagnostics: [{ line: 15, module: 'n' }],
    });
  });

  test('addressing and ties override', async () => {
    const source = slave('m', '', ', input [3:0] mode');
    const scan = await scanText(source, 'x.v', { addressing: 'word', ties: { mode: 1 } });
    expect(scan.matched).toMatchObject({
      addressing: 'word',
      ties: [{ port: 'mode', width: 4, value: 1 }],
    });
    for (const [port, problem] of [
      ['nothing', /no port nothing/],
      ['wb_ack_o', /not an input/],
      ['wb_stb_i', /the bus's stb/],
    ] as const)
      expect(failure(await scanText(source, 'x.v', { ties: { [port]: 0 } }))).toMatchObject({
        code: 'design_bad_tie',
        message: expect.stringMatching(problem),
        diagnostics: [{ code: 'design_bad_tie', module: 'm', port }],
      });
  });
});

describe('bounds', () => {
  test('rejects a memory that is too large and whose words a reset sets, with the reason', async () => {
    const big =
      'reg [31:0] big [0:4194303]; always @(posedge wb_clk_i or posedge wb_rst_i) if (wb_rst_i) big[0] <= 0; else if (wb_we_i) big[wb_adr_i] <= wb_dat_i;';
    // That Yosys runs out of memory takes it many seconds.
    const full: ToolEngine = { ...plainYosys, run: () => Promise.reject(toolchainError('tool_memory')) };
    const engine = SOAK ? plainYosys : full;
    await expect(scanText(slave('m', big), 'm.v', {}, engine)).rejects.toMatchObject({
      code: 'build_too_large',
      message: expect.stringContaining(
        'm.v:6: the memory big has 4,194,304 words of 32 bits, more than any part has',
      ),
    });
  });

  test('reads an array that a combinational process assigns', async () => {
    const body =
      'reg [31:0] part [0:3]; integer i; always @(*) for (i = 0; i < 4; i = i + 1) part[i] = wb_dat_i >> i;';
    expect(
      (await scanText(slave('m', `${body} wire [31:0] x = part[wb_adr_i[3:2]] | part[0][7:0];`))).matched,
    ).not.toBeNull();
    const indexed = `${body} reg [31:0] y; always @(*) begin y = 0; part[1][2] = 1; end`;
    expect(
      (await scanText(slave('m', indexed))).diagnostics.filter(({ severity }) => severity === 'error'),
    ).toEqual([]);
  });

  test('passes the engine’s own errors through', async () => {
    for (const code of ['tool_deadline', 'tool_memory', 'tool_missing', 'build_aborted'] as const) {
      const engine: ToolEngine = { ...plainYosys, run: () => Promise.reject(toolchainError(code)) };
      await expect(scanText(slave('m'), 'm.v', {}, engine)).rejects.toMatchObject({ code });
    }
  });

  test('a tool that fails without output is an invalid design', async () => {
    const engine: ToolEngine = { ...plainYosys, run: () => Promise.reject(toolchainError('tool_failed')) };
    expect(failure(await scanText(slave('m'), 'm.v', {}, engine))).toMatchObject({ code: 'design_invalid' });
  });
});
