import { Choices } from './choices.ts';
import { INPUT_WIDTH, OUTPUT_WIDTH } from './expression.ts';

/** A random clocked design, and how many of its outputs show its registers. */
export interface RandomProcesses {
  text: string;
  outputs: number;
}

/** Operands of every design, slices of its inputs of INPUT_WIDTH bits each. */
export const OPERANDS = [
  { name: 'a', width: 8, signed: true },
  { name: 'b', width: 8, signed: false },
  { name: 'c', width: 32, signed: true },
  { name: 'd', width: 16, signed: false },
  { name: 'e', width: 4, signed: false },
  { name: 'f', width: 1, signed: false },
] as const;

export const OPERAND_COUNT = OPERANDS.length;

interface Signal {
  name: string;
  width: number;
}

interface Register extends Signal {
  signed: boolean;
  initial: number;
}

interface Memory {
  name: string;
  width: number;
  addressWidth: number;
}

/** Levels of statements within statements. */
const LEVELS = 1;

/** How a process is clocked. A process with blocking assignments shows its registers to no other. */
const KINDS = ['plain', 'synchronous', 'asynchronous', 'low', 'blocking', 'combinational'] as const;
type Kind = (typeof KINDS)[number];

/**
 * Random processes as people write them: conditions, cases with and without a default, loops, parts of registers,
 * functions, tasks, memories with writes of parts. The same for the same numbers. Every register has a value from the
 * start, and no read is outside of its vector, so that a simulator knows all bits.
 */
export class ProcessMaker {
  readonly #choices: Choices;
  readonly #lines: string[] = [];
  /** What expressions may read. */
  readonly #signals: Signal[] = OPERANDS.map(({ name, width }) => ({ name, width }));
  readonly #memories: Memory[] = [];
  readonly #registers: Register[] = [];
  #named = 0;

  /** @param random numbers from 0 to below 1 */
  constructor(random: () => number) {
    this.#choices = new Choices(random);
  }

