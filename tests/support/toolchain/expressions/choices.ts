/** Random choices, the same for the same numbers. */
export class Choices {
  /** @param random numbers from 0 to below 1 */
  constructor(readonly random: () => number) {}

  /** A whole number from 0 to below n. */
  below(n: number): number {
    return Math.floor(this.random() * n);
  }

  of<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T;
  }

  /** True once in n times. */
  once(n: number): boolean {
    return this.below(n) === 0;
  }

  /** As many as chosen, from 1 to most. */
  some<T>(most: number, make: (at: number) => T): T[] {
    return Array.from({ length: 1 + this.below(most) }, (_, at) => make(at));
  }
}
