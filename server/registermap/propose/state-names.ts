import { type BitField, MAX_NAME_LENGTH, MAX_VALUES } from '../../contract/designs/register-map.ts';
import { type Constants, constantValue } from './constants.ts';
import type { CodeToken } from './verilog-tokens.ts';

/** The named values of a signal of so many bits. */
interface Named {
  width: number;
  values: Record<string, string>;
}

/** Names of signals' values: the constants that a case compares with. */
export class StateNames {
  readonly #named = new Map<string, Named>();
  readonly #widths: ReadonlyMap<string, number>;
  readonly #constants: Constants;

  constructor(widths: ReadonlyMap<string, number>, constants: Constants) {
    this.#widths = widths;
    this.#constants = constants;
  }

  /** Records a case over a signal with its labels. */
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

  /** The named values of a whole signal; undefined for fewer than two. */
  of(signal: string): Named | undefined {
    const named = this.#named.get(signal);
    return named && Object.keys(named.values).length > 1 ? named : undefined;
  }

  /** Adds value names to a field that is a whole signal. */
  withNames(field: BitField): BitField {
    const named = this.of(field.name);
    return named?.width === field.msb - field.lsb + 1 ? { ...field, values: named.values } : field;
  }
}
