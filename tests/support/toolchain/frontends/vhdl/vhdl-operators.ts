/** Operators and functions of VHDL's packages of numbers, as entities that have one output for each. */

/** A package, or packages, whose operators are tried together. */
export type Library = 'numeric_std' | 'numeric_std_unsigned' | 'arith' | 'unsigned' | 'signed' | 'integer';

export const LIBRARIES: readonly Library[] = [
  'numeric_std',
  'numeric_std_unsigned',
  'arith',
  'unsigned',
  'signed',
  'integer',
];

/** Bits of the operands, and what both may be at most as numbers. */
export interface Widths {
  a: number;
  b: number;
}

/** An output: what it is, as VHDL, and its bits. */
export interface Operation {
  /** An expression of type std_logic_vector of this width. */
  expression: string;
  bits: number;
}

const USES: Readonly<Record<Library, string>> = {
  numeric_std: 'use ieee.numeric_std.all;',
  numeric_std_unsigned: 'use ieee.numeric_std_unsigned.all;',
  arith: 'use ieee.std_logic_arith.all;',
  unsigned: 'use ieee.std_logic_arith.conv_std_logic_vector; use ieee.std_logic_unsigned.all;',
  signed: 'use ieee.std_logic_arith.conv_std_logic_vector; use ieee.std_logic_signed.all;',
  integer: 'use ieee.numeric_std.all;',
};

const COMPARISONS = ['=', '/=', '<', '<=', '>', '>='];

/** A number below `below`, from a running seed. */
export type Random = (below: number) => number;

