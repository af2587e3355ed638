import type { CandidateModule } from './candidate.ts';
import type { Bit, Cell, Module, Netlist } from './netlist.ts';

/** Clock and asynchronous inputs of registers and memory ports, with the parameter of their polarity. */
const SENSITIVE: Readonly<Record<string, string>> = {
  CLK: 'CLK_POLARITY',
  ARST: 'ARST_POLARITY',
  ALOAD: 'ALOAD_POLARITY',
  SET: 'SET_POLARITY',
  CLR: 'CLR_POLARITY',
};

type RegisterInputs = NonNullable<CandidateModule['registerInputs']>;
type Counts = RegisterInputs[string];

const NONE: Counts = { rise: 0, fall: 0, resets: 0, low: 0, high: 0 };

const known = new WeakMap<Module, RegisterInputs>();

/** By cell that passes a bit on: the constant next to the bit that inverts it, as the level of a reset does. */
const INVERTED_BY: Readonly<Record<string, Bit>> = { $xor: '1', $ne: '1', $xnor: '0', $eq: '0' };

/** Cells that copy or invert a bit. Yosys writes `$reduce_or` for the level of a reset in a process of its own form. */
const COPIES = /^\$(?:buf|not|logic_not|reduce_or)$/;

/** Finds what a bit is a copy of, through copies and inverters. */
function sourcesIn(cells: readonly Cell[]): (bit: Bit) => { bit: Bit; isInverse: boolean } {
  const copies = new Map<Bit, { of: Bit; isInverse: boolean }>();
  for (const { type, connections } of cells) {
    const { A = [], B = [], Y = [] } = connections;
    const inverting = INVERTED_BY[type];
    if (!COPIES.test(type) && inverting === undefined) continue;
    if (/^\$(?:logic_not|reduce_or|eq|ne)$/.test(type) && A.length > 1) continue;
    for (const [at, bit] of Y.entries()) {
      const both = [A[at] ?? 'x', B[at] ?? 'x'];
      const of = both.find((one) => typeof one === 'number') ?? 'x';
      if (inverting === undefined) copies.set(bit, { of, isInverse: /not$/.test(type) });
      else if (both.some((one) => one === '0' || one === '1'))
        copies.set(bit, { of, isInverse: both.includes(inverting) });
    }
  }
  return (bit) => {
    let [source, isInverse] = [bit, false];
    // Copies in a ring have no source.
    for (let steps = 0; steps <= copies.size; steps++) {
      const copy = copies.get(source);
      if (!copy) break;
      source = copy.of;
      isInverse = isInverse !== copy.isInverse;
    }
    return { bit: source, isInverse };
  };
}

const isConstant = (bits: readonly Bit[] = []) =>
  bits.every((bit) => typeof bit === 'string') && bits.some((bit) => bit === '0' || bit === '1');

/** The choice between a constant and something else that is a register's next value, by the register's first bit. */
const lastChoices = (cells: readonly Cell[]) =>
  new Map(
    cells.flatMap(({ type, connections: { A, B, S, Y } }) =>
      type === '$mux' && isConstant(A) !== isConstant(B)
        ? [[Y?.[0] ?? 'x', { by: S?.[0] ?? 'x', atHigh: isConstant(B) }]]
        : [],
    ),
  );

/** Counts for each input what registers in and below the module do with it. */
export function registerInputs(module: Module, netlist: Netlist): RegisterInputs {
  const before = known.get(module);
  if (before) return before;
  const { ports, nets, cells } = module;
  const inputs = new Map<Bit, string>(
    ports.flatMap(({ name, direction, width }) =>
      direction === 'input' && width === 1 ? [[nets.get(name)?.[0] ?? 'x', name]] : [],
    ),
  );
  const found: RegisterInputs = {};
  known.set(module, found);
  const sourceOf = sourcesIn(cells);
  const choices = lastChoices(cells);
  const add = (at: Bit = 'x', counts: Partial<Counts>) => {
    const { bit, isInverse } = sourceOf(at);
    const input = inputs.get(bit);
    if (input === undefined) return;
    const sum = found[input] ?? NONE;
    const { rise, fall, resets, low, high } = { ...NONE, ...counts };
    found[input] = {
      rise: sum.rise + (isInverse ? fall : rise),
      fall: sum.fall + (isInverse ? rise : fall),
      resets: sum.resets + resets,
      low: sum.low + (isInverse ? high : low),
      high: sum.high + (isInverse ? low : high),
    };
  };
  for (const { type, parameters, connections } of cells) {
    const inside = netlist.get(type);
    if (inside)
      for (const [port, counts] of Object.entries(registerInputs(inside, netlist)))
        add(connections[port]?.[0], counts);
    if (!/^\$(?:a?(?:ld|dl)?s?d?ff|dffsr|mem(?:rd|wr))/.test(type)) continue;
    for (const [port, polarity] of Object.entries(SENSITIVE)) {
      const rise = parameters[polarity]?.endsWith('1') ? 1 : 0;
      if (parameters[polarity] !== undefined)
        add(connections[port]?.[0], { rise, fall: 1 - rise, resets: port === 'CLK' ? 0 : 1 });
    }
    const choice = choices.get(connections['D']?.[0] ?? 'x');
    if (choice) add(choice.by, choice.atHigh ? { high: 1 } : { low: 1 });
  }
  return found;
}
