import { type ChipTable, DRIVER, driverKind } from '../chip/chip-table.ts';
import type { ConfigurationMemory } from '../configuration/configuration-memory.ts';
import { FabricRefusal } from '../refusal.ts';

/** A tile that has at least one configuration bit set. */
export class ConfiguredTile {
  readonly #bits: Uint8Array;
  readonly #columns: number;
  readonly #entries: Record<string, (readonly [number, number])[]>;

  constructor(
    readonly x: number,
    readonly y: number,
    bits: Uint8Array,
    columns: number,
    entries: Record<string, (readonly [number, number])[]>,
  ) {
    this.#bits = bits;
    this.#columns = columns;
    this.#entries = entries;
  }

  /** One bit of a configuration entry. */
  entry(name: string, index = 0): boolean {
    const position = this.#entries[name]?.[index];
    if (!position) throw new Error(`tile ${this.x},${this.y} has no entry ${name}[${index}]`);
    return this.#bits[position[0] * this.#columns + position[1]] === 1;
  }

  /** Names of the entries that have a bit set. */
  setEntries(): string[] {
    return Object.keys(this.#entries).filter((name) =>
      this.#entries[name]?.some(([row, column]) => this.#bits[row * this.#columns + column] === 1),
    );
  }
}

/**
 * The wires that the configuration connects. Wires joined by closed switches form one net, identified by one of its
 * wires, its root.
 */
export class Routing {
  /** By `y * width + x`. */
  readonly tiles = new Map<number, ConfiguredTile>();
  readonly #parent: Int32Array;
  /** Per root: the driver of the net (see ChipTable.drivers), 0 when there is none. */
  readonly #driverOfRoot: Int32Array;
  readonly #table: ChipTable;

  /** @throws FabricRefusal for bits without a known meaning and for wires that two cells drive. */
  constructor(
    table: ChipTable,
    readonly memory: ConfigurationMemory,
  ) {
    this.#table = table;
    this.#parent = new Int32Array(table.wires);
    for (let wire = 0; wire < table.wires; wire++) this.#parent[wire] = wire;
    this.#driverOfRoot = new Int32Array(table.wires);
    const touched: number[] = [];
    let accounted = 0;
    for (let y = 0; y < table.height; y++)
      for (let x = 0; x < table.width; x++) accounted += this.#readTile(x, y, touched);
    this.#checkOutsideTiles(accounted);
    for (const wire of touched) this.#noteDriver(wire);
  }

  #readTile(x: number, y: number, touched: number[]): number {
    const table = this.#table;
    const index = y * table.width + x;
    const type = table.tileTypes[table.grid[index] ?? 0];
    if (!type || type.rows === 0) return 0;
    const read = this.memory.tile(x, y);
    if (!read) return 0;
    const { bits, columns } = read;
    const tile = new ConfiguredTile(x, y, bits, columns, type.entries);
    this.tiles.set(index, tile);