  make(): RandomProcesses {
    const processes = Array.from({ length: 3 + this.#choices.below(5) }, () => ({
      kind: this.#choices.of(KINDS),
      registers: Array.from({ length: 1 + this.#choices.below(3) }, () => this.#register()),
      memory: this.#choices.below(3) === 0 ? this.#memory() : null,
    }));
    for (const { kind, registers } of processes)
      if (kind !== 'blocking' && kind !== 'combinational') this.#signals.push(...registers);
    this.#function();
    this.#function();
    for (const { kind, registers, memory } of processes) this.#process(kind, registers, memory);
    const shown = this.#registers;
    const declarations = [
      ...OPERANDS.map(
        ({ name, width, signed }, at) =>
          `wire${signed ? ' signed' : ''} [${width - 1}:0] ${name} = in[${at * INPUT_WIDTH} +: ${width}];`,
      ),
      'wire rst_n = ~rst;',
      ...shown.map(
        ({ name, width, signed, initial }) =>
          `reg${signed ? ' signed' : ''} [${width - 1}:0] ${name} = ${width}'d${initial};`,
      ),
    ];
    const outputs = shown.map((_, at) => `output [${OUTPUT_WIDTH - 1}:0] y${at}`);
    const text = `module slave(input clk, input rst, input wb_cyc, input wb_stb, input wb_we, input [3:0] wb_adr,
  input [31:0] wb_dat_w, output [31:0] wb_dat_r, output wb_ack, input [${OPERAND_COUNT * INPUT_WIDTH - 1}:0] in,
  ${outputs.join(', ')});
  assign wb_ack = wb_stb;
  assign wb_dat_r = wb_adr;
${[...declarations, ...this.#lines, ...shown.map(({ name }, at) => `assign y${at} = ${name};`)].map((one) => `  ${one}`).join('\n')}
endmodule
`;
    return { text, outputs: shown.length };
  }

  #register(): Register {
    const width = this.#choices.of([1, 2, 4, 8, 8, 16, 32, 1 + this.#choices.below(20)]);
    const register = {
      ...{ name: `r${this.#registers.length}`, width },
      ...{ signed: this.#choices.below(3) === 0, initial: this.#choices.below(2 ** Math.min(width, 30)) },
    };
    this.#registers.push(register);
    return register;
  }

  #memory(): Memory {
    const at = this.#memories.length;
    const memory = {
      name: `m${at}`,
      width: this.#choices.of([4, 8, 16, 32]),
      addressWidth: 2 + this.#choices.below(3),
    };
    this.#memories.push(memory);
    const { name, width, addressWidth } = memory;
    this.#lines.push(
      `reg [${width - 1}:0] ${name} [0:${2 ** addressWidth - 1}]; integer i_${name};`,
      `initial for (i_${name} = 0; i_${name} < ${2 ** addressWidth}; i_${name} = i_${name} + 1) ${name}[i_${name}] = i_${name} * ${3 + this.#choices.below(40)};`,
    );
    return memory;
  }

  #constant(width: number): string {
    const value = this.#choices.below(2 ** Math.min(width, 30));
    return this.#choices.of([`${width}'d${value}`, `${width}'h${value.toString(16)}`, `${width}'sd${value}`]);
  }

  /** A value of so many bits that is always within range. */
  #index(bits: number): string {
    const { name, width } = this.#choices.of(this.#signals.filter((one) => one.width >= bits));
    // Not as it is: a signed one may be negative.
    if (width === bits) return `{${name}}`;
    const low = this.#choices.below(width - bits + 1);
    return bits === 1 ? `${name}[${low}]` : `${name}[${low + bits - 1}:${low}]`;
  }

  #leaf(): string {
    if (this.#choices.below(5) === 0) return this.#constant(1 + this.#choices.below(12));
    if (this.#memories.length > 0 && this.#choices.below(6) === 0) {
      const { name, addressWidth } = this.#choices.of(this.#memories);
      return `${name}[${this.#index(addressWidth)}]`;
    }
    const { name, width } = this.#choices.of(this.#signals);
    const bits = Math.log2(width);
    if (width === 1 || this.#choices.below(2) === 0) return name;
    switch (this.#choices.below(4)) {
      case 0:
        return `${name}[${this.#choices.below(width)}]`;
      case 1: {
        const high = this.#choices.below(width);
        return `${name}[${high}:${this.#choices.below(high + 1)}]`;
      }
      default:
        if (!Number.isInteger(bits) || bits > 4) return name;
        if (bits > 1 && this.#choices.below(2)) return `${name}[{${this.#index(bits - 1)}, 1'b0} +: 2]`;
        return `${name}[${this.#index(bits)}]`;
    }
  }

  #condition(): string {
    const { name, width } = this.#choices.of(this.#signals);
    if (width === 1) return this.#choices.of([name, `!${name}`]);
    switch (this.#choices.below(6)) {
      case 0:
        return `${name} ${this.#choices.of(['<', '>', '<=', '>='])} ${this.#leaf()}`;
      case 1:
        return `${name}[${this.#choices.below(width)}] ${this.#choices.of(['&&', '||'])} ${this.#leaf()}`;
      case 2:
        return `${this.#choices.of(['^', '~^', '|', '&'])}${name}`;
      default:
        return `${name}[${this.#choices.below(width)}]`;
    }
  }

  #expression(depth: number): string {
    if (depth <= 0) return this.#leaf();
    const next = () => this.#expression(depth - 1);
    switch (this.#choices.below(11)) {
      case 0:
      case 1:
        return `(${next()} ${this.#choices.of(['+', '-', '*'])} ${next()})`;
      case 2:
      case 3:
        return `(${next()} ${this.#choices.of(['&', '|', '^', '~^'])} ${next()})`;
      case 4:
        return `(${this.#choices.of(['~', '-', '!', '^'])}${next()})`;
      case 5:
        return `(${next()} ${this.#choices.of(['==', '!=', '<', '>='])} ${next()})`;
      case 6:
        return `(${this.#condition()} ? ${next()} : ${next()})`;
      case 7:
        return `{${this.#leaf()}, ${this.#leaf()}}`;
      case 8:
        return `(${next()} ${this.#choices.of(['<<', '>>', '>>>'])} ${this.#index(this.#choices.of([1, 2, 3]))})`;
      case 9:
        return `fn${this.#choices.below(2)}(${next()}, ${next()})`;
      default:
        return this.#choices.of([
          `$signed(${this.#leaf()})`,
          `$unsigned(${this.#leaf()})`,
          `{2{${this.#index(2)}}}`,
        ]);
    }
  }

  /** A function with a loop, a condition and a case over its arguments. */
  #function(): void {
    const at = this.#named++;
    const width = 2 + this.#choices.below(15);
    const [x, y] = [1 + this.#choices.below(10), 2 + this.#choices.below(10)];
    const signed = this.#choices.of(['', 'signed ']);
    this.#lines.push(
      `function ${signed}[${width - 1}:0] fn${at}(input ${signed}[${x - 1}:0] x, input [${y - 1}:0] y); integer i; begin`,
      `  fn${at} = x ${this.#choices.of(['+', '^', '-'])} y;`,
      `  for (i = ${this.#choices.below(2)}; i < ${y}; i = i + ${1 + this.#choices.below(2)}) if (y[i]) fn${at} = {fn${at}[${width - 2}:0], fn${at}[${width - 1}]} ${this.#choices.of(['^', '+'])} x;`,
      `  case (y[1:0]) 2'd${this.#choices.below(4)}: fn${at} = ~fn${at}; 2'd${this.#choices.below(4)}, 2'd${this.#choices.below(4)}: fn${at}[0] = x[0]; endcase`,
      'end endfunction',
    );
  }

  #process(kind: Kind, registers: readonly Register[], memory: Memory | null): void {
    const loop = `n${this.#named++}`;
    this.#lines.push(`integer ${loop};`);
    if (kind === 'combinational') {
      // A value first, so that there is no latch; then what changes it.
      const firsts = registers.map(({ name }) => `${name} = ${this.#expression(2)};`);
      const body = this.#statements(LEVELS, registers, null, '=', loop);
      this.#lines.push('always @* begin', ...firsts, ...body, 'end');
      return;
    }
    const assign = kind === 'blocking' ? '=' : '<=';
    const edges = {
      ...{ plain: '', blocking: '', synchronous: '', combinational: '' },
      ...{ asynchronous: ' or posedge rst', low: ' or negedge rst_n' },
    }[kind];
    // With a memory the process has no asynchronous reset: a memory cannot be reset.
    const edge = memory ? '' : edges;
    const body = this.#statements(LEVELS, registers, memory, assign, loop);
    const resets = registers.map(({ name, width, initial }) => `${name} <= ${width}'d${initial};`);
    const condition = kind === 'low' ? '!rst_n' : 'rst';
    const hasReset = kind === 'synchronous' || kind === 'asynchronous' || kind === 'low';
    const head = `always @(posedge clk${hasReset ? edge : ''})`;
    if (hasReset)
      this.#lines.push(`${head} if (${condition}) begin`, ...resets, 'end else begin', ...body, 'end');
    else this.#lines.push(`${head} begin`, ...body, 'end');
  }

  #statements(
    depth: number,
    registers: readonly Register[],
    memory: Memory | null,
    assign: '=' | '<=',
    loop: string,
  ): string[] {
    const more = () => this.#statements(depth - 1, registers, memory, assign, loop);
    return Array.from({ length: 1 + this.#choices.below(3) }).flatMap((): string[] => {
      const kind = this.#choices.below(depth > 0 ? 11 : 5);
      if (kind < 4) return [this.#assignment(registers, assign)];
      if (kind === 4) return [memory ? this.#write(memory) : this.#assignment(registers, assign)];
      if (kind < 7) return [`if (${this.#condition()}) begin`, ...more(), 'end', ...this.#otherwise(more)];
      if (kind < 9) return this.#case(more);
      return [this.#loop(registers, assign, loop)];
    });
  }

  #otherwise(more: () => string[]): string[] {
    return this.#choices.below(2) ? ['else begin', ...more(), 'end'] : [];
  }

  #case(more: () => string[]): string[] {
    const bits = 1 + this.#choices.below(3);
    const pattern = () =>
      Array.from({ length: bits }, () => this.#choices.of(wild ? ['0', '1', '?'] : ['0', '1'])).join('');
    const word = this.#choices.of(['case', 'case', 'casez', 'casex']);
    const wild = word !== 'case';
    const items = Array.from({ length: 1 + this.#choices.below(4) }, () => {
      const labels = Array.from({ length: 1 + this.#choices.below(2) }, () => `${bits}'b${pattern()}`);
      return [`${labels.join(', ')}: begin`, ...more(), 'end'];
    });
    const otherwise = this.#choices.below(2) ? ['default: begin', ...more(), 'end'] : [];
    if (this.#choices.below(5) === 0) {
      const first = Array.from({ length: 2 + this.#choices.below(2) }, () => [
        `${this.#condition()}: begin`,
        ...more(),
        'end',
      ]);
      return ["case (1'b1)", ...first.flat(), ...otherwise, 'endcase'];
    }
    return [`${word} (${this.#index(bits)})`, ...items.flat(), ...otherwise, 'endcase'];
  }

  #assignment(registers: readonly Register[], assign: '=' | '<='): string {
    const { name, width } = this.#choices.of(registers);
    const value = () => this.#expression(1 + this.#choices.below(3));
    if (width === 1) return `${name} ${assign} ${value()};`;
    switch (this.#choices.below(9)) {
      case 0:
        return `${name}[${this.#choices.below(width)}] ${assign} ${value()};`;
      case 1: {
        const high = this.#choices.below(width);
        return `${name}[${high}:${this.#choices.below(high + 1)}] ${assign} ${value()};`;
      }
      case 2:
        // Also beyond the end, where nothing is written.
        return `${name}[${this.#choices.of(this.#signals.filter(({ width: bits }) => bits < 9)).name}] ${assign} ${value()};`;
      case 3:
        return `${name}[${this.#index(3)} +: ${1 + this.#choices.below(Math.min(width, 4))}] ${assign} ${value()};`;
      case 4: {
        const other = this.#choices.of(registers);
        if (other.name !== name) return `{${name}, ${other.name}} ${assign} ${value()};`;
        return `{${name}[0], ${name}[${width - 1}:1]} ${assign} ${value()};`;
      }
      default:
        return `${name} ${assign} ${value()};`;
    }
  }

  #write({ name, width, addressWidth }: Memory): string {
    const address = this.#index(addressWidth);
    const part = this.#choices.of(['', '', '[3:0]', `[${width - 1}:${width / 2}]`]);
    return `${name}[${address}]${part} <= ${this.#expression(2)};`;
  }

  #loop(registers: readonly Register[], assign: '=' | '<=', loop: string): string {
    const { name, width } = this.#choices.of(registers);
    if (width === 1) return `${name} ${assign} ${this.#expression(1)};`;
    const { name: other, width: bits } = this.#choices.of(this.#signals);
    const count = Math.min(width, bits);
    const step = 1 + this.#choices.below(3);
    const value = this.#choices.of([
      `${other}[${loop}]`,
      `${other}[${bits - 1} - ${loop}]`,
      `${other}[${loop}] ^ ${this.#condition()}`,
      `${name}[${width - 1} - ${loop}]`,
    ]);
    const guarded = this.#choices.of([
      '',
      `if (${other}[${loop}]) `,
      `if (${loop} != ${this.#choices.below(4)}) `,
    ]);
    const head = this.#choices.of([
      `${loop} = ${count - 1}; ${loop} >= 0; ${loop} = ${loop} - ${step}`,
      `${loop} = 0; ${loop} < ${count}; ${loop} = ${loop} + ${step}`,
    ]);
    if (bits === 1) return `for (${head}) ${name}[${loop}] ${assign} ${this.#condition()};`;
    return `for (${head}) ${guarded}${name}[${loop}] ${assign} ${value};`;
  }
}
