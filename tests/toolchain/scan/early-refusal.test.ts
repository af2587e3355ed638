import { afterAll, describe, expect, test } from 'vitest';
import { toolchainError } from '../../../server/errors/toolchain.ts';
import { requireMatch } from '../../../server/toolchain/scan/scan.ts';
import type { ToolEngine } from '../../../server/toolchain/toolchain.ts';
import { freshToolchain, record, requestOf } from '../pipeline/support.ts';
import { plainYosys, scanText, slowYosys } from '../support.ts';

const { toolchain, dispose } = freshToolchain();
afterAll(dispose);

const ports = (
  prefix: string,
) => `input ${prefix}clk, input ${prefix}rst, input ${prefix}cyc, input ${prefix}stb,
  input ${prefix}we, input [21:0] ${prefix}adr, input [31:0] ${prefix}dat_w, output [31:0] ${prefix}dat_r, output ${prefix}ack`;

/** An AXI-Lite slave, of which bodies differ. */
const axi = (body: string) => `module registers #(parameter ADDR = 8, parameter DATA = 32) (
  input S_AXI_ACLK, input S_AXI_ARESETN,
  input [ADDR-1:0] S_AXI_AWADDR, input S_AXI_AWVALID, output reg S_AXI_AWREADY,
  input [DATA-1:0] S_AXI_WDATA, input [DATA/8-1:0] S_AXI_WSTRB, input S_AXI_WVALID, output reg S_AXI_WREADY,
  output reg [1:0] S_AXI_BRESP, output reg S_AXI_BVALID, input S_AXI_BREADY,
  input [ADDR-1:0] S_AXI_ARADDR, input S_AXI_ARVALID, output reg S_AXI_ARREADY,
  output reg [DATA-1:0] S_AXI_RDATA, output reg [1:0] S_AXI_RRESP, output reg S_AXI_RVALID, input S_AXI_RREADY);
${body}
endmodule
`;

/** What no tool elaborates soon. */
const LONG_INITIAL = `  reg [31:0] mem [0:1048575];
  integer i;
  initial begin
    for (i = 0; i < 1048576; i = i + 1) begin mem[i] = i * 3; end
  end`;
const LONG_GENERATE = `  genvar g;
  wire [1048576:0] chain;
  generate for (g = 0; g < 1048576; g = g + 1) begin : stage
    wire w = chain[g]; assign chain[g + 1] = w;
  end endgenerate`;

const memory = `  reg [31:0] q;
  always @(posedge wb_clk) begin if (wb_we & wb_stb) mem[wb_adr[21:2]] <= wb_dat_w; q <= mem[wb_adr[21:2]]; end
  assign wb_dat_r = q, wb_ack = wb_stb;`;

describe('designs that take long to elaborate', () => {
  test.each([
    [
      'an AXI-Lite slave with a long loop',
      axi(LONG_INITIAL),
      /^module registers: its bus is AXI4-Lite \(S_AXI_AWVALID, S_AXI_AWREADY\), not Wishbone$/,
    ],
    [
      'an AXI-Lite slave of many stages',
      axi(LONG_GENERATE),
      /^module registers: its bus is AXI4-Lite \(S_AXI_AWVALID, S_AXI_AWREADY\), not Wishbone$/,
    ],
    [
      'a design with two bus ports',
      `module two(${ports('a_wb_')}, ${ports('b_wb_')});\n${LONG_INITIAL}\nendmodule\n`,
      /^module two: it has more than one slave port/,
    ],
  ])(
    '%s is refused for its ports',
    async (_, source, message) => {
      const { matched, diagnostics, log } = await scanText(source, 'design.v', {}, slowYosys);
      expect(matched).toBeNull();
      expect(diagnostics).toEqual([
        expect.objectContaining({ severity: 'error', code: 'design_no_slave', file: 'design.v', line: 1 }),
      ]);
      expect(diagnostics[0]?.message).toMatch(message);
      expect(log.join('\n')).toContain('note: only the ports were looked at');
    },
    60_000,
  );

  test('two slaves beside each other are both named', async () => {
    const slave = (name: string) => `module ${name}(${ports('wb_')});\n${LONG_INITIAL}\nendmodule\n`;
    const { diagnostics } = await scanText(slave('one') + slave('other'), 'design.v', {}, slowYosys);
    expect(diagnostics.map(({ code, module }) => [code, module])).toEqual([
      ['design_ambiguous', 'one'],
      ['design_ambiguous', 'other'],
    ]);
  }, 60_000);

  test('a slave whose memory cannot fit is refused for that, with its line', async () => {
    const { matched, diagnostics } = await toolchain.scan(
      requestOf(`module ram(${ports('wb_')});\n${LONG_INITIAL}\n${memory}\nendmodule\n`),
      record(),
    );
    expect(matched?.module).toBe('ram');
    expect(diagnostics).toEqual([
      expect.objectContaining({
        code: 'build_too_large',
        file: 'design.v',
        line: 3,
        module: 'ram',
        net: 'mem',
      }),
    ]);
    expect(diagnostics[0]?.message).toBe(
      'the memory mem (1,048,576 words of 32 bits) has 33,554,432 bits; the block RAM of hx8k-ct256 has 131,072',
    );
  }, 60_000);

  test('what the ports do not decide is read whole, and where that takes too long, without its initial blocks', async () => {
    const source = `module fits(${ports('wb_')});\n  reg [31:0] mem [0:255];\n  integer i;\n  initial for (i = 0; i < 256; i = i + 1) mem[i] = 0;\n${memory}\nendmodule\n`;
    const deadlines: number[] = [];
    /** A tool for which whatever has a loop takes too long. */
    const slow: ToolEngine = {
      ...plainYosys,
      run(run) {
        deadlines.push(run.deadline);
        return JSON.stringify(run.files).includes('i < 256')
          ? Promise.reject(toolchainError('tool_deadline'))
          : plainYosys.run(run);
      },
    };
    const scan = await scanText(source, 'design.v', {}, slow);
    expect(requireMatch(scan).module).toBe('fits');
    expect(scan.log).toContain('note: the initial blocks were not looked at: they take long to elaborate');
    expect(deadlines).toEqual([1, 3, 3, 5]);
    // What is built is the whole of it.
    expect(String(scan.source.files['design.v'])).toContain('i < 256');
  });
});

