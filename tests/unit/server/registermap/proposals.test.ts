import { expect, test } from 'vitest';
import { beyond, proposeMap } from '../../../../server/registermap/propose/propose.ts';
import { matchedAs, proposed } from '../../../support/registermap/proposals.ts';

/** A module with a body, in one line of head. */
const module = (body: string, head = '') =>
  `${head}module regs (input clk, input we, input [5:0] adr, input [31:0] wdata, output reg [31:0] rdata);\n${body}\nendmodule\n`;
const word = matchedAs('regs');
const byte = matchedAs('regs', { addressing: 'byte', width: 8 });

test.each<[style: string, text: string, map: string[]]>([
  [
    'columns with bars, in a block',
    module(
      '',
      `/*
 * Register map
 * +--------+---------+--------+---------------------+
 * | Offset | Name    | Access | Description         |
 * +--------+---------+--------+---------------------+
 * | 0x00   | CTRL    | RW     | Control             |
 * | 0x04   | STATUS  | RO     | Status              |
 * | 0x08   | RESERVED| -      |                     |
 * | 0x0C   | IRQ     | R/W1C  | Interrupts          |
 * +--------+---------+--------+---------------------+
 */
`,
    ),
    ['0x00 CTRL rw @6', '0x04 STATUS ro @7', '0x0c IRQ rw @9'],
  ],
  [
    'names first, access in brackets, fields below',
    module(
      '',
      `// CTRL   @ 0x00 (read/write)
//   [0]    EN     0=off 1=run
//   [3:1]  MODE   what it does
//   [31:4] reserved
// STATUS @ 0x04 (read only)
//   bit 7 - BUSY: works
//   bits 3:0 = COUNT (RO)
`,
    ),
    ['0x00 CTRL rw 3:1=MODE 0=EN @1', '0x04 STATUS ro 7=BUSY 3:0=COUNT @5'],
  ],
  [
    'colons, and words that say that they are registers',
    module('', '// Registers:\n// 0x00: DATA - what goes out\n// 0x04: DIVIDER - clocks a bit\n'),
    ['0x00 DATA rw @2', '0x04 DIVIDER rw @3'],
  ],
  [
    'numbers of Verilog and of assemblers',
    module("// 8'h00 CTRL rw\n// 8'h04 STAT ro\n// 08h MASK rw\n"),
    ['0x00 CTRL rw @2', '0x04 STAT ro @3', '0x08 MASK rw @4'],
  ],
  [
    'a range',
    module('// 0x10-0x1C TABLE r/w  four words\n// 0x20..0x23 LAST ro\n'),
    ['0x10 TABLE[4] rw @2', '0x20 LAST ro @3'],
  ],
  [
    'localparams in a case',
    module(`localparam [3:0] ADDR_CTRL = 4'd0, ADDR_STATUS = 4'd1;
localparam ADDR_LEVEL = ADDR_STATUS + 1;
reg en, busy; reg [2:0] mode; reg [7:0] level;
always @(posedge clk) if (we) case (adr)
  ADDR_CTRL: begin en <= wdata[0]; mode <= wdata[3:1]; end
  ADDR_LEVEL: level <= wdata[7:0];
endcase
always @(posedge clk) case (adr)
  ADDR_CTRL: rdata <= {28'd0, mode, en};
  ADDR_STATUS: rdata <= {busy, 31'd0};
  ADDR_LEVEL: rdata <= {24'd0, level};
  default: rdata <= 32'hx;
endcase`),
    ['0x00 CTRL rw 3:1=mode 0=en @2', '0x04 STATUS ro 31=busy @2', '0x08 LEVEL rw @3'],
  ],
  [
    'defines and comparisons',
    module(
      "`define REG_A 6'h0\n`define REG_B 6'h1\nreg [31:0] a, b;\nalways @(posedge clk) begin if (we && adr == `REG_A) a <= wdata; if (we && (`REG_B == adr)) b <= wdata; end\nalways @* rdata = (adr == `REG_A) ? a : b;",
    ),
    ['0x00 A rw @2', '0x04 B rw @3'],
  ],
  [
    'an enumeration, and the address under another name',
    module(
      'typedef enum logic [3:0] {CTRL, STATUS = 2, LAST} reg_t;\nwire [3:0] sel = adr[3:0];\nreg [31:0] a, b, c;\nalways_comb case (sel)\n CTRL: rdata = a;\n STATUS: rdata = b;\n LAST: rdata = c;\nendcase',
    ),
    ['0x00 CTRL rw @2', '0x08 STATUS rw @2', '0x0c LAST rw @2'],
  ],
  [
    'numbers alone: the signals give the names',
    module(
      'reg [31:0] speed, position;\nalways @* case (adr)\n 0: rdata = speed;\n 1: rdata = position;\n default: rdata = 0;\nendcase',
    ),
    ['0x00 SPEED rw @4', '0x04 POSITION rw @5'],
  ],
  [
    'comment and code that contradict each other',
    module(
      '// 0x00 CTRL rw\n// 0x08 STATUS ro\nlocalparam CTRL = 0, STATUS = 1;\nreg [31:0] a, b;\nalways @* case (adr)\n CTRL: rdata = a;\n STATUS: rdata = b;\nendcase',
    ),
    ['0x00 CTRL rw @2'],
  ],
  [
    'words of 32 bits that count from one to the next',
    module('// 0x0 A rw\n// 0x1 B rw\n// 0x2 C ro\n'),
    ['0x00 A rw @2', '0x04 B rw @3', '0x08 C ro @4'],
  ],
])('%s', (_, text, map) => {
  expect(proposed(text, word)).toEqual(map);
});

