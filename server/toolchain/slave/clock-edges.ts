import type { CandidateModule } from './candidate.ts';
import type { Bit, Module } from './netlist.ts';

/** Clock and asynchronous inputs of registers and memory ports, with the parameter of their polarity. */
const SENSITIVE: Readonly<Record<string, string>> = {
  CLK: 'CLK_POLARITY',
  ARST: 'ARST_POLARITY',
  ALOAD: 'ALOAD_POLARITY',
  SET: 'SET_POLARITY',
  CLR: 'CLR_POLARITY',
};

/** Counts by input: edges that registers of the module wait for, and asynchronous resets of that polarity. */
export function clockEdges({ ports, nets, cells }: Module): NonNullable<CandidateModule['edges']> {
  const inputs = new Map<Bit, string>(
    ports.flatMap(({ name, direction, width }) =>
      direction === 'input' && width === 1 ? [[nets.get(name)?.[0] ?? 'x', name]] : [],
    ),
  );
  const edges: NonNullable<CandidateModule['edges']> = {};
  for (const { type, parameters, connections } of cells) {
    if (!/^\$(?:a?(?:ld|dl)?s?d?ff|dffsr|mem(?:rd|wr))/.test(type)) continue;
    for (const [port, polarity] of Object.entries(SENSITIVE)) {
      const sense = parameters[polarity];
      const input = inputs.get(connections[port]?.[0] ?? 'x');
      if (input === undefined || sense === undefined) continue;
      edges[input] ??= { rise: 0, fall: 0 };
      edges[input][sense.endsWith('1') ? 'rise' : 'fall']++;
    }
  }
  return edges;
}
