import { type Node, OP } from './boolean-graph.ts';
import type { Design, Register } from './lower.ts';
import { cardinality, commonSize, Supports } from './support.ts';

/** Registers of a word. */
const LANES = 32;
/** A register joins a group that already depends on this part of what it depends on. */
const AFFINITY = 0.5;
/** Registers among which groups are looked for at a time: the effort grows with the square. */
const WINDOW = 256;

/**
 * Registers in groups of up to a word that are worth evaluating together: they change under the same conditions
 * and, unless a common enable keeps them still most of the time, depend on much the same.
 */
export function groupRegisters(design: Design): Register[][] {
  const alike = new Map<string, Register[]>();
  for (const register of design.registers) {
    const key = [register.domain, register.enable, register.setReset, register.asynchronous].join();
    const group = alike.get(key);
    if (group) group.push(register);
    else alike.set(key, [register]);
  }
  const { graph, states, inputs } = design;
  const supports = new Supports(graph, states + inputs.length + design.loops.length, (leaf) => {
    const index = graph.a[leaf] as number;
    const kind = graph.op[leaf];
    return kind === OP.state ? index : kind === OP.input ? states + index : states + inputs.length + index;
  });
  return [...alike.values()].flatMap((group) => {
    if ((group[0]?.enable ?? 1) >= 2) return slices(group, LANES);
    return slices(group, WINDOW).flatMap((window) => byAffinity(window, (node) => supports.of(node)));
  });
}

function slices<T>(list: T[], length: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / length) }, (_, k) =>
    list.slice(k * length, (k + 1) * length),
  );
}

function byAffinity(registers: Register[], supportOf: (node: Node) => Uint32Array): Register[][] {
  const groups: Register[][] = [];
  const left = new Set(registers);
  const own = new Map(
    registers.map((register) => {
      const support = Uint32Array.from(supportOf(register.next));
      support[register.state >> 5] = (support[register.state >> 5] as number) | (1 << (register.state & 31));
      return [register, { support, size: cardinality(support) }];
    }),
  );
  const of = (register: Register) => own.get(register) ?? { support: new Uint32Array(0), size: 0 };
  for (const first of registers) {
    if (!left.delete(first)) continue;
    const group = [first];
    const union = Uint32Array.from(of(first).support);
    while (group.length < LANES) {
      let best: Register | null = null;
      let bestAffinity = AFFINITY;
      for (const candidate of left) {
        const { support, size } = of(candidate);
        const affinity = commonSize(support, union) / size;
        if (affinity >= bestAffinity && (best === null || affinity > bestAffinity)) {
          best = candidate;
          bestAffinity = affinity;
        }
      }
      if (!best) break;
      left.delete(best);
      group.push(best);
      of(best).support.forEach((word, k) => {
        union[k] = (union[k] as number) | word;
      });
    }
    groups.push(group);
  }
  return groups;
}