describe('memories', () => {
  const misfitOf = async (body: string, others = '') =>
    (await scanText(`${others}module ram(${ports('wb_')});\n${body}\nendmodule\n`, 'design.v')).misfit;
  const large = '  reg [31:0] mem [0:1048575];\n';

  test('the bound is the part: one bit more is too many', async () => {
    const sized = (words: number) => `  reg [0:0] mem [0:${words - 1}];\n${memory}`;
    // 32 block RAMs of 4096 bits, and 7680 flip-flops.
    expect(await misfitOf(sized(32 * 4096 + 7680))).toBeNull();
    expect(await misfitOf(sized(32 * 4096 + 7681))).toMatchObject({ code: 'build_too_large', line: 3 });
  });

  test('several count together, those of modules inside with them', async () => {
    const inner = `module half(input clk, we, input [15:0] a, input d, output reg q);
      reg mem [0:65535]; always @(posedge clk) begin if (we) mem[a] <= d; q <= mem[a]; end endmodule\n`;
    const use = (count: number) =>
      `${Array.from({ length: count }, (_, at) => `  half h${at}(wb_clk, wb_we, wb_adr[15:0], wb_dat_w[${at}], wb_dat_r[${at}]);`).join('\n')} assign wb_ack = wb_stb;`;
    expect(await misfitOf(use(2), inner)).toBeNull();
    expect(await misfitOf(use(3), inner)).toMatchObject({
      message: expect.stringContaining(
        'the memory mem (65,536 words of 1 bit) and 2 more are together 196,608 bits',
      ),
      module: 'half',
      line: 2,
    });
  });

  test.each([
    [
      'is only written',
      `${large}  always @(posedge wb_clk) mem[wb_adr] <= wb_dat_w; assign wb_dat_r = 0, wb_ack = wb_stb;`,
    ],
    ['is a table', `${large}  initial mem[3] = 7; assign wb_dat_r = mem[wb_adr], wb_ack = wb_stb;`],
    [
      'is used in part',
      `${large}  reg [31:0] q; always @(posedge wb_clk) begin if (wb_we) mem[{12'd0, wb_adr[7:0]}] <= wb_dat_w; q <= mem[wb_adr]; end assign wb_dat_r = q, wb_ack = wb_stb;`,
    ],
  ])('a large one that %s may still fit', async (_, body) => {
    expect(await misfitOf(body)).toBeNull();
  });

  test('a module with a memory is as large as its parameters make it where it is instantiated', async () => {
    const inner = (
      words: string,
    ) => `module store #(parameter WORDS${words}) (input clk, we, input [19:0] a, input [31:0] d, output reg [31:0] q);
      reg [31:0] mem [0:WORDS-1]; always @(posedge clk) begin if (we) mem[a] <= d; q <= mem[a]; end endmodule\n`;
    const use = (parameters: string) =>
      `store ${parameters} s(wb_clk, wb_we, wb_adr[19:0], wb_dat_w, wb_dat_r); assign wb_ack = wb_stb;`;
    expect(await misfitOf(use(''), inner(' = 1048576'))).not.toBeNull();
    expect(await misfitOf(use('#(.WORDS(64))'), inner(' = 1048576'))).toBeNull();
    for (const standard of [' = 64', ''])
      expect(await misfitOf(use('#(.WORDS(1048576))'), inner(standard))).toMatchObject({
        message: expect.stringContaining('the memory mem (1,048,576 words of 32 bits) has 33,554,432 bits'),
        module: 'store',
        net: 'mem',
        line: 2,
      });
    // Through a module between, which hands it on.
    const between = `module between #(parameter N = 1) (input clk, we, input [19:0] a, input [31:0] d, output [31:0] q);
      store #(.WORDS(N << 10)) s(clk, we, a, d, q); endmodule\n${inner(' = 64')}`;
    const within = `between #(.N(1024)) s(wb_clk, wb_we, wb_adr[19:0], wb_dat_w, wb_dat_r); assign wb_ack = wb_stb;`;
    expect(await misfitOf(within, between)).toMatchObject({ module: 'store', line: 4 });
    // Set from beside it, and from above.
    const set = (path: string) => misfitOf(`${use('')} defparam ${path}.WORDS = 1048576;`, inner(' = 64'));
    expect(await set('s')).toMatchObject({ module: 'store', line: 2 });
    const above = `between s(wb_clk, wb_we, wb_adr[19:0], wb_dat_w, wb_dat_r); defparam s.s.WORDS = 1048576;`;
    const open = between.replace('#(.WORDS(N << 10)) ', '');
    expect(await misfitOf(`${above} assign wb_ack = wb_stb;`, open)).toMatchObject({
      module: 'store',
      line: 4,
    });
  });
});
