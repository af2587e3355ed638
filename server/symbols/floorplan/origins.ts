import { isGeneratedName } from '../extract.ts';
import type { Netlist, NetlistCell } from '../netlist-file.ts';
import { linesOf, type Scope, Scopes } from './scopes.ts';

/** Where a cell comes from. */
export interface Origin {
  scope: Scope;
  /** The signal of its module that it drives, or works towards; null for one that has nothing to do with any. */
  name: string | null;
  /** It works towards the signal and does not drive it. */
  between: boolean;
  /** `echo.v:12`: where the signal is declared, else what the cell was made from; null where nothing says so. */
  source: string | null;
}

/** A bit of a net under one of its names. */
interface Named {
  scope: Scope;
  name: string;
  source: string | null;
}

/** Sources of the base SoC and the wrapper. */
const OWN_SOURCE = /^wishbench_\w+\.vh?:/;
/** Sources of the tools themselves: their techniques for mapping leave their places as well. */
const TOOL_SOURCE = /^(?:\/|\+\/)/;
/** Names that Yosys has made up after a cell that is beside the net. */
const MADE_UP = /_(?:SB_|LUT[1-8]_|TRELLIS_|CCU2C_|PFUMX_|L6MUX21_|DFF|ALU_|MUX2_LUT)/;
/** Memories: they keep the name that they have in the source. */
const MEMORY = /^(?:SB_RAM40|SB_SPRAM|DP16KD|SPX?9?|SDPX?9?B?|DPX?9?B?)/;
/** Cells that are looked at to find what a cell without a name works towards. */
const MAX_INSPECTED = 64;

const partsOf = (source: unknown): string[] => (typeof source === 'string' ? source.split('|') : []);

/** Outputs of a cell; of one whose directions are not told, as the iCE40 family names them. */
const isOutput = ({ port_directions: directions }: NetlistCell, port: string): boolean =>
  directions
    ? directions[port] === 'output'
    : /^(?:O|Q|CO|RDATA\w*|D_IN_\d|GLOBAL_BUFFER_OUTPUT)$/.test(port);

/**
 * Tells of each cell of a netlist that synthesis has made flat which module it comes from. Flip-flops, carries and sums keep
 * where they are in the source, and so in which module; of several instances of it the names of what they drive tell
 * which. Other look-up tables keep nothing: they belong to the module whose signal they drive, and those in between to where
 * they lead.
 */
export class Origins {
  readonly scopes: Scopes;
  readonly #netlist: Netlist;
  readonly #names = new Map<number, Named[]>();
  readonly #readers = new Map<number, string[]>();
  readonly #known = new Map<string, Origin>();
  /** Text of a cell's source → the instances of the modules that it is in. */
  readonly #fitting = new Map<string, ReadonlySet<Scope>>();

  /** @param inputs name of a module → its input ports: what they are connected to is driven from outside */
  constructor(netlist: Netlist, inputs: ReadonlyMap<string, ReadonlySet<string>>) {
    this.#netlist = netlist;
    this.scopes = new Scopes(netlist);
    this.#readNames(inputs);
    for (const [name, cell] of Object.entries(netlist.cells))
      for (const [port, bits] of Object.entries(cell.connections))
        if (!isOutput(cell, port))
          for (const bit of bits) if (typeof bit === 'number') this.#readerOf(bit).push(name);
  }

  /** Null for a cell that there is not. */
  of(name: string): Origin | null {
    const known = this.#known.get(name);
    if (known) return known;
    const cell = this.#netlist.cells[name];
    if (!cell) return null;
    const origin = this.#named(name, cell) ?? this.#unnamed(name, cell);
    this.#known.set(name, origin);
    return origin;
  }

  #readNames(inputs: ReadonlyMap<string, ReadonlySet<string>>): void {
    for (const [full, net] of Object.entries(this.#netlist.netnames)) {
      const named = this.#nameOf(full, net);
      if (!named) continue;
      const { scope, name, source } = named;
      if (scope.design && inputs.get(scope.module ?? '')?.has(name)) continue;
      const { bits, offset = 0, upto } = net;
      bits.forEach((bit, k) => {
        if (typeof bit !== 'number') return;
        const index = upto === 1 ? offset + bits.length - 1 - k : offset + k;
        const list = this.#names.get(bit) ?? [];
        list.push({ scope, name: bits.length === 1 ? name : `${name}[${index}]`, source });
        this.#names.set(bit, list);
      });
    }
    // Of names of the same bit, the one that is deepest in the hierarchy comes first.
    for (const list of this.#names.values())
      if (list.length > 1) list.sort((a, b) => b.scope.path.length - a.scope.path.length);
  }

  #nameOf(full: string, { hide_name: hidden, attributes = {} }: Netlist['netnames'][string]): Named | null {
    const { hdlname, src } = attributes;
    const path = typeof hdlname === 'string' ? hdlname.split(' ') : null;
    // What has no path is of the top; passes make such names up, too, but those have no source of their own.
    if (!path && (hidden === 1 || src === undefined || MADE_UP.test(full) || full.includes('.'))) return null;
    if (path?.some(isGeneratedName)) return null;
    const scope = this.scopes.at(path?.slice(0, -1) ?? []);
    return scope && { scope, name: path?.at(-1) ?? full, source: placeOf(src) };
  }

