import type { ChipTable } from '../chip/chip-table.ts';
import { IO_PINS } from '../chip/table-format.ts';
import type { Routing } from './routing.ts';
import { twoBits } from './two-bits.ts';

/** Configuration of an IO cell; PIN_TYPE as in Lattice's SB_IO (source: iCE40 technology library). */
interface IoConfiguration {
  /** Its place, e.g. `x33y16/io1`. */
  name: string;
  /** Bits [1:0]: 00 registered, 01 direct, 10 registered and latched, 11 latched. */
  input: 'registered' | 'direct' | 'registered-latched' | 'latched';
  /** Bits [5:4]: when the design drives the pad. */
  drives: 'never' | 'always' | 'enabled' | 'registered-enabled';
  /** Bits [3:2]: the value that it drives. */
  output: 'ddr' | 'registered' | 'direct' | 'registered-inverted';
  /** Its registers are clocked by the falling edge first. */
  falling: boolean;
  wire(pin: (typeof IO_PINS)[number]): number;
}

/** Reads the configuration of an IO cell. */
export function ioConfiguration(table: ChipTable, routing: Routing, io: number): IoConfiguration {
  const place = table.ioPlace[io] ?? 0;
  const tile = routing.tiles.get(place >> 1);
  const z = place & 1;
  const pinType = (low: number) => twoBits(tile, `IOB_${z}.PINTYPE`, low);
  return {
    name: `x${(place >> 1) % table.width}y${Math.floor((place >> 1) / table.width)}/io${z}`,
    input: (['registered', 'direct', 'registered-latched', 'latched'] as const)[pinType(0)],
    output: (['ddr', 'registered', 'direct', 'registered-inverted'] as const)[pinType(2)],
    drives: (['never', 'always', 'enabled', 'registered-enabled'] as const)[pinType(4)],
    falling: tile?.entry('NegClk') ?? false,
    wire: (pin) => table.ioPins[io * IO_PINS.length + IO_PINS.indexOf(pin)] ?? -1,
  };
}
