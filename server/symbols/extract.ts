import { mergedInverters } from './merged-inverters.ts';
import { DESIGN, isSet, type NetBit, type Netlist, type NetName } from './netlist-file.ts';
import { type DesignSignal, type DesignSymbols, MAX_BITS, MAX_SIGNALS, type Place } from './symbols.ts';

/** Nets of the base SoC's bus → the bench's names for them. */
export const BUS_NETS: Readonly<Record<string, string>> = {
  wb_cyc: 'bus.cyc',
  wb_we: 'bus.we',
  wb_adr: 'bus.adr',
  wb_dat_w: 'bus.dat_w',
  wb_dat_r: 'bus.dat_r',
  wb_ack: 'bus.ack',
  wb_err: 'bus.err',
};

/**
 * Extracts the symbols of a build. Names come from the synthesised netlist, which has all names of a net; places come
 * from the routed one, which has one name. Nets with a common name are the same.
 * @param synthesised Yosys's `write_json` after synthesis @param routed nextpnr-ice40's `--write`
 * @param inverters inverters that mapping has merged into other cells, with all names of their nets: the value of such a net is
 *   the inverse of a cell's
 */
export function extractSymbols(
  synthesised: Netlist,
  routed: Netlist,
  inverters: Netlist | null = null,
): DesignSymbols {
  const places = new Places(synthesised, routed);
  const merged = inverters
    ? mergedInverters(inverters, (name, k) => places.of(synthesised.netnames[name]?.bits[k]))
    : new Map<number, Place>();
  const signals: DesignSignal[] = [];
  const bus: DesignSignal[] = [];
  let omitted = 0;
  let bits = 0;
  const add = (full: string, net: NetName, placesOf: () => Place[]) => {
    const own = BUS_NETS[full];
    const name = own ?? nameInDesign(net.attributes?.['hdlname']) ?? wordOfArray(full);
    if (name === null || net.bits.length === 0) return;
    bits += net.bits.length;
    if (own === undefined && (signals.length >= MAX_SIGNALS || bits > MAX_BITS)) {
      omitted++;
      return;
    }
    const found = placesOf();
    (own === undefined ? signals : bus).push({
      name,
      kind: places.kindOf(found),
      low: net.offset ?? 0,
      ascending: net.upto === 1,
      places: found,
      ...sourceOf(net.attributes?.['src']),
    });
  };
  const inMerged = (bit: NetBit): Place =>
    typeof bit === 'number' ? (merged.get(bit) ?? null) : places.of(bit);
  for (const [full, net] of Object.entries(synthesised.netnames)) {
    const before = inverters?.netnames[full]?.bits;
    add(full, net, () => net.bits.map((bit, k) => inMerged(before?.[k]) ?? places.of(bit)));
  }
  for (const [full, net] of Object.entries(inverters?.netnames ?? {}))
    if (!synthesised.netnames[full]) add(full, net, () => net.bits.map(inMerged));
  signals.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { version: 1, signals, bus, omitted };
}

/**
 * The source name, inside the user's design, of a net. Yosys stores its path when it flattens a design; generated names
 * have none.
 */
function nameInDesign(hdlName: unknown): string | null {
  if (typeof hdlName !== 'string') return null;
  const path = hdlName.split(' ');
  if (path.some(isGeneratedName)) return null;
  if (path.length <= DESIGN.length || DESIGN.some((step, depth) => path[depth] !== step)) return null;
  return path.slice(DESIGN.length).join('.');
}

const WORD = new RegExp(`^${DESIGN.join('\\.')}\\.(.+\\[\\d+\\])$`);

/** The source name of a word of an array that became registers: Yosys names it, `bank[3]`, after it flattens the design. */
function wordOfArray(name: string): string | null {
  const [, word = null] = WORD.exec(name) ?? [];
  return word === null || word.split('.').some(isGeneratedName) ? null : word;
}

/** Whether a name is generated: front ends of other languages keep their dollar in Verilog. */
export const isGeneratedName = (name: string): boolean => name.startsWith('$');

/** Sources of the base SoC and the wrapper, which contain the instances above the design. */
const OWN_SOURCE = /^wishbench_\w+\.v:/;

