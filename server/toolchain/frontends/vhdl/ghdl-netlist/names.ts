import { vhdlSource } from '../../../languages/vhdl/vhdl-places.ts';
import type { NameStep } from './netlist.ts';

/** Where the indices of a `for … generate` begin, and which way they go; a bound is null that is no number in the source. */
interface GenerateRange {
  left: number | null;
  right: number | null;
  step: 1 | -1;
}

/** Label, in lower case → range of a `for … generate`; null for a label that several have with other ranges. */
export type GenerateRanges = ReadonlyMap<string, GenerateRange | null>;

/** The ranges of all `for … generate` of these sources. */
export function generateRanges(texts: readonly string[]): GenerateRanges {
  const ranges = new Map<string, GenerateRange | null>();
  for (const text of texts) {
    const { tokens } = vhdlSource(text);
    for (const [at, { text: word }] of tokens.entries()) {
      if (word !== 'for' || tokens[at - 1]?.text !== ':' || tokens[at + 2]?.text !== 'in') continue;
      const label = tokens[at - 2]?.text ?? '';
      const end = tokens.findIndex(({ text: one }, n) => n > at && one === 'generate');
      const bounds = tokens.slice(at + 3, end).map((token) => token.text);
      const way = bounds.findIndex((one) => one === 'to' || one === 'downto');
      const numberIn = (some: string[]) =>
        some.length === 1 && /^\d+$/.test(some[0] ?? '') ? Number(some[0]) : null;
      const range: GenerateRange = {
        left: way < 0 ? null : numberIn(bounds.slice(0, way)),
        right: way < 0 ? null : numberIn(bounds.slice(way + 1)),
        step: bounds[way] === 'downto' ? -1 : 1,
      };
      const before = ranges.get(label);
      const isSame = before === undefined || JSON.stringify(before) === JSON.stringify(range);
      ranges.set(label, isSame ? range : null);
    }
  }
  return ranges;
}

/**
 * The index of a `for … generate` whose bodies GHDL numbers from 1; its number where the source does not say.
 * @param count how many bodies there are
 */
function indexOf(range: GenerateRange | null | undefined, number: number, count: number): string {
  if (range?.left != null) return String(range.left + range.step * (number - 1));
  if (range?.right != null) return String(range.right - range.step * (count - number));
  return `#${number}`;
}

/** The names of one module as its author would write them: `lanes[0].step`. */
export class ModuleNames {
  readonly #ranges: GenerateRanges;
  readonly #used: Set<string>;
  /** Name in front of a number → the greatest number. */
  readonly #counts = new Map<string, number>();

  /**
   * @param taken names of ports, which are given
   * @param all every name of the module
   */
  constructor(ranges: GenerateRanges, taken: Iterable<string>, all: Iterable<readonly NameStep[]>) {
    this.#ranges = ranges;
    this.#used = new Set(taken);
    for (const steps of all)
      for (const [at, step] of steps.entries()) {
        if (step.kind !== 'number' || at === 0) continue;
        const before = pathOf(steps.slice(0, at));
        this.#counts.set(before, Math.max(this.#counts.get(before) ?? 0, step.value));
      }
  }

  /** A name that nothing else of the module has. */
  unique(steps: readonly NameStep[]): string {
    const name = this.#readable(steps);
    let own = name;
    for (let number = 2; this.#used.has(own); number++) own = `${name}_${number}`;
    this.#used.add(own);
    return own;
  }

  #readable(steps: readonly NameStep[]): string {
    let name = '';
    for (const [at, step] of steps.entries()) {
      if (step.kind === 'word') name += `${name === '' ? '' : '.'}${plainWord(step.text)}`;
      else if (at > 0) {
        const before = steps[at - 1];
        // Any other number is that of a process or a block without a label.
        const label = before?.kind === 'word' ? before.text.toLowerCase() : '';
        if (!this.#ranges.has(label)) continue;
        const count = this.#counts.get(pathOf(steps.slice(0, at))) ?? step.value;
        name += `[${indexOf(this.#ranges.get(label), step.value, count)}]`;
      }
    }
    return name === '' ? 'unnamed' : name;
  }
}

const pathOf = (steps: readonly NameStep[]): string =>
  steps.map((step) => (step.kind === 'word' ? step.text : step.value)).join('.');

/** A word as an identifier of Yosys may have it: extended identifiers may have anything in them. */
export const plainWord = (text: string): string => text.replace(/[^\w]/g, '_');
