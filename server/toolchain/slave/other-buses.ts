import type { Port } from '../../contract/designs/uploads.ts';
import { nameTokens } from './port-names.ts';

/** A bus other than Wishbone, by the ports of a module. */
export interface OtherBus {
  name: string;
  side: 'slave' | 'master';
  /** The ports that show it. */
  ports: string[];
}

/** Ports that a slave of a bus must have, by the ends of their names. */
interface BusMarks {
  name: string;
  inputs: RegExp[];
  outputs: RegExp[];
}

// The larger bus first: AXI4 has the ports of AXI4-Lite, and burst lengths.
const BUSES: readonly BusMarks[] = [
  { name: 'AXI4', inputs: [/aw_?valid$/, /aw_?len$/], outputs: [/aw_?ready$/] },
  { name: 'AXI4', inputs: [/ar_?valid$/, /ar_?len$/], outputs: [/ar_?ready$/] },
  { name: 'AXI4-Lite', inputs: [/aw_?valid$/], outputs: [/aw_?ready$/] },
  { name: 'AXI4-Lite', inputs: [/ar_?valid$/], outputs: [/ar_?ready$/] },
  { name: 'APB', inputs: [/psel\w?$/, /penable$/], outputs: [/prdata$/] },
  { name: 'AHB', inputs: [/htrans$/, /haddr$/], outputs: [/hrdata$/] },
  // A single letter must be a word of its own: `output_valid` is no `tvalid`.
  { name: 'TileLink', inputs: [/(?:^|_)a_?valid$/, /(?:^|_)a_?opcode$/], outputs: [/(?:^|_)d_?valid$/] },
  { name: 'Avalon-MM', inputs: [/write$/, /write_?data$/, /addr(?:ess)?$/], outputs: [/read_?data$/] },
  { name: 'AXI4-Stream', inputs: [/(?:^|_)t_?valid$/], outputs: [/(?:^|_)t_?ready$/] },
];

const MARKS = new Set(['i', 'o', 'in', 'out', 'm2s', 's2m']);

/** A name in lower case, words joined by `_`, without direction marks. */
const bareName = (name: string): string =>
  nameTokens(name)
    .filter((token, _, all) => all.length === 1 || !MARKS.has(token))
    .join('_');

/** The known bus that a module is a slave of, else the one that it is a master of; null for none. */
export function otherBusOf(ports: readonly Port[]): OtherBus | null {
  const named = ports.map(({ name, direction }) => ({ name, direction, bare: bareName(name) }));
  /** Ports of a kind by the prefix before it. All ports of a bus have one prefix. */
  const byPrefix = (direction: Port['direction'], mark: RegExp) =>
    new Map(
      named
        .filter((port) => port.direction === direction && mark.test(port.bare))
        .map(({ name, bare }) => [bare.replace(mark, ''), name]),
    );
  for (const side of ['slave', 'master'] as const)
    for (const { name, inputs, outputs } of BUSES) {
      const [into, out] = side === 'slave' ? (['input', 'output'] as const) : (['output', 'input'] as const);
      const kinds = [
        ...inputs.map((mark) => byPrefix(into, mark)),
        ...outputs.map((mark) => byPrefix(out, mark)),
      ];
      for (const prefix of kinds[0]?.keys() ?? []) {
        const found = kinds.flatMap((kind) => kind.get(prefix) ?? []);
        if (found.length === kinds.length) return { name, side, ports: found };
      }
    }
  return null;
}
