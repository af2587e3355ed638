import type { CandidateModule } from './candidate.ts';
import type { Bit, Module } from './netlist.ts';

/** Inputs of registers and of the ports of memories that wait for an edge or a level without a clock, with the parameter of its sense. */
const SENSITIVE: Readonly<Record<string, string>> = {
  CLK: 'CLK_POLARITY',
  ARST: 'ARST_POLARITY',
  ALOAD: 'ALOAD_POLARITY',
  SET: 'SET_POLARITY',
  CLR: 'CLR_POLARITY',
};

/** Input → how often it is a rising or falling edge, or an asynchronous reset of that sense, of a register of this module. */
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
