import { keyOf, type MemoryReads, portOf, type ReadAtOnce } from './memory-reads.ts';
import { joined, linesOf, type ModuleText, withConnections, withParameters } from './module-text.ts';
import type { Cell, Module } from './netlist.ts';

/** A parameter that is a number. */
const numberOf = ({ parameters }: Cell, name: string): number => Number.parseInt(parameters[name] ?? '0', 2);

/** The word of a memory at the start, the most significant bit first; x where it has no contents. */
function wordAtStart(module: Module, { memory }: ReadAtOnce, address: number): string {
  const { name, width } = memory;
  const word = Array.from({ length: width }, () => 'x');
  const contents = module.cells
    .filter(({ type, parameters }) => type.startsWith('$meminit') && parameters['MEMID'] === `\\${name}`)
    .sort((one, other) => numberOf(one, 'PRIORITY') - numberOf(other, 'PRIORITY'));
  for (const cell of contents) {
    const first = Number.parseInt([...portOf(cell, 'ADDR')].reverse().join(''), 2);
    if (address < first || address >= first + numberOf(cell, 'WORDS')) continue;
    const data = portOf(cell, 'DATA').slice((address - first) * width);
    const enable = portOf(cell, 'EN');
    for (let bit = 0; bit < width; bit++)
      if (enable.length === 0 || enable[bit] === '1') word[bit] = String(data[bit]);
  }
  return word.reverse().join('');
}

/** Whether all cells have one clock and one edge of it. */
const haveOneClock = (cells: readonly Cell[]): boolean =>
  new Set(cells.map((cell) => `${keyOf(portOf(cell, 'CLK'))} ${numberOf(cell, 'CLK_POLARITY')}`)).size === 1;

/**
 * Writes a read whose address is a register with a value at the start as a read with a clock, which takes the address on its way
 * into the register, shows words as they are written, and begins with the word that the register begins with. Synthesis does so
 * itself for registers without such a value. Source: Yosys, `memory_dff`.
 */
export function takeAddressRegisters(
  module: Module,
  { memories, reads }: { memories: MemoryReads; reads: readonly ReadAtOnce[] },
  text: ModuleText,
): void {
  for (const read of reads) {
    const registers = memories.addressRegisters(read);
    const writes = memories.writesOf(read);
    if (read.cell.type !== '$memrd_v2' || !registers?.length) continue;
    if (!haveOneClock([...registers, ...writes])) continue;
    const bits = portOf(read.cell, 'ADDR').map((bit) => {
      const register = memories.drivers.get(bit);
      if (!register) return { at: `1'${bit}`, value: String(bit) };
      return {
        at: `${text.copy(register, 'D')} [${portOf(register, 'Q').indexOf(bit)}]`,
        value: module.startValues.get(bit) ?? 'x',
      };
    });
    const start = bits
      .map(({ value }) => value)
      .reverse()
      .join('');
    if (!/^[01]+$/.test(start)) continue;
    const [register] = registers as [Cell];
    const { CLK = '' } = linesOf(text.cell(register), 'connect');
    text.replace(read.cell, (cell) =>
      withConnections(
        withParameters(cell, {
          CLK_ENABLE: "1'1",
          CLK_POLARITY: `1'${numberOf(register, 'CLK_POLARITY')}`,
          TRANSPARENCY_MASK: `${writes.length}'${'1'.repeat(writes.length) || 'x'}`,
          COLLISION_X_MASK: `${writes.length}'${'0'.repeat(writes.length) || 'x'}`,
          INIT_VALUE: `${read.memory.width}'${wordAtStart(module, read, Number.parseInt(start, 2))}`,
        }),
        { CLK, EN: "1'1", ARST: "1'0", SRST: "1'0", ADDR: joined(bits.map(({ at }) => at)) },
      ),
    );
  }
}
