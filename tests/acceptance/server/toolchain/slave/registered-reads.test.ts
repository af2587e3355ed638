import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readCommands } from '../../../../../server/toolchain/frontends/yosys-form.ts';
import { hasIcarus } from '../../../../support/toolchain/simulate.ts';
import { plainYosys, scanText } from '../../../../support/toolchain/support.ts';

/** A slave whose register `wb_dat_r` takes words of memories; `edges` are those of its block. */
const slave = (body: string, edges = 'posedge clk or posedge rst', declares = 'reg [31:0] mem [0:255];') =>
  `module slave(input clk, rst, wb_cyc, wb_stb, wb_we, input [9:0] wb_adr, input [31:0] wb_dat_w,
    input [3:0] wb_sel, output reg [31:0] wb_dat_r, output reg wb_ack);
  ${declares}
  reg [7:0] at; reg [31:0] other;
  integer i; initial begin at = 0; for (i = 0; i < 256; i = i + 1) mem[i] = i * 32'h01030507; end
  always @(${edges})
    if (rst) begin wb_dat_r <= 32'h5a; wb_ack <= 0; at <= 1; other <= 2; end
    else begin
      wb_ack <= wb_cyc & wb_stb & ~wb_ack;
      if (wb_cyc & wb_we & wb_stb) begin at <= wb_dat_w; other <= other + wb_dat_w; end
      ${body}
    end
endmodule
`;

const write = 'if (wb_cyc & wb_we & wb_adr[0]) mem[at] <= wb_dat_w;';
const half = 'reg [15:0] mem [0:255]; reg [15:0] more [0:255]; initial more[7] = 3;';
const writeBoth = `${write} if (wb_we & wb_adr[1]) more[wb_adr[9:2]] <= wb_dat_w;`;

/** The value of a register, and the resulting number of block RAMs. */
const READS: readonly [what: string, source: string, rams: number][] = [
  ['a word or another value', slave(`${write} wb_dat_r <= wb_adr[0] ? other : mem[at];`), 2],
  [
    'a word, another value, or its own',
    slave(
      `${write} if (wb_stb) case (wb_adr[1:0]) 0: wb_dat_r <= other; 1: wb_dat_r <= at; default: wb_dat_r <= mem[at]; endcase`,
    ),
    2,
  ],
  [
    'a word at an address of the bus',
    slave(`${write} if (wb_stb & ~wb_we) wb_dat_r <= wb_adr[9] ? mem[wb_adr[7:0]] : other;`),
    2,
  ],
  [
    'the same without an asynchronous reset',
    slave(`${write} wb_dat_r <= wb_adr[0] ? other : mem[wb_adr[9:2]];`, 'posedge clk'),
    2,
  ],
  ['a word or zero', slave(`${write} wb_dat_r <= 0; if (wb_stb) wb_dat_r <= mem[wb_adr[9:2]];`), 2],
  [
    'some bits from a memory',
    slave(
      `${writeBoth} if (wb_stb) wb_dat_r <= {other[7:0], mem[at], wb_adr[7:0]}; else if (wb_cyc) wb_dat_r[15:0] <= more[at];`,
      undefined,
      half,
    ),
    2,
  ],
  [
    'words of two memories',
    slave(
      `${writeBoth} case (wb_adr[1:0]) 0: wb_dat_r <= mem[at]; 1: wb_dat_r <= {more[at], other[3:0]}; 2: wb_dat_r <= other; endcase`,
      undefined,
      half,
    ),
    2,
  ],
  [
    'concatenated words of two memories',
    slave(`${writeBoth} wb_dat_r <= wb_adr[0] ? {more[at], mem[at]} : other;`, undefined, half),
    2,
  ],
  [
    'bytes that are written by their lanes',
    slave(
      `for (i = 0; i < 4; i = i + 1) if (wb_we & wb_sel[i]) mem[at][8*i +: 8] <= wb_dat_w[8*i +: 8]; if (wb_stb) wb_dat_r <= wb_adr[0] ? mem[at] : other + 1;`,
    ),
    2,
  ],
  [
    'a word at first, and a value at the start',
    slave(
      `${write} wb_dat_r <= wb_adr[0] ? other : mem[at];`,
      undefined,
      "reg [31:0] mem [0:255]; initial wb_dat_r = 32'hc3;",
    ),
    2,
  ],
];

const cycles = 3000;

/** Both versions of a design side by side, with random inputs and resets between the edges of the clock. */
const testbench = `module testbench;
  reg clk = 0, rst = 0, cyc = 0, stb = 0, we = 0; reg [9:0] adr = 0; reg [31:0] dat = 0; reg [3:0] sel = 0;
  wire [31:0] meant, made; wire ack, ack2;
  slave one(clk, rst, cyc, stb, we, adr, dat, sel, meant, ack);
  made other(clk, rst, cyc, stb, we, adr, dat, sel, made, ack2);
  integer n, bad = 0, seen = 0;
  task check; begin
    if (^meant !== 1'bx) seen = seen + 1;
    if (^meant !== 1'bx && meant !== made) begin bad = bad + 1; $display("%0d: %h %h", n, meant, made); end
  end endtask
  initial begin
    #1 check;
    for (n = 0; n < ${cycles}; n = n + 1) begin
      {cyc, stb, we} = $random; adr = $random; dat = $random; sel = $random; if (n % 3) adr = adr & 7;
      rst = n > 20 && $random % 16 == 0; #1 check;
      if ($random % 3) rst = 0; #1 check;
      clk = 1; #1 check; clk = 0; #1;
    end
    $display("seen %0d bad %0d", seen, bad);
  end
endmodule
`;

describe('a register that takes words of memories and other values', () => {
  test.skipIf(!hasIcarus).each(READS)('%s', async (_, source, rams) => {
    const scan = await scanText(source);
    expect(scan.outcome.kind).toBe('matched');
    const listed: string[] = [];
    const { files } = await plainYosys.run({
      tool: 'yosys',
      args: [
        '-p',
        [
          ...readCommands(scan.source),
          'hierarchy -top slave; proc; flatten; opt; memory -nomap; opt_clean; rename slave made; write_verilog made.v',
          'memory_libmap -lib +/ice40/brams.txt; select -list t:$__ICE40_RAM4K_',
        ].join('; '),
      ],
      files: { ...scan.source.files },
      outputs: ['made.v'],
      deadline: 60,
      onLine: (line) => listed.push(line),
    });
    expect(listed.filter((line) => /^made\/\S+$/.test(line))).toHaveLength(rams);
    const folder = mkdtempSync(path.join(tmpdir(), 'wishbench-reads-'));
    try {
      const all = { 'made.v': files['made.v']!, 'design.v': source, 'testbench.v': testbench };
      for (const [name, text] of Object.entries(all)) writeFileSync(path.join(folder, name), text);
      const options = { cwd: folder, encoding: 'utf8', timeout: 60_000 } as const;
      execFileSync('iverilog', ['-g2005-sv', '-s', 'testbench', '-o', 'sim', ...Object.keys(all)], options);
      const output = execFileSync('vvp', ['-n', 'sim'], options);
      expect(output).toMatch(/^seen \d{4,} bad 0\n$/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
