import type { Port } from '../../contract/designs/uploads.ts';
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
  { name: 'AXI4', inputs: [/aw_?valid$/, /aw_?len$/], outputs: [/aw_?ready$/] },
  { name: 'AXI4', inputs: [/ar_?valid$/, /ar_?len$/], outputs: [/ar_?ready$/] },
  { name: 'AXI4-Lite', inputs: [/aw_?valid$/], outputs: [/aw_?ready$/] },
  { name: 'AXI4-Lite', inputs: [/ar_?valid$/], outputs: [/ar_?ready$/] },
  { name: 'APB', inputs: [/psel\w?$/, /penable$/], outputs: [/prdata$/] },
  { name: 'AHB', inputs: [/htrans$/, /haddr$/], outputs: [/hrdata$/] },
  // A letter alone is no part of another word: `output_valid` is no `tvalid`.
  { name: 'TileLink', inputs: [/(?:^|_)a_?valid$/, /(?:^|_)a_?opcode$/], outputs: [/(?:^|_)d_?valid$/] },
  { name: 'Avalon-MM', inputs: [/write$/, /write_?data$/, /addr(?:ess)?$/], outputs: [/read_?data$/] },
  { name: 'AXI4-Stream', inputs: [/(?:^|_)t_?valid$/], outputs: [/(?:^|_)t_?ready$/] },
];

const MARKS = new Set(['i', 'o', 'in', 'out', 'm2s', 's2m']);

/** A name in small letters, its parts with `_` between them, without what says its direction, at its end or, where the bus is a record, within. */
const bareName = (name: string): string =>
  nameTokens(name)
    .filter((token, _, all) => all.length === 1 || !MARKS.has(token))
    .join('_');

/** The bus that a module is a slave of, or else the master, where its ports are those of one that is known; else null. */
export function otherBusOf(ports: readonly Port[]): OtherBus | null {
  const named = ports.map(({ name, direction }) => ({ name, direction, bare: bareName(name) }));
  /** Ports of a kind by what stands before it: all of a bus begin alike. */
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
