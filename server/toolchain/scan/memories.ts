import type { Diagnostic } from '../../contract/diagnostics.ts';
import type { MemoryUse } from './memory-use.ts';
import type { ElaboratedModule } from './rtlil.ts';

/** What a part can keep: bits. Null where that is not known, or memories may be in something else as well. */
export type MemoryCapacity = { blockRam: number; flipFlops: number; part: string } | null;

interface Memory {
  module: string;
  name: string;
  words: number;
  width: number;
  place: Pick<Diagnostic, 'file' | 'line' | 'column'>;
}

interface Total {
  bits: number;
  count: number;
  largest: Memory | null;
}

const NOTHING: Total = { bits: 0, count: 0, largest: null };

/**
 * Whether the memories of a design fit a part at all: every bit of a memory is in a block RAM or in a flip-flop.
 *
 * Only what is sure counts: memories that are read and written at addresses that are computed, in the slave and in
 * what it instantiates as the modules were read. What is within the bound may still not fit: synthesis says so.
 * @returns a finding about the largest memory, or null
 */
export function tooMuchMemory(
  top: string,
  modules: ReadonlyMap<string, ElaboratedModule>,
  capacity: MemoryCapacity,
): Diagnostic | null {
  if (capacity === null) return null;
  const { bits, count, largest } = totalOf(top, modules, new Map());
  if (largest === null || bits <= capacity.blockRam + capacity.flipFlops) return null;
  const { module, name, words, width, place } = largest;
  const others = count > 1 ? ` and ${plain(count - 1)} more are together` : ' has';
  return {
    severity: 'error',
    code: 'build_too_large',
    message: `the memory ${name} (${plain(words)} words of ${width} bit${width === 1 ? '' : 's'})${others} ${plain(bits)} bits; the block RAM of ${capacity.part} has ${plain(capacity.blockRam)}`,
    ...place,
    module: PARAMETRISED.exec(module)?.[1] ?? module,
    net: name,
  };
}

/** How Yosys calls a module with other parameters than its defaults. */
const PARAMETRISED = /^\$paramod(?:\$[0-9a-f]+)?\\([^\\]+)/;

/** Whether a module that is instantiated with other parameters than its defaults may have a memory: of what size, is not known yet. */
export function sizesMemories(top: string, modules: ReadonlyMap<string, ElaboratedModule>): boolean {
  const below = new Set<string>();
  const mayHold = (name: string, inside = new Set<string>()): boolean => {
    const module = modules.get(name);
    if (!module || inside.has(name)) return false;
    inside.add(name);
    return (
      module.hollow === 'parameter without default' ||
      module.memories.length > 0 ||
      module.instances.some((instance) => mayHold(instance.module, inside))
    );
  };
  const look = (name: string): boolean => {
    if (below.has(name)) return false;
    below.add(name);
    return (modules.get(name)?.instances ?? []).some(
      ({ module, parameters }) => (parameters.length > 0 && mayHold(module)) || look(module),
    );
  };
  return look(top);
}

/** The memories of a module and of all below it. @param known of the modules that have been looked at */
function totalOf(
  name: string,
  modules: ReadonlyMap<string, ElaboratedModule>,
  known: Map<string, Total>,
): Total {
  const before = known.get(name);
  if (before) return before;
  known.set(name, NOTHING); // one that contains itself does not end
  const module = modules.get(name);
  if (!module) return NOTHING;
  const own = module.memories.flatMap((memory): Total[] => {
    const words = wordsOf(memory);
    const { name: id, width, place } = memory;
    const largest = { module: module.name, name: id, words, width, place };
    return words === 0 ? [] : [{ bits: words * width, count: 1, largest }];
  });
  const inside = module.instances
    .filter(({ parameters }) => parameters.length === 0)
    .map((instance) => totalOf(instance.module, modules, known));
  const total = [...own, ...inside].reduce(sum, NOTHING);
  known.set(name, total);
  return total;
}

const bitsOf = (memory: Memory | null) => (memory === null ? 0 : memory.words * memory.width);
const sum = (a: Total, b: Total): Total => ({
  bits: a.bits + b.bits,
  count: a.count + b.count,
  largest: bitsOf(b.largest) > bitsOf(a.largest) ? b.largest : a.largest,
});

/** Words that the module can reach; none of a memory that is only read, or only written. */
const wordsOf = ({ size, readBits, writeBits }: MemoryUse): number =>
  readBits === 0 || writeBits === 0 ? 0 : Math.min(size, 2 ** Math.min(readBits, writeBits));

const plain = (value: number) => value.toLocaleString('en-US');
