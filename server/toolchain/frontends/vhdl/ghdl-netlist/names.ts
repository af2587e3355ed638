import { vhdlSource } from '../../../languages/vhdl/vhdl-places.ts';
import type { NameStep } from './netlist.ts';

/** Bounds and direction of a `for … generate`; a bound is null when the source has no number there. */
interface GenerateRange {
  left: number | null;
  right: number | null;
  step: 1 | -1;
}

/** Range of a `for … generate` by label, in lower case; null for a label with several ranges. */
export type GenerateRanges = ReadonlyMap<string, GenerateRange | null>;

/** Reads the ranges of all `for … generate` in the sources. */
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
 * The index of a generated body, which GHDL numbers from 1; `#number` when the range is unknown.
 * @param count number of bodies
 */
function indexOf(range: GenerateRange | null | undefined, number: number, count: number): string {
  if (range?.left != null) return String(range.left + range.step * (number - 1));
  if (range?.right != null) return String(range.right - range.step * (count - number));
  return `#${number}`;
}

/** Names of one module in the author's form: `lanes[0].step`. */
export class ModuleNames {
  readonly #ranges: GenerateRanges;
  readonly #used: Set<string>;
  /** Highest number by the name before it. */
  readonly #counts = new Map<string, number>();

  /**
   * @param taken names of ports
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

  /** A name that is unique in the module. */
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
        // Other numbers belong to processes and blocks without a label.
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

/** A name with only characters of a plain identifier; extended identifiers may have any character. */
export const plainWord = (text: string): string => text.replace(/[^\w]/g, '_');
