import { type PackedType, type Place, partOf } from './packed-types.ts';
import { bitsOf, SystemVerilogExpressions } from './systemverilog-expressions.ts';

/** Variables of one process, and how it assigns them. */
interface Target {
  places: readonly Place[];
  assign: '=' | '<=';
}

/** Random statements of processes and subroutines. */
export class SystemVerilogStatements extends SystemVerilogExpressions {
  protected tasks: { name: string; input: PackedType; type: PackedType }[] = [];
  /** Each makes one kind of statement; those from the second half on have others within. */
  readonly #statementForms: readonly ((target: Target, depth: number) => string[])[] = [
    (target) => [this.#assignment(target)],
    (target) => [this.#assignment(target)],
    (target) => [this.#assignment(target)],
    (target) => this.#call(target),
    (target) => {
      const places = target.places.filter(({ type }) => !type.isEnum);
      if (places.length < 2) return [this.#assignment(target)];
      return [`{${places[0]!.text}, ${places[1]!.text}} ${target.assign} ${this.expression(2)};`];
    },
    (target, depth) => [
      `if (${this.expression(2)}) begin`,
      ...this.statements(target, depth),
      ...(this.choices.once(2) ? ['end else begin', ...this.statements(target, depth)] : []),
      'end',
    ],
    (target, depth) => this.#case(target, depth),
    (target, depth) => this.#case(target, depth),
    (target, depth) => this.#loop(target, depth),
    (target, depth) => this.#local(target, depth),
  ];

  protected statements(target: Target, depth: number): string[] {
    const forms = depth > 0 ? this.#statementForms : this.#statementForms.slice(0, 5);
    return this.choices.some(3, () => this.choices.of(forms)(target, depth - 1)).flat();
  }

  #assignment({ places, assign }: Target): string {
    const place = partOf(this.choices, this.choices.of(places), this.position);
    if (assign === '=' && !place.type.isEnum && this.choices.once(4))
      return this.choices.of([
        `${place.text} ${this.choices.of(['+', '-', '^', '|', '<<', '>>>'])}= ${this.value(place)};`,
        place.text.includes('[') ? `${place.text} += 1;` : `${place.text}++;`,
      ]);
    // As wide as the place: Verilator moves a narrower stream to the wrong end.
    if (!place.type.isEnum && this.choices.once(8))
      return `${place.text} ${assign} {${this.choices.of(['<<', '>>'])}${this.choices.of(['', '2', '3 ', '8', 'byte'])}{${place.type.width}'(${this.expression(1)})}};`;
    return `${place.text} ${assign} ${this.value(place)};`;
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
    const pattern = () => `${bits}'b${this.pattern(bits, wild)}`;
    const body = () => this.statements(target, depth).join(' ');
    const labels = choices.some(4, () => {
      if (kind === "case (1'b1)") return this.expression(1);
      if (kind === 'inside' && choices.once(2)) return `[${choices.below(2)}:${1 + choices.below(4)}]`;
      return choices.some(2, pattern).join(', ');
    });
    const items = kind === 'unique case' ? [...new Set(labels.map((label) => label.split(',')[0]!))] : labels;
    const head =
      kind === "case (1'b1)"
        ? kind
        : kind === 'inside'
          ? `case (${this.bits(bits)}) inside`
          : `${kind} (${this.bits(bits)})`;
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
    const i = this.name('i');
    const leave = choices.of(['', '', `if (${this.expression(1)}) ${choices.of(['break', 'continue'])};`]);
    const element = { text: `${text}[${i}]`, type: type.element ?? bitsOf(1) };
    const value = choices.of([
      () => this.value(element),
      () => `${this.bits(1)} ^ ${i}`,
      () => `${this.bits(2)} + ${this.read()} >> ${i}`,
    ])();
    const cast = element.type.isEnum ? this.cast(element.type, value) : value;
    const others = choices.once(3) ? this.statements(target, depth - 1) : [];
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
    const type = this.types.any();
    const place = { text: this.name('v'), type };
    const first = `automatic ${type.name} ${place.text} = ${this.value({ text: '', type })};`;
    const before = this.reads;
    this.reads = [...before, place, place];
    const body = this.statements({ places: [place], assign: '=' }, depth - 1);
    const rest = this.statements(target, depth - 1);
    this.reads = before;
    return [`begin : ${this.name('block')}`, first, ...body, ...rest, 'end'];
  }

  /** A call of a task with an output. */
  #call(target: Target): string[] {
    const [task] = this.tasks;
    if (!task || target.assign !== '=') return [this.#assignment(target)];
    const place = target.places.find(({ type }) => type.name === task.type.name);
    if (place) return [`${task.name}(${this.cast(task.input, this.expression(1))}, ${place.text});`];
    const text = this.name('v');
    return [
      `begin : ${this.name('block')} automatic ${task.type.name} ${text} = ${this.value({ text: '', type: task.type })};`,
      `${task.name}(${this.cast(task.input, this.expression(1))}, ${text});`,
      `${this.choices.of(target.places.filter(({ type }) => !type.isEnum).concat({ text, type: task.type })).text} = ${text}; end`,
    ];
  }
}