test.each<[what: string, text: string]>([
  ['opcodes', '// Opcodes\n// 0x0 NOP   does nothing\n// 0x4 ADD   adds\n'],
  [
    'states',
    'localparam IDLE = 0, RUN = 1;\nreg [1:0] state;\nalways @(posedge clk) case (state)\n IDLE: state <= RUN;\n RUN: state <= IDLE;\nendcase',
  ],
  [
    'a sentence with an address',
    '// 0x40 is where the table of the display begins, see page 12\n// 0x44 would be the next\n',
  ],
  ['addresses of another bus', '// I2C: 0x50 EEPROM\n// I2C: 0x68 CLOCK\n'],
  ['bytes in a design of bytes', '// 0x100 FAR rw\n'],
  ['the same address twice', '// 0x00 RBR ro\n// 0x00 THR wo\n'],
  [
    'a decoder of blocks',
    "localparam UART = 2'd0, GPIO = 2'd1;\nalways @* case (adr[5:4])\n UART: rdata = wdata;\n GPIO: rdata = 0;\nendcase",
  ],
  [
    'a base that is not known',
    'parameter BASE = $clog2(7);\nlocalparam A = 0;\nalways @* if (adr[5:3] == BASE) case (adr[2:0])\n A: rdata = wdata;\nendcase',
  ],
  ['code that is cut off', 'always @* case (adr)\n CTRL: begin if (we'],
  ['nothing', ''],
])('nothing is inferred from %s', (_, body) => {
  expect(proposed(module(body), word)).toEqual([]);
});

test('addresses are in bytes or words, as the scan has determined', () => {
  const text = module(
    "localparam A = 8'h0, B = 8'h4;\nreg [31:0] a, b;\nalways @* case (adr)\n A: rdata = a;\n B: rdata = b;\nendcase",
  );
  expect(proposed(text, byte)).toEqual(['0x00 A rw @2', '0x04 B rw @2']);
  expect(proposed(text, word)).toEqual(['0x00 A rw @2', '0x10 B rw @2']);
  const upper = module(
    "localparam A = 0, B = 1;\nreg [31:0] a, b;\nalways @* if (adr[7:4] == 4'h3) case (adr[3:2])\n A: rdata = a;\n B: rdata = b;\nendcase",
  );
  expect(proposed(upper, byte)).toEqual(['0x30 A rw @2', '0x34 B rw @2']);
  // Bytes that are no words of the bus.
  expect(proposed(module('// 0x0 A rw\n// 0x1 B rw\n'), byte)).toEqual([]);
  expect(proposed(text, null)).toEqual([]);
});

test('a signal’s states are named after its case constants', () => {
  const states =
    "localparam IDLE = 2'd0, RUN = 2'd1, DONE = 2'd2;\nreg [1:0] state; reg [2:0] other; reg [29:0] rest;";
  const moves =
    'always @(posedge clk) case (state)\n IDLE, DONE: state <= RUN;\n RUN: state <= DONE;\nendcase';
  const fieldsOf = (read: string) => {
    const text = module(
      `localparam REG = 0;\n${states}\n${moves}\nalways @* case (adr)\n REG: rdata = ${read};\n default: rdata = 0;\nendcase`,
    );
    const files = [{ path: 'a.v', text, language: 'verilog' as const }];
    return proposeMap(files, word, 'a').registers.flatMap(({ fields }) => fields);
  };
  const values = { 0: 'IDLE', 1: 'RUN', 2: 'DONE' };
  expect(fieldsOf('{rest, state}')).toEqual([
    { name: 'rest', msb: 31, lsb: 2 },
    { name: 'state', msb: 1, lsb: 0, values },
  ]);
  // One signal of several bits is the register, but for its names.
  expect(fieldsOf("{30'd0, state}")).toEqual([{ name: 'state', msb: 1, lsb: 0, values }]);
  expect(fieldsOf("{29'd0, other}")).toEqual([]);
  // Half of a signal has none of its values.
  expect(fieldsOf("{31'd0, state[1]}")).toEqual([{ name: 'state', msb: 0, lsb: 0 }]);
});

