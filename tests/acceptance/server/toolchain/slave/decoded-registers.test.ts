import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { DecodedRegister } from '../../../../../server/contract/designs/decoded-registers.ts';
import { scanText } from '../../../../support/toolchain/support.ts';

/** A register in a line: `0x4 rw 3:1=mode 0=en`, `0x40 rw words[16]`. */
const shown = ({ address, access, memory, words = 1, fields }: DecodedRegister) =>
  [
    `0x${address.toString(16)} ${access}`,
    ...(memory === undefined ? [] : [`${memory}[${words}]`]),
    ...fields.map(({ name, msb, lsb }) => `${msb === lsb ? msb : `${msb}:${lsb}`}=${name}`),
  ].join(' ');

/** The registers of a slave with word addresses, `access` for a clock of each transfer, and a body. */
async function registersOf(body: string, before = '') {
  const { matched, diagnostics } = await scanText(
    `${before}
module regs (input clk, input rst, input wb_cyc, input wb_stb, input wb_we, input [7:0] wb_adr,
  input [31:0] wb_dat_w, output logic [31:0] wb_dat_r, output logic wb_ack);
  wire access = wb_cyc & wb_stb & ~wb_ack;
  wire write = access & wb_we;
  always @(posedge clk) wb_ack <= access & ~rst;
  ${body}
endmodule`,
    'regs.sv',
    { addressing: 'word' },
  );
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return matched?.registers ?? [];
}