/** Yosys: `echo.v:12.14-12.19|lib.v:3.1-4.2`; the first place in the user's files is the declaration. */
function sourceOf(source: unknown): Pick<DesignSignal, 'file' | 'line'> {
  const places = typeof source === 'string' ? source.split('|') : [];
  const place = places.find((one) => !OWN_SOURCE.test(one)) ?? places[0] ?? '';
  const [, file, line] = /^(.*?):(\d+)[.-]/.exec(place) ?? [];
  return file === undefined ? {} : { file, line: Number(line) };
}

/** nextpnr's `X12/Y7/lc3` in the virtual board's form. */
function placeOfBel(bel: unknown): string | null {
  const [, x, y, what] = (typeof bel === 'string' && /^X(\d+)\/Y(\d+)\/(lc\d|ram|io\d)$/.exec(bel)) || [];
  return what === undefined ? null : `x${x}y${y}/${what}`;
}

class Places {
  /** Name of a routed net, one bit each → the place of its driver. */
  readonly #routed = new Map<string, string>();
  /** Bit of the synthesised netlist → its place. */
  readonly #bits = new Map<number, string>();
  /** Outputs of flip-flops. */
  readonly #registers = new Set<string>();

  constructor(synthesised: Netlist, routed: Netlist) {
    this.#readRouted(routed);
    this.#matchNames(synthesised);
    this.#matchTables(synthesised, routed);
  }

  of(bit: NetBit): Place {
    if (typeof bit === 'number') return this.#bits.get(bit) ?? null;
    return bit === '0' || bit === '1' ? bit : null;
  }

  kindOf(places: readonly Place[]): DesignSignal['kind'] {
    const left = places.filter((place) => place !== null && place.length > 1);
    if (left.length > 0 && left.every((place) => this.#registers.has(place?.replace('!', '') ?? '')))
      return 'register';
    return left.length > 0 && left.every((place) => place?.includes('/ram[')) ? 'memory' : 'net';
  }

  #readRouted({ cells, netnames }: Netlist): void {
    const drivers = new Map<number, string>();
    for (const { type, connections, parameters, attributes } of Object.values(cells)) {
      const place = placeOfBel(attributes?.['NEXTPNR_BEL']);
      if (place === null) continue;
      const drives = (pin: string, suffix = '') => {
        const [bit] = connections[pin] ?? [];
        if (typeof bit === 'number') drivers.set(bit, `${place}${suffix}`);
      };
      if (type === 'ICESTORM_LC') {
        drives('O');
        if (isSet(parameters?.['DFF_ENABLE'])) this.#registers.add(place);
      } else if (type === 'ICESTORM_RAM') for (let k = 0; k < 16; k++) drives(`RDATA_${k}`, `[${k}]`);
      else if (type === 'SB_IO') drives('D_IN_0');
    }
    for (const [name, { bits, offset = 0 }] of Object.entries(netnames))
      bits.forEach((bit, k) => {
        const driver = typeof bit === 'number' ? drivers.get(bit) : undefined;
        if (driver !== undefined)
          this.#routed.set(bits.length === 1 ? name : `${name}[${offset + k}]`, driver);
      });
  }

  #matchNames({ netnames }: Netlist): void {
    for (const [name, { bits, offset = 0, upto }] of Object.entries(netnames))
      bits.forEach((bit, k) => {
        if (typeof bit !== 'number' || this.#bits.has(bit)) return;
        const index = upto === 1 ? offset + bits.length - 1 - k : offset + k;
        const place =
          (bits.length === 1 ? this.#routed.get(name) : undefined) ?? this.#routed.get(`${name}[${index}]`);
        if (place !== undefined) this.#bits.set(bit, place);
      });
  }

  /** Look-up tables packed with a flip-flop no longer have a net of their own. */
  #matchTables({ cells }: Netlist, routed: Netlist): void {
    for (const [name, { type, connections }] of Object.entries(cells)) {
      const [bit] = connections['O'] ?? [];
      if (type !== 'SB_LUT4' || typeof bit !== 'number' || this.#bits.has(bit)) continue;
      const place = placeOfBel(routed.cells[`${name}_LC`]?.attributes?.['NEXTPNR_BEL']);
      if (place !== null) this.#bits.set(bit, this.#registers.has(place) ? `${place}/d` : place);
    }
  }
}
