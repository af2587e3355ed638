import { type BitField, MAX_NAME_LENGTH, MAX_VALUES } from '../../contract/designs/register-map.ts';
import { type Constants, constantValue } from './constants.ts';
import type { CodeToken } from './verilog-tokens.ts';

/** The names that a signal's values have, by the values; of a signal of so many bits. */
interface Named {
  width: number;
  values: Record<string, string>;
}

/** What the values of signals are called: the constants that a case compares each with. */
export class StateNames {
  readonly #named = new Map<string, Named>();
  readonly #widths: ReadonlyMap<string, number>;
  readonly #constants: Constants;

  constructor(widths: ReadonlyMap<string, number>, constants: Constants) {
    this.#widths = widths;
    this.#constants = constants;
  }

  /** A case over a signal, with what stands before its colons. */
  note(signal: string, labels: readonly (readonly CodeToken[])[]): void {
    const width = this.#widths.get(signal);
    if (width === undefined) return;
    const { values }: Pick<Named, 'values'> = this.#named.get(signal) ?? { values: {} };
    for (const label of labels) {
      const [first] = label;
      if (label.length !== 1 || first?.kind !== 'name') continue;
      const value = constantValue(label, this.#constants);
      const name = first.text.replace(/^`/, '');
      if (value === null || value >= 2 ** width || name.length > MAX_NAME_LENGTH) continue;
      if (Object.keys(values).length < MAX_VALUES) values[value] ??= name;
    }
    this.#named.set(signal, { width, values });
  }

  /** The names of a whole signal's values; undefined where fewer than two have one. */
  of(signal: string): Named | undefined {
    const named = this.#named.get(signal);
    return named && Object.keys(named.values).length > 1 ? named : undefined;
  }

  /** The field with the names of its values, where it is all of a signal that has such. */
  withNames(field: BitField): BitField {
    const named = this.of(field.name);
    return named?.width === field.msb - field.lsb + 1 ? { ...field, values: named.values } : field;
  }
}