test.each<[style: string, body: string, before: string, map: string[]]>([
  [
    'a case for reads and one for writes, with fields',
    `reg en; reg [2:0] mode; reg [7:0] level; wire busy = level != 0;
     always @(posedge clk) if (write) case (wb_adr)
       0: begin en <= wb_dat_w[0]; mode <= wb_dat_w[3:1]; end
       2: level <= wb_dat_w[7:0];
     endcase
     always @* case (wb_adr)
       0: wb_dat_r = {28'd0, mode, en};
       1: wb_dat_r = {busy, 31'd0};
       2: wb_dat_r = level;
       default: wb_dat_r = 32'hx;
     endcase`,
    '',
    ['0x0 rw 3:1=mode 0=en', '0x4 ro 31=busy', '0x8 rw 7:0=level'],
  ],
  [
    'words that are masked and joined',
    `reg [31:0] a, b;
     always @(posedge clk) begin if (write & wb_adr == 3) a <= wb_dat_w; if (write & wb_adr == 9) b <= wb_dat_w; end
     assign wb_dat_r = {32{wb_adr == 3}} & a | {32{wb_adr == 9}} & b;`,
    '',
    ['0xc rw 31:0=a', '0x24 rw 31:0=b'],
  ],
  [
    'address, data and answer a clock later',
    `reg [7:0] adr; reg [31:0] data, answer, a, b; reg we;
     always @(posedge clk) begin
       adr <= wb_adr; data <= wb_dat_w; we <= write;
       if (we && adr == 1) a <= data;
       if (we && adr == 2) b <= data;
       answer <= adr == 1 ? a : adr == 2 ? b : 0;
       wb_dat_r <= answer;
     end`,
    '',
    ['0x4 rw 31:0=a', '0x8 rw 31:0=b'],
  ],
  [
    'the upper bits of the address, and bits that nothing looks at',
    `reg [31:0] a; reg [15:0] b;
     always @(posedge clk) if (write && wb_adr[7:4] == 4'h3) begin if (wb_adr[0]) b <= wb_dat_w[15:0]; else a <= wb_dat_w; end
     always @(posedge clk) wb_dat_r <= wb_adr[0] ? {16'd0, b} : a;`,
    '',
    ['0xc0 rw 31:0=a', '0xc4 rw 15:0=b'],
  ],
  [
    'arrays, structures and memories',
    `typedef struct packed { logic on; logic [6:0] duty; } channel_t;
     channel_t channels[4]; logic [31:0] words[64];
     always_ff @(posedge clk) if (write) begin if (wb_adr[7:6] == 0) channels[wb_adr[1:0]] <= wb_dat_w[7:0]; if (wb_adr[7:6] == 1) words[wb_adr[5:0]] <= wb_dat_w; end
     always_ff @(posedge clk) wb_dat_r <= wb_adr[7:6] == 0 ? {24'd0, channels[wb_adr[1:0]]} : wb_adr[7:6] == 1 ? words[wb_adr[5:0]] : 0;`,
    '',
    ['0x0 rw channels[4]', '0x100 rw words[64]'],
  ],
  [
    'bits that are set, cleared and started',
    `reg [7:0] out; reg start; reg signed [7:0] level;
     always @(posedge clk) begin
       start <= 0; level <= level + start;
       if (write) case (wb_adr) 0: out <= out | wb_dat_w; 1: out <= out & ~wb_dat_w; 2: start <= wb_dat_w[0]; endcase
     end
     always @* case (wb_adr) 0: wb_dat_r = out; 3: wb_dat_r = 32'(level); default: wb_dat_r = 0; endcase`,
    '',
    ['0x0 rw 7:0=out', '0x4 wo', '0x8 wo 0=start', '0xc ro 7:0=level'],
  ],
  [
    'registers in instances',
    `wire [31:0] fast, slow;
     timer one (.clk, .load(write & wb_adr == 0), .data(wb_dat_w), .count(fast));
     timer two (.clk, .load(write & wb_adr == 1), .data(wb_dat_w), .count(slow));
     assign wb_dat_r = wb_adr == 0 ? fast : wb_adr == 1 ? slow : 0;`,
    `module timer (input clk, input load, input [31:0] data, output reg [31:0] count);
       always @(posedge clk) count <= load ? data : count + 1;
     endmodule`,
    ['0x0 rw 31:0=fast', '0x4 rw 31:0=slow'],
  ],
  [
    'a FIFO, a register that any write clears, and an identity',
    `reg [7:0] fifo [0:3]; reg [2:0] count; reg [1:0] put, take; reg [15:0] lost;
     always @(posedge clk) begin
       if (write & wb_adr == 0 & count != 4) begin fifo[put] <= wb_dat_w; put <= put + 1; count <= count + 1; end
       if (access & ~wb_we & wb_adr == 0 & count != 0) begin take <= take + 1; count <= count - 1; end
       if (write & wb_adr == 1) lost <= 0; else if (count == 4) lost <= lost + 1;
     end
     always @* case (wb_adr)
       0: wb_dat_r = {count, fifo[take]};
       1: wb_dat_r = lost;
       2: wb_dat_r = 32'h57495348;
       default: wb_dat_r = 32'hdeadbeef;
     endcase`,
    '',
    ['0x0 rw 10:8=count 7:0=fifo', '0x4 rw 15:0=lost', '0x8 ro'],
  ],
])('%s', async (_, body, before, map) => {
  expect((await registersOf(body, before)).map(shown)).toEqual(map);
});

test('the compared constants have the line of what depends on them, also those of a state', async () => {
  const [register] = await registersOf(`reg [1:0] state;
  always @(posedge clk) case (state)
    2'd0: if (write) state <= 2'd1;
    2'd1: state <= 2'd2;
    default: state <= 2'd0;
  endcase
  always @* case (wb_adr)
    8'd5: wb_dat_r = state;
    default: wb_dat_r = 0;
  endcase`);
  expect(register).toMatchObject({ address: 20, compared: [{ value: 5, file: 'regs.sv', line: 14 }] });
  expect(register?.fields[0]?.compared?.map(({ value }) => value)).toEqual(expect.arrayContaining([0, 1]));
});

