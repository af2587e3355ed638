import { RAM_PIN_COUNT, RAM_PINS } from '../chip/table-format.ts';
import { FabricRefusal } from '../refusal.ts';
import type { Cells } from './cells.ts';
import type { RamMode } from './netlist.ts';
import { twoBits } from './two-bits.ts';

/** Offset of a pin's first wire within its block RAM. */
const OFFSETS = new Map<string, number>();
Object.entries(RAM_PINS).reduce((at, [name, width]) => {
  OFFSETS.set(name, at);
  return at + width;
}, 0);

/**
 * A block RAM. Its configuration is in two tiles: the lower (RAMB) one has power-up and the read clock's edge, the
 * upper (RAMT) one the data widths, cascading and the write clock's edge.
 */
export function addBlockRam(cells: Cells, ram: number): void {
  const { table, routing } = cells;
  const place = table.ramPlace[ram] ?? 0;
  const x = place % table.width;
  const y = Math.floor(place / table.width);
  const name = `x${x}y${y}/ram`;
  if (cells.found.rams.some((known) => known.name === name)) return;
  const lower = routing.tiles.get(place);
  const upper = routing.tiles.get(place + table.width);
  if (!lower?.entry('RamConfig.PowerUp'))
    throw new FabricRefusal('fabric_ram', `The block RAM at ${x},${y} is read but not powered up.`);
  for (const cascade of [4, 5, 6, 7])
    if (upper?.entry(`RamCascade.CBIT_${cascade}`))
      throw new FabricRefusal('fabric_ram', `The block RAM at ${x},${y} is cascaded.`);

  const wire = (pin: keyof typeof RAM_PINS, k: number) =>
    table.ramPins[ram * RAM_PIN_COUNT + (OFFSETS.get(pin) ?? 0) + k] ?? -1;
  const one = (pin: keyof typeof RAM_PINS, unconnected: 0 | 1 = 0) => cells.net(wire(pin, 0), unconnected);
  const all = (pin: keyof typeof RAM_PINS) =>
    Array.from({ length: RAM_PINS[pin] }, (_, k) => cells.net(wire(pin, k), 0));
  const mode = (low: number): RamMode => twoBits(upper, 'RamConfig.CBIT', low);

  const entry = {
    name,
    readData: Array.from({ length: 16 }, (_, k) => routing.root(wire('rdata', k)) + 2),
    readMode: mode(2),
    readFalling: lower.entry('NegClk'),
    writeMode: mode(0),
    writeFalling: upper?.entry('NegClk') ?? false,
    initial: routing.memory.blockRam(x, y),
    readClock: one('rclk'),
    readClockEnable: one('rclke', 1),
    readEnable: one('re'),
    readAddress: all('raddr'),
    writeClock: one('wclk'),
    writeClockEnable: one('wclke', 1),
    writeEnable: one('we'),
    writeAddress: all('waddr'),
    writeData: all('wdata'),
    writeMask: all('mask'),
  };
  cells.found.rams.push(entry);
}
