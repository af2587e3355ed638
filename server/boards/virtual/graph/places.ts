import type { Net, Netlist } from '../netlist/netlist.ts';
import type { Node } from './boolean-graph.ts';

/**
 * What cells put out, by their place: `x12y7/lc3` is the flip-flop of a logic cell, or its look-up table where it has
 * none, `x12y7/lc3/d` the look-up table in front of a flip-flop, `x8y3/ram[5]` a data pin of a block RAM. Only of cells
 * that the observed pins depend on: others are not in the netlist.
 */
export function nodesByPlace(
  netlist: Netlist,
  nodeOf: (net: Net) => Node | undefined,
): ReadonlyMap<string, Node> {
  const places = new Map<string, Node>();
  const put = (place: string, net: Net) => {
    const node = nodeOf(net);
    if (node !== undefined) places.set(place, node);
  };
  for (const { output } of netlist.luts) put(netlist.nameOf(output), output);
  for (const { name, q } of netlist.flipFlops) put(name, q);
  for (const { name, readData } of netlist.rams)
    readData.forEach((net, pin) => {
      put(`${name}[${pin}]`, net);
    });
  return places;
}
