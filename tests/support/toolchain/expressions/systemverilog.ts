import { INPUT_WIDTH, OUTPUT_WIDTH } from './expression.ts';
import type { PackedType, Place } from './packed-types.ts';
import { OPERANDS } from './processes.ts';
import { bitsOf } from './systemverilog-expressions.ts';
import { SystemVerilogModules } from './systemverilog-modules.ts';

/**
 * Random designs in SystemVerilog: packed types and their parts, casts, functions, tasks, the statements of processes,
 * modules with parameters, interfaces. Every variable has a value from the start, no read is outside of its vector and
 * nothing is divided by zero, so that a simulator knows all bits.
 */
export class SystemVerilogMaker extends SystemVerilogModules {
  make(): { text: string; outputs: number } {
    const functions = [this.#function(), this.#function(), this.#task()].join('\n');
    const operands = OPERANDS.map(
      ({ name, width }): Place => ({
        text: name,
        type: bitsOf(width, width > 1 ? [width - 1, 0] : undefined),
      }),
    );
    const parts = this.#inputs();
    this.reads = [...operands, ...parts.map(({ place }) => place)];
    const children = [this.generic(), this.shared()];
    const pieces = [
      ...this.choices.some(4, () => this.#process()),
      ...children.map(({ instances }) => instances()),
    ];
    const shown = pieces.flatMap((piece) => piece.shown);
    const outputs = shown.map((_, at) => `output logic [${OUTPUT_WIDTH - 1}:0] y${at}`);
    const text = `package types;
${[...this.types.declarations].join('\n')}
${functions}
endpackage
${children.map(({ module }) => module).join('\n')}
module slave import types::*; (input logic clk, rst, wb_cyc, wb_stb, wb_we, input logic [3:0] wb_adr,
  input logic [31:0] wb_dat_w, output logic [31:0] wb_dat_r, output logic wb_ack,
  input logic [${OPERANDS.length * INPUT_WIDTH - 1}:0] in, ${outputs.join(', ')});
assign wb_ack = wb_stb;
assign wb_dat_r = wb_adr;
wire rst_n = ~rst;
${OPERANDS.map(({ name, width, signed }, at) => `wire logic${signed ? ' signed' : ''} [${width - 1}:0] ${name} = in[${at * INPUT_WIDTH} +: ${width}];`).join('\n')}
${parts.map(({ declaration }) => declaration).join('\n')}
${pieces.flatMap((piece) => piece.lines).join('\n')}
${shown.map((value, at) => `assign y${at} = ${value};`).join('\n')}
endmodule
`;
    return { text, outputs: shown.length };
  }

  /** Operands of packed types, from the inputs. */
  #inputs(): { place: Place; declaration: string }[] {
    return Array.from({ length: 3 }, (_, at) => {
      const type = this.types.any();
      const text = this.name('p');
      return {
        place: { text, type },
        declaration: `wire ${type.name} ${text} = ${this.cast(type, `in[${at * 31} +: 80]`)};`,
      };
    });
  }

  #function(): string {
    const { choices } = this;
    const [type, ...types] = [0, 1, 2].map(() => this.types.any()) as [PackedType, ...PackedType[]];
    const name = this.name('fn');
    const places = types.map((one, at) => ({ text: `x${at}`, type: one }));
    const before = this.reads;
    const result = { text: 'r', type };
    this.reads = [...places, result];
    const bits = this.bits;
    this.bits = (width) => `unsigned'(${width}'({x0} >> ${choices.below(3)}))`;
    const body = this.statements({ places: [result], assign: '=' }, 1);
    const early = choices.once(2) ? [`if (${this.expression(1)}) return ${this.value(result)};`] : [];
    this.reads = places;
    const start = this.value(result);
    this.bits = bits;
    this.reads = before;
    this.functions.push({ name, types });
    const args = places.map((place) => `input ${place.type.name} ${place.text}`).join(', ');
    const way = choices.of(['automatic ', '']);
    return [
      `function ${way}${type.name} ${name}(${args});`,
      ...(way ? [`${type.name} r = ${start};`] : [`${type.name} r; r = ${start};`]),
      ...[...body, ...early, 'return r;', 'endfunction'],
    ].join('\n');
  }

  #task(): string {
    const { choices } = this;
    const type = this.types.any();
    const name = this.name('tk');
    const places = [
      { text: 'x0', type: this.types.any() },
      { text: 'r', type },
    ];
    const before = this.reads;
    this.reads = places.slice(0, 1);
    const bits = this.bits;
    this.bits = (width) => `unsigned'(${width}'({x0} >> ${this.choices.below(3)}))`;
    const start = this.value({ text: '', type });
    this.reads = places;
    const body = this.statements({ places: [places[1]!], assign: '=' }, 1);
    this.bits = bits;
    this.reads = before;
    this.tasks.push({ name, input: places[0]!.type, type });
    const word = choices.of(['task', 'function']);
    return [
      `${word} automatic${word === 'task' ? '' : ' void'} ${name}(input ${places[0]!.type.name} x0, output ${type.name} r);`,
      `r = ${start};`,
      ...body,
      `end${word}`,
    ].join('\n');
  }

  #process(): { lines: string[]; shown: string[] } {
    const { choices } = this;
    const kind = choices.of([
      'plain',
      'synchronous',
      'asynchronous',
      'low',
      'falling',
      'blocking',
      'comb',
      'star',
    ] as const);
    const assign = kind === 'blocking' || kind === 'comb' || kind === 'star' ? '=' : '<=';
    const places = choices.some(3, (): Place => ({ text: this.name('r'), type: this.types.any() }));
    const initial = places.map(({ type }) => this.cast(type, `${choices.below(2 ** 30)}`));
    const isCombinational = kind === 'comb' || kind === 'star';
    const declarations = places.map(
      ({ text, type }, at) => `${type.name} ${text}${isCombinational ? '' : ` = ${initial[at]}`};`,
    );
    const before = this.reads;
    const firsts = places.map((place) => `${place.text} = ${this.value(place)};`);
    this.reads = [...before, ...places];
    const body = this.statements({ places, assign }, 2);
    const isVisible = assign === '<=';
    if (!isVisible) this.reads = before;
    const resets = places.map(({ text }, at) => `${text} ${assign} ${initial[at]};`);
    const edge = { asynchronous: ' or posedge rst', low: ' or negedge rst_n' }[kind as string] ?? '';
    const head =
      {
        comb: 'always_comb',
        star: 'always @*',
        falling: 'always_ff @(negedge clk)',
        blocking: 'always @(posedge clk)',
      }[kind as string] ?? `always_ff @(posedge clk${edge})`;
    const hasReset = kind === 'synchronous' || edge !== '';
    const lines = isCombinational
      ? [`${head} begin`, ...firsts, ...body, 'end']
      : hasReset
        ? [
            `${head} if (${kind === 'low' ? '!rst_n' : 'rst'}) begin`,
            ...resets,
            'end else begin',
            ...body,
            'end',
          ]
        : [`${head} begin`, ...body, 'end'];
    return { lines: [...declarations, ...lines], shown: places.map(this.shown) };
  }
}
