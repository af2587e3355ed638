import { Choices } from './choices.ts';
import { INPUT_WIDTH, OUTPUT_WIDTH } from './expression.ts';
import { type PackedType, PackedTypes, type Place, partOf } from './packed-types.ts';
import { OPERANDS } from './processes.ts';

/** Variables of one process, and how it assigns them. */
interface Target {
  places: readonly Place[];
  assign: '=' | '<=';
}

type Next = () => string;

const bitsOf = (width: number, range?: readonly [number, number]): PackedType => ({
  ...{ name: `logic [${width - 1}:0]`, width },
  ...(range && { range }),
});

/**
 * Random designs in SystemVerilog: packed types and their parts, casts, functions, tasks, the statements of processes,
 * modules with parameters, interfaces. Every variable has a value from the start, no read is outside of its vector and
 * nothing is divided by zero, so that a simulator knows all bits.
 */
export class SystemVerilogMaker {
  readonly choices: Choices;
  readonly #types: PackedTypes;
  /** What expressions may read. */
  #reads: Place[] = [];
  #functions: { name: string; types: readonly PackedType[] }[] = [];
  #tasks: { name: string; input: PackedType; type: PackedType }[] = [];
  /** Packed arrays and parts of them that were read. */
  readonly #arrays = new Set<string>();
  #named = 0;

  constructor(random: () => number) {
    this.choices = new Choices(random);
    this.#types = new PackedTypes(this.choices, 10);
  }

  make(): { text: string; outputs: number } {
    const functions = [this.#function(), this.#function(), this.#task()].join('\n');
    const operands = OPERANDS.map(
      ({ name, width }): Place => ({
        text: name,
        type: bitsOf(width, width > 1 ? [width - 1, 0] : undefined),
      }),
    );
    const parts = this.#inputs();
    this.#reads = [...operands, ...parts.map(({ place }) => place)];
    const children = [this.#generic(), this.#shared()];
    const pieces = [
      ...this.choices.some(4, () => this.#process()),
      ...children.map(({ instances }) => instances()),
    ];
    const shown = pieces.flatMap((piece) => piece.shown);
    const outputs = shown.map((_, at) => `output logic [${OUTPUT_WIDTH - 1}:0] y${at}`);
    const text = `package types;
${[...this.#types.declarations].join('\n')}
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

  #name(prefix: string): string {
    return `${prefix}${this.#named++}`;
  }

  /** Operands of packed types, from the inputs. */
  #inputs(): { place: Place; declaration: string }[] {
    return Array.from({ length: 3 }, (_, at) => {
      const type = this.#types.any();
      const text = this.#name('p');
      return {
        place: { text, type },
        declaration: `wire ${type.name} ${text} = ${this.#cast(type, `in[${at * 31} +: 80]`)};`,
      };
    });
  }

  /** A value as a type. Verilator has no casts to arrays, and takes the width of one to an enum for that of operators. */
  #cast = ({ name, width, element, isEnum }: PackedType, value: string): string =>
    isEnum ? `${name}'(${width}'(${value}))` : `${element ? width : name}'(${value})`;

  /** All bits of a value in OUTPUT_WIDTH. */
  #shown = ({ text }: Place): string => `${OUTPUT_WIDTH}'(80'(${text}) ^ 80'(${text}) >> ${OUTPUT_WIDTH})`;

  /** An unsigned value of so many bits. */
  #bits = (width: number): string => {
    const wide = OPERANDS.filter((one) => one.width > width);
    const { name, width: most } = this.choices.of(wide);
    const low = this.choices.below(most - width + 1);
    return `${name}[${low} +: ${width}]`;
  };

  /** An index of so many, from the lowest on. */
  #position = (low: number, count: number): string => {
    if (count === 1 || this.choices.once(2)) return String(low + this.choices.below(count));
    const bits = Math.log2(count);
    const index = Number.isInteger(bits) ? this.#bits(bits) : `${this.#bits(6)} % ${count}`;
    return low === 0 ? index : `${low} + ${index}`;
  };

  #read(): string {
    const { text, type } = partOf(this.choices, this.choices.of(this.#reads), this.#position);
    if (type.element) this.#arrays.add(text);
    return text;
  }

  /** What a shift moves. In a cast to fewer bits Verilator cuts a packed array before it shifts it. */
  #moved(value: string): string {
    return this.#arrays.has(value) ? `{${value}}` : value;
  }

  #constant(): string {
    const { choices } = this;
    const width = 1 + choices.below(12);
    const value = choices.below(2 ** width);
    return choices.of([
      `${width}'d${value}`,
      `${width}'sd${value}`,
      String(choices.below(100)),
      `${width}'h${value.toString(16)}`,
      `$clog2(${1 + choices.below(70)})`,
      `$bits(${this.#types.any().name})`,
      ...this.#types.enumerators.slice(0, 2),
    ]);
  }

