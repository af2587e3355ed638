import { Choices } from './choices.ts';
import { INPUT_WIDTH, OUTPUT_WIDTH } from './expression.ts';
import { OPERANDS } from './processes.ts';

/** A memory and how its words are written. */
interface Memory {
  name: string;
  width: number;
  words: number;
  /** Bits of an address that reaches every word. */
  addressWidth: number;
  /** Of a size and in ways for which a block RAM is made; else small, in any way. */
  isBlock: boolean;
  /** Width of the parts that a write may leave as they are; the width of a word where it writes all. */
  lane: number;
  /** Its words are packed arrays of lanes. */
  isPacked: boolean;
}

/** The type of a word. */
const typeOf = ({ width, lane, isPacked }: Memory): string =>
  isPacked ? `logic [${width / lane - 1}:0][${lane - 1}:0]` : `[${width - 1}:0]`;

type Edge = 'posedge' | 'negedge';
const OTHER_EDGE: Readonly<Record<Edge, Edge>> = { posedge: 'negedge', negedge: 'posedge' };

/** What a block RAM can do beside a write. */
const BLOCK_PORTS = ['alone', 'old', 'new', 'no change', 'reset'] as const;
const PORTS = [...BLOCK_PORTS, 'blocking', 'two', 'exclusive'] as const;
const BLOCK_READS = ['plain', 'enabled', 'reset', 'both', 'address', 'twice'] as const;
const READS = [...BLOCK_READS, 'none', 'part'] as const;

/** Statements of a design, and the values that it shows. */
interface Piece {
  lines: string[];
  shown: string[];
}

/**
 * Random memories as people write them: one or two write ports, whole words or lanes, reads without a clock, with one,
 * with a registered address, of the new or the old word, with enables and resets, in sizes that are no powers of two.
 * The same for the same numbers. An unknown word is `x` in a simulation, which compares with anything.
 */
export class MemoryMaker {
  readonly #choices: Choices;
  readonly #systemVerilog: boolean;
  #named = 0;

  /**
   * @param random numbers from 0 to below 1
   * @param systemVerilog with packed arrays as words, and nothing that has no value
   */
  constructor(random: () => number, systemVerilog: boolean) {
    this.#choices = new Choices(random);
    this.#systemVerilog = systemVerilog;
  }

  make(): { text: string; outputs: number } {
    const pieces = this.#choices.some(3, () => this.#memory());
    const shown = pieces.flatMap((piece) => piece.shown);
    const outputs = shown.map((_, at) => `output [${OUTPUT_WIDTH - 1}:0] y${at}`);
    const text = `module slave(input clk, rst, wb_cyc, wb_stb, wb_we, input [3:0] wb_adr,
  input [31:0] wb_dat_w, output [31:0] wb_dat_r, output wb_ack,
  input [${OPERANDS.length * INPUT_WIDTH - 1}:0] in, ${outputs.join(', ')});
assign wb_ack = wb_stb;
assign wb_dat_r = wb_adr;
integer i;
${OPERANDS.map(({ name, width }, at) => `wire [${width - 1}:0] ${name} = in[${at * INPUT_WIDTH} +: ${width}];`).join('\n')}
${pieces.flatMap((piece) => piece.lines).join('\n')}
${shown.map((value, at) => `assign y${at} = ${value};`).join('\n')}
endmodule
`;
    return { text, outputs: shown.length };
  }

