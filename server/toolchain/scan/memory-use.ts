import { chunksOf } from './signals.ts';

/** A memory as a module declares it, and how much of it the module reaches. */
export interface MemoryUse {
  name: string;
  /** Bits of a word. */
  width: number;
  /** Words. */
  size: number;
  /** Most bits of an address that is read, and of one that is written with a clock, that are not constant. */
  readBits: number;
  writeBits: number;
}

/** `$memwr$\\mem$ram.v:3$1_ADDR`, with `$1` before it and what tells it apart behind it */
const WRITE_ADDRESS = /^ *assign \$\d+\$memwr\$\\(\S+?)\$\S*_ADDR\S* (.+)$/;

/** Cells that are ports of memories: those of `initial` blocks are others. */
const PORTS = [
  ['  cell $memrd', 'readBits'],
  ['  cell $memwr', 'writeBits'],
] as const;

/**
 * Reads from the RTLIL of one module, line by line, what its memories are and how they are used. Writes of `initial`
 * blocks do not count: what is never written else is a table, and may become a few gates.
 */
export class MemoryReader {
  readonly #memories = new Map<string, MemoryUse>();
  /** Of the processes' writes that have no clock yet: memory → bits. */
  #pending = new Map<string, number>();
  /** The memory of the port whose lines come. */
  #ofPort: MemoryUse | null = null;
  #port: 'readBits' | 'writeBits' | null = null;

  /** `  memory width 8 size 1024 \\mem` */
  declare(line: string): MemoryUse | null {
    // What is 1 is left out.
    const [, width = 1, size = 1, name] =
      /^ {2}memory(?: width (\d+))?(?: size (\d+))?(?: offset -?\d+)? \\(\S+)$/.exec(line) ?? [];
    if (name === undefined) return null;
    const memory = { name, width: Number(width), size: Number(size), readBits: 0, writeBits: 0 };
    this.#memories.set(name, memory);
    return memory;
  }

  /** @param widths RTLIL identifier → width, of every wire wider than one bit */
  read(line: string, widths: ReadonlyMap<string, number>): void {
    if (line.startsWith('  cell ')) {
      this.#port = PORTS.find(([cell]) => line.startsWith(cell))?.[1] ?? null;
      this.#ofPort = null;
    } else if (this.#port && line.startsWith('    parameter \\MEMID ')) {
      const [, name] = /"\\\\(.+)"$/.exec(line) ?? [];
      this.#ofPort = this.#memories.get(name ?? '') ?? null;
    } else if (this.#ofPort && this.#port && line.startsWith('    connect \\ADDR ')) {
      const bits = variableBits(line.slice(18), widths);
      this.#ofPort[this.#port] = Math.max(this.#ofPort[this.#port], bits);
    } else if (line.startsWith('  process ')) this.#pending = new Map();
    else if (line.startsWith('    sync posedge ') || line.startsWith('    sync negedge ')) {
      for (const [name, bits] of this.#pending) {
        const memory = this.#memories.get(name);
        if (memory) memory.writeBits = Math.max(memory.writeBits, bits);
      }
    } else {
      const [, name, address] = WRITE_ADDRESS.exec(line) ?? [];
      if (name === undefined || address === undefined || /^\$\d+\$memwr\$/.test(address)) return;
      this.#pending.set(name, Math.max(this.#pending.get(name) ?? 0, variableBits(address, widths)));
    }
  }
}

/** How many bits of a signal are not constant. */
const variableBits = (signal: string, widths: ReadonlyMap<string, number>): number =>
  chunksOf(signal, (wire) => widths.get(wire) ?? 1)
    .filter(({ wire }) => wire !== null)
    .reduce((sum, { width }) => sum + width, 0);
