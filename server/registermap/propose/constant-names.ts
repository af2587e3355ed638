import type { Compared } from '../../contract/designs/decoded-registers.ts';
import { type Constants, constantValue } from './constants.ts';
import type { SourceLanguage } from './source-text.ts';

/** Lines above an assignment in which its label is looked for. */
const ABOVE = 12;
/** Labels of a case, and what is compared for equality. */
const LABEL =
  /(?<![\w'.])(`?[A-Za-z_]\w*|(?:\d+)?'[sS]?[bodhBODH][\da-fA-F_]+|x?"[\da-fA-F_]+"|\d+)\s*(?=:(?![:=])|,|=>|===?[^>]|=\s)|===?\s*(`?[A-Za-z_]\w*)|\bwhen\s+(\w+)/g;

/** Finds the names of the constants that a design compares with, where what depends on it is. */
export class ConstantNames {
  readonly #constants: Constants;
  readonly #files: ReadonlyMap<string, { lines: readonly string[]; language: SourceLanguage }>;

  /** @param files code without comments, by path */
  constructor(
    constants: Constants,
    files: readonly { path: string; code: string; language: SourceLanguage }[],
  ) {
    this.#constants = constants;
    this.#files = new Map(
      files.map(({ path, code, language }) => [path, { lines: code.split('\n'), language }]),
    );
  }

  /** The name in one of these comparisons; undefined where they have numbers. */
  of(compared: Compared): string | undefined {
    for (const one of compared) {
      const name = this.#near(one);
      if (name !== undefined) return name;
    }
    return undefined;
  }

  /** The nearest label of this value, in the line or above it; undefined where that is a number. */
  #near({ value, file, line = 0 }: Compared[number]): string | undefined {
    if (file === undefined) return this.#only(value);
    for (let at = line; at > Math.max(0, line - ABOVE); at--) {
      const [label] = this.#labels(file, at, value);
      if (label !== undefined) return /^`?[A-Za-z_]/.test(label) && !label.includes('"') ? label : undefined;
    }
    return undefined;
  }

  /** The only name among all labels of this value. */
  #only(value: number): string | undefined {
    const names = new Set<string>();
    for (const [file, { lines }] of this.#files)
      for (const at of lines.keys())
        for (const label of this.#labels(file, at + 1, value))
          if (/^`?[A-Za-z_]\w*$/.test(label)) names.add(label);
    const [name, more] = names;
    return more === undefined ? name : undefined;
  }

  /** Labels of a value in a line, without definitions. */
  #labels(file: string, line: number, value: number): string[] {
    const { lines, language } = this.#files.get(file) ?? { lines: [], language: 'verilog' };
    return [...(lines[line - 1] ?? '').matchAll(LABEL)].flatMap(([, before, behind, when]) => {
      const label = before ?? behind ?? when ?? '';
      const constant = this.#constants.get(language === 'vhdl' ? label.toLowerCase() : label);
      const isDefinition = constant?.line === line && constant.file === file;
      return !isDefinition && constantValue(label, this.#constants) === value ? [label] : [];
    });
  }
}