  #name(prefix: string): string {
    return `${prefix}${this.#named++}`;
  }

  /** So many bits of the inputs. */
  #bits(width: number): string {
    const { name, width: most } = this.#choices.of(OPERANDS.filter((one) => one.width >= width));
    if (most === 1) return name;
    return `${name}[${this.#choices.below(most - width + 1)} +: ${width}]`;
  }

  /** Few bits change, so that reads meet writes. */
  #address({ addressWidth }: Memory): string {
    const few = Math.min(addressWidth, 1 + this.#choices.below(4));
    const bits = this.#bits(Math.min(few, 8));
    if (few === addressWidth) return bits;
    return this.#choices.of([bits, `{1'b1, ${bits}}`, `${bits} + ${1 + this.#choices.below(3)}`]);
  }

  /** A word for a memory. */
  #data({ width }: Memory): string {
    return this.#choices.of(['c', '{c, d}', '{b, c}', 'c ^ {d, d}', `{${width}{f}} ^ c`]);
  }

  #enable(): string {
    return this.#choices.of(['f', 'b[0]', 'b[1] & b[2]', 'd[3] | f', '!f', 'e != 0']);
  }

  #memory(): Piece {
    const { below, once, of, some } = bound(this.#choices);
    const isBlock = once(2);
    const addressWidth = isBlock ? 5 + below(5) : 1 + below(4);
    const most = 2 ** addressWidth;
    const lane = isBlock ? of([8, 9]) : of([1, 2, 4, 8]);
    const isInLanes = once(3);
    const width = isInLanes ? lane * (1 + below(4)) : 1 + below(isBlock ? 40 : 24);
    const memory: Memory = {
      ...{ name: this.#name('m'), width, addressWidth, isBlock, lane: isInLanes ? lane : width },
      words: once(3) && !this.#systemVerilog ? most - below(most / 2) : most,
      isPacked: isInLanes && this.#systemVerilog && once(2),
    };
    const range = once(2) ? `[0:${memory.words - 1}]` : `[${memory.words - 1}:0]`;
    const initial =
      once(2) || this.#systemVerilog
        ? [
            `initial for (i = 0; i < ${memory.words}; i = i + 1) ${memory.name}[i] = i * ${1 + below(1e5)} + ${below(100)};`,
          ]
        : [];
    const edge: Edge = once(6) ? 'negedge' : 'posedge';
    const port = once(8) ? null : this.#port(memory, edge);
    // Whether another process on the edge of blocking assignments sees the old or the new word is open.
    const reads = some(isBlock ? 2 : 3, () =>
      this.#readPort(memory, port?.isBlocking ? OTHER_EDGE[edge] : once(6) ? 'negedge' : edge),
    );
    const pieces = [...(port ? [port.piece] : []), ...reads];
    return {
      lines: [
        `${memory.isPacked ? '' : 'reg '}${typeOf(memory)} ${memory.name} ${range};`,
        ...initial,
        ...pieces.flatMap((piece) => piece.lines),
      ],
      shown: pieces.flatMap((piece) => piece.shown),
    };
  }

  /** A statement that writes a word, or the lanes that are enabled. */
  #write(
    memory: Memory,
    assign: '=' | '<=',
  ): { declared: string[]; address: string; data: string; statement: string } {
    const { name, width, lane, addressWidth, isPacked } = memory;
    const [address, data, enabled] = [this.#name('a'), this.#name('d'), this.#name('en')];
    const lanes = width / lane;
    const part = (range: string) => `${name}[${address}]${range} ${assign} ${data}${range};`;
    const of = {
      declared: [
        `wire [${addressWidth - 1}:0] ${address} = ${this.#address(memory)};`,
        `wire ${typeOf(memory)} ${data} = ${this.#data(memory)};`,
      ],
      ...{ address, data },
    };
    if (lanes === 1) return { ...of, statement: part('') };
    of.declared.push(`wire [${lanes - 1}:0] ${enabled} = ${this.#bits(lanes)};`);
    const statement = this.#choices.once(2)
      ? `for (i = 0; i < ${lanes}; i = i + 1) if (${enabled}[i]) ${part(isPacked ? '[i]' : `[i * ${lane} +: ${lane}]`)}`
      : Array.from(
          { length: lanes },
          (_, at) =>
            `if (${enabled}[${at}]) ${part(isPacked ? `[${at}]` : `[${(at + 1) * lane - 1}:${at * lane}]`)}`,
        ).join(' ');
    return { ...of, statement };
  }

  /** What writes a memory, with the read that people write beside it. */
  #port(memory: Memory, edge: Edge): { piece: Piece; isBlocking: boolean } {
    const { below, once, of } = bound(this.#choices);
    const kind = of(memory.isBlock ? BLOCK_PORTS : PORTS);
    const isBlocking = kind === 'blocking';
    const [q, first] = [this.#name('q'), this.#write(memory, isBlocking ? '=' : '<=')];
    const read = `${q} <= ${memory.name}[${first.address}];`;
    const second = kind === 'two' || kind === 'exclusive' ? this.#write(memory, '<=') : null;
    const isNew = kind === 'new' && memory.lane === memory.width;
    const written = `if (${this.#enable()}) begin ${first.statement}${isNew ? ` ${q} <= ${first.data};` : ''} end`;
    const body = {
      ...{ alone: [written], blocking: [written, read], reset: [written, read] },
      old: once(2) ? [read, written] : [written, read],
      new: [written, isNew ? `else ${read}` : read],
      'no change': [written, `else ${read}`],
      two: [written, `if (${this.#enable()}) begin ${second?.statement} end`, read],
      exclusive: [written, `else begin ${second?.statement} end`, read],
    }[kind];
    const lines = [
      `reg [${memory.width - 1}:0] ${q} = ${below(4)};`,
      ...[...first.declared, ...(second?.declared ?? [])],
      ...clocked(edge, body, kind === 'reset' ? `${q} <= ${below(9)};` : undefined),
    ];
    return { piece: { lines, shown: kind === 'alone' ? [] : [this.#shown(q)] }, isBlocking };
  }

  /** A read of a memory in a process of its own, or in none. */
  #readPort(memory: Memory, edge: Edge): Piece {
    const { below, once, of } = bound(this.#choices);
    const { name, width, addressWidth } = memory;
    const [at, q, r] = [this.#name('a'), this.#name('q'), this.#name('r')];
    const word = `${name}[${at}]`;
    const reset = `${q} <= ${below(9)};`;
    const read = `${q} <= ${word};`;
    const enable = `if (${this.#enable()})`;
    const address = `wire [${addressWidth - 1}:0] ${at} = ${this.#address(memory)};`;
    const register = `reg [${width - 1}:0] ${q}${once(2) || this.#systemVerilog ? ` = ${below(9)}` : ''};`;
    const later = `reg [${width - 1}:0] ${r} = 0;`;
    const shownWith = (lines: string[], shown = this.#shown(q)): Piece => ({
      lines: [address, ...lines],
      shown: [shown],
    });
    const isAsynchronous = once(3);
    switch (of(memory.isBlock ? BLOCK_READS : READS)) {
      case 'none':
        return shownWith([`wire [${width - 1}:0] ${q} = ${word};`]);
      case 'plain':
        return shownWith([register, ...clocked(edge, [read])]);
      case 'enabled':
        return shownWith([register, ...clocked(edge, [`${enable} ${read}`])]);
      case 'reset':
        return shownWith([register, ...clocked(edge, [read], reset, isAsynchronous)]);
      case 'both':
        return shownWith([
          register,
          ...(once(2)
            ? clocked(edge, [`${enable} ${read}`], reset, isAsynchronous)
            : clocked(edge, [`${enable} begin if (rst) ${reset} else ${read} end`])),
        ]);
      case 'address':
        return shownWith([
          `reg [${addressWidth - 1}:0] ${r} = 0;`,
          ...clocked(edge, [`${once(2) ? enable : ''} ${r} <= ${at};`]),
          `wire [${width - 1}:0] ${q} = ${name}[${r}];`,
        ]);
      case 'twice':
        return shownWith([register, later, ...clocked(edge, [read, `${r} <= ${q};`])], this.#shown(r));
      case 'part':
        return shownWith(
          [`reg ${q} = 0;`, ...clocked(edge, [`${q} <= ${once(2) ? `^${word}` : `${word} > c`};`])],
          q,
        );
    }
  }

  /** All bits of a value in OUTPUT_WIDTH. */
  #shown(value: string): string {
    return `${value} ^ ${value} >> ${OUTPUT_WIDTH}`;
  }
}

/** A process around the statements of a clock. @param reset what a reset does instead of them */
const clocked = (edge: Edge, body: readonly string[], reset?: string, isAsynchronous = false): string[] => [
  `always @(${edge} clk${isAsynchronous && reset ? ' or posedge rst' : ''})`,
  ...(reset ? [`if (rst) begin ${reset} end else`] : []),
  ...['begin', ...body, 'end'],
];

/** Methods of the choices as functions. */
const bound = (choices: Choices) => ({
  below: (n: number) => choices.below(n),
  once: (n: number) => choices.once(n),
  of: <T>(values: readonly T[]) => choices.of(values),
  some: <T>(most: number, make: (at: number) => T) => choices.some(most, make),
});
