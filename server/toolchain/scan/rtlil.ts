import type { Port } from '../../contract/designs.ts';
import type { Diagnostic } from '../../contract/diagnostics.ts';
import { ArithmeticReader } from './arithmetic-use.ts';
import { MemoryReader, type MemoryUse } from './memory-use.ts';
import { reportedName } from './tool-paths.ts';

/** Where something is declared, as far as the tool says. */
export type Place = Pick<Diagnostic, 'file' | 'line' | 'column'>;

interface Instance {
  /** Name of the instantiated module as the source gives it. */
  module: string;
  name: string;
  place: Place;
  /** Names of the ports that are connected, or their places as `$1`. */
  ports: string[];
  /** Of these, what is named and left open, as in `.q()`. */
  open: string[];
  /** Parameters of its module to which it gives another value than their default, or their places as `$1`. */
  parameters: string[];
}

/** A module as Yosys elaborated it with the default values of its parameters. */
export interface ElaboratedModule {
  name: string;
  place: Place;
  /** Why there is nothing to see in it: it is a declaration only, an interface, or cannot stand by itself. */
  hollow: 'no content' | 'parameter without default' | 'interface' | null;
  /** In the order of the declaration. */
  ports: Port[];
  /** Parameter → its default as RTLIL writes it: `1'0`, `32`, `"text"`. */
  parameters: Record<string, string>;
  instances: Instance[];
  memories: (MemoryUse & { place: Place })[];
  /** Bits of its own adders, comparators and the like. */
  arithmetic: number;
  /** RTLIL identifier → width, of every wire wider than one bit; empty where `body` is null. */
  widths: Map<string, number>;
  /** Lines of cells, processes and connections; null when there were more than are kept. */
  body: string[] | null;
}

/** Lines of one module that are kept for looking at how its ports are used. */
const BODY_LIMIT = 200_000;

/** Longest RTLIL line that is looked at; longer ones are contents of memories, or signals of many parts in braces. */
const LINE_LIMIT = 4096;

/** RTLIL identifiers: `\name` is the source's, `$name` the tool's. */
const publicName = (id: string) => (id.startsWith('\\') ? id.slice(1) : id);

/** `$array:0:8:\uart` is one of an array of instances. */
export const moduleOf = (type: string) => publicName(type.replace(/^\$array:[\d:]+/, ''));

/** Types of cells that are modules; `$paramod` where the hierarchy was made, with the parameters in the name. */
export const INSTANCE = /^(?:\\|\$array:|\$paramod)/;

/** `parameter signed \\WIDTH 8`: what it is called. */
const parameterOf = (line: string) =>
  publicName(/^ *parameter (?:signed |real )?(\S+)/.exec(line.slice(0, LINE_LIMIT))?.[1] ?? '');

/** A module that is elaborated only where it is instantiated, for want of a default of a parameter. */
const ABSTRACT = /^\$abstract\\/;

function* lines(bytes: Uint8Array): Generator<string> {
  const decoder = new TextDecoder();
  const step = 1 << 20;
  let rest = '';
  for (let at = 0; at < bytes.length; at += step) {
    const pieces = (rest + decoder.decode(bytes.subarray(at, at + step), { stream: true })).split('\n');
    rest = pieces.pop() ?? '';
    yield* pieces;
  }
  if (rest) yield rest;
}

/** Of the attribute `src`: `"gpio.v:12.3-20.10"`. */
function placeOf(attributes: Record<string, string>): Place {
  const [, file, line, column] = /^"([^":|]+):(\d+)\.(\d+)/.exec(attributes['src'] ?? '') ?? [];
  if (file === undefined || Number(line) < 1) return {};
  return {
    file: reportedName(file),
    line: Number(line),
    ...(Number(column) > 0 && { column: Number(column) }),
  };
}

interface WireOptions {
  port: Port & { order: number };
  id: string;
  isPort: boolean;
}

/** `wire width 30 offset 2 input 3 \adr` */
function parseWire(words: string[]): WireOptions {
  const port: WireOptions['port'] = { name: '', direction: 'input', width: 1, offset: 0, order: 0 };
  let id = '';
  let isPort = false;
  let upto = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (word === 'width') port.width = Number(words[++at]);
    else if (word === 'offset') port.offset = Number(words[++at]);
    else if (word === 'input' || word === 'output' || word === 'inout') {
      isPort = true;
      port.direction = word;
      port.order = Number(words[++at]);
    } else if (word === 'upto') upto = true;
    else if (word !== 'signed') id = word;
  }
  port.name = publicName(id);
  // Of `[2:31]` the bit left out is at the most significant end: it says nothing about the low bound.
  if (upto) port.offset = 0;
  return { port, id, isPort };
}

