import { designSource } from './bridge.ts';

/** Address of the program's table. */
const TABLE = 0x400;

const OPCODE = {
  load: 0x03,
  immediate: 0x13,
  store: 0x23,
  register: 0x33,
  upper: 0x37,
  branch: 0x63,
  jump: 0x6f,
  system: 0x73,
};

/** Instructions of RISC-V's base set, as far as the program needs them (source: RISC-V unprivileged specification). */
const immediate = (funct: number, rd: number, rs: number, value: number, opcode = OPCODE.immediate) =>
  ((value & 0xfff) << 20) | (rs << 15) | (funct << 12) | (rd << 7) | opcode;
const register = (funct: number, rd: number, rs1: number, rs2: number, seven = 0) =>
  (seven << 25) | (rs2 << 20) | (rs1 << 15) | (funct << 12) | (rd << 7) | OPCODE.register;
const store = (funct: number, rs2: number, rs1: number, value: number) =>
  (((value >> 5) & 0x7f) << 25) |
  (rs2 << 20) |
  (rs1 << 15) |
  (funct << 12) |
  ((value & 31) << 7) |
  OPCODE.store;
const branch = (funct: number, rs1: number, rs2: number, offset: number) =>
  (((offset >> 12) & 1) << 31) |
  (((offset >> 5) & 63) << 25) |
  (rs2 << 20) |
  (rs1 << 15) |
  (funct << 12) |
  (((offset >> 1) & 15) << 8) |
  (((offset >> 11) & 1) << 7) |
  OPCODE.branch;
const jump = (rd: number, offset: number) =>
  (((offset >> 20) & 1) << 31) |
  (((offset >> 1) & 0x3ff) << 21) |
  (((offset >> 11) & 1) << 20) |
  (((offset >> 12) & 0xff) << 12) |
  (rd << 7) |
  OPCODE.jump;
const upper = (rd: number, value: number) => (value << 12) | (rd << 7) | OPCODE.upper;

/**
 * Loops without end: mixes a table of 64 words with sums, products, quotients, shifts and comparisons, bytes and
 * halves, calls a function, and sets the flag by the result.
 */
function program(): number[] {
  const code: number[] = [
    upper(1, 0x12345), // x1: what is mixed
    immediate(0, 1, 1, 0x678),
    immediate(0, 2, 0, TABLE), // x2: into the table
    immediate(0, 3, 0, 0), // x3: rounds
    upper(15, 0x80000), // x15: the flag and the input
  ];
  const round = code.length;
  code.push(
    immediate(2, 4, 2, 0, OPCODE.load), // lw x4, (x2)
    register(0, 4, 4, 1), // add
    immediate(1, 5, 1, 13), // slli: xorshift
    register(4, 1, 1, 5),
    immediate(5, 5, 1, 17), // srli
    register(4, 1, 1, 5),
    immediate(1, 5, 1, 5),
    register(4, 1, 1, 5),
    register(0, 6, 4, 1, 0x20), // sub
    immediate(5, 7, 6, 0x403), // srai by 3
    register(2, 8, 6, 7), // slt
    register(3, 9, 6, 7), // sltu
    register(0, 4, 4, 8),
    register(4, 4, 4, 9),
    register(6, 10, 4, 7), // or
    register(7, 11, 10, 1), // and
    store(2, 11, 2, 0), // sw
    store(0, 7, 2, 1), // sb
    store(1, 6, 2, 66), // sh
    immediate(4, 12, 2, 1, OPCODE.load), // lbu
    immediate(1, 13, 2, 66, OPCODE.load), // lh
    register(0, 4, 12, 13),
    immediate(2, 14, 15, 0, OPCODE.load), // the input
    register(0, 4, 4, 14),
  );
  const call = code.length;
  code.push(
    0, // jal x16, function
    immediate(0, 2, 2, 4),
    immediate(0, 3, 3, 1),
    immediate(7, 5, 3, 63), // every 64 rounds back to the start of the table
    branch(1, 5, 0, 8),
    immediate(0, 2, 0, TABLE),
    branch(0, 8, 9, 8), // sometimes
    register(0, 1, 1, 4),
    branch(5, 6, 7, 8),
    register(4, 1, 1, 10),
    immediate(2, 17, 0, 0xc02, OPCODE.system), // retired instructions
    register(0, 1, 1, 17),
    store(2, 1, 15, 0), // the flag
  );
  code.push(jump(0, 4 * (round - code.length)));
  code[call] = jump(16, 4 * (code.length - call));
  code.push(
    immediate(7, 18, 3, 7),
    branch(1, 18, 0, 4 * 6), // a product and a quotient every eighth time
    register(0, 19, 4, 1, 1), // mul
    register(1, 20, 4, 1, 1), // the upper half
    immediate(6, 21, 12, 1),
    register(5, 22, 19, 21, 1), // divu
    register(6, 23, 20, 21, 1), // rem
    register(4, 1, 1, 22),
    register(0, 1, 1, 23),
    immediate(0, 0, 16, 0, 0x67), // jalr x0, x16
  );
  return code;
}

/**
 * The soft CPU of the folder designs/ with a program in its memory: modules `top` and `board`.
 * @param barrel it shifts by any distance in one clock
 */
export function softCpuSource(barrel = false): string {
  const lines = program().map((word, index) =>
    [0, 1, 2, 3].map((bank) => `bank${bank}[${index}] = ${(word >>> (8 * bank)) & 0xff};`).join(' '),
  );
  const source = designSource('soft-cpu.v').replace('BARREL = 0', `BARREL = ${barrel ? 1 : 0}`);
  return source.replace('// PROGRAM', lines.join('\n    '));
}
