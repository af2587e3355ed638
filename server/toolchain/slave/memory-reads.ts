import type { Bit, Cell, Memory, Module } from './netlist.ts';

/** Minimum size of a memory for block RAM, bits. */
const MIN_BITS = 512;

/** Flip-flops as front ends write them. Their enable is a multiplexer. */
export const REGISTER = /^\$(?:dff|adff|aldff)$/;
const MULTIPLEXER = /^\$p?mux$/;

export const portOf = ({ connections }: Cell, port: string): readonly Bit[] => connections[port] ?? [];
/** A key that is the same for equal words. */
export const keyOf = (bits: readonly Bit[]): string => bits.join(' ');
export const isConstant = (bits: readonly Bit[]): boolean => bits.every((bit) => typeof bit !== 'number');

/** A module whose cells take each other's bits themselves: without the buffers that `write_json` writes for connections. */
export function withoutBuffers(module: Module): Module {
  const taken = new Map<Bit, Bit>();
  for (const cell of module.cells)
    if (cell.type === '$buf')
      for (const [at, bit] of portOf(cell, 'Y').entries()) taken.set(bit, portOf(cell, 'A')[at] ?? 'x');
  if (taken.size === 0) return module;
  const sourceOf = (bit: Bit): Bit => {
    const passed = new Set<Bit>();
    let source = bit;
    for (let next = taken.get(bit); next !== undefined && !passed.has(next); next = taken.get(next)) {
      passed.add(next);
      source = next;
    }
    return source;
  };
  const sourcesOf = (nets: Iterable<readonly [string, readonly Bit[]]>) =>
    [...nets].map(([name, bits]): [string, readonly Bit[]] => [name, bits.map(sourceOf)]);
  return {
    ...module,
    nets: new Map(sourcesOf(module.nets)),
    cells: module.cells
      .filter(({ type }) => type !== '$buf')
      .map((cell) => ({
        ...cell,
        connections: Object.fromEntries(sourcesOf(Object.entries(cell.connections))),
      })),
  };
}

/** An asynchronous read. Block RAM has none, unless a register after or before the read becomes its own. */
export interface ReadAtOnce {
  cell: Cell;
  memory: Memory;
}

/** Finds how the large memories of a module are read. */
export class MemoryReads {
  readonly #module: Module;
  readonly #users = new Map<Bit, Set<Cell | null>>();
  /** Driving cell by bit. */
  readonly drivers = new Map<Bit, Cell>();
  /** Driving multiplexer by word. */
  readonly multiplexers = new Map<string, Cell>();
  readonly all: readonly ReadAtOnce[];

  constructor(module: Module) {
    this.#module = module;
    const large = new Map(
      module.memories
        .filter(({ width, size }) => width * size >= MIN_BITS)
        .map((memory) => [`\\${memory.name}`, memory]),
    );
    if (large.size > 0) this.#connect();
    this.all = module.cells.flatMap((cell) => {
      const { CLK_ENABLE = '', MEMID = '' } = cell.parameters;
      const memory = large.get(MEMID);
      return memory && cell.type.startsWith('$memrd') && !CLK_ENABLE.includes('1') ? [{ cell, memory }] : [];
    });
  }

  #connect(): void {
    const use = (bit: Bit, user: Cell | null) =>
      this.#users.set(bit, (this.#users.get(bit) ?? new Set()).add(user));
    for (const { name, direction } of this.#module.ports)
      if (direction !== 'input') for (const bit of this.#module.nets.get(name) ?? []) use(bit, null);
    for (const cell of this.#module.cells) {
      if (MULTIPLEXER.test(cell.type)) this.multiplexers.set(keyOf(portOf(cell, 'Y')), cell);
      for (const [port, bits] of Object.entries(cell.connections))
        for (const bit of bits)
          if (cell.outputs.has(port)) this.drivers.set(bit, cell);
          else use(bit, /^[ABD]$/.test(port) ? cell : null);
    }
  }

  /** The writes of the memory. */
  writesOf({ cell }: ReadAtOnce): Cell[] {
    return this.#module.cells.filter(
      ({ type, parameters }) => type.startsWith('$memwr') && parameters['MEMID'] === cell.parameters['MEMID'],
    );
  }

  /** Whether the memory is written at exactly one address. */
  hasOneWrite(read: ReadAtOnce): boolean {
    return new Set(this.writesOf(read).map((write) => keyOf(portOf(write, 'ADDR')))).size === 1;
  }

  /** The registers that drive the address; null when anything else drives a part of it. */
  addressRegisters({ cell }: ReadAtOnce): Cell[] | null {
    const drivers = portOf(cell, 'ADDR')
      .filter((bit) => typeof bit === 'number')
      .map((bit) => this.drivers.get(bit));
    const registers = drivers.filter((driver) => driver !== undefined && REGISTER.test(driver.type));
    return registers.length === drivers.length ? (registers as Cell[]) : null;
  }

  /** The only register that takes the word, through multiplexers only; null otherwise. */
  registerOf({ cell }: ReadAtOnce): Cell | null {
    const found = new Set<Cell>();
    const passed = new Set<Cell>();
    const open = [...portOf(cell, 'DATA')];
    for (let bit = open.pop(); bit !== undefined; bit = open.pop())
      for (const user of this.#users.get(bit) ?? []) {
        if (user && REGISTER.test(user.type)) found.add(user);
        else if (!user || !MULTIPLEXER.test(user.type)) return null;
        else if (!passed.has(user)) {
          passed.add(user);
          open.push(...portOf(user, 'Y'));
        }
      }
    const [register] = found;
    return register && found.size === 1 && isConstant(portOf(register, 'AD')) ? register : null;
  }
}
