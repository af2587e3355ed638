import type { CandidateModule } from './candidate.ts';
import type { Bit, Module, Netlist } from './netlist.ts';

/** Clock and asynchronous inputs of registers and memory ports, with the parameter of their polarity. */
const SENSITIVE: Readonly<Record<string, string>> = {
  CLK: 'CLK_POLARITY',
  ARST: 'ARST_POLARITY',
  ALOAD: 'ALOAD_POLARITY',
  SET: 'SET_POLARITY',
  CLR: 'CLR_POLARITY',
};

type Edges = NonNullable<CandidateModule['edges']>;

const known = new WeakMap<Module, Edges>();

/** Counts by input: edges that registers in or below the module wait for, and asynchronous resets of that polarity. */
export function clockEdges(module: Module, netlist: Netlist): Edges {
  const before = known.get(module);
  if (before) return before;
  const { ports, nets, cells } = module;
  const inputs = new Map<Bit, string>(
    ports.flatMap(({ name, direction, width }) =>
      direction === 'input' && width === 1 ? [[nets.get(name)?.[0] ?? 'x', name]] : [],
    ),
  );
  const edges: Edges = {};
  known.set(module, edges);
  const add = (bit: Bit = 'x', { rise, fall, resets }: Edges[string]) => {
    const input = inputs.get(bit);
    if (input === undefined) return;
    const sum = edges[input] ?? { rise: 0, fall: 0, resets: 0 };
    edges[input] = { rise: sum.rise + rise, fall: sum.fall + fall, resets: sum.resets + resets };
  };
  for (const { type, parameters, connections } of cells) {
    const inside = netlist.get(type);
    if (inside)
      for (const [port, counts] of Object.entries(clockEdges(inside, netlist)))
        add(connections[port]?.[0], counts);
    if (!/^\$(?:a?(?:ld|dl)?s?d?ff|dffsr|mem(?:rd|wr))/.test(type)) continue;
    for (const [port, polarity] of Object.entries(SENSITIVE)) {
      const rise = parameters[polarity]?.endsWith('1') ? 1 : 0;
      if (parameters[polarity] !== undefined)
        add(connections[port]?.[0], { rise, fall: 1 - rise, resets: port === 'CLK' ? 0 : 1 });
    }
  }
  return edges;
}
