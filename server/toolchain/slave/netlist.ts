import type { Port } from '../../contract/designs/uploads.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import type { Place } from '../diagnostics/place.ts';
import { reportedName } from '../tool-paths.ts';

/** A net by its number within its module, or a constant. */
export type Bit = number | '0' | '1' | 'x' | 'z';

/** A cell: of Yosys where its type begins with `$`, else an instance of a module or of a part of the FPGA. */
export interface Cell {
  name: string;
  type: string;
  place: Place;
  /** Bits with the most significant first, or text. */
  parameters: Readonly<Record<string, string>>;
  /** The least significant bit first. */
  connections: Readonly<Record<string, readonly Bit[]>>;
  /** Which connections the cell drives. */
  outputs: ReadonlySet<string>;
}

export interface Memory {
  name: string;
  /** Bits of a word. */
  width: number;
  /** Address of the first word. */
  start: number;
  /** Words. */
  size: number;
  place: Place;
}

/** A module as it was elaborated: each instance that slang keeps apart is one of its own. */
export interface Module {
  name: string;
  /** The name in the source: that of an instance has a path behind it. */
  definition: string;
  /** It is no instance: nothing contains it. */
  isTop: boolean;
  place: Place;
  /** It is a declaration only. */
  isBlackBox: boolean;
  /** In the order of the declaration. */
  ports: Port[];
  /** Port → its nets. */
  nets: ReadonlyMap<string, readonly Bit[]>;
  /** Signal of the source → its nets. */
  signals: ReadonlyMap<string, readonly Bit[]>;
  cells: Cell[];
  memories: Memory[];
}

/** Name → module. */
export type Netlist = ReadonlyMap<string, Module>;

/** Of `write_json`: what is read here. Source: Yosys, `help write_json`. */
interface JsonNetlist {
  modules: Record<
    string,
    {
      attributes: Record<string, string>;
      ports: Record<string, { direction: Port['direction']; bits: Bit[]; offset?: number; upto?: number }>;
      cells: Record<
        string,
        {
          type: string;
          attributes: Record<string, string>;
          parameters: Record<string, string>;
          port_directions?: Record<string, string>;
          connections: Record<string, Bit[]>;
        }
      >;
      netnames?: Record<string, { hide_name: number; bits: Bit[] }>;
      memories?: Record<
        string,
        { attributes: Record<string, string>; width: number; start_offset: number; size: number }
      >;
    }
  >;
}

/** `gpio.v:12.3-20.10`, the first of several. */
function placeOf({ src = '' }: Record<string, string>): Place {
  const [, file, line, column] = /^([^":|]+):(\d+)\.(\d+)/.exec(src) ?? [];
  if (file === undefined || Number(line) < 1) return {};
  return {
    file: reportedName(file),
    line: Number(line),
    ...(Number(column) > 0 && { column: Number(column) }),
  };
}

/**
 * `slave$top.s` is the instance `top.s` of `slave` to slang, and `$paramod\slave\W=32` is `slave` with a parameter to Yosys; a module
 * that nothing contains keeps its name.
 */
function definitionOf(name: string, isTop: boolean): string {
  const [, parametrised] = /^\$paramod(?:\$[0-9a-f]+)?\\([^\\]+)/.exec(name) ?? [];
  if (parametrised !== undefined) return parametrised;
  return isTop || !name.includes('$') ? name : name.slice(0, name.indexOf('$', 1));
}

/** What Yosys wrote with `write_json`; it ends in the middle where that is more than a tool may write. */
function parseJson(bytes: Uint8Array): JsonNetlist {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch (error) {
    const size = Math.round(bytes.length / 2 ** 20);
    throw toolchainError('tool_memory', {
      message: `The design is larger than can be looked at: its netlist has ${size} MiB.`,
      cause: error,
    });
  }
}

/**
 * Reads a design as Yosys writes it with `write_json`, without processes.
 * @param bytes that Yosys wrote
 * @throws tool_memory
 */
export function parseNetlist(bytes: Uint8Array): Netlist {
  const { modules } = parseJson(bytes);
  return new Map(
    Object.entries(modules).map(
      ([name, { attributes, ports, cells, netnames = {}, memories = {} }]): [string, Module] => {
        const isTop = attributes['top'] !== undefined;
        return [
          name,
          {
            name,
            definition: definitionOf(name, isTop),
            isTop,
            place: placeOf(attributes),
            isBlackBox: attributes['blackbox'] !== undefined || attributes['whitebox'] !== undefined,
            ports: Object.entries(ports).map(([port, { direction, bits, offset = 0, upto = 0 }]) => ({
              name: port,
              direction,
              width: bits.length,
              // Of `[2:31]` the bit left out is at the most significant end: it says nothing about the low bound.
              offset: upto ? 0 : offset,
            })),
            nets: new Map(Object.entries(ports).map(([port, { bits }]) => [port, bits])),
            signals: new Map(
              Object.entries(netnames).flatMap(([signal, { hide_name: isOfTools, bits }]) =>
                isOfTools ? [] : [[signal, bits]],
              ),
            ),
            cells: Object.entries(cells).map(([cell, { type, ...rest }]) => ({
              name: cell,
              type,
              place: placeOf(rest.attributes),
              parameters: rest.parameters,
              connections: rest.connections,
              outputs: new Set(
                Object.entries(rest.port_directions ?? {}).flatMap(([port, direction]) =>
                  direction === 'input' ? [] : [port],
                ),
              ),
            })),
            memories: Object.entries(memories).map(
              ([memory, { attributes: own, width, start_offset: start, size }]) => ({
                name: memory,
                width,
                start,
                size,
                place: placeOf(own),
              }),
            ),
          },
        ];
      },
    ),
  );
}

/** Whether a module has ports and nothing inside that gives its outputs a value. */
export function isHollow({ ports, nets, cells, isBlackBox }: Module): boolean {
  if (isBlackBox || cells.length > 0) return isBlackBox;
  const netsOf = (kind: Port['direction']) =>
    ports.flatMap(({ name, direction }) => (direction === kind ? (nets.get(name) ?? []) : []));
  const inputs = new Set(netsOf('input'));
  const outputs = netsOf('output');
  return outputs.length > 0 && !outputs.some((net) => typeof net !== 'number' || inputs.has(net));
}

/** The modules that have an instance of their own in a module. */
export const modulesIn = ({ cells }: Module, netlist: Netlist): Module[] =>
  cells.flatMap(({ type }) => netlist.get(type) ?? []);

/** A module and all below it, each once. */
export function modulesBelow(top: string, netlist: Netlist): Module[] {
  const below = new Set<Module>();
  const open = [netlist.get(top)];
  for (let module = open.pop(); module !== undefined; module = open.pop()) {
    if (below.has(module)) continue;
    below.add(module);
    open.push(...modulesIn(module, netlist));
  }
  return [...below];
}

/** Instances that are visited at the most: no part has room for more. */
const MAX_VISITS = 100_000;

/** Calls back for a module and all below it, as often as it is instantiated; what leads back to a module on its way is not followed. */
export function eachInstance(top: string, netlist: Netlist, visit: (module: Module) => void): void {
  const way = new Set<Module>();
  let visits = 0;
  const enter = (module: Module) => {
    if (way.has(module) || visits++ > MAX_VISITS) return;
    visit(module);
    way.add(module);
    for (const inside of modulesIn(module, netlist)) enter(inside);
    way.delete(module);
  };
  const first = netlist.get(top);
  if (first) enter(first);
}