test('an acknowledge of several bits that another one joins counts where one of them may be high', async () => {
  const { matched } = await scanText(
    `module regs (input clk, input rst, input wb_cyc, input wb_stb, input wb_we, input [7:0] wb_adr,
  input [31:0] wb_dat_w, output [31:0] wb_dat_r, output wb_ack);
  reg [1:0] done; reg [31:0] a;
  wire hit = wb_cyc & wb_stb & ~|done & wb_adr == 3;
  assign wb_ack = done && wb_stb;
  assign wb_dat_r = wb_adr == 3 ? a : 0;
  always @(posedge clk) begin done <= rst ? 0 : {hit & ~wb_we, hit & wb_we}; if (hit & wb_we) a <= wb_dat_w; end
endmodule`,
    'regs.v',
    { addressing: 'word' },
  );
  expect(matched?.registers?.map(shown)).toEqual(['0xc rw 31:0=a']);
});

test('addresses that the slave does not acknowledge have no registers', async () => {
  const { matched } = await scanText(
    `module based (input wb_clk_i, input wb_rst_i, input wbs_cyc_i, input wbs_stb_i, input wbs_we_i, input [31:0] wbs_adr_i,
  input [31:0] wbs_dat_i, output [31:0] wbs_dat_o, output wbs_ack_o);
  reg [31:0] a; reg [7:0] writes;
  assign wbs_ack_o = wbs_cyc_i & wbs_stb_i & wbs_adr_i[31:8] == 24'h300001 & (wbs_adr_i[7:2] != 2 | ~wbs_we_i);
  assign wbs_dat_o = wbs_adr_i[7:2] == 1 ? writes : wbs_adr_i[7:2] == 2 ? 7 : a;
  always @(posedge wb_clk_i) if (wbs_ack_o & wbs_we_i) begin writes <= writes + 1; if (wbs_adr_i[7:2] == 0) a <= wbs_dat_i; end
endmodule`,
    'based.v',
  );
  expect(matched?.registers?.map(shown)).toEqual([
    '0x30000100 rw 31:0=a',
    '0x30000104 ro 7:0=writes',
    '0x30000108 ro',
  ]);
});

test('250 registers', async () => {
  const each = (text: (at: number) => string) => Array.from({ length: 250 }, (_, at) => text(at)).join('\n');
  const registers = await registersOf(`${each((at) => `reg [31:0] r${at};`)}
  always @(posedge clk) begin
    case (wb_adr) ${each((at) => `${at}: wb_dat_r <= r${at};`)} default: wb_dat_r <= 0; endcase
    if (write) case (wb_adr) ${each((at) => `${at}: r${at} <= wb_dat_w;`)} endcase
  end`);
  expect(registers.map(shown)).toEqual(
    Array.from({ length: 250 }, (_, at) => `0x${(4 * at).toString(16)} rw 31:0=r${at}`),
  );
});

test('a chain of thousands of choices is not followed to its end', async () => {
  const registers = await registersOf(`reg [31:0] a;
  for (genvar i = 0; i < 3000; i++) begin : g
    wire [31:0] w;
    if (i == 0) assign w = 0;
    else assign w = wb_dat_w[i % 32] ? i : g[i - 1].w;
  end
  always @(posedge clk) if (write && wb_adr == 1) a <= wb_dat_w;
  assign wb_dat_r = wb_adr == 1 ? a : g[2999].w;`);
  expect(registers.map(shown)).toContain('0x4 rw 31:0=a');
});

test('an example of each convention has the addresses of its map', async () => {
  const examples = JSON.parse(readFileSync('resources/examples/index.json', 'utf8')) as {
    file: string;
    map: { registers: { address: number; words?: number }[] };
  }[];
  for (const { file, map } of examples) {
    if (!/\.s?v$/.test(file)) continue;
    const { matched } = await scanText(readFileSync(`resources/examples/${file}`), file);
    const isFound = (at: number) =>
      matched?.registers?.some(({ address, words = 1 }) => at >= address && at < address + 4 * words);
    const missing = map.registers.map(({ address }) => address).filter((at) => !isFound(at));
    expect({ file, missing }).toEqual({ file, missing: [] });
  }
});