/**
 * Reads what the scan needs from RTLIL, the text form of Yosys' netlists, before any pass has touched it.
 * Works line by line and keeps little, since the file can be far larger than the design.
 * @param keepBody whether the body of a module is wanted, by its ports
 */
export function parseRtlil(bytes: Uint8Array, keepBody: (ports: Port[]) => boolean): ElaboratedModule[] {
  const modules: ElaboratedModule[] = [];
  let module: ElaboratedModule | null = null;
  let ports: (Port & { order: number })[] = [];
  let attributes: Record<string, string> = {};
  let body: string[] | null = null;
  let wanted: boolean | null = null;
  let memory = new MemoryReader();
  let arithmetic = new ArithmeticReader();
  /** The instance whose lines are read. */
  let instance: Instance | null = null;

  const inDeclaredOrder = () =>
    ports.sort((a, b) => a.order - b.order).map(({ order: _, ...port }): Port => port);

  for (const line of lines(bytes)) {
    if (line.startsWith('attribute ') || line.startsWith('  attribute ')) {
      const [, name, value] = /^ *attribute \\(\S+) (.*)$/.exec(line.slice(0, LINE_LIMIT)) ?? [];
      if (name !== undefined) attributes[name] = value ?? '';
      continue;
    }
    if (module === null) {
      if (line.startsWith('module ')) {
        const id = line.slice(7);
        const declared = attributes['blackbox'] !== undefined || attributes['whitebox'] !== undefined;
        module = {
          name: publicName(id.replace(ABSTRACT, '')),
          place: placeOf(attributes),
          hollow: ABSTRACT.test(id)
            ? 'parameter without default'
            : declared
              ? 'no content'
              : attributes['is_interface'] !== undefined
                ? 'interface'
                : null,
          ports: [],
          parameters: {},
          instances: [],
          memories: [],
          arithmetic: 0,
          widths: new Map(),
          body: null,
        };
      }
      ports = [];
      body = [];
      wanted = null;
      memory = new MemoryReader();
      arithmetic = new ArithmeticReader();
      attributes = {};
      continue;
    }
    if (line === 'end') {
      module.arithmetic = arithmetic.bits;
      module.ports = inDeclaredOrder();
      module.body = wanted === null && !keepBody(module.ports) ? null : body;
      if (module.body === null) module.widths.clear();
      modules.push(module);
      module = null;
      attributes = {};
      continue;
    }
    if (line.startsWith('  wire ')) {
      const { port, id, isPort } = parseWire(line.slice(7).split(' '));
      if (port.width > 1 && module.widths.size < BODY_LIMIT) module.widths.set(id, port.width);
      if (isPort) ports.push(port);
      attributes = {};
      continue;
    }
    if (line.startsWith('  parameter ')) {
      const [, name, value] =
        /^ {2}parameter (?:signed |real )?(\S+) ?(.*)$/.exec(line.slice(0, LINE_LIMIT)) ?? [];
      if (name !== undefined) module.parameters[publicName(name)] = value ?? '';
      attributes = {};
      continue;
    }
    if (line.startsWith('  memory ')) {
      const declared = memory.declare(line);
      if (declared) module.memories.push(Object.assign(declared, { place: placeOf(attributes) }));
      attributes = {};
      continue;
    }
    // Wires come before cells, processes and connections: all ports are known from here on.
    wanted ??= keepBody(ports);
    if (line.startsWith('  cell ')) {
      const [, type, name] = /^ {2}cell (\S+) (\S+)/.exec(line) ?? [];
      instance = null;
      arithmetic.cell(type ?? '');
      if (type !== undefined && INSTANCE.test(type)) {
        instance = {
          module: moduleOf(type),
          name: publicName(name ?? ''),
          place: placeOf(attributes),
          ports: [],
          open: [],
          parameters: [],
        };
        module.instances.push(instance);
      }
      attributes = {};
    } else if (line.startsWith('    parameter ')) {
      if (instance) instance.parameters.push(parameterOf(line));
      else arithmetic.parameter(line);
    } else if (instance !== null && line.startsWith('    connect ')) {
      const port = publicName(line.split(' ', 6)[5] ?? '');
      instance.ports.push(port);
      if (line.endsWith(' { }')) instance.open.push(port);
    }
    if (module.memories.length > 0 && line.length <= LINE_LIMIT) memory.read(line, module.widths);
    if (!wanted) body = null;
    if (body !== null && (line.length <= LINE_LIMIT || line.includes('{ '))) {
      if (body.length < BODY_LIMIT) body.push(line);
      else body = null;
    }
  }
  return modules;
}