    const unexplained = bits.slice();
    for (const at of entryBits(type, columns)) unexplained[at] = 0;
    this.#closeSwitches(index, bits, columns, unexplained, touched);
    let count = 0;
    for (let i = 0; i < bits.length; i++) {
      count += bits[i] ?? 0;
      if (unexplained[i])
        throw new FabricRefusal(
          'fabric_unknown_bits',
          `Bit ${i % columns} of row ${Math.floor(i / columns)} in tile ${x},${y} is set, but its meaning is unknown.`,
        );
    }
    return count;
  }

  #closeSwitches(
    tile: number,
    bits: Uint8Array,
    columns: number,
    unexplained: Uint8Array,
    touched: number[],
  ): void {
    const { switchStart, switchShape, switchPips, switchTarget, shapeStart, shapeBits, pipSource, pipValue } =
      this.#table;
    const end = switchStart[tile + 1] ?? 0;
    let pip = this.#firstPip(tile);
    for (let s = switchStart[tile] ?? 0; s < end; s++) {
      const shape = switchShape[s] ?? 0;
      let value = 0;
      for (let k = shapeStart[shape] ?? 0; k < (shapeStart[shape + 1] ?? 0); k++) {
        const position = shapeBits[k] ?? 0;
        const at = (position >> 6) * columns + (position & 63);
        value = value * 2 + (bits[at] ?? 0);
        unexplained[at] = 0;
      }
      const pips = switchPips[s] ?? 0;
      if (value !== 0) {
        let found = pip;
        while (found < pip + pips && pipValue[found] !== value) found++;
        if (found === pip + pips)
          throw new FabricRefusal(
            'fabric_unknown_bits',
            `A switch of tile ${tile % this.#table.width},${Math.floor(tile / this.#table.width)} has the value ${value}, whose meaning is unknown.`,
          );
        const target = switchTarget[s] ?? 0;
        const source = target + (pipSource[found] ?? 0);
        this.#parent[this.root(source)] = this.root(target);
        touched.push(source, target);
      }
      pip += pips;
    }
  }

  /** Index of the first pip of a tile's switches. */
  #firstPip(tile: number): number {
    const starts = pipStarts(this.#table);
    return starts[tile] ?? 0;
  }

  #noteDriver(wire: number): void {
    const driver = this.#table.drivers[wire] ?? 0;
    if (driver === 0) return;
    const root = this.root(wire);
    const other = this.#driverOfRoot[root] ?? 0;
    if (other !== 0 && other !== driver)
      throw new FabricRefusal(
        'fabric_contention',
        `A wire is driven by ${describeDriver(this.#table, other)} and by ${describeDriver(this.#table, driver)}.`,
      );
    this.#driverOfRoot[root] = driver;
  }

  /** The only bits outside tiles select the pads that drive global buffers. */
  #checkOutsideTiles(insideTiles: number): void {
    let known = insideTiles;
    for (const buffer of this.#table.globalBuffers) if (this.padDrives(buffer.extraBit)) known++;
    if (this.memory.population() !== known)
      throw new FabricRefusal(
        'fabric_unknown_bits',
        'Configuration bits outside of all tiles are set, but their meaning is unknown.',
      );
  }

  /** True when the extra bit of a global buffer selects its pad. */
  padDrives([bank, column, row]: readonly [number, number, number]): boolean {
    return this.memory.cramBit(bank, column, row);
  }

  root(wire: number): number {
    const parent = this.#parent;
    let at = wire;
    while (parent[at] !== at) {
      const above = parent[parent[at] ?? 0] ?? 0;
      parent[at] = above;
      at = above;
    }
    return at;
  }

  /** The driver of a wire's net; 0 when there is none. */
  driverOf(wire: number): number {
    return this.#driverOfRoot[this.root(wire)] || (this.#table.drivers[wire] ?? 0);
  }
}

type TileType = ChipTable['tileTypes'][number];

const explained = new WeakMap<TileType, Int32Array>();

/** Positions of the known bits of a tile type, computed once a type: all its tiles have as many columns. */
function entryBits(type: TileType, columns: number): Int32Array {
  let found = explained.get(type);
  if (!found) {
    found = Int32Array.from(Object.values(type.entries).flat(), ([row, column]) => row * columns + column);
    explained.set(type, found);
  }
  return found;
}

const starts = new WeakMap<ChipTable, Int32Array>();

/** Per tile: index of the first pip, computed once a table. */
function pipStarts(table: ChipTable): Int32Array {
  let found = starts.get(table);
  if (!found) {
    found = new Int32Array(table.switchStart.length);
    let pip = 0;
    for (let tile = 0; tile + 1 < table.switchStart.length; tile++) {
      found[tile] = pip;
      for (let s = table.switchStart[tile] ?? 0; s < (table.switchStart[tile + 1] ?? 0); s++)
        pip += table.switchPips[s] ?? 0;
    }
    starts.set(table, found);
  }
  return found;
}

/** The place of a driver, for messages and net names. */
export function describeDriver(table: ChipTable, driver: number): string {
  const index = driver & 0xff_ffff;
  const at = (tile: number) => `x${tile % table.width}y${Math.floor(tile / table.width)}`;
  switch (driverKind(driver)) {
    case DRIVER.lut:
    case DRIVER.lutCascade:
    case DRIVER.carry: {
      const place = table.logicPlace[index] ?? 0;
      const suffix = driverKind(driver) === DRIVER.carry ? '/carry' : '';
      return `${at(place >> 3)}/lc${place & 7}${suffix}`;
    }
    case DRIVER.ram:
      return `${at(table.ramPlace[index >> 4] ?? 0)}/ram[${index & 15}]`;
    case DRIVER.pad0:
    case DRIVER.pad1: {
      const place = table.ioPlace[index] ?? 0;
      return `${at(place >> 1)}/io${place & 1}`;
    }
    case DRIVER.buffer:
      return `global buffer ${index}`;
    default:
      return 'an unconnected wire';
  }
}
