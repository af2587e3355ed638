import type { Diagnostic } from '../../contract/diagnostics.ts';
import type { MemoryCapacity } from '../families/family.ts';
import { eachInstance, type Memory, type Module, type Netlist } from './netlist.ts';

/**
 * Whether the memories of a design fit a part at all: every bit of a memory is in a block RAM or in a flip-flop.
 *
 * Only memories that are read and written at computed addresses count: others may become a few gates. What is within the bound
 * may still not fit: synthesis says so.
 * @returns a diagnostic about the largest memory, or null
 */
export function tooMuchMemory(top: string, netlist: Netlist, capacity: MemoryCapacity): Diagnostic | null {
  if (capacity === null) return null;
  let bits = 0;
  let count = 0;
  let largest: { module: Module; memory: Memory; words: number } | null = null;
  eachInstance(top, netlist, (module) => {
    for (const memory of module.memories) {
      const words = reachableWords(module, memory);
      if (words === 0) continue;
      bits += words * memory.width;
      count++;
      if (!largest || words * memory.width > largest.words * largest.memory.width)
        largest = { module, memory, words };
    }
  });
  if (!largest || bits <= capacity.blockRam + capacity.flipFlops) return null;
  const { module, memory, words } = largest as { module: Module; memory: Memory; words: number };
  const others = count > 1 ? ` and ${plain(count - 1)} more are together` : ' has';
  return {
    severity: 'error',
    code: 'build_too_large',
    message: `the memory ${memory.name} (${plain(words)} words of ${memory.width} bit${memory.width === 1 ? '' : 's'})${others} ${plain(bits)} bits; the block RAM of ${capacity.part} has ${plain(capacity.blockRam)}`,
    ...memory.place,
    module: module.definition,
    net: memory.name,
  };
}

/** Words that the module can reach; none of a memory that is only read, or only written. */
function reachableWords({ cells }: Module, { name, size }: Memory): number {
  const addressBits = (kind: string) =>
    Math.max(
      0,
      ...cells
        .filter(({ type, parameters }) => type.startsWith(kind) && parameters['MEMID'] === `\\${name}`)
        .map(
          ({ connections }) => (connections['ADDR'] ?? []).filter((bit) => typeof bit === 'number').length,
        ),
    );
  const [read, written] = [addressBits('$memrd'), addressBits('$memwr')];
  return read === 0 || written === 0 ? 0 : Math.min(size, 2 ** Math.min(read, written));
}

const plain = (value: number) => value.toLocaleString('en-US');

/** Cells of Yosys that become carry chains, or logic around them. */
const CHAIN = /^\$(?:add|sub|neg|mul|macc|alu|div|mod|divfloor|modfloor|pow|lt|le|ge|gt)(?:_v2)?$/;

/**
 * Bits of the adders, comparators, multipliers and dividers of a module with all that is instantiated below it: about as long as its
 * carry chains are together.
 */
export function arithmeticBits(top: string, netlist: Netlist): number {
  let bits = 0;
  eachInstance(top, netlist, ({ cells }) => {
    for (const { type, connections } of cells)
      if (CHAIN.test(type)) bits += Math.max(...Object.values(connections).map(({ length }) => length));
  });
  return bits;
}
