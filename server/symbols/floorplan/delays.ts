/** Delay between two ports of a cell, ns. From a clock it is that of the register. */
interface Arc {
  from: string;
  to: string;
  ns: number;
}

/** Set-up time of a register's input, ns. */
interface Setup {
  port: string;
  clock: string;
  /** The clock's falling edge counts. */
  falling: boolean;
  ns: number;
}

/** The delays of a routed design. */
export interface Delays {
  /** `cell/port` that reads a net → delay of the net to it, ns. */
  wires: ReadonlyMap<string, number>;
  arcs: ReadonlyMap<string, readonly Arc[]>;
  setups: ReadonlyMap<string, readonly Setup[]>;
}

/** Names in the file have a backslash before some characters. */
const plain = (name: string): string => (name.includes('\\') ? name.replace(/\\(.)/g, '$1') : name);

function* linesOf(text: string): Iterable<string> {
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from);
    yield text.slice(from, end < 0 ? undefined : end);
    from = end < 0 ? text.length : end + 1;
  }
}

/** The slower of a line's last two delays, ns, and their index: `(1:2:3) (4:5:6)`, in picoseconds. */
function delaysAtEnd(line: string): { ns: number; at: number } {
  const second = line.lastIndexOf(' (');
  const at = line.lastIndexOf(' (', second - 1);
  return { ns: Math.max(slowestOf(line, at), slowestOf(line, second)) / 1000, at };
}

/** The last number of the first triple after a place. */
function slowestOf(line: string, from: number): number {
  const end = line.indexOf(')', from);
  return Number(line.slice(line.lastIndexOf(':', end) + 1, end));
}

/** The text from a place to the next occurrence of a character. */
const upTo = (line: string, from: number, end: string): string => line.slice(from, line.indexOf(end, from));

/**
 * Reads nextpnr's Standard Delay Format (`--sdf`): one delay a line, the slowest of each. Other lines are ignored.
 * There are tens of thousands of lines, and regular expressions would take twice as long.
 */
export function readDelays(text: string): Delays {
  const wires = new Map<string, number>();
  const arcs = new Map<string, Arc[]>();
  const setups = new Map<string, Setup[]>();
  let cell = '';
  for (const line of linesOf(text)) {
    const begin = line.indexOf('(') + 1;
    const first = line.indexOf(' ', begin) + 1;
    const what = line.slice(begin, first - 1);
    if (what === 'INTERCONNECT') {
      const { ns, at } = delaysAtEnd(line);
      wires.set(plain(line.slice(line.lastIndexOf(' ', at - 1) + 1, at)), ns);
    } else if (what === 'IOPATH') {
      const from = upTo(line, first, ' ');
      const to = upTo(line, first + from.length + 1, ' ');
      listOf(arcs, cell).push({ from: plain(from), to: plain(to), ns: delaysAtEnd(line).ns });
    } else if (what === 'SETUPHOLD' && line.startsWith('(posedge ', first)) {
      // (SETUPHOLD (posedge D) (negedge CLK) (1:2:3) (4:5:6)): the first triple is the set-up time. The same follows
      // for the other edge.
      const clock = line.indexOf(' (', first) + 2;
      const edge = upTo(line, clock, ' ');
      listOf(setups, cell).push({
        port: plain(upTo(line, line.indexOf(' ', first) + 1, ')')),
        clock: plain(upTo(line, clock + edge.length + 1, ')')),
        falling: edge === 'negedge',
        ns: slowestOf(line, line.indexOf(' (', clock) + 1) / 1000,
      });
    } else if (what === 'INSTANCE') cell = plain(line.slice(first, line.lastIndexOf(')')));
  }
  return { wires, arcs, setups };
}

function listOf<T>(lists: Map<string, T[]>, key: string): T[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}
