import type { Module, Netlist } from './netlist.ts';
import { type UseGraph, usesOfCell } from './use-graph.ts';

const known = new WeakMap<Module, UseGraph>();

/** The use graph of a module; null when it is absent or a black box. */
export function usesIn(name: string, netlist: Netlist): UseGraph | null {
  const module = netlist.get(name);
  if (!module || module.isBlackBox) return null;
  const graph = known.get(module) ?? usesOf(module);
  known.set(module, graph);
  return graph;
}

const usesOf = ({ ports, nets, cells }: Module): UseGraph => ({
  ports: ports.map(({ name, direction }) => ({ name, direction, signal: nets.get(name) ?? [] })),
  uses: cells.flatMap(({ type, connections }) =>
    type.startsWith('$') ? usesOfCell(type, new Map(Object.entries(connections))) : [],
  ),
  instances: cells.flatMap(({ type, connections }) =>
    type.startsWith('$')
      ? []
      : [{ module: type, pins: new Map(Object.entries(connections)), unresolved: false }],
  ),
});
