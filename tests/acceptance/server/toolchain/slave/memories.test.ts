import { describe, expect, test } from 'vitest';
import { scanText } from '../../../../support/toolchain/support.ts';

const ports = (
  prefix: string,
) => `input ${prefix}clk, input ${prefix}rst, input ${prefix}cyc, input ${prefix}stb,
  input ${prefix}we, input [21:0] ${prefix}adr, input [31:0] ${prefix}dat_w, output [31:0] ${prefix}dat_r, output ${prefix}ack`;

const memory = `  reg [31:0] q;
  always @(posedge wb_clk) begin if (wb_we & wb_stb) mem[wb_adr[21:2]] <= wb_dat_w; q <= mem[wb_adr[21:2]]; end
  assign wb_dat_r = q, wb_ack = wb_stb;`;

describe('memories', () => {
  const misfitOf = async (body: string, others = '') =>
    (await scanText(`${others}module ram(${ports('wb_')});\n${body}\nendmodule\n`, 'design.v')).misfit
      ?.diagnostic ?? null;
  const large = '  reg [31:0] mem [0:1048575];\n';

  test('the part’s capacity is the limit: one bit more is rejected', async () => {
    const sized = (words: number) => `  reg [0:0] mem [0:${words - 1}];\n${memory}`;
    // 32 block RAMs of 4096 bits, and 7680 flip-flops.
    expect(await misfitOf(sized(32 * 4096 + 7680))).toBeNull();
    expect(await misfitOf(sized(32 * 4096 + 7681))).toMatchObject({ code: 'build_too_large', line: 3 });
  });

  test('several memories count together, with those of inner modules', async () => {
    const inner = `module half(input clk, we, input [15:0] a, input d, output reg q);
      reg mem [0:65535]; always @(posedge clk) begin if (we) mem[a] <= d; q <= mem[a]; end endmodule\n`;
    const use = (count: number) =>
      `${Array.from({ length: count }, (_, at) => `  half h${at}(wb_clk, wb_we, wb_adr[15:0], wb_dat_w[${at}], wb_dat_r[${at}]);`).join('\n')} assign wb_ack = wb_stb;`;
    expect(await misfitOf(use(2), inner)).toBeNull();
    expect(await misfitOf(use(3), inner)).toMatchObject({
      message: expect.stringContaining(
        'the memory mem (65,536 words of 1 bit) and 2 more have a total of 196,608 bits',
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

  describe('that an asynchronous reset turns into flip-flops', () => {
    const clocked = (edges: string, words: number, reset: string, read: string, declares = '') => `
  reg [31:0] mem [0:${words - 1}]; reg [31:0] q; integer i; ${declares}
  always @(${edges})
    if (wb_rst) begin ${reset} end
    else begin if (wb_we & wb_stb) mem[wb_adr[12:2]] <= wb_dat_w; ${read} end
  assign wb_ack = wb_stb`;
    const setWords = (edges: string, words: number) =>
      clocked(edges, words, `for (i = 0; i < ${words}; i = i + 1) mem[i] <= 0;`, 'q <= mem[wb_adr[12:2]];') +
      ', wb_dat_r = q;';
    const setAddress = (edges: string, words: number) =>
      `${clocked(edges, words, 'at <= 0;', 'at <= wb_adr[12:2];', 'reg [10:0] at;')}, wb_dat_r = mem[at];`;
    const both = 'posedge wb_clk or posedge wb_rst';

    test.each([
      ['its words', setWords, 'sets its words', 'Remove mem from the reset'],
      ['its address', setAddress, 'sets its read address at', 'Reset at synchronously'],
    ])('%s: a warning at the block, or an error if it is too large', async (_, design, cause, remedy) => {
      const scanned = async (edges: string, words: number) =>
        scanText(`module ram(${ports('wb_')});\n${design(edges, words)}\nendmodule\n`).then(
          ({ misfit, diagnostics }) => ({ misfit, said: diagnostics.filter(({ net }) => net === 'mem') }),
        );
      const small = await scanned(both, 64);
      expect(small.misfit).toBeNull();
      expect(small.said).toMatchObject([{ severity: 'warning', line: 5, net: 'mem' }]);
      expect(small.said[0]?.message).toContain(
        `becomes 2,048 flip-flops (hx8k-ct256 has 7,680): the asynchronous reset of this block ${cause}`,
      );
      const { misfit } = await scanned(both, 256);
      expect(misfit?.diagnostic).toMatchObject({ severity: 'error', code: 'build_too_large', line: 5 });
      expect(misfit?.remedy).toContain(remedy);
      const other = await scanned('posedge wb_clk', 64);
      expect(other.said).toEqual([]);
    });
  });

  test('a module’s memory has the size that the parameters of each instance give it', async () => {
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
    // Through a module between them, which passes it on.
    const between = `module between #(parameter N = 1) (input clk, we, input [19:0] a, input [31:0] d, output [31:0] q);
      store #(.WORDS(N << 10)) s(clk, we, a, d, q); endmodule\n${inner(' = 64')}`;
    const within = `between #(.N(1024)) s(wb_clk, wb_we, wb_adr[19:0], wb_dat_w, wb_dat_r); assign wb_ack = wb_stb;`;
    expect(await misfitOf(within, between)).toMatchObject({ module: 'store', line: 4 });
    // Set from a sibling module, and from above.
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
