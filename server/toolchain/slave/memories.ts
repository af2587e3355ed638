import type { Diagnostic } from '../../contract/diagnostics.ts';
import type { MemoryCapacity } from '../families/family.ts';
import { keyOf, MemoryReads, portOf, REGISTER } from './memory-reads.ts';
import { type Cell, eachInstance, type Memory, type Module, modulesBelow, type Netlist } from './netlist.ts';

/** A problem of a memory, with its remedy. */
export interface MemoryFault {
  diagnostic: Diagnostic;
  remedy: string;
}

/**
 * Checks whether the memories of a design can fit a part: each bit needs block RAM or a flip-flop.
 *
 * Only memories with computed read and write addresses count, because others may become a few gates. Memories within the
 * limit may still not fit; synthesis reports that.
 * @returns the problem of the largest memory, or null
 */
export function tooMuchMemory(top: string, netlist: Netlist, capacity: MemoryCapacity): MemoryFault | null {
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
  const others = count > 1 ? ` and ${plain(count - 1)} more have a total of` : ' has';
  const diagnostic: Diagnostic = {
    severity: 'error',
    code: 'build_too_large',
    message: `the memory ${memory.name} (${plain(words)} words of ${memory.width} bit${memory.width === 1 ? '' : 's'})${others} ${plain(bits)} bits; ${capacity.part} has ${plain(capacity.blockRam)} bits of block RAM`,
    ...memory.place,
    module: module.definition,
    net: memory.name,
  };
  return { diagnostic, remedy: 'Make the memory smaller, or use a board with more block RAM.' };
}

/** Words that the module can address; 0 for a memory that is only read or only written. */
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

/** Size from which a memory of flip-flops gets a warning, bits. */
const MANY_FLIP_FLOPS = 1024;

/** A memory that becomes flip-flops, with the cause and the remedy. */
interface FlipFlopMemory {
  bits: number;
  net: string;
  module: Module;
  /** A register in the block that is the cause. */
  register: Cell;
  cause: string;
  remedy: string;
}

const hasReset = ({ type }: Cell) => type !== '$dff';

/** Arrays of registers with a selected word: more than one word is set at a clock. */
function registerArrays(module: Module): FlipFlopMemory[] {
  const selections = module.cells.filter(
    (cell) => cell.type === '$bmux' && portOf(cell, 'A').length >= MANY_FLIP_FLOPS,
  );
  if (selections.length === 0) return [];
  const drivers = new Map(
    module.cells
      .filter(({ type }) => REGISTER.test(type))
      .flatMap((cell) => portOf(cell, 'Q').map((bit) => [bit, cell] as const)),
  );
  return selections.flatMap((selection) => {
    const bits = portOf(selection, 'A');
    const register = drivers.get(bits[0] ?? 'x');
    const [net] = [...module.signals].find(([, own]) => keyOf(own) === keyOf(bits)) ?? [];
    if (!register || net === undefined || !bits.every((bit) => drivers.has(bit))) return [];
    const why = hasReset(register)
      ? {
          cause: 'the asynchronous reset of this block sets its words, and block RAM has no reset',
          remedy: `remove ${net} from the reset`,
        }
      : {
          cause: 'more than one of its words is written per clock, as by a reset or a loop',
          remedy: `write one word of ${net} per clock`,
        };
    return [{ bits: bits.length, net, module, register, ...why }];
  });
}

/** Memories with an asynchronous read whose address register would fit block RAM without its asynchronous reset. */
function resetAddresses(module: Module): FlipFlopMemory[] {
  const memories = new MemoryReads(module);
  return memories.all.flatMap((read) => {
    const { name: net, width, size } = read.memory;
    const register = memories.addressRegisters(read)?.find(hasReset);
    if (!register || width * size < MANY_FLIP_FLOPS || memories.registerOf(read)) return [];
    const bit = portOf(register, 'Q')[0] ?? 'x';
    const [address = 'the address'] = [...module.signals].find(([, bits]) => bits.includes(bit)) ?? [];
    const cause = `the asynchronous reset of this block sets its read address ${address}, and block RAM has no reset`;
    return [{ bits: width * size, net, module, register, cause, remedy: `reset ${address} synchronously` }];
  });
}

/** Problems of memories that must be flip-flops: errors where the part has too few. */
export function flipFlopMemories(top: string, netlist: Netlist, capacity: MemoryCapacity): MemoryFault[] {
  if (capacity === null) return [];
  const { part, flipFlops } = capacity;
  const found = modulesBelow(top, netlist).flatMap((module) => [
    ...registerArrays(module),
    ...resetAddresses(module),
  ]);
  const byName = new Map(found.map((one) => [`${one.module.definition} ${one.net}`, one]));
  return [...byName.values()].map(({ bits, net, module, register, cause, remedy }) => ({
    diagnostic: {
      ...(bits > flipFlops
        ? { severity: 'error', code: 'build_too_large' }
        : { severity: 'warning', code: 'design_invalid' }),
      message: `the memory ${net} becomes ${plain(bits)} flip-flops (${part} has ${plain(flipFlops)}): ${cause}; ${remedy}`,
      ...register.place,
      module: module.definition,
      net,
    } as Diagnostic,
    remedy: `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}, so that it becomes block RAM, or make it smaller.`,
  }));
}

/** Cells of Yosys that become carry chains, or logic around them. */
const CHAIN = /^\$(?:add|sub|neg|mul|macc|alu|div|mod|divfloor|modfloor|pow|lt|le|ge|gt)(?:_v2)?$/;

/**
 * Total width of the adders, comparators, multipliers and dividers of a module and everything below it. It is close to the
 * total length of the carry chains.
 */
export function arithmeticBits(top: string, netlist: Netlist): number {
  let bits = 0;
  eachInstance(top, netlist, ({ cells }) => {
    for (const { type, connections } of cells)
      if (CHAIN.test(type)) bits += Math.max(...Object.values(connections).map(({ length }) => length));
  });
  return bits;
}