  /** Each makes one kind of expression of parts. */
  readonly #forms: readonly ((next: Next) => string)[] = [
    (next) => `(${next()} ${this.choices.of(['+', '-', '*'])} ${next()})`,
    (next) => `(${next()} ${this.choices.of(['&', '|', '^', '~^'])} ${next()})`,
    (next) => `(${next()} ${this.choices.of(['==', '!=', '<', '<=', '>', '>='])} ${next()})`,
    (next) =>
      `(${this.#moved(next())} ${this.choices.of(['<<', '>>', '<<<', '>>>'])} ${this.#bits(this.choices.of([1, 2, 3, 4]))})`,
    (next) => `(${this.choices.of(['~', '-', '!', '^', '&', '|', '+'])}${next()})`,
    (next) => `(${next()} ? ${next()} : ${next()})`,
    (next) => `(${next()} ${this.choices.of(['&&', '||'])} ${next()})`,
    (next) => `{${this.#sized(next)}, ${this.#sized(next)}}`,
    (next) => `{${1 + this.choices.below(3)}{${this.#sized(next)}}}`,
    (next) => `${this.choices.of(['signed', 'unsigned'])}'(${next()})`,
    (next) => this.#sized(next),
    (next) => this.#sized(next),
    () => `$countones(${this.#read()})`,
    // Verilator gives an operator in a base its own width.
    (next) => `(${this.#sized(next)} ** ${this.choices.below(4)})`,
    (next) => `(8'(${next()}) ${this.choices.of(['/', '%'])} (${this.#bits(3)} | 3'd1))`,
    (next) => `(signed'(6'(${next()})) ${this.choices.of(['/', '%'])} (signed'(${this.#bits(3)}) | 3'sd1))`,
    (next) => {
      if (this.#functions.length === 0) return this.#read();
      const { name, types } = this.choices.of(this.#functions);
      return `${name}(${types.map((type) => this.#cast(type, next())).join(', ')})`;
    },
    () => `(4'(${this.#read()}) ==? 4'b${this.#pattern(4, '01?')})`,
  ];

  #pattern(width: number, digits: string): string {
    return Array.from({ length: width }, () => this.choices.of([...digits])).join('');
  }

  #expression(depth: number): string {
    if (depth <= 0) return this.choices.once(4) ? this.#constant() : this.#read();
    return this.choices.of(this.#forms)(() => this.#expression(depth - 1 - this.choices.below(2)));
  }

  /** With a width of its own: a cast, a part of a variable or a pattern. */
  #sized(next: Next): string {
    const { choices } = this;
    const type = this.#types.any();
    const width = 1 + choices.below(choices.of([4, 12, 40]));
    return choices.of([
      () => `${width}'(${next()})`,
      () => this.#cast(type, next()),
      () => this.#read(),
      () => this.#read(),
      () => (type.fields && !choices.once(2) ? this.#fields(type, next) : `unsigned'(${width}'(${next()}))`),
    ])();
  }

