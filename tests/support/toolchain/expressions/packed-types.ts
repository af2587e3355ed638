import type { Choices } from './choices.ts';

/** A packed type of SystemVerilog: what it is called, its bits, and what may be selected of it. */
export interface PackedType {
  name: string;
  width: number;
  /** The bits or elements that an index selects. */
  range?: readonly [left: number, right: number];
  /** What an index selects; a bit when absent. */
  element?: PackedType;
  fields?: readonly { name: string; type: PackedType }[];
  isSigned?: boolean;
  /** A value must be cast to it. */
  isEnum?: boolean;
}

/** A variable or a part of one. */
export interface Place {
  text: string;
  type: PackedType;
}

const MOST_BITS = 72;

/** A range of so many, up or down, from any bound. */
function rangeOf(choices: Choices, length: number): [number, number] {
  const low = choices.of([0, 0, 0, 1, 3]);
  const range: [number, number] = [low + length - 1, low];
  return choices.once(4) ? [range[1], range[0]] : range;
}

/** Declares packed types of each kind, later ones made of earlier ones. */
export class PackedTypes {
  readonly declarations: string[] = [];
  readonly all: PackedType[] = [];
  readonly enumerators: string[] = [];

  constructor(
    private readonly choices: Choices,
    count: number,
  ) {
    const kinds = ['bits', 'enum', 'array', 'struct', 'union', 'array', 'struct'] as const;
    for (let at = 0; at < count; at++) {
      const type = this.#make(kinds[at % kinds.length]!);
      if (type) this.all.push(type);
    }
  }

  any(): PackedType {
    return this.choices.of(this.all);
  }

  #declare(text: string, type: Omit<PackedType, 'name'>): PackedType {
    const name = `t${this.declarations.length}`;
    this.declarations.push(`typedef ${text} ${name};`);
    return { name, ...type };
  }

  #bits(width: number): PackedType {
    const isSigned = this.choices.once(2);
    // Of others that are signed slang takes parts as signed, with a warning of the bench.
    const range = isSigned ? ([width - 1, 0] as const) : rangeOf(this.choices, width);
    return this.#declare(`logic${isSigned ? ' signed' : ''} [${range[0]}:${range[1]}]`, {
      width,
      range,
      isSigned,
    });
  }

  /** Bits, or an earlier type that leaves room. */
  #part(most: number): PackedType {
    const fitting = this.all.filter(({ width }) => width <= most);
    return fitting.length > 0 && this.choices.once(2)
      ? this.choices.of(fitting)
      : this.#bits(1 + this.choices.below(Math.min(most, this.choices.of([3, 8, 16]))));
  }

  #make(kind: 'bits' | 'enum' | 'array' | 'struct' | 'union'): PackedType {
    const { choices } = this;
    const isSigned = choices.once(3);
    if (kind === 'bits') return this.#bits(1 + choices.below(choices.of([8, 32])));
    if (kind === 'enum') return this.#enum();
    if (kind === 'array') {
      const length = choices.of([2, 3, 4, 4, 8]);
      const range = rangeOf(choices, length);
      // Verilator and slang differ in the sign of an array of signed elements, and of one that is declared signed.
      const fitting = this.all.filter((type) => !type.isSigned && type.width * length <= MOST_BITS);
      if (fitting.length > 0 && choices.once(2)) {
        const element = choices.of(fitting);
        const width = element.width * length;
        return this.#declare(`${element.name} [${range[0]}:${range[1]}]`, { width, range, element });
      }
      const bits = 1 + choices.below(Math.floor(MOST_BITS / length));
      const inner = rangeOf(choices, bits);
      return this.#declare(`logic [${range[0]}:${range[1]}][${inner[0]}:${inner[1]}]`, {
        ...{ width: bits * length, range },
        element: { name: '', width: bits, range: inner },
      });
    }
    const parts = 2 + choices.below(3);
    const types =
      kind === 'struct'
        ? Array.from({ length: parts }, () => this.#part(Math.floor(MOST_BITS / parts)))
        : this.#sameWidth();
    const fields = types.map((type, at) => ({ name: `f${at}`, type }));
    const members = fields.map(({ name, type }) => `${type.name} ${name};`).join(' ');
    const widths = types.map(({ width }) => width);
    return this.#declare(`${kind} packed${isSigned ? ' signed' : ''} { ${members} }`, {
      width: kind === 'union' ? widths[0]! : widths.reduce((sum, width) => sum + width, 0),
      ...{ fields, isSigned },
    });
  }

  #sameWidth(): PackedType[] {
    const first = this.#part(MOST_BITS);
    return [first, this.#bits(first.width)];
  }

  #enum(): PackedType {
    const width = 2 + this.choices.below(3);
    const names = this.choices.some(4, (at) => `E${this.enumerators.length + at}`);
    this.enumerators.push(...names);
    const values = names.map((name, at) => `${name}${this.choices.once(2) ? ` = ${width}'d${at}` : ''}`);
    return this.#declare(`enum logic [${width - 1}:0] { ${values.join(', ')} }`, { width, isEnum: true });
  }
}

/** A part of a place, some levels down. */
export function partOf(
  choices: Choices,
  place: Place,
  position: (low: number, count: number) => string,
): Place {
  const { text, type } = place;
  if (choices.once(3)) return place;
  if (type.fields) {
    const { name, type: of } = choices.of(type.fields);
    return partOf(choices, { text: `${text}.${name}`, type: of }, position);
  }
  if (!type.range) return place;
  const [left, right] = type.range;
  const [low, high] = [Math.min(left, right), Math.max(left, right)];
  const { element = { name: '', width: 1 } } = type;
  if (choices.once(2))
    return partOf(choices, { text: `${text}[${position(low, high - low + 1)}]`, type: element }, position);
  const length = 1 + choices.below(high - low + 1);
  const part = { name: '', width: length * element.width, ...(type.element && { element }) };
  const first = high - low + 2 - length;
  const bits = choices.below(3);
  if (bits === 0) return { text: `${text}[${position(low, first)} +: ${length}]`, type: part };
  if (bits === 1) return { text: `${text}[${position(low + length - 1, first)} -: ${length}]`, type: part };
  const from = low + choices.below(first);
  const [a, b] = left >= right ? [from + length - 1, from] : [from, from + length - 1];
  return { text: `${text}[${a}:${b}]`, type: part };
}
