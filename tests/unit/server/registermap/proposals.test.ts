import { expect, test } from 'vitest';
import type { DecodedRegister } from '../../../../server/contract/designs/decoded-registers.ts';
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
    'a sentence with an address',
    '// 0x40 is where the table of the display begins, see page 12\n// 0x44 would be the next\n',
  ],
  ['addresses of another bus', '// I2C: 0x50 EEPROM\n// I2C: 0x68 CLOCK\n'],
  ['bytes in a design of bytes', '// 0x100 FAR rw\n'],
  ['the same address twice', '// 0x00 RBR ro\n// 0x00 THR wo\n'],
  ['nothing', ''],
])('nothing is inferred from %s', (_, body) => {
  expect(proposed(module(body), word)).toEqual([]);
});

/** A register of the decoder whose address is compared in a line. */
const decoded = (address: number, line: number, more: Partial<DecodedRegister> = {}): DecodedRegister => ({
  address,
  access: 'rw',
  fields: [],
  compared: [{ value: address / 4, file: 'a.v', line }],
  ...more,
});
const field = (name: string, msb: number, lsb: number) => ({ name, msb, lsb });

test.each<[what: string, text: string, registers: DecodedRegister[], map: string[]]>([
  [
    'the label above what is assigned, without the part that all have',
    "localparam ADDR_CTRL = 4'd0, ADDR_LEVEL = ADDR_CTRL + 1;\ncase (adr)\n ADDR_CTRL: begin\n  en <= wdata[0];\n end\n ADDR_LEVEL: level <= wdata;\nendcase",
    [decoded(0, 5, { fields: [field('mode', 3, 1), field('en', 0, 0)] }), decoded(4, 7)],
    ['0x00 CTRL rw 3:1=mode 0=en @2', '0x04 LEVEL rw @2'],
  ],
  [
    'a text macro that is compared',
    "`define REG_A 6'h0\n`define REG_B 6'h1\nif (adr == `REG_A) a <= wdata;\nif (`REG_B == adr) b <= wdata;",
    [decoded(0, 4), decoded(4, 5)],
    ['0x00 A rw @2', '0x04 B rw @3'],
  ],
  [
    'an enumeration',
    'typedef enum logic [3:0] {CTRL, STATUS = 2, LAST} reg_t;\ncase (sel)\n CTRL: rdata = a;\n STATUS: rdata = b;\n LAST: rdata = c;\nendcase',
    [decoded(0, 4), decoded(8, 5), decoded(12, 6)],
    ['0x00 CTRL rw @2', '0x08 STATUS rw @2', '0x0c LAST rw @2'],
  ],
  [
    'numbers alone: the signal gives the name, or else the address',
    'localparam IDLE = 0;\ncase (state)\n IDLE: case (adr)\n  0: rdata = speed;\n  1: rdata = {a, b};\n 2, 3: rdata = count;\nendcase',
    [
      decoded(0, 5, { fields: [field('speed', 31, 0)] }),
      decoded(4, 6, { fields: [field('a', 31, 16), field('b', 15, 0)], access: 'ro' }),
      decoded(8, 7, { fields: [field('count', 15, 0)] }),
      decoded(12, 7, { fields: [field('count', 15, 0)] }),
    ],
    ['0x00 SPEED rw @5', '0x04 REG_04 ro 31:16=a 15:0=b @6', '0x08 COUNT_08 rw @7', '0x0c COUNT_0C rw @7'],
  ],
  ['a memory', '', [decoded(0, 2, { memory: 'words', words: 16 })], ['0x00 WORDS[16] rw @2']],
  ['nothing that has a name', '', [decoded(0, 2)], []],
  [
    'comment and code that contradict each other',
    '// 0x00 CTRL rw\n// 0x08 STATUS ro\nlocalparam CTRL = 0, STATUS = 1;\ncase (adr)\n CTRL: rdata = a;\n STATUS: rdata = b;\nendcase',
    [decoded(0, 6), decoded(4, 7)],
    ['0x00 CTRL rw @2'],
  ],
])('a decoded register is named by %s', (_, text, registers, map) => {
  expect(proposed(module(text), { ...word, registers })).toEqual(map);
});

test('rows of words or bytes, as the scan has determined', () => {
  expect(proposed(module('// 0x0 A rw\n// 0x1 B rw\n'), word)).toEqual(['0x00 A rw @2', '0x04 B rw @3']);
  // Bytes that are no words of the bus.
  expect(proposed(module('// 0x0 A rw\n// 0x1 B rw\n'), byte)).toEqual([]);
});

test('a signal’s states are named after its case constants', () => {
  const text = module(
    "localparam IDLE = 2'd0, RUN = 2'd1, DONE = 2'd2;\ncase (state)\n IDLE: state <= RUN;\n RUN: state <= DONE;\n DONE: state <= IDLE;\nendcase",
  );
  const compared = [0, 1, 2].map((value) => ({ value, file: 'a.v', line: 4 + value }));
  const registers = [decoded(0, 1, { fields: [{ ...field('state', 1, 0), compared }] })];
  const files = [{ path: 'a.v', text, language: 'verilog' as const }];
  expect(proposeMap(files, { ...word, registers }, 'a').registers).toMatchObject([
    { name: 'STATE', fields: [{ name: 'state', values: { 0: 'IDLE', 1: 'RUN', 2: 'DONE' } }] },
  ]);
});

test('only comments of the built module are used', () => {
  const two = `// 0x00 OTHER rw\n// 0x04 MORE rw\nmodule other; endmodule\n${module('', '// 0x00 OWN rw\n')}`;
  expect(proposed(two, word)).toEqual(['0x00 OWN rw @4']);
  expect(proposed(two, null)).toEqual([]);
  expect(proposed(two, matchedAs('third'))).toEqual([]);
});

test('VHDL: constants and comments', () => {
  const text = `-- Timer
entity timer is port (adr : in std_logic_vector(3 downto 0)); end entity;
architecture rtl of timer is
  constant A_CTRL : std_logic_vector(3 downto 0) := x"0";
  constant A_LOAD : std_logic_vector(3 downto 0) := "0001";
  constant A_COUNT : integer := 2;
begin
  case adr is
    when A_CTRL => run <= wdata(0);
    when A_LOAD => load <= wdata;
    when a_count => rdata <= count;
  end case;
end architecture;
`;
  const registers = [9, 10, 11].map((line, at) => ({
    ...decoded(4 * at, line),
    compared: [{ value: at, file: 'timer.vhd', line }],
  }));
  const matched = { ...matchedAs('timer', { width: 4 }), registers };
  expect(proposed(text, matched, 'timer.vhd')).toEqual([
    '0x00 CTRL rw @4',
    '0x04 LOAD rw @5',
    '0x08 COUNT rw @6',
  ]);
  const comment = text.replace(
    '-- Timer',
    '-- 0x00 CTRL  rw  control\n-- 0x04 LOAD  rw  start\n-- 0x08 COUNT ro  now',
  );
  expect(proposed(comment, matchedAs('timer', { width: 4 }), 'timer.vhd')).toEqual([
    '0x00 CTRL rw @1',
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
