import type { Port } from '../../contract/designs/uploads.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import type { Place } from '../diagnostics/place.ts';
import { reachable } from '../reachable.ts';
import { reportedName } from '../tool-paths.ts';

/** A net by its number in the module, or a constant. */
export type Bit = number | '0' | '1' | 'x' | 'z';

/** A cell: Yosys's own when its type begins with `$`, else an instance of a module or of a cell of the part. */
export interface Cell {
  name: string;
  type: string;
  place: Place;
  /** Bits, the most significant first, or text. */
  parameters: Readonly<Record<string, string>>;
  /** Lowest bit first. */
  connections: Readonly<Record<string, readonly Bit[]>>;
  /** Connections that the cell drives. */
  outputs: ReadonlySet<string>;
}

/** A memory of a module. */
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

/** A module after elaboration. slang makes a separate module for each instance. */
export interface Module {
  name: string;
  /** Its name in the source, without the path of the instance. */
  definition: string;
  /** No other module instantiates it. */
  isTop: boolean;
  place: Place;
  /** It is only a declaration. */
  isBlackBox: boolean;
  /** In declared order. */
  ports: Port[];
  /** By port. */
  nets: ReadonlyMap<string, readonly Bit[]>;
  /** Nets of the source's signals, by name. */
  signals: ReadonlyMap<string, readonly Bit[]>;
  /** What a net begins with, `0`, `1` or `x`; others have no such value. */
  startValues: ReadonlyMap<Bit, string>;
  cells: Cell[];
  memories: Memory[];
}

/** Modules by name. */
export type Netlist = ReadonlyMap<string, Module>;

/** The part of `write_json` that is used here. Source: Yosys, `help write_json`. */
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
      netnames?: Record<string, { hide_name: number; bits: Bit[]; attributes?: Record<string, string> }>;
      memories?: Record<
        string,
        { attributes: Record<string, string>; width: number; start_offset: number; size: number }
      >;
    }
  >;
}

/** Parses `gpio.v:12.3-20.10`; the first of several places. */
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
 * The name in the source. slang calls the instance `top.s` of `slave` `slave$top.s`; Yosys calls `slave` with a parameter
 * `$paramod\slave\W=32`. A top keeps its name.
 */
function definitionOf(name: string, isTop: boolean): string {
  const [, parametrised] = /^\$paramod(?:\$[0-9a-f]+)?\\([^\\]+)/.exec(name) ?? [];
  if (parametrised !== undefined) return parametrised;
  return isTop || !name.includes('$') ? name : name.slice(0, name.indexOf('$', 1));
}

/** Parses the output of `write_json`. It is truncated when it exceeds a tool's limit. */
function parseJson(bytes: Uint8Array): JsonNetlist {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch (error) {
    const size = Math.round(bytes.length / 2 ** 20);
    throw toolchainError('tool_memory', {
      message: `The design is too large to analyse: its netlist has ${size} MiB.`,
      cause: error,
    });
  }
}

/**
 * Reads a design from Yosys's `write_json`, without processes.
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
              // In `[2:31]` the missing bits are at the high end: they do not set the low bound.
              offset: upto ? 0 : offset,
            })),
            nets: new Map(Object.entries(ports).map(([port, { bits }]) => [port, bits])),
            signals: new Map(
              Object.entries(netnames).flatMap(([signal, { hide_name: isOfTools, bits }]) =>
                isOfTools ? [] : [[signal, bits]],
              ),
            ),
            startValues: new Map(
              Object.values(netnames).flatMap(({ bits, attributes: { init = '' } = {} }) =>
                init === '' ? [] : bits.map((bit, at): [Bit, string] => [bit, init.at(-1 - at) ?? 'x']),
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

/** Whether a module has outputs and nothing inside that drives them. */
export function isHollow({ ports, nets, cells, isBlackBox }: Module): boolean {
  if (isBlackBox || cells.length > 0) return isBlackBox;
  const netsOf = (kind: Port['direction']) =>
    ports.flatMap(({ name, direction }) => (direction === kind ? (nets.get(name) ?? []) : []));
  const inputs = new Set(netsOf('input'));
  const outputs = netsOf('output');
  return outputs.length > 0 && !outputs.some((net) => typeof net !== 'number' || inputs.has(net));
}

/** Modules with an instance in a module. */
export const modulesIn = ({ cells }: Module, netlist: Netlist): Module[] =>
  cells.flatMap(({ type }) => netlist.get(type) ?? []);

/** A module and all below it, each once. */
export function modulesBelow(top: string, netlist: Netlist): Module[] {
  const module = netlist.get(top);
  return [...reachable(module ? [module] : [], (one) => modulesIn(one, netlist))];
}

/** Limit of visited instances. No part has room for more. */
const MAX_VISITS = 100_000;

/** Visits a module and every instance below it, without recursion into a module that contains itself. */
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
