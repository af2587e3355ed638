import type { Port } from '../../contract/designs.ts';
import { nameTokens } from './port-names.ts';

/** A bus that is not Wishbone, as the ports of a module show it. */
export interface OtherBus {
  name: string;
  side: 'slave' | 'master';
  /** The ports that it was known by. */
  ports: string[];
}

/** How a bus is known: ports that a slave of it has to have, by the ends of their names and their direction there. */
interface BusMarks {
  name: string;
  inputs: RegExp[];
  outputs: RegExp[];
}

// The fuller bus first: AXI4 has all that AXI4-Lite has, and lengths of bursts.
const BUSES: readonly BusMarks[] = [
  { name: 'AXI4', inputs: [/awvalid$/, /awlen$/], outputs: [/awready$/] },
  { name: 'AXI4', inputs: [/arvalid$/, /arlen$/], outputs: [/arready$/] },
  { name: 'AXI4-Lite', inputs: [/awvalid$/], outputs: [/awready$/] },
  { name: 'AXI4-Lite', inputs: [/arvalid$/], outputs: [/arready$/] },
  { name: 'APB', inputs: [/psel\w?$/, /penable$/], outputs: [/prdata$/] },
  { name: 'AHB', inputs: [/htrans$/, /haddr$/], outputs: [/hrdata$/] },
  { name: 'TileLink', inputs: [/avalid$/, /aopcode$/], outputs: [/dvalid$/] },
  { name: 'Avalon-MM', inputs: [/write$/, /writedata$/, /addr(?:ess)?$/], outputs: [/readdata$/] },
  { name: 'AXI4-Stream', inputs: [/tvalid$/], outputs: [/tready$/] },
];

const MARKS = new Set(['i', 'o', 'in', 'out']);

/** A name without separators, case and what says its direction. */
function bareName(name: string): string {
  const tokens = nameTokens(name);
  while (tokens.length > 1 && MARKS.has(tokens.at(-1) ?? '')) tokens.pop();
  return tokens.join('');
}

/** The bus that a module is a slave of, or else the master, where its ports are those of one that is known; else null. */
export function otherBusOf(ports: readonly Port[]): OtherBus | null {
  const named = ports.map(({ name, direction }) => ({ name, direction, bare: bareName(name) }));
  const find = (direction: Port['direction'], mark: RegExp) =>
    named.find((port) => port.direction === direction && mark.test(port.bare))?.name;
  for (const side of ['slave', 'master'] as const)
    for (const { name, inputs, outputs } of BUSES) {
      const [into, out] = side === 'slave' ? (['input', 'output'] as const) : (['output', 'input'] as const);
      const found = [...inputs.map((mark) => find(into, mark)), ...outputs.map((mark) => find(out, mark))];
      const known = found.filter((port) => port !== undefined);
      if (known.length === found.length) return { name, side, ports: known };
    }
  return null;
}
