import type { ElaboratedModule } from './rtlil.ts';

/**
 * Bits of the adders, comparators, multipliers and dividers of a slave with all that is instantiated below it, as often as it
 * is: about as long as its carry chains are together.
 * @returns null where that is not known: parameters that instances set may decide on it, or a module is not there
 */
export function arithmeticBits(top: string, modules: ReadonlyMap<string, ElaboratedModule>): number | null {
  const known = new Map<string, number | null>();
  const bitsOf = (name: string): number | null => {
    const before = known.get(name);
    if (before !== undefined) return before;
    known.set(name, null); // one that contains itself
    const module = modules.get(name);
    const counts = module && (module.hollow === null || module.hollow === 'interface');
    let sum: number | null = counts ? module.arithmetic : null;
    for (const { module: inside, parameters } of module?.instances ?? []) {
      if (sum === null) break;
      const more = parameters.length > 0 ? null : bitsOf(inside);
      sum = more === null ? null : sum + more;
    }
    known.set(name, sum);
    return sum;
  };
  return bitsOf(top);
}
