import type { CellKind, PlacedCell } from '../../contract/signals/floorplan.ts';
import { isSet, type Netlist, type NetlistCell } from '../netlist-file.ts';
import type { Origin, Origins } from './origins.ts';

/** nextpnr's types of placed cells of the iCE40 family. */
const KINDS: Readonly<Record<string, CellKind>> = {
  ICESTORM_LC: 'logic',
  ICESTORM_RAM: 'ram',
  SB_IO: 'io',
  SB_GB: 'buffer',
  ICESTORM_PLL: 'pll',
  ICESTORM_DSP: 'dsp',
  ICESTORM_SPRAM: 'spram',
};

/** Suffixes of nextpnr for cells that it packs into one. */
const PACKED = /(?:_DFFLC|_LC|_RAM|_DSP|_SPRAM|_PLL|\$CARRY)$/;

/** A placed cell. */
export interface Placed {
  /** As nextpnr names it. */
  id: string;
  type: string;
  kind: CellKind;
  parts: NonNullable<PlacedCell['parts']>;
  x: number;
  y: number;
  z: number;
  origin: Origin;
}

/** `X12/Y7/lc3`; a place without a number is the only one of its tile. */
const BEL = /^X(\d+)\/Y(\d+)\/[a-z_]*?(\d*)$/i;

/** Finds the kind and the origin of each placed cell. */
export class PlacedCells {
  readonly #origins: Origins;
  readonly #routed: Netlist;
  /** Bit of the synthesised netlist → the flip-flop that takes it. */
  readonly #flipFlops = new Map<number, string>();
  /** Bit of the placed netlist → its driver, and its reader. */
  readonly #drivers = new Map<number, string>();
  readonly #readers = new Map<number, string[]>();
  readonly #synthesised: Netlist;
  readonly #nobody: Origin;

  constructor(synthesised: Netlist, routed: Netlist, origins: Origins) {
    this.#synthesised = synthesised;
    this.#routed = routed;
    this.#origins = origins;
    this.#nobody = { scope: origins.scopes.top, name: null, between: false, source: null };
    for (const [name, { type, connections }] of Object.entries(synthesised.cells)) {
      const bit = connections['D']?.[0];
      if (type.startsWith('SB_DFF') && typeof bit === 'number') this.#flipFlops.set(bit, name);
    }
    for (const [name, { port_directions: directions = {}, connections }] of Object.entries(routed.cells))
      for (const [port, bits] of Object.entries(connections))
        for (const bit of bits) {
          if (typeof bit !== 'number') continue;
          if (directions[port] === 'output') this.#drivers.set(bit, name);
          else this.#readers.set(bit, [...(this.#readers.get(bit) ?? []).slice(0, 7), name]);
        }
  }

  /** All cells with a place. */
  *all(): Iterable<Placed> {
    for (const [id, cell] of Object.entries(this.#routed.cells)) {
      const [, x, y, z] = BEL.exec(String(cell.attributes?.['NEXTPNR_BEL'] ?? '')) ?? [];
      if (x === undefined || y === undefined) continue;
      yield {
        id,
        type: cell.type,
        kind: KINDS[cell.type] ?? 'other',
        parts: this.#partsOf(id, cell),
        x: Number(x),
        y: Number(y),
        z: Number(z ?? 0),
        origin: this.originOf(id),
      };
    }
  }

  /** The origin of a placed cell; for a cell made by nextpnr, that of its driver or reader. */
  originOf(id: string): Origin {
    const cell = this.#routed.cells[id];
    if (!cell) return this.#nobody;
    return this.#ownOrigin(id, cell) ?? this.#neighbour(cell) ?? this.#nobody;
  }

  #ownOrigin(id: string, cell: NetlistCell): Origin | null {
    const name = id.replace(PACKED, '');
    const bit = this.#synthesised.cells[name]?.connections['O']?.[0];
    const flipFlop = typeof bit === 'number' ? this.#flipFlops.get(bit) : undefined;
    // The register after a look-up table has the better name.
    const register = isSet(cell.parameters?.['DFF_ENABLE']) && flipFlop !== undefined ? flipFlop : name;
    return this.#origins.of(register) ?? this.#origins.of(id);
  }

  #neighbour(cell: NetlistCell): Origin | null {
    const { port_directions: directions = {}, connections } = cell;
    const named = (ids: readonly (string | undefined)[]): Origin | null => {
      for (const id of ids) {
        const other = id === undefined ? undefined : this.#routed.cells[id];
        const origin = id !== undefined && other ? this.#ownOrigin(id, other) : null;
        if (origin) return { ...origin, between: true };
      }
      return null;
    };
    const bitsOf = (wanted: (direction: string | undefined) => boolean) =>
      Object.entries(connections)
        .filter(([port]) => wanted(directions[port]))
        .flatMap(([, bits]) => bits.filter((bit) => typeof bit === 'number'));
    const drivers = bitsOf((direction) => direction !== 'output').map((bit) => this.#drivers.get(bit));
    const driver = named(drivers);
    // Everything reads a clock buffer: its readers tell nothing about its origin.
    if (driver || cell.type === 'SB_GB') return driver;
    return named(bitsOf((direction) => direction !== 'input').flatMap((bit) => this.#readers.get(bit) ?? []));
  }

  #partsOf(id: string, { type, parameters = {} }: NetlistCell): Placed['parts'] {
    if (type !== 'ICESTORM_LC') return [];
    const table = this.#synthesised.cells[id.replace(PACKED, '')]?.type === 'SB_LUT4';
    return [
      ...(table ? (['lut'] as const) : []),
      ...(isSet(parameters['DFF_ENABLE']) ? (['ff'] as const) : []),
      ...(isSet(parameters['CARRY_ENABLE']) ? (['carry'] as const) : []),
    ];
  }
}
