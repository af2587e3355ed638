import type { Operations } from '../graph/truth-table.ts';

/** A function of the variables: its number. 0 and 1 are the constants; equal functions have equal numbers. */
export type Diagram = number;

/** Maximum diagrams of one set, so that two numbers and a variable form one exact number. */
const MOST = 1 << 16;
const NO_VARIABLE = 1 << 15;
/** Maximum pairs of functions combined in one set, which limits the time. */
const MAX_PAIRS = 1 << 20;

/**
 * Boolean functions as reduced ordered binary decision diagrams (Bryant, 1986): two functions are equal if and only if
 * their diagrams are. Above the limits `exhausted` is true, and further results mean nothing.
 */
export class DecisionDiagrams implements Operations {
  readonly low: Diagram = 0;
  readonly high: Diagram = 1;
  exhausted = false;
  readonly #variables: number[] = [NO_VARIABLE, NO_VARIABLE];
  readonly #lows: Diagram[] = [0, 1];
  readonly #highs: Diagram[] = [0, 1];
  readonly #known = new Map<number, Diagram>();
  readonly #conjunctions = new Map<number, Diagram>();
  readonly #differences = new Map<number, Diagram>();
  readonly #restrictions = new Map<number, Diagram>();
  #pairs = 0;

  /** Number of diagrams: a measure of the work. */
  get size(): number {
    return this.#variables.length;
  }

  /** The function of one variable; lower numbers are tested first. */
  variable(number: number): Diagram {
    return this.#diagram(number, 0, 1);
  }

  not(x: Diagram): Diagram {
    return this.xor(x, 1);
  }

  and(x: Diagram, y: Diagram): Diagram {
    if (x > y) return this.and(y, x);
    if (x === 0 || x === y) return x;
    if (x === 1) return y;
    return this.#combined(this.#conjunctions, x, y, (p, q) => this.and(p, q));
  }

  or(x: Diagram, y: Diagram): Diagram {
    return this.not(this.and(this.not(x), this.not(y)));
  }

  xor(x: Diagram, y: Diagram): Diagram {
    if (x > y) return this.xor(y, x);
    if (x === y) return 0;
    if (x === 0) return y;
    return this.#combined(this.#differences, x, y, (p, q) => this.xor(p, q));
  }

  mux(select: Diagram, whenHigh: Diagram, whenLow: Diagram): Diagram {
    return this.xor(this.and(select, this.xor(whenHigh, whenLow)), whenLow);
  }

  /** A small function that equals another one where `care` holds (Coudert and Madre, 1990). */
  within(x: Diagram, care: Diagram): Diagram {
    if (care === 0) return 0;
    if (care === 1 || x < 2) return x;
    return this.#once(this.#restrictions, x, care, () => this.#within(x, care));
  }

  #within(x: Diagram, care: Diagram): Diagram {
    const p = this.partsOf(x);
    const c = this.partsOf(care);
    if (c.variable < p.variable) return this.within(x, this.or(c.low, c.high));
    if (p.variable < c.variable)
      return this.#diagram(p.variable, this.within(p.low, care), this.within(p.high, care));
    if (c.low === 0) return this.within(p.high, c.high);
    if (c.high === 0) return this.within(p.low, c.low);
    return this.#diagram(p.variable, this.within(p.low, c.low), this.within(p.high, c.high));
  }

  /** The first variable of a function, and the function for each of its values. Not for constants. */
  partsOf(x: Diagram): { variable: number; low: Diagram; high: Diagram } {
    return { variable: this.#variables[x] ?? 0, low: this.#lows[x] ?? 0, high: this.#highs[x] ?? 0 };
  }

  #combined(
    known: Map<number, Diagram>,
    x: Diagram,
    y: Diagram,
    combine: (x: Diagram, y: Diagram) => Diagram,
  ): Diagram {
    return this.#once(known, x, y, () => {
      const [p, q] = [this.#variables[x] ?? 0, this.#variables[y] ?? 0];
      const top = Math.min(p, q);
      const part = (of: Diagram, variable: number, side: Diagram[]) =>
        variable === top ? (side[of] ?? 0) : of;
      const low = combine(part(x, p, this.#lows), part(y, q, this.#lows));
      const high = combine(part(x, p, this.#highs), part(y, q, this.#highs));
      return this.#diagram(top, low, high);
    });
  }

  /** Caches the result of a pair: a diagram has far more paths than parts. */
  #once(known: Map<number, Diagram>, x: Diagram, y: Diagram, work: () => Diagram): Diagram {
    const key = x * MOST + y;
    const before = known.get(key);
    if (before !== undefined) return before;
    if (++this.#pairs > MAX_PAIRS) this.exhausted = true;
    if (this.exhausted) return 0;
    const found = work();
    known.set(key, found);
    return found;
  }

  #diagram(variable: number, low: Diagram, high: Diagram): Diagram {
    if (low === high) return low;
    const key = (variable * MOST + low) * MOST + high;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#variables.length >= MOST) {
      this.exhausted = true;
      return 0;
    }
    const diagram = this.#variables.push(variable) - 1;
    this.#lows.push(low);
    this.#highs.push(high);
    this.#known.set(key, diagram);
    return diagram;
  }
}
