import type { UsesOf } from './address-use.ts';
import { type ElaboratedModule, INSTANCE, moduleOf } from './rtlil.ts';
import { chunksOf } from './signals.ts';
import {
  type Bit,
  constantOf,
  type Signal,
  type Use,
  type UseGraph,
  type UseInstance,
  usesOfCell,
} from './use-graph.ts';

/** Bits of signals of one module that are looked at. */
const MAX_BITS = 4_000_000;

/** A signal within a line: `\a [3:0]`, `{ \a 2'00 }`, `4'1010` */
const SIGNAL = /(?:\{[^}]*\}|\S+)(?: \[[\d:]+\])*/g;
const signalsIn = (text: string): string[] => text.match(SIGNAL) ?? [];

/**
 * What each of these modules does with its nets, from the lines of its body, read when it is asked for. Null where a body is
 * not at hand, or larger than what is looked at.
 */
export function usesIn(modules: ReadonlyMap<string, ElaboratedModule>): UsesOf {
  const graphs = new Map<string, UseGraph | null>();
  return (name) => {
    let graph = graphs.get(name);
    if (graph === undefined) {
      const module = modules.get(name);
      graph = module?.body ? new BodyReader(module, modules).read(module.body) : null;
      graphs.set(name, graph);
    }
    return graph;
  };
}

interface Cell {
  type: string;
  pins: Map<string, Signal>;
  hasParameters: boolean;
}

class BodyReader {
  readonly #module: ElaboratedModule;
  readonly #modules: ReadonlyMap<string, ElaboratedModule>;
  readonly #uses: Use[] = [];
  readonly #instances: UseInstance[] = [];
  /** Wire → the number of its lowest bit. */
  readonly #places = new Map<string, number>();
  #nets = 0;
  #bits = 0;

  constructor(module: ElaboratedModule, modules: ReadonlyMap<string, ElaboratedModule>) {
    this.#module = module;
    this.#modules = modules;
  }

  read(lines: readonly string[]): UseGraph | null {
    let cell: Cell | null = null;
    const open: { indent: number; constants: (Signal | null)[] }[] = [];
    for (const line of lines) {
      if (this.#bits > MAX_BITS) return null;
      const indent = line.length - line.trimStart().length;
      const [, word, rest = ''] = /^ *(\S+) ?(.*)$/.exec(line) ?? [];
      if (word === 'cell') cell = { type: rest.split(' ')[0]!, pins: new Map(), hasParameters: false };
      else if (word === 'parameter' && cell !== null) cell.hasParameters = true;
      else if (word === 'connect' && cell !== null) {
        const [pin = '', signal = ''] = signalsIn(rest);
        cell.pins.set(pin.replace(/^\\/, ''), this.#signal(signal));
      } else if (word === 'connect' || word === 'assign' || word === 'update') {
        const [to = '', from = ''] = signalsIn(rest);
        this.#uses.push({ kind: 'copy', signal: this.#signal(from), to: this.#signal(to) });
      } else if (word === 'memwr') {
        const [, address = '', ...others] = signalsIn(rest);
        this.#uses.push({ kind: 'index', signal: this.#signal(address) });
        for (const other of others) this.#uses.push({ kind: 'other', signal: this.#signal(other) });
      } else if (word === 'end' && indent === 2 && cell !== null) {
        this.#add(cell);
        cell = null;
      } else if (word === 'switch') {
        while (open.length > 0 && open.at(-1)!.indent >= indent) open.pop();
        const constants: (Signal | null)[] = [];
        this.#uses.push({ kind: 'comparison', signal: this.#signal(rest), constants });
        open.push({ indent, constants });
      } else if (word === 'case' && rest) {
        const constants = rest.split(',').map((one) => constantOf(this.#signal(one)));
        open.findLast((one) => one.indent < indent)?.constants.push(...constants);
      }
    }
    const ports = this.#module.ports.map(({ name, direction }) => ({
      name,
      direction,
      signal: this.#signal(`\\${name}`),
    }));
    return { ports, uses: this.#uses, instances: this.#instances };
  }

  #add({ type, pins, hasParameters }: Cell): void {
    if (!INSTANCE.test(type)) this.#uses.push(...usesOfCell(type, pins));
    else {
      const module = moduleOf(type);
      const known = this.#modules.get(module);
      // Those that stand by their place are called $1 and on.
      const named = [...pins].map(([pin, signal]): [string, Signal] => [
        known?.ports[Number(/^\$(\d+)$/.exec(pin)?.[1]) - 1]?.name ?? pin,
        signal,
      ]);
      const isArray = type.startsWith('$array');
      // Each of an array has a part of what is connected to it.
      this.#instances.push({
        module: isArray ? type : module,
        pins: new Map(named),
        unresolved: known !== undefined && (isArray || hasParameters),
      });
    }
  }

  #signal(text: string): Signal {
    const bits: Bit[] = [];
    for (const chunk of chunksOf(text, (wire) => this.#module.widths.get(wire) ?? 1)) {
      this.#bits += chunk.width;
      if (this.#bits > MAX_BITS) return bits;
      if (chunk.wire === null)
        for (const bit of [...chunk.bits].reverse()) bits.push(bit === '0' || bit === '1' ? bit : 'x');
      else {
        const place = this.#placeOf(chunk.wire) + chunk.low;
        for (let at = 0; at < chunk.width; at++) bits.push(place + at);
      }
    }
    return bits;
  }

  #placeOf(wire: string): number {
    const known = this.#places.get(wire);
    if (known !== undefined) return known;
    const place = this.#nets;
    this.#places.set(wire, place);
    this.#nets += this.#module.widths.get(wire) ?? 1;
    return place;
  }
}
