import { type ChipTable, DRIVER, driverIndex, driverKind } from '../chip/chip-table.ts';
import { LOGIC_PINS } from '../chip/table-format.ts';
import type { ConfigurationMemory } from '../configuration/configuration-memory.ts';
import { FabricRefusal } from '../refusal.ts';
import { Cells } from './cells.ts';
import { addPadInput, addPadOutput } from './io-cells.ts';
import type { Net, Netlist } from './netlist.ts';
import { addBlockRam } from './ram-cells.ts';
import { describeDriver, Routing } from './routing.ts';

/** Pins of the package that the board connects, by the package's names, e.g. `J3`. */
interface BoardPins {
  package: string;
  clock: string;
  /** Driven from outside. */
  inputs: readonly string[];
  /** Observed; logic that affects none of them is left out. */
  outputs: readonly string[];
}

/**
 * Extracts the netlist of a configuration: everything that the observed pins depend on. Undriven pads are high where
 * they are observed (the other end pulls them up) or their own pull-up is on, else low.
 * @throws FabricRefusal for an unknown or unsupported configuration.
 */
export function extractNetlist(table: ChipTable, memory: ConfigurationMemory, pins: BoardPins): Netlist {
  const routing = new Routing(table, memory);
  refuseUnsupported(table, routing);
  const io = ioOfPins(table, pins.package);
  const outside = new Set([pins.clock, ...pins.inputs].map(io));
  const observed = new Set(pins.outputs.map(io));
  const cells = new Cells(table, routing, {
    driven: outside,
    rest: (pad) => (observed.has(pad) || pulledUp(table, routing, pad) ? 1 : 0),
  });
  const clock = cells.padNet(io(pins.clock));
  const inputs = pins.inputs.map((name) => ({ name, net: cells.padNet(io(name)) }));
  const outputs = pins.outputs.map((name) => ({ name, net: cells.padNet(io(name)) }));
  for (let next = cells.wanted.pop(); next; next = cells.wanted.pop())
    if (next.from === 'pad') addPadOutput(cells, next.io, next.net);
    else addDriver(cells, next.net, next.driver);
  return { ...cells.found, clock, inputs, outputs, nameOf: (net) => cells.nameOf(net) };
}

function ioOfPins(table: ChipTable, packageName: string): (pin: string) => number {
  const pins = table.packages[packageName];
  if (!pins) throw new Error(`there is no iCE40 8k in the package ${packageName}`);
  return (pin) => {
    const io = pins[pin];
    if (io === undefined) throw new Error(`the package ${packageName} has no pin ${pin}`);
    return io;
  };
}

/** The pull-up of a pad is on unless its REN bit is set; an unconfigured pad is pulled up. */
function pulledUp(table: ChipTable, routing: Routing, io: number): boolean {
  const [x, y, z] = table.inputEnable[io] ?? [-1, -1, -1];
  if (x < 0) return false;
  return !routing.tiles.get(y * table.width + x)?.entry(`IoCtrl.REN_${z}`);
}

const IO_TILE = 2;

function refuseUnsupported(table: ChipTable, routing: Routing): void {
  for (const [index, tile] of routing.tiles) {
    if (table.grid[index] !== IO_TILE) continue;
    const set = tile.setEntries();
    if (set.some((name) => name.startsWith('PLL.')))
      throw new FabricRefusal('fabric_pll', 'The design uses a PLL, which the virtual board does not have.');
    if (set.includes('IoCtrl.LVDS'))
      throw new FabricRefusal('fabric_io', `The pins of tile ${tile.x},${tile.y} are differential (LVDS).`);
    if (set.includes('Icegate'))
      throw new FabricRefusal('fabric_io', `The inputs of tile ${tile.x},${tile.y} use the iCEGate latch.`);
  }
  if (table.warmboot.some((wire) => routing.driverOf(wire) !== 0))
    throw new FabricRefusal(
      'fabric_warmboot',
      'The design uses warm boot, which the virtual board does not have.',
    );
}

/** Adds the cell that drives a net to the netlist. */
function addDriver(cells: Cells, net: Net, driver: number): void {
  const index = driverIndex(driver);
  switch (driverKind(driver)) {
    case DRIVER.lut:
      addLogicOutput(cells, index, net);
      return;
    case DRIVER.lutCascade:
      addLut(cells, index, net);
      return;
    case DRIVER.carry:
      addCarry(cells, index, net);
      return;
    case DRIVER.ram:
      addBlockRam(cells, index >> 4);
      return;
    case DRIVER.pad0:
      addPadInput(cells, index, false, net);
      return;
    case DRIVER.pad1:
      addPadInput(cells, index, true, net);
      return;
    default:
      throw new Error(`no cell for ${describeDriver(cells.table, driver)}`);
  }
}

/** Position of truth-table bit k inside a logic cell's 20 configuration bits (source: icestorm, logic_tile). */
const TABLE_BITS = [4, 14, 15, 5, 6, 16, 17, 7, 3, 13, 12, 2, 1, 11, 10, 0];
const CARRY_ENABLE = 8;
const FLIP_FLOP = 9;
const SET_NOT_RESET = 18;
const ASYNCHRONOUS = 19;

function logicCell(cells: Cells, cell: number) {
  const place = cells.table.logicPlace[cell] ?? 0;
  const z = place & 7;
  const tile = cells.routing.tiles.get(place >> 3);
  const wire = (name: (typeof LOGIC_PINS)[number]) =>
    cells.table.logicPins[cell * LOGIC_PINS.length + LOGIC_PINS.indexOf(name)] ?? -1;
  return {
    z,
    tile,
    net: (name: (typeof LOGIC_PINS)[number], unconnected: 0 | 1) => cells.net(wire(name), unconnected),
    bit: (index: number) => tile?.entry(`LC_${z}`, index) ?? false,
  };
}

/** The look-up table only, before the flip-flop. */
function addLut(cells: Cells, cell: number, output: Net): void {
  const { net, bit } = logicCell(cells, cell);
  let table = 0;
  TABLE_BITS.forEach((position, k) => {
    if (bit(position)) table |= 1 << k;
  });
  cells.found.luts.push({ output, inputs: [net('i0', 0), net('i1', 0), net('i2', 0), net('i3', 0)], table });
}

/** The cell's output: its look-up table, or the flip-flop after it. */
function addLogicOutput(cells: Cells, cell: number, q: Net): void {
  const { tile, net, bit } = logicCell(cells, cell);
  if (!bit(FLIP_FLOP)) {
    addLut(cells, cell, q);
    return;
  }
  const name = cells.nameOf(q);
  const d = cells.fresh(`${name}/d`);
  addLut(cells, cell, d);
  cells.found.flipFlops.push({
    name,
    q,
    d,
    clock: net('clk', 0),
    falling: tile?.entry('NegClk') ?? false,
    enable: net('cen', 1),
    setReset: net('sr', 0),
    sets: bit(SET_NOT_RESET),
    asynchronous: bit(ASYNCHRONOUS),
  });
}

function addCarry(cells: Cells, cell: number, output: Net): void {
  const { z, tile, net, bit } = logicCell(cells, cell);
  if (!bit(CARRY_ENABLE)) {
    cells.found.luts.push({ output, inputs: [0, 0, 0, 0], table: 0 });
    return;
  }
  const carryIn = z === 0 && tile?.entry('CarryInSet') ? 1 : 0;
  cells.found.carries.push({ output, inputs: [net('i1', 0), net('i2', 0), net('cin', carryIn)] });
}