/** xorshift32 */
export function randomFrom(seed: number): Random {
  let state = seed | 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

class Operations {
  readonly all: Operation[] = [];
  readonly #vector: (expression: string, bits: number) => string;

  constructor(vector: (expression: string, bits: number) => string) {
    this.#vector = vector;
  }

  /** A vector of any type. */
  vector(expression: string, bits: number): void {
    this.all.push({ expression: `std_logic_vector(${expression})`, bits });
  }

  /** A vector whose type selects one of several functions. */
  qualified(expression: string, bits: number): void {
    this.all.push({ expression: `std_logic_vector'(${expression})`, bits });
  }

  bit(expression: string): void {
    this.all.push({ expression: `bits(${expression})`, bits: 1 });
  }

  truth(expression: string): void {
    this.all.push({ expression: `truth(${expression})`, bits: 1 });
  }

  number(expression: string): void {
    this.all.push({ expression: this.#vector(expression, 32), bits: 32 });
  }
}

/** A literal around the range of a number of this width: within it and beyond. */
function literal(random: Random, bits: number, isSigned: boolean): string {
  const range = 2 ** Math.min(bits + (random(3) === 0 ? 2 : 0), 30);
  const value = random(range) - (isSigned ? Math.floor(range / 2) : 0);
  return value < 0 ? `integer'(${value})` : String(value);
}

function numericStd({ a, b }: Widths, random: Random, ops: Operations): void {
  const wide = Math.max(a, b);
  const [c, k] = [1 + random(33), random(a + 3)];
  for (const [l, r] of [
    ['ua', 'ub'],
    ['sa', 'sb'],
  ]) {
    for (const op of ['+', '-']) {
      ops.vector(`${l} ${op} ${r}`, wide);
      ops.vector(`${l} ${op} b(0)`, a);
      ops.vector(`b(0) ${op} ${l}`, a);
    }
    ops.vector(`${l} * ${r}`, a + b);
    ops.vector(`${l} / ${r}nz`, a);
    for (const op of ['rem', 'mod']) ops.vector(`${l} ${op} ${r}nz`, b);
    for (const op of COMPARISONS) ops.truth(`${l} ${op} ${r}`);
    for (const op of COMPARISONS) ops.bit(`${l} ?${op} ${r}`);
    for (const f of ['minimum', 'maximum']) ops.vector(`${f}(${l}, ${r})`, wide);
    for (const f of ['shift_left', 'shift_right', 'rotate_left', 'rotate_right']) {
      ops.vector(`${f}(${l}, nc)`, a);
      ops.vector(`${f}(${l}, ${k})`, a);
    }
    for (const op of ['sll', 'srl', 'rol', 'ror', 'sla', 'sra']) {
      ops.vector(`${l} ${op} ic`, a);
      ops.vector(`${l} ${op} nc`, a);
      ops.vector(`${l} ${op} ${k}`, a);
    }
    ops.vector(`resize(${l}, ${c})`, c);
    ops.vector(`ieee.numeric_std.resize(${l}, ${c})`, c);
    ops.vector(`resize(${l}, ${r})`, b);
    ops.vector(`resize(resize(${l}, ${a + 5}), ${c})`, c);
    ops.vector(`not ${l}`, a);
    for (const op of ['and', 'or', 'nand', 'nor', 'xor', 'xnor']) {
      ops.vector(`${l} ${op} ${l === 'ua' ? 'unsigned' : 'signed'}(std_logic_vector(resize(ub, ${a})))`, a);
      ops.vector(`${l} ${op} b(0)`, a);
      ops.bit(`${op} ${l}`);
    }
    ops.number(`find_leftmost(${l}, '1')`);
    ops.number(`find_rightmost(${l}, '1')`);
    ops.vector(`to_01(${l})`, a);
    ops.truth(`std_match(${l}, ${r})`);
  }
  ops.vector('-sa', a);
  ops.vector('abs sa', a);
  const mixed = (l: string, r: string, r2: string, isSigned: boolean) => {
    for (const other of [r2, literal(random, a, isSigned)]) {
      // GHDL's own package ends at the remainder of a larger number.
      const nonzero =
        other === r2 ? `${r2}nz` : String(1 + random(Math.max(1, 2 ** Math.min(a - 1, 30) - 1)));
      for (const op of ['+', '-']) {
        ops.vector(`${l} ${op} ${other}`, a);
        ops.vector(`${other} ${op} ${l}`, a);
      }
      // The simulation takes only the low bits of a wider number, and prints that.
      if (other === r2 ? b <= a : Math.abs(Number(other.replace(/[^-\d]/g, ''))) < 2 ** (a - 1))
        ops.vector(`${l} * ${other}`, 2 * a);
      ops.vector(`${l} / ${nonzero}`, a);
      for (const op of ['rem', 'mod']) ops.vector(`${l} ${op} ${nonzero}`, a);
      // GHDL's own package ends at the remainder of a number that the vector cannot have.
      if (other === r2) {
        ops.vector(`${other} / ${r}nz`, b);
        for (const op of ['rem', 'mod']) ops.vector(`${other} ${op} ${r}nz`, b);
      }
      const bare = other.replace(/^integer'\((.*)\)$/, '$1');
      for (const op of COMPARISONS) {
        ops.truth(`${l} ${op} ${bare}`);
        ops.truth(`${bare} ${op} ${l}`);
        ops.bit(`${l} ?${op} ${other}`);
      }
      for (const f of ['minimum', 'maximum']) {
        ops.vector(`${f}(${l}, ${other})`, a);
        ops.vector(`${f}(${other}, ${l})`, a);
      }
    }
  };
  mixed('ua', 'ub', 'nb', false);
  mixed('sa', 'sb', 'ib', true);
  ops.vector(`to_unsigned(nb, ${c})`, c);
  ops.vector(`to_signed(ib, ${c})`, c);
  if (a <= 31) ops.number('to_integer(ua)');
  if (a <= 32) ops.number('to_integer(sa)');
}

function integers(_: Widths, random: Random, ops: Operations): void {
  const l = literal(random, 10, true);
  const nonzero = l === '0' ? '3' : l;
  for (const [x, y, z] of [
    ['ia', 'ib', 'ibnz'],
    ['na', 'nb', 'nbnz'],
    ['ia', 'nb', 'nbnz'],
    ['na', 'ib', 'ibnz'],
    ['ia', l, nonzero],
  ]) {
    for (const op of ['+', '-', '*']) ops.number(`${x} ${op} ${y}`);
    for (const op of ['/', 'rem', 'mod']) ops.number(`${x} ${op} ${z}`);
    for (const op of COMPARISONS) ops.truth(`${x} ${op} ${y}`);
    for (const f of ['minimum', 'maximum']) ops.number(`${f}(${x}, ${y})`);
    ops.number(`${y} - ${x}`);
  }
  ops.number('-ia');
  ops.number('abs ia');
  ops.number('ia ** 2');
  ops.number('2 ** nd');
}

function vectors({ a, b }: Widths, random: Random, ops: Operations): void {
  const wide = Math.max(a, b);
  const [c, k] = [1 + random(33), random(a + 3)];
  for (const op of ['+', '-']) {
    ops.vector(`a ${op} b`, wide);
    ops.vector(`a ${op} nb`, a);
    ops.vector(`nb ${op} a`, a);
    ops.vector(`a ${op} b(0)`, a);
  }
  ops.vector('a * b', a + b);
  if (b <= a) ops.vector('a * nb', 2 * a);
  ops.vector('a / bnz', a);
  ops.vector('a / nbnz', a);
  ops.vector('nb / bnz', b);
  for (const op of ['rem', 'mod']) {
    ops.vector(`a ${op} bnz`, b);
    ops.vector(`a ${op} nbnz`, a);
    ops.vector(`nb ${op} bnz`, b);
  }
  // Inside the package the size of a larger number is lost.
  const l = String(random(2 ** Math.min(a, 30)));
  for (const op of COMPARISONS)
    for (const other of ['b', 'nb', l]) {
      ops.truth(`a ${op} ${other}`);
      if (other !== 'b') ops.truth(`${other} ${op} a`);
      // The simulation takes only the low bits of a wider number, and prints that.
      if (other === 'b' || (other === 'nb' && b <= a)) ops.bit(`a ?${op} ${other}`);
    }
  for (const f of ['minimum', 'maximum']) {
    ops.vector(`${f}(a, b)`, wide);
    ops.vector(`${f}(a, nb)`, a);
  }
  for (const f of ['shift_left', 'shift_right', 'rotate_left', 'rotate_right'])
    for (const by of ['nc', String(k)]) ops.vector(`${f}(a, ${by})`, a);
  for (const op of ['sll', 'srl', 'rol', 'ror'])
    for (const by of ['nc', 'ic']) ops.vector(`a ${op} ${by}`, a);
  ops.vector(`resize(a, ${c})`, c);
  ops.vector('resize(a, b)', b);
  ops.vector(`to_stdlogicvector(nb, ${c})`, c);
  if (a <= 31) ops.number('to_integer(a)');
  ops.number("find_leftmost(a, '1')");
  ops.number("find_rightmost(a, '1')");
}

function arith({ a, b }: Widths, random: Random, ops: Operations): void {
  const c = 1 + random(33);
  const [isWide, width] = [Math.max(a, b), (own: number, other: number) => Math.max(own, other + 1)];
  for (const [l, r, bits, product] of [
    ['ua', 'ub', isWide, a + b],
    ['sa', 'sb', isWide, a + b],
    ['ua', 'sb', width(b, a), a + b + 1],
    ['sa', 'ub', width(a, b), a + b + 1],
  ] as const) {
    for (const op of ['+', '-']) ops.qualified(`${l} ${op} ${r}`, bits);
    ops.qualified(`${l} * ${r}`, product);
    for (const op of COMPARISONS) ops.truth(`${l} ${op} ${r}`);
  }
  for (const [l, bits, isSigned] of [
    ['ua', a, false],
    ['sa', a, true],
  ] as const) {
    for (const other of ['ib', literal(random, a, isSigned)]) {
      for (const op of ['+', '-']) {
        const both = [`${l} ${op} ${other}`, `${other} ${op} ${l}`];
        for (const one of both) ops.qualified(one, bits);
      }
      for (const op of COMPARISONS) {
        ops.truth(`${l} ${op} ${other}`);
        ops.truth(`${other} ${op} ${l}`);
      }
    }
    for (const op of ['+', '-']) ops.qualified(`${l} ${op} b(0)`, bits);
    ops.vector(`shl(${l}, uc)`, a);
    ops.vector(`shr(${l}, uc)`, a);
    if (a <= 31) ops.number(`conv_integer(${l})`);
    ops.vector(`conv_unsigned(${l}, ${c})`, c);
    ops.vector(`conv_signed(${l}, ${c})`, c);
    ops.vector(`conv_std_logic_vector(${l}, ${c})`, c);
  }
  ops.qualified('-sa', a);
  ops.qualified('abs sa', a);
  ops.vector(`conv_unsigned(ib, ${c})`, c);
  ops.vector(`conv_signed(ib, ${c})`, c);
  ops.vector(`conv_std_logic_vector(ib, ${c})`, c);
  ops.vector(`ext(a, ${c})`, c);
  ops.vector(`sxt(a, ${c})`, c);
}

function logicVectors({ a, b }: Widths, random: Random, ops: Operations, isSigned: boolean): void {
  const wide = Math.max(a, b);
  for (const op of ['+', '-']) {
    ops.vector(`a ${op} b`, wide);
    for (const other of ['ib', literal(random, a, isSigned)]) {
      ops.vector(`a ${op} ${other}`, a);
      ops.vector(`${other} ${op} a`, a);
    }
    ops.vector(`a ${op} b(0)`, a);
  }
  ops.vector('a * b', a + b);
  // GHDL does not compare a negative number with a wider unsigned vector as a number.
  for (const op of COMPARISONS)
    for (const other of ['b', isSigned || b > a ? 'ib' : 'nb', literal(random, a, isSigned)]) {
      ops.truth(`a ${op} ${other}`);
      if (other !== 'b') ops.truth(`${other} ${op} a`);
    }
  ops.vector('shl(a, c)', a);
  ops.vector('shr(a, c)', a);
  if (a <= 31) ops.number('conv_integer(a)');
  ops.vector('+a', a);
  if (isSigned) {
    ops.vector('-a', a);
    ops.vector('abs a', a);
  }
}

/** Every operation of a library for operands of these widths, literals by chance. */
export function operationsOf(library: Library, widths: Widths, random: Random): Operation[] {
  const old = (expression: string, bits: number) =>
    `std_logic_vector'(conv_std_logic_vector(${expression}, ${bits}))`;
  const own =
    library === 'numeric_std_unsigned'
      ? (expression: string, bits: number) =>
          `std_logic_vector(ieee.numeric_std.to_signed(${expression}, ${bits}))`
      : (expression: string, bits: number) => `std_logic_vector(to_signed(${expression}, ${bits}))`;
  const isOld = library === 'arith' || library === 'unsigned' || library === 'signed';
  const ops = new Operations(isOld ? old : own);
  switch (library) {
    case 'numeric_std':
      numericStd(widths, random, ops);
      break;
    case 'integer':
      integers(widths, random, ops);
      break;
    case 'numeric_std_unsigned':
      vectors(widths, random, ops);
      break;
    case 'arith':
      arith(widths, random, ops);
      break;
    default:
      logicVectors(widths, random, ops, library === 'signed');
  }
  return ops.all;
}

/** Bits of an operand that is used as a number: integers have 32. */
const numberBits = (bits: number) => Math.min(bits, 30);

/** Widths of integers whose product is an integer as well. */
const factorBits = (library: Library, bits: number) =>
  library === 'integer' ? Math.min(bits, 15) : numberBits(bits);

/** The line of the first operation in an entity, from 1. */
export const FIRST_LINE = 20;

/** An entity `ops` with the operands as inputs, and an output `y0`, `y1`, … for each operation, each in a line of its own. */
export function entityOf(library: Library, { a, b }: Widths, operations: readonly Operation[]): string {
  const [na, nb] = [factorBits(library, a), factorBits(library, b)];
  const isStd = library === 'numeric_std' || library === 'integer';
  const type = isStd || library === 'arith';
  const pick = (name: string, bits: number) => `${name}(${bits - 1} downto 0)`;
  const isSynopsys = !isStd && library !== 'numeric_std_unsigned';
  const [own, convert] = isSynopsys ? ['std_logic_arith', 'conv_integer'] : ['numeric_std', 'to_integer'];
  const number = (as: string, of: string, bits: number) =>
    `ieee.${own}.${convert}(ieee.${own}.${as}(${pick(of, bits)}))`;
  const unsigned = (of: string, bits: number) => number('unsigned', of, bits);
  const signed = (of: string, bits: number) => number('signed', of, bits);
  const lines = [
    `library ieee; use ieee.std_logic_1164.all; ${USES[library]}`,
    `entity ops is port (a : in std_logic_vector(${a - 1} downto 0); b : in std_logic_vector(${b - 1} downto 0); c : in std_logic_vector(5 downto 0)`,
    operations.map(({ bits }, at) => `; y${at} : out std_logic_vector(${bits - 1} downto 0)`).join(''),
    '); end entity; architecture rtl of ops is',
    'function truth(x : boolean) return std_logic_vector is begin if x then return "1"; else return "0"; end if; end function;',
    'function bits(x : std_ulogic) return std_logic_vector is variable v : std_logic_vector(0 downto 0); begin v(0) := x; return v; end function;',
    `signal bnz : std_logic_vector(${b - 1} downto 0);`,
    `signal ia : integer range ${-(2 ** (na - 1))} to ${2 ** (na - 1) - 1}; signal na : natural range 0 to ${2 ** na - 1};`,
    `signal ib, ibnz : integer range ${-(2 ** (nb - 1))} to ${2 ** (nb - 1)}; signal nb : natural range 0 to ${2 ** nb - 1}; signal nbnz : natural range 0 to ${2 ** nb - 1} := 1;`,
    'signal nc : natural range 0 to 63; signal ic : integer range -32 to 31; signal nd : natural range 0 to 15;',
    type
      ? `signal ua : unsigned(${a - 1} downto 0); signal ub, ubnz : unsigned(${b - 1} downto 0); signal uc : unsigned(5 downto 0);`
      : '',
    type ? `signal sa : signed(${a - 1} downto 0); signal sb, sbnz : signed(${b - 1} downto 0);` : '',
    'begin',
    `bnz <= (0 => '1', others => '0') when b = (b'range => '0') else b;`.replace(
      "b = (b'range => '0')",
      "(or b) = '0'",
    ),
    `ia <= ${signed('a', na)}; na <= ${unsigned('a', na)}; ib <= ${signed('b', nb)}; nb <= ${unsigned('b', nb)};`,
    'ibnz <= 1 when ib = 0 else ib; nbnz <= 1 when nb = 0 else nb;',
    `nc <= ${unsigned('c', 6)}; ic <= ${signed('c', 6)}; nd <= ${unsigned('c', 4)};`,
    type ? 'ua <= unsigned(a); ub <= unsigned(b); uc <= unsigned(c); sa <= signed(a); sb <= signed(b);' : '',
    type ? 'ubnz <= unsigned(bnz); sbnz <= signed(bnz);' : '',
    ...operations.map(({ expression }, at) => `y${at} <= ${expression};`),
    'end architecture;',
  ];
  return `${lines.join('\n')}\n`;
}

/** Values of the operands that are tried: corners, and others by chance. */
export function stimuliOf(
  { a, b }: Widths,
  count: number,
  random: Random,
): { a: string; b: string; c: string }[] {
  const some = (bits: number): string => {
    const chance = () => Array.from({ length: bits }, () => random(2)).join('');
    const corners = [
      '0'.repeat(bits),
      '1'.repeat(bits),
      `1${'0'.repeat(bits - 1)}`,
      `${'0'.repeat(bits - 1)}1`,
      `0${'1'.repeat(bits - 1)}`,
    ];
    return (random(3) === 0 ? corners[random(corners.length)] : chance()) ?? '';
  };
  return Array.from({ length: count }, () => ({ a: some(a), b: some(b), c: some(6) }));
}

/** A testbench for GHDL: of each of the stimuli all outputs, one a line. */
export function vhdlBench(
  { a, b }: Widths,
  operations: readonly Operation[],
  stimuli: ReturnType<typeof stimuliOf>,
): string {
  return `library ieee; use ieee.std_logic_1164.all; use std.textio.all;
entity bench is end entity;
architecture sim of bench is
signal a : std_logic_vector(${a - 1} downto 0) := "${stimuli[0]?.a}"; signal b : std_logic_vector(${b - 1} downto 0) := "${stimuli[0]?.b}"; signal c : std_logic_vector(5 downto 0) := "${stimuli[0]?.c}";
${operations.map(({ bits }, at) => `signal y${at} : std_logic_vector(${bits - 1} downto 0);`).join('\n')}
begin
dut : entity work.ops port map (a, b, c${operations.map((_, at) => `, y${at}`).join('')});
process
procedure show is variable l : line; begin
${operations.map((_, at) => `write(l, to_string(y${at})); writeline(output, l);`).join('\n')}
end procedure;
begin
${stimuli.map((one) => `a <= "${one.a}"; b <= "${one.b}"; c <= "${one.c}"; wait for 1 ns; show;`).join('\n')}
wait;
end process;
end architecture;
`;
}

/** The same for Icarus Verilog. */
export function verilogBench(
  { a, b }: Widths,
  operations: readonly Operation[],
  stimuli: ReturnType<typeof stimuliOf>,
): string {
  return `module bench;
reg [${a - 1}:0] a; reg [${b - 1}:0] b; reg [5:0] c;
${operations.map(({ bits }, at) => `wire [${bits - 1}:0] y${at};`).join('\n')}
ops dut (.a(a), .b(b), .c(c)${operations.map((_, at) => `, .y${at}(y${at})`).join('')});
task show; begin
${operations.map((_, at) => `$display("%b", y${at});`).join('\n')}
end endtask
initial begin
${stimuli.map((one) => `a = ${a}'b${one.a}; b = ${b}'b${one.b}; c = 6'b${one.c}; #1; show;`).join('\n')}
end
endmodule
`;
}
