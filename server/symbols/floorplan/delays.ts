/** Delay from a port of a cell to another one, ns. From a clock it is that of the register behind it. */
interface Arc {
  from: string;
  to: string;
  ns: number;
}

/** How long before its clock an input of a register has to be there, ns. */
interface Setup {
  port: string;
  clock: string;
  /** The clock's falling edge counts. */
  falling: boolean;
  ns: number;
}

/** The delays of a routed design. */
export interface Delays {
  /** `cell/port` that reads a net → how long the net takes to there, ns. */
  wires: ReadonlyMap<string, number>;
  arcs: ReadonlyMap<string, readonly Arc[]>;
  setups: ReadonlyMap<string, readonly Setup[]>;
}

const VALUES = String.raw`\(([\d.e+-]+):[^:]*:([\d.e+-]+)\)`;
const WIRE = new RegExp(String.raw`^\s*\(INTERCONNECT .+ (\S+) ${VALUES} ${VALUES}`);
const INSTANCE = /^\s*\(INSTANCE (.+)\)\s*$/;
const PATH = new RegExp(String.raw`^\s*\(IOPATH (\S+) (\S+) ${VALUES} ${VALUES}`);
const CHECK = new RegExp(String.raw`^\s*\(SETUPHOLD \(posedge (\S+)\) \((posedge|negedge) (\S+)\) ${VALUES}`);

/** Names in the file have a backslash before some characters. */
const plain = (name: string): string => name.replace(/\\(.)/g, '$1');

/** Picoseconds in the file. */
const ns = (...picoseconds: (string | undefined)[]): number => Math.max(...picoseconds.map(Number)) / 1000;

function* linesOf(text: string): Iterable<string> {
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from);
    yield text.slice(from, end < 0 ? undefined : end);
    from = end < 0 ? text.length : end + 1;
  }
}

/**
 * Reads a file in the Standard Delay Format as nextpnr writes it (`--sdf`): one delay a line, the slowest of those that it
 * tells. What is none of it is left out.
 */
export function readDelays(text: string): Delays {
  const wires = new Map<string, number>();
  const arcs = new Map<string, Arc[]>();
  const setups = new Map<string, Setup[]>();
  let cell = '';
  for (const line of linesOf(text)) {
    const wire = WIRE.exec(line);
    if (wire) {
      wires.set(plain(wire[1] ?? ''), ns(wire[3], wire[5]));
      continue;
    }
    const arc = PATH.exec(line);
    if (arc) {
      const [, from = '', to = '', , rise, , fall] = arc;
      listOf(arcs, cell).push({ from: plain(from), to: plain(to), ns: ns(rise, fall) });
      continue;
    }
    const check = CHECK.exec(line);
    if (check) {
      const [, port = '', edge, clock = '', , setup] = check;
      listOf(setups, cell).push({
        port: plain(port),
        clock: plain(clock),
        falling: edge === 'negedge',
        ns: ns(setup),
      });
      continue;
    }
    const instance = INSTANCE.exec(line);
    if (instance) cell = plain(instance[1] ?? '');
  }
  return { wires, arcs, setups };
}

function listOf<T>(lists: Map<string, T[]>, key: string): T[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}