  /** A pattern that gives each field or element a value. */
  #fields({ name, fields = [], width }: PackedType, next: Next): string {
    if (fields[0]?.type.width === width) return `${name}'(${next()})`;
    const values = fields.map(({ name: field, type }) => `${field}: ${this.#cast(type, next())}`);
    return `${name}'{${values.join(', ')}}`;
  }

  #value = (place: Place, depth = 1 + this.choices.below(3)): string => {
    const value = this.#expression(depth);
    return place.type.isEnum ? this.#cast(place.type, value) : value;
  };

  /** Each makes one kind of statement; those from the second half on have others within. */
  readonly #statementForms: readonly ((target: Target, depth: number) => string[])[] = [
    (target) => [this.#assignment(target)],
    (target) => [this.#assignment(target)],
    (target) => [this.#assignment(target)],
    (target) => this.#call(target),
    (target) => {
      const places = target.places.filter(({ type }) => !type.isEnum);
      if (places.length < 2) return [this.#assignment(target)];
      return [`{${places[0]!.text}, ${places[1]!.text}} ${target.assign} ${this.#expression(2)};`];
    },
    (target, depth) => [
      `if (${this.#expression(2)}) begin`,
      ...this.#statements(target, depth),
      ...(this.choices.once(2) ? ['end else begin', ...this.#statements(target, depth)] : []),
      'end',
    ],
    (target, depth) => this.#case(target, depth),
    (target, depth) => this.#case(target, depth),
    (target, depth) => this.#loop(target, depth),
    (target, depth) => this.#local(target, depth),
  ];

  #statements(target: Target, depth: number): string[] {
    const forms = depth > 0 ? this.#statementForms : this.#statementForms.slice(0, 5);
    return this.choices.some(3, () => this.choices.of(forms)(target, depth - 1)).flat();
  }

  #assignment({ places, assign }: Target): string {
    const place = partOf(this.choices, this.choices.of(places), this.#position);
    if (assign === '=' && !place.type.isEnum && this.choices.once(4))
      return this.choices.of([
        `${place.text} ${this.choices.of(['+', '-', '^', '|', '<<', '>>>'])}= ${this.#value(place)};`,
        place.text.includes('[') ? `${place.text} += 1;` : `${place.text}++;`,
      ]);
    // As wide as the place: Verilator moves a narrower stream to the wrong end.
    if (!place.type.isEnum && this.choices.once(8))
      return `${place.text} ${assign} {${this.choices.of(['<<', '>>'])}${this.choices.of(['', '2', '3 ', '8', 'byte'])}{${place.type.width}'(${this.#expression(1)})}};`;
    return `${place.text} ${assign} ${this.#value(place)};`;
  }

  #case(target: Target, depth: number): string[] {
    const { choices } = this;
    const bits = 1 + choices.below(3);
    const kind = choices.of([
      'case',
      'casez',
      'unique case',
      "case (1'b1)",
      'priority casez',
      'inside',
    ] as const);
    const wild = kind.endsWith('casez') || kind === 'inside' ? '01?' : '01';
    const pattern = () => `${bits}'b${this.#pattern(bits, wild)}`;
    const body = () => this.#statements(target, depth).join(' ');
    const labels = choices.some(4, () => {
      if (kind === "case (1'b1)") return this.#expression(1);
      if (kind === 'inside' && choices.once(2)) return `[${choices.below(2)}:${1 + choices.below(4)}]`;
      return choices.some(2, pattern).join(', ');
    });
    const items = kind === 'unique case' ? [...new Set(labels.map((label) => label.split(',')[0]!))] : labels;
    const head =
      kind === "case (1'b1)"
        ? kind
        : kind === 'inside'
          ? `case (${this.#bits(bits)}) inside`
          : `${kind} (${this.#bits(bits)})`;
    const needsDefault = /unique|priority/.test(kind) || choices.once(2);
    return [
      head,
      ...items.map((label) => `${kind === "case (1'b1)" ? `1'(${label})` : label}: begin ${body()} end`),
      ...(needsDefault ? [`default: begin ${body()} end`] : []),
      'endcase',
    ];
  }

  #loop(target: Target, depth: number): string[] {
    const { choices } = this;
    const vectors = target.places.filter(({ type }) => type.range);
    if (vectors.length === 0) return [this.#assignment(target)];
    const { text, type } = choices.of(vectors);
    const [left, right] = type.range!;
    const [low, high] = [Math.min(left, right), Math.max(left, right)];
    const i = this.#name('i');
    const leave = choices.of(['', '', `if (${this.#expression(1)}) ${choices.of(['break', 'continue'])};`]);
    const element = { text: `${text}[${i}]`, type: type.element ?? bitsOf(1) };
    const value = choices.of([
      () => this.#value(element),
      () => `${this.#bits(1)} ^ ${i}`,
      () => `${this.#bits(2)} + ${this.#read()} >> ${i}`,
    ])();
    const cast = element.type.isEnum ? this.#cast(element.type, value) : value;
    const others = choices.once(3) ? this.#statements(target, depth - 1) : [];
    const body = [leave, `${element.text} ${target.assign} ${cast};`, ...others, 'end'];
    const step = 1 + choices.below(2);
    return choices.of([
      [`for (int ${i} = ${low}; ${i} <= ${high}; ${i} += ${step}) begin`, ...body],
      [`for (int ${i} = ${high}; ${i} >= ${low}; ${i}--) begin`, ...body],
      [`foreach (${text}[${i}]) begin`, ...body],
    ]);
  }

  /** A block with variables of its own. */
  #local(target: Target, depth: number): string[] {
    const type = this.#types.any();
    const place = { text: this.#name('v'), type };
    const first = `automatic ${type.name} ${place.text} = ${this.#value({ text: '', type })};`;
    const before = this.#reads;
    this.#reads = [...before, place, place];
    const body = this.#statements({ places: [place], assign: '=' }, depth - 1);
    const rest = this.#statements(target, depth - 1);
    this.#reads = before;
    return [`begin : ${this.#name('block')}`, first, ...body, ...rest, 'end'];
  }

  /** A call of a task with an output. */
  #call(target: Target): string[] {
    const [task] = this.#tasks;
    if (!task || target.assign !== '=') return [this.#assignment(target)];
    const place = target.places.find(({ type }) => type.name === task.type.name);
    if (place) return [`${task.name}(${this.#cast(task.input, this.#expression(1))}, ${place.text});`];
    const text = this.#name('v');
    return [
      `begin : ${this.#name('block')} automatic ${task.type.name} ${text} = ${this.#value({ text: '', type: task.type })};`,
      `${task.name}(${this.#cast(task.input, this.#expression(1))}, ${text});`,
      `${this.choices.of(target.places.filter(({ type }) => !type.isEnum).concat({ text, type: task.type })).text} = ${text}; end`,
    ];
  }

  #function(): string {
    const { choices } = this;
    const [type, ...types] = [0, 1, 2].map(() => this.#types.any()) as [PackedType, ...PackedType[]];
    const name = this.#name('fn');
    const places = types.map((one, at) => ({ text: `x${at}`, type: one }));
    const before = this.#reads;
    const result = { text: 'r', type };
    this.#reads = [...places, result];
    const bits = this.#bits;
    this.#bits = (width) => `unsigned'(${width}'({x0} >> ${choices.below(3)}))`;
    const body = this.#statements({ places: [result], assign: '=' }, 1);
    const early = choices.once(2) ? [`if (${this.#expression(1)}) return ${this.#value(result)};`] : [];
    this.#reads = places;
    const start = this.#value(result);
    this.#bits = bits;
    this.#reads = before;
    this.#functions.push({ name, types });
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
    const type = this.#types.any();
    const name = this.#name('tk');
    const places = [
      { text: 'x0', type: this.#types.any() },
      { text: 'r', type },
    ];
    const before = this.#reads;
    this.#reads = places.slice(0, 1);
    const bits = this.#bits;
    this.#bits = (width) => `unsigned'(${width}'({x0} >> ${this.choices.below(3)}))`;
    const start = this.#value({ text: '', type });
    this.#reads = places;
    const body = this.#statements({ places: [places[1]!], assign: '=' }, 1);
    this.#bits = bits;
    this.#reads = before;
    this.#tasks.push({ name, input: places[0]!.type, type });
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
    const places = choices.some(3, (): Place => ({ text: this.#name('r'), type: this.#types.any() }));
    const initial = places.map(({ type }) => this.#cast(type, `${choices.below(2 ** 30)}`));
    const isCombinational = kind === 'comb' || kind === 'star';
    const declarations = places.map(
      ({ text, type }, at) => `${type.name} ${text}${isCombinational ? '' : ` = ${initial[at]}`};`,
    );
    const before = this.#reads;
    const firsts = places.map((place) => `${place.text} = ${this.#value(place)};`);
    this.#reads = [...before, ...places];
    const body = this.#statements({ places, assign }, 2);
    const isVisible = assign === '<=';
    if (!isVisible) this.#reads = before;
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
    return { lines: [...declarations, ...lines], shown: places.map(this.#shown) };
  }

  /** A module with parameters, and instances of it. */
  #generic() {
    const { choices } = this;
    const [type, other] = [this.#types.any(), this.#types.any()];
    const before = this.#reads;
    this.#reads = [
      { text: 'x', type: bitsOf(4, undefined) },
      { text: 'K', type: bitsOf(8) },
      { text: 't', type: bitsOf(4) },
    ];
    const bits = this.#bits;
    this.#bits = (width) => `unsigned'(${width}'(x >> ${choices.below(4)}))`;
    const u = this.#expression(3);
    const y = [this.#expression(3), this.#expression(2), this.#expression(2)];
    this.#bits = bits;
    this.#reads = before;
    const sign = choices.of(['', ' signed']);
    const module = `module child import types::*; #(parameter int W = 5, parameter logic signed [7:0] K = -3, parameter type T = ${type.name}, localparam int V = W + 2)
  (input logic clk, input logic${sign} [W-1:0] x, input T t, output logic${choices.of(['', ' signed'])} [V-1:0] y, output T u);
  logic [W-1:0] bits;
  for (genvar g = 0; g < W; g++) begin : each
    if (g % 2 == ${choices.below(2)}) assign bits[g] = x[W-1-g];
    else begin : odd assign bits[g] = x[g] ^ 1'(t); end
  end
  wire [79:0] wide = ${u};
  assign u = wide[$bits(T)-1:0];
  if (W > 6) always_ff @(posedge clk) y <= ${y[0]} ^ bits;
  else if (K < 0) assign y = ${y[1]} + signed'(bits);
  else always_comb begin y = bits; if (x[0]) y = V'(${y[2]}); end
  initial if (W > 6) y = 0;
endmodule`;
    const instances = () => {
      const made = choices.some(4, () => {
        const [name, W, K] = [this.#name('u'), 2 + choices.below(9), choices.below(20) - 10];
        const t = choices.of([type, other]);
        const [y, u] = [`y_${name}`, `u_${name}`];
        const width = 1 + choices.below(14);
        // Without the brackets Verilator gives an operator the sign of the port.
        const lines = [
          `logic${choices.of(['', ' signed'])} [${width - 1}:0] ${y}; ${t.name} ${u};`,
          `child #(.W(${W}), .K(${K})${t === type ? '' : `, .T(${t.name})`}) ${name}(.clk, .x({${W}'(${this.#expression(1)})}), .t(${this.#cast(t, this.#expression(1))}), .y(${y}), .u(${u}));`,
        ];
        return { lines, shown: [y, this.#shown({ text: u, type: t })] };
      });
      const name = this.#name('u');
      const array = {
        lines: [
          `logic [27:0] y_${name}; logic [${4 * type.width - 1}:0] u_${name};`,
          `child ${name}[3:0](.clk, .x({${this.#bits(5)}, ${this.#bits(5)}, ${this.#bits(5)}, ${this.#bits(5)}}), .t(${this.#cast(type, this.#expression(1))}), .y(y_${name}), .u(u_${name}));`,
        ],
        shown: [`y_${name}`, `${OUTPUT_WIDTH}'(u_${name})`],
      };
      return {
        lines: [...made, array].flatMap((one) => one.lines),
        shown: [...made, array].flatMap((one) => one.shown),
      };
    };
    return { module, instances };
  }

  /** Two modules with an interface between them, and a memory. */
  #shared() {
    const { choices } = this;
    const type = this.#types.any();
    const depth = choices.of([3, 4, 6, 8]);
    const address = depth > 4 ? 3 : 2;
    const module = `interface bus #(parameter int A = 3) (input logic clk);
  import types::*;
  ${type.name} data, back; logic [A-1:0] address; logic write;
  modport master(output data, address, write, input back);
  modport slave(input data, address, write, clk, output back);
endinterface
module sender import types::*; (bus.master b, input ${type.name} data, input logic [${address - 1}:0] address, input logic write, output ${type.name} back);
  assign b.data = data; assign b.address = address; assign b.write = write; assign back = b.back;
endmodule
module memory import types::*; (bus.slave b);
  ${type.name} words [${choices.of([`${depth}`, `0:${depth - 1}`])}];
  initial for (int i = 0; i < ${depth}; i++) words[i] = ${this.#cast(type, `i * ${1 + choices.below(1000)}`)};
  always_ff @(posedge b.clk) if (b.write) words[b.address % ${depth}] <= b.data;
  ${choices.of([`assign b.back = words[b.address % ${depth}];`, `initial b.back = ${this.#cast(type, '0')};\n  always_ff @(posedge b.clk) b.back <= words[b.address % ${depth}];`])}
endmodule`;
    const instances = () => {
      const back = { text: this.#name('k'), type };
      return {
        lines: [
          `${type.name} ${back.text};`,
          `bus #(.A(${address})) link(.clk);`,
          `sender s(.b(link), .data(${this.#cast(type, this.#expression(2))}), .address(${this.#bits(address)}), .write(${this.#bits(1)}), .back(${back.text}));`,
          'memory m(.b(link.slave));',
        ],
        shown: [this.#shown(back)],
      };
    };
    return { module, instances };
  }
}
