import { isGeneratedName } from '../extract.ts';
import type { Netlist, NetlistCell } from '../netlist-file.ts';
import { linesOf, type Scope, Scopes } from './scopes.ts';

/** The origin of a cell. */
export interface Origin {
  scope: Scope;
  /** The signal of its module that it drives or contributes to; null without one. */
  name: string | null;
  /** It contributes to the signal without driving it. */
  between: boolean;
  /** `echo.v:12`: the declaration of the signal, else the origin of the cell; null where unknown. */
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
/** Sources of the tools: their mapping files leave places as well. */
const TOOL_SOURCE = /^(?:\/|\+\/)/;
/** Names that Yosys makes from a neighbouring cell. */
const MADE_UP = /_(?:SB_|LUT[1-8]_|TRELLIS_|CCU2C_|PFUMX_|L6MUX21_|DFF|ALU_|MUX2_LUT)/;
/** Memories keep their name from the source. */
const MEMORY = /^(?:SB_RAM40|SB_SPRAM|DP16KD|SPX?9?|SDPX?9?B?|DPX?9?B?)/;
/** Maximum cells inspected to find the target of a cell without a name. */
const MAX_INSPECTED = 64;

const partsOf = (source: unknown): string[] => (typeof source === 'string' ? source.split('|') : []);

/** Whether a port is an output; where directions are missing, by the iCE40 port names. */
const isOutput = ({ port_directions: directions }: NetlistCell, port: string): boolean =>
  directions
    ? directions[port] === 'output'
    : /^(?:O|Q|CO|RDATA\w*|D_IN_\d|GLOBAL_BUFFER_OUTPUT)$/.test(port);

/**
 * Finds the module of each cell in a flat netlist. Flip-flops, carries and sums keep their source, and so their module;
 * names of their outputs select one of several instances. Other look-up tables keep nothing: they belong to the module
 * whose signal they drive or lead to.
 */
export class Origins {
  readonly scopes: Scopes;
  readonly #netlist: Netlist;
  readonly #names = new Map<number, Named[]>();
  readonly #readers = new Map<number, string[]>();
  readonly #known = new Map<string, Origin>();
  /** A cell's source attribute → the instances of its modules. */
  readonly #fitting = new Map<string, ReadonlySet<Scope>>();

  /** @param inputs name of a module → its input ports, whose nets are driven from outside */
  constructor(netlist: Netlist, inputs: ReadonlyMap<string, ReadonlySet<string>>) {
    this.#netlist = netlist;
    this.scopes = new Scopes(netlist);
    this.#readNames(inputs);
    for (const [name, cell] of Object.entries(netlist.cells))
      for (const [port, bits] of Object.entries(cell.connections))
        if (!isOutput(cell, port))
          for (const bit of bits) if (typeof bit === 'number') this.#readerOf(bit).push(name);
  }

  /** Null for an unknown cell. */
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
    // Of several names of a bit, the deepest in the hierarchy comes first.
    for (const list of this.#names.values())
      if (list.length > 1) list.sort((a, b) => b.scope.path.length - a.scope.path.length);
  }

  #nameOf(full: string, { hide_name: hidden, attributes = {} }: Netlist['netnames'][string]): Named | null {
    const { hdlname, src } = attributes;
    const path = typeof hdlname === 'string' ? hdlname.split(' ') : null;
    // A name without a path belongs to the top; generated ones have no source of their own.
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

  /** A cell that drives a signal of its own module, or a memory, which has a name. */
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

  /** Any other cell: its module is that of its source, else that of its target. */
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

  /** Searches the readers of a cell, and theirs; at equal distance the majority counts. */
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

  /** The instances of the modules of a cell's source; null without one. */
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

/** The first place in the user's own sources. */
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
