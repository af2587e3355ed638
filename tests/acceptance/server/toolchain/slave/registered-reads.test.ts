import { describe, expect, test } from 'vitest';
import { scanDesignSources } from '../../../../../server/toolchain/frontends/scan.ts';
import { readCommands } from '../../../../../server/toolchain/frontends/yosys-form.ts';
import type { DesignScan } from '../../../../../server/toolchain/slave/find-slave.ts';
import { everyNth } from '../../../../support/soak.ts';
import { requestOf } from '../../../../support/toolchain/build/support.ts';
import { readVhdlText } from '../../../../support/toolchain/frontends/vhdl/vhdl.ts';
import { hasGhdl, hasIcarus, runIcarus } from '../../../../support/toolchain/simulate.ts';
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
  [
    'a word at an address that begins with a value and comes from another memory',
    slave(
      `${writeBoth} next <= more[wb_adr[9:2]]; wb_dat_r <= mem[next[7:0]];`,
      'posedge clk',
      `reg [31:0] mem [0:255]; reg [15:0] more [0:255]; reg [15:0] next = 0;
  initial for (i = 0; i < 256; i = i + 1) more[i] = i * 16'h0305;`,
    ),
    3,
  ],
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
    'a word with a name, or another value',
    slave(
      `${write} wb_dat_r <= wb_adr[0] ? other : word;`,
      undefined,
      'reg [31:0] mem [0:255]; wire [31:0] word = mem[at];',
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

/** The same for a slave that shows the word at the address in a register. */
const atRegister = (address: string, body: string, memory = 'reg [31:0] mem [0:255];') => `
module slave(input clk, rst, wb_cyc, wb_stb, wb_we, input [9:0] wb_adr, input [31:0] wb_dat_w, input [3:0] wb_sel,
    output [31:0] wb_dat_r, output reg wb_ack);
  ${memory} ${address}
  integer i;
  always @(posedge clk) begin wb_ack <= wb_cyc & wb_stb & ~wb_ack; ${body} end
  assign wb_dat_r = mem[at];
endmodule
`;
const contents = "reg [31:0] mem [0:255]; initial for (i = 0; i < 256; i = i + 1) mem[i] = i * 32'h01030507;";
const taken = 'if (wb_stb) at <= wb_adr[7:0];';
const writeWord = 'if (wb_cyc & wb_we) mem[wb_adr[7:0]] <= wb_dat_w;';

const ADDRESS_REGISTERS: readonly [what: string, source: string, rams: number][] = [
  ['no value', atRegister('reg [7:0] at;', `${writeWord} ${taken}`, contents), 2],
  ['zero', atRegister('reg [7:0] at = 0;', `${writeWord} at <= wb_adr[7:0];`, contents), 2],
  ['another value, and an enable', atRegister('reg [7:0] at = 5;', `${writeWord} ${taken}`, contents), 2],
  ['a value, of a memory without contents', atRegister('reg [7:0] at = 5;', `${writeWord} ${taken}`), 2],
  [
    'a value, and a reset',
    atRegister('reg [7:0] at = 5;', `${writeWord} if (rst) at <= 9; else ${taken}`, contents),
    2,
  ],
  ['a value, of a table', atRegister('reg [7:0] at = 5;', taken, contents), 2],
  [
    'a value, of a memory with lanes',
    atRegister(
      'reg [7:0] at = 5;',
      `for (i = 0; i < 4; i = i + 1) if (wb_we & wb_sel[i]) mem[wb_adr[7:0]][8*i +: 8] <= wb_dat_w[8*i +: 8]; ${taken}`,
      contents,
    ),
    2,
  ],
  [
    'a value, in two parts',
    atRegister(
      'reg [3:0] high = 3; reg [3:0] low = 4; wire [7:0] at = {high, low};',
      `${writeWord} if (wb_stb) high <= wb_adr[7:4]; if (wb_cyc) low <= wb_adr[3:0];`,
      contents,
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

/** A design as synthesis sees it, and how many block RAMs of an iCE40 it has. */
async function mapped({ source }: DesignScan): Promise<{ made: Uint8Array; found: number }> {
  const listed: string[] = [];
  const script = [
    ...readCommands(source),
    'hierarchy -top slave; proc; flatten; opt; memory -nomap; opt_clean; rename slave made; write_verilog made.v',
    'memory_libmap -lib +/ice40/brams.txt; select -list t:$__ICE40_RAM4K_',
  ];
  const { files } = await plainYosys.run({
    tool: 'yosys',
    args: ['-p', script.join('; ')],
    files: { ...source.files },
    outputs: ['made.v'],
    deadline: 60,
    onLine: (line) => listed.push(line),
  });
  return { made: files['made.v']!, found: listed.filter((line) => /^made\/\S+$/.test(line)).length };
}

/** A slave in VHDL that shows the word at the address in a register. */
const inVhdl = (range: string, register: string, taken: string, at: string) => `
library ieee; use ieee.std_logic_1164.all; use ieee.numeric_std.all;
entity slave is port (clk, rst, wb_cyc, wb_stb, wb_we : in std_logic; wb_adr : in std_logic_vector(7 downto 0);
  wb_dat_w : in std_logic_vector(31 downto 0); wb_dat_r : out std_logic_vector(31 downto 0); wb_ack : out std_logic);
end entity;
architecture rtl of slave is
  type mem_t is array (${range}) of std_logic_vector(31 downto 0);
  signal mem : mem_t := (others => x"12345678");
  ${register}
begin
  process (clk) begin if rising_edge(clk) then
    wb_ack <= wb_cyc and wb_stb;
    if wb_cyc = '1' and wb_we = '1' then mem(to_integer(unsigned(wb_adr))) <= wb_dat_w; end if;
    at <= ${taken};
  end if; end process;
  wb_dat_r <= mem(${at});
end architecture;
`;
const vector = ['unsigned(wb_adr)', 'to_integer(at)'] as const;

describe.skipIf(!hasGhdl)('memories in VHDL are read by block RAM', () => {
  test.each([
    ['an ascending range', inVhdl('0 to 255', 'signal at : unsigned(7 downto 0);', ...vector)],
    ['a value at the start', inVhdl('0 to 255', 'signal at : unsigned(7 downto 0) := x"07";', ...vector)],
    ['a descending range', inVhdl('255 downto 0', 'signal at : unsigned(7 downto 0) := x"07";', ...vector)],
    [
      'a number as address',
      inVhdl('0 to 255', 'signal at : integer range 0 to 255 := 0;', 'to_integer(unsigned(wb_adr))', 'at'),
    ],
  ])('with %s', async (_, text) => {
    const request = requestOf(text, 'design.vhd', {}, 'virtual-hx8k');
    const design = await readVhdlText(text, 'slave');
    const scan = await scanDesignSources(design, request, plainYosys, { log() {}, progress() {} });
    expect(scan.outcome.kind).toBe('matched');
    expect((await mapped(scan)).found).toBe(2);
  });
});

describe.skipIf(!hasIcarus)('memories are read by block RAM', () => {
  const registers = READS.map(([what, ...rest]) => [`into a register that takes ${what}`, ...rest] as const);
  const addresses = ADDRESS_REGISTERS.map(
    ([start, ...rest]) => [`at a register that begins with ${start}`, ...rest] as const,
  );

  // All of them in the soak.
  test.each(everyNth(3, [...registers, ...addresses]))('%s', async (_, source, rams) => {
    const scan = await scanText(source);
    expect(scan.outcome.kind).toBe('matched');
    const { made, found } = await mapped(scan);
    expect(found).toBe(rams);
    const output = runIcarus({ 'made.v': made, 'design.v': source, 'testbench.v': testbench });
    expect(output).toMatch(/^seen \d{4,} bad 0\n$/);
  });
});