  #readerOf(bit: number): string[] {
    const list = this.#readers.get(bit) ?? [];
    this.#readers.set(bit, list);
    return list;
  }

  #outputsOf(cell: NetlistCell): number[] {
    return Object.entries(cell.connections).flatMap(([port, bits]) =>
      isOutput(cell, port) ? bits.filter((bit) => typeof bit === 'number') : [],
    );
  }

  /** A cell that drives a signal of the module that it is in, or is a memory, which has a name of its own. */
  #named(name: string, cell: NetlistCell): Origin | null {
    const names = this.#outputsOf(cell).flatMap((bit) => this.#names.get(bit) ?? []);
    const fitting = this.#fittingScopes(cell);
    const found = fitting ? names.find(({ scope }) => fitting.has(scope)) : names[0];
    if (found) return { ...found, between: false };
    if (!MEMORY.test(cell.type)) return null;
    const { scope, rest } = this.scopes.ofName(name);
    const memory = rest.replace(/(?:\.\d+)+$/, '');
    return { scope, name: memory, between: false, source: placeOf(cell.attributes?.['src']) };
  }

  /** Any other cell: its module is the one that its source is in, else the one of what it leads to. */
  #unnamed(name: string, cell: NetlistCell): Origin {
    const source = placeOf(cell.attributes?.['src']);
    const fitting = this.#fittingScopes(cell);
    const found = this.#nearest(cell, ({ scope }) => !fitting || fitting.has(scope));
    if (found) return { ...found, between: true, source: source ?? found.source };
    const { scope } = this.scopes.ofName(name);
    if (!fitting || fitting.has(scope)) return { scope, name: null, between: false, source };
    const [first = scope] = fitting;
    return { scope: first, name: null, between: false, source };
  }

  /** Looks along what reads a cell, and what reads that; of several that are as near, what most lead to. */
  #nearest(cell: NetlistCell, wanted: (found: Origin) => boolean): Origin | null {
    const seen = new Set<string>();
    let level = [cell];
    while (level.length > 0 && seen.size < MAX_INSPECTED) {
      const next: NetlistCell[] = [];
      const found: Origin[] = [];
      for (const bit of level.flatMap((one) => this.#outputsOf(one)))
        for (const reader of this.#readers.get(bit) ?? []) {
          const reading = this.#netlist.cells[reader];
          if (!reading || seen.has(reader) || seen.size >= MAX_INSPECTED) continue;
          seen.add(reader);
          const named = this.#named(reader, reading);
          if (named && wanted(named)) found.push(named);
          else if (!named) next.push(reading);
        }
      const most = mostFrequent(found);
      if (most) return most;
      level = next;
    }
    return null;
  }

  /** The instances of the modules that a cell's source is in; null where it has none that says so. */
  #fittingScopes({ attributes }: NetlistCell): ReadonlySet<Scope> | null {
    const source = attributes?.['src'];
    if (typeof source !== 'string') return null;
    const known = this.#fitting.get(source);
    if (known) return known.size > 0 ? known : null;
    const places = partsOf(source).flatMap((part) => linesOf(part) ?? []);
    const fitting = new Set<Scope>();
    for (const scope of this.scopes.all)
      if (
        scope.lines &&
        places.some(
          ({ file, from }) =>
            file === scope.lines?.file && from >= scope.lines.from && from <= scope.lines.to,
        )
      )
        fitting.add(scope);
    this.#fitting.set(source, fitting);
    return fitting.size > 0 ? fitting : null;
  }
}

/** The first place of a source that is none of the tools' or the bench's. */
const placeOf = (source: unknown): string | null =>
  partsOf(source).find((part) => !OWN_SOURCE.test(part) && !TOOL_SOURCE.test(part)) ?? null;

function mostFrequent(found: readonly Origin[]): Origin | null {
  const counts = new Map<Scope, number>();
  for (const { scope } of found) counts.set(scope, (counts.get(scope) ?? 0) + 1);
  let best: Origin | null = null;
  for (const one of found)
    if (best === null || (counts.get(one.scope) ?? 0) > (counts.get(best.scope) ?? 0)) best = one;
  return best;
}
