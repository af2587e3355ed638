import { OPERANDS, STATES, type Vector, VhdlExpressions, type Words } from './vhdl-expressions.ts';

/** What a process assigns. */
export interface Target {
  vectors: readonly Vector[];
  states: readonly string[];
  memory: Words | null;
  assign: '<=' | ':=';
}

/** Random statements of processes. */
export class VhdlStatements extends VhdlExpressions {
  protected statements(target: Target, depth: number): string[] {
    return this.choices.some(3, () => this.#statement(target, depth - 1)).flat();
  }

  #statement(target: Target, depth: number): string[] {
    const { choices } = this;
    const within = () => this.statements(target, depth);
    const plain = [
      () => [this.#assignment(target)],
      () => [this.#assignment(target)],
      () => [this.#assignment(target)],
    ];
    if (depth <= 0) return choices.of(plain)();
    return choices.of([
      ...plain,
      () => [
        `if ${this.condition(2)} then`,
        ...within(),
        ...(choices.once(3) ? [`elsif ${this.condition(1)} then`, ...within()] : []),
        ...(choices.once(2) ? ['else', ...within()] : []),
        'end if;',
      ],
      () => this.#case(within),
      () => this.#loop(target),
      () => this.#loop(target),
      () => {
        const variables = target.vectors.filter(
          ({ kind }) => target.assign === ':=' && kind !== 'std_logic_vector',
        );
        if (variables.length === 0) return [this.#assignment(target)];
        const { text, kind, width } = choices.of(variables);
        return [`accumulate(${text}, ${this.vector(kind, width, 2)});`];
      },
    ])();
  }

  #assignment(target: Target): string {
    const { choices } = this;
    const { assign, memory, states } = target;
    if (memory && choices.once(3)) {
      const { name, kind, width, addressBits } = memory;
      const whole = `${name}(${this.index(addressBits)})`;
      if (choices.once(2)) return `${whole} ${assign} ${this.vector(kind, width, 2)};`;
      const half = width >> 1;
      const [high, low] = choices.of([
        [half - 1, 0],
        [width - 1, half],
      ] as const);
      return `${whole}(${high} downto ${low}) ${assign} ${this.vector(kind, high - low + 1, 2)};`;
    }
    if (states.length > 0 && choices.once(4)) return `${choices.of(states)} ${assign} ${choices.of(STATES)};`;
    const { text, kind, width, isAscending, isIndexed } = choices.of(target.vectors);
    const depth = 1 + choices.below(3);
    const whole = () => `${text} ${assign} ${this.vector(kind, width, depth)};`;
    if (!isIndexed || width === 1) return whole();
    return choices.of([
      whole,
      whole,
      () => `${text}(${this.position(width)}) ${assign} ${this.bit()};`,
      () => `${text} ${assign} (${choices.below(width)} => ${this.bit()}, others => ${this.bit()});`,
      () => {
        const bits = 1 + choices.below(width);
        const low = choices.below(width - bits + 1);
        const range = isAscending ? `${low} to ${low + bits - 1}` : `${low + bits - 1} downto ${low}`;
        return `${text}(${range}) ${assign} ${this.vector(kind, bits, depth)};`;
      },
      () => {
        if (width < 8) return whole();
        const bits = 1 + choices.below(width - 7);
        const range = isAscending ? `n to n + ${bits - 1}` : `n + ${bits - 1} downto n`;
        return `${text}(${range}) ${assign} ${this.vector(kind, bits, depth)};`;
      },
    ])();
  }

  #case(within: () => string[]): string[] {
    const { choices } = this;
    const items = (labels: readonly string[]) => [
      ...labels.flatMap((label) => [`when ${label} =>`, ...within()]),
      ...['when others =>', ...(choices.once(2) ? within() : ['null;'])],
    ];
    if (this.states.length > 0 && choices.once(2))
      return [
        `case ${choices.of(this.states)} is`,
        ...items([STATES[0]!, `${STATES[1]} | ${STATES[2]}`]),
        'end case;',
      ];
    const bits = 2 + choices.below(2);
    const wide = OPERANDS.filter(({ width }) => width > bits);
    const { text } = choices.of(wide);
    const low = choices.below(2);
    const selector = `${text}(${low + bits - 1} downto ${low})`;
    const pad = (value: number) => value.toString(2).padStart(bits, '0');
    if (choices.once(2))
      return [`case to_integer(unsigned(${selector})) is`, ...items(['0 to 1', '3']), 'end case;'];
    return [
      `case ${selector} is`,
      ...items([`"${pad(choices.below(2))}"`, `"${pad(2)}" | "${pad(3)}"`]),
      'end case;',
    ];
  }

  #loop(target: Target): string[] {
    const { choices } = this;
    const { text, width, isIndexed } = choices.of(target.vectors);
    if (!isIndexed) return [this.#assignment(target)];
    const i = this.name('i');
    const other = choices.of(OPERANDS);
    const bits = Math.min(width, other.width);
    const leave = choices.of([
      '',
      '',
      `exit when ${this.condition(1)};`,
      `next when ${i} = ${choices.below(4)};`,
    ]);
    return [
      choices.of([`for ${i} in 0 to ${bits - 1} loop`, `for ${i} in ${bits - 1} downto 0 loop`]),
      leave,
      `${text}(${i}) ${target.assign} ${choices.of([`${other.text}(${bits - 1} - ${i})`, `${other.text}(${i}) xor ${this.bit()}`])};`,
      'end loop;',
    ];
  }
}