test('only comments of the built module are used', () => {
  const two = `// 0x00 OTHER rw\n// 0x04 MORE rw\nmodule other; endmodule\n${module('', '// 0x00 OWN rw\n')}`;
  expect(proposed(two, word)).toEqual(['0x00 OWN rw @4']);
  expect(proposed(two, null)).toEqual([]);
  expect(proposed(two, matchedAs('third'))).toEqual([]);
});

test('VHDL: comments, constants, cases', () => {
  const text = `-- Timer
library ieee;
entity timer is port (adr : in std_logic_vector(3 downto 0)); end entity;
architecture rtl of timer is
  constant A_CTRL : std_logic_vector(3 downto 0) := x"0";
  constant A_LOAD : std_logic_vector(3 downto 0) := "0001";
  constant A_COUNT : integer := 2;
  signal run, irq : std_logic;
  signal load, count : std_logic_vector(31 downto 0);
begin
  process (clk) begin
    if rising_edge(clk) then
      if we = '1' then
        case adr is
          when A_CTRL => run <= wdata(0); irq <= wdata(4);
          when A_LOAD => load <= wdata;
          when others => null;
        end case;
      end if;
      case to_integer(unsigned(adr(3 downto 0))) is
        when A_COUNT => rdata <= count;
        when others => rdata <= (others => '0');
      end case;
    end if;
  end process;
end architecture;
`;
  expect(proposed(text, matchedAs('timer', { width: 4 }), 'timer.vhd')).toEqual([
    '0x00 CTRL wo 4=irq 0=run @5',
    '0x04 LOAD wo @6',
    '0x08 COUNT ro @7',
  ]);
  const comment = text.replace(
    '-- Timer',
    '-- 0x00 CTRL  rw  control\n-- 0x04 LOAD  rw  start\n-- 0x08 COUNT ro  now',
  );
  expect(proposed(comment, matchedAs('timer', { width: 4 }), 'timer.vhd')).toEqual([
    '0x00 CTRL rw 4=irq 0=run @1',
    '0x04 LOAD rw @2',
    '0x08 COUNT ro @3',
  ]);
});

test('registers already mapped by address or name, and dismissed ones, are not proposed again', () => {
  const text = module('// 0x00 A rw\n// 0x04 B rw\n// 0x08 C rw\n// 0x0C D rw\n');
  const proposal = proposeMap([{ path: 'a.v', text, language: 'verilog' }], word, 'a');
  const kept = {
    name: 'a',
    registers: [
      { name: 'mine', address: 0, access: 'rw' as const, fields: [] },
      { name: 'c', address: 0x40, access: 'rw' as const, fields: [] },
    ],
    dismissed: [12],
  };
  expect(beyond(proposal, kept).registers.map(({ name }) => name)).toEqual(['B']);
  expect(beyond(proposal, null)).toEqual(proposal);
  expect(proposal.registers[0]).toMatchObject({ proposed: true, source: { file: 'a.v', line: 2 } });
});

/** Milliseconds of processor time. */
function cost(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

test('long and hostile files take linear time', () => {
  const arms = Array.from(
    { length: 800 },
    (_, i) => `  ${i % 64}: begin r${i} <= wdata[${i % 32}]; x <= y + ${i}; end // one more`,
  );
  const lines = Array.from(
    { length: 3400 },
    (_, i) => `wire [7:0] w${i} = a${i} & {b, ${i % 9}'d1}; // what it is`,
  );
  const large = module(
    ['// 0x00 A rw', ...lines, 'always @(posedge clk) case (adr)', ...arms, 'endcase'].join('\n'),
  );
  // Seconds of the processor would be needed for what grows with the square of the length: this bound is far from both.
  for (const [, text] of [
    ['a long one', large],
    ['spaces', `// 0x00${' '.repeat(2e5)}x\n`],
    ['dashes', `//${'-'.repeat(2e5)}\n`],
    ['brackets', module(`always @* case (${'('.repeat(2e5)}`)],
    ['quotes', `"${'\\'.repeat(2e5)}`],
    ['digits', module(`localparam A = ${'1'.repeat(2e5)};`)],
    ['sums', module(`localparam A = ${'1+'.repeat(5e4)}1;`)],
    ['equal signs', module(`${'adr == adr '.repeat(2e4)};`)],
    ['cases', module('case (adr) 0: '.repeat(5e3))],
    ['begins', module('begin '.repeat(5e4))],
    [
      'rows',
      Array.from({ length: 2e4 }, (_, i) => `// 0x${(4 * i).toString(16)} R${i} rw bit 0 a, bit 1 b`).join(
        '\n',
      ),
    ],
    ['ors', module(`assign x = ${'a == '.repeat(2e4)}adr;`)],
  ] as const)
    expect(cost(() => proposed(text, word))).toBeLessThan(3_000);
});
