import type { Gate, Net, NetlistModule } from './netlist.ts';

const EDGES = new Set(['$posedge', '$negedge']);

/** Signals and variables, without and with an initial value. */
const SIGNALS = new Set(['$signal', '$isignal']);

/** Index of the clock input by kind of gate. */
const CLOCKED: Readonly<Record<string, number>> = {
  $dff: 0,
  $adff: 0,
  $idff: 0,
  $iadff: 0,
  $mdff: 0,
  $midff: 0,
  $mem_rd_sync: 2,
  $mem_wr_sync: 2,
};

/** Edges of clocks that a module uses as values, not as clocks. */
export function edgesUsedAsValues({ gates }: NetlistModule): Gate[] {
  const edges = new Map(
    gates.filter(({ kind }) => EDGES.has(kind)).map((gate) => [gate.outputs[0]?.id ?? -1, gate]),
  );
  const used = gates.flatMap(({ kind, inputs }) =>
    inputs.flatMap((net, at) => {
      const edge = net === null || CLOCKED[kind] === at ? undefined : edges.get(net);
      return edge ? [edge] : [];
    }),
  );
  return [...new Set(used)];
}

/**
 * Makes registers of signals of which a process with a clock writes a variable part only, as in
 * `leds(to_integer(index)) <= '1';`. GHDL 2 writes them as loops, with the edge as an enable.
 */
export const withEdgesAsClocks = (modules: readonly NetlistModule[]): NetlistModule[] =>
  modules.map((module) => edgesUsedAsValues(module).reduce(withClock, module));

/** A bit of a net; false for a bit that is 0 while there is no edge. */
type Bit = string | false;

/** Uses the edge as a clock where each signal that depends on it keeps its value without it. */
function withClock(module: NetlistModule, edge: Gate): NetlistModule {
  const all = module.self ? [...module.gates, module.self] : module.gates;
  const drivers = new Map(all.flatMap((gate) => gate.outputs.map((net): [number, Gate] => [net.id, gate])));
  const nets = new Map(all.flatMap(({ outputs }) => outputs.map((net): [number, Net] => [net.id, net])));
  const clock = edge.outputs[0]?.id ?? -1;
  const isClock = ({ kind }: Gate, net: number | null, at: number) => net === clock && CLOCKED[kind] === at;
  const readers = new Map<number, [Gate, number][]>();
  for (const gate of all)
    for (const [at, net] of gate.inputs.entries()) {
      if (net === null || isClock(gate, net, at)) continue;
      const known = readers.get(net);
      if (known) known.push([gate, at]);
      else readers.set(net, [[gate, at]]);
    }

  const atRest = new Map<number, readonly Bit[]>([[clock, [false]]]);
  /** The bits of a net while there is no edge, lowest first. */
  const bitsAtRest = (net: number | null): readonly Bit[] => {
    if (net === null) return [];
    const known = atRest.get(net);
    if (known) return known;
    const width = nets.get(net)?.width ?? 0;
    const own = Array.from({ length: width }, (_, bit) => `${net}.${bit}`);
    // For a loop without a signal.
    atRest.set(net, own);
    const { kind = '', inputs = [], parameters = [] } = drivers.get(net) ?? {};
    const of = (at: number) => bitsAtRest(inputs[at] ?? null);
    const isOff = (at: number) => of(at)[0] === false;
    const [offset = 0] = parameters;
    let bits: readonly Bit[] = own;
    if (kind === '$and' && width === 1 && (isOff(0) || isOff(1))) bits = [false];
    else if (kind === '$mux2' && isOff(0)) bits = of(1);
    else if (kind === '$dyn_insert_en' && isOff(3)) bits = of(0);
    else if (kind === '$extract') bits = of(0).slice(offset, offset + width);
    else if (kind.startsWith('$concat')) bits = inputs.toReversed().flatMap((input) => bitsAtRest(input));
    atRest.set(net, bits);
    return bits;
  };
  /** The inputs of the register that a signal is; null when it does not keep this value without an edge. */
  const register = (signal: Gate, value: number | null): { kind: string; inputs: Gate['inputs'] } | null => {
    const [output] = signal.outputs;
    const keeps = (net: number | null) => {
      const bits = bitsAtRest(net);
      return bits.length === output?.width && bits.every((bit, at) => bit === `${output.id}.${at}`);
    };
    const kind = signal.kind === '$isignal' ? 'i' : '';
    const initial = signal.inputs.slice(1);
    if (keeps(value)) return { kind: `$${kind}dff`, inputs: [clock, value, ...initial] };
    const reset = value === null ? undefined : drivers.get(value);
    const [when = null, without = null, to = null] = reset?.inputs ?? [];
    if (reset?.kind !== '$mux2' || !keeps(without)) return null;
    return { kind: `$${kind}adff`, inputs: [clock, without, when, to, ...initial] };
  };

  const registers = new Map<Gate, NonNullable<ReturnType<typeof register>>>();
  const seen = new Set<Gate>();
  /** Whether all that depends on the edge by way of this net becomes registers, or is the next value of one. */
  const isClockOf = ({ id }: Net): boolean =>
    (readers.get(id) ?? []).every(([gate, at]) => {
      if (gate.kind in CLOCKED) return gate.kind.endsWith('ff') && at === 1 && gate.inputs[0] === clock;
      if (gate === module.self || !gate.kind.startsWith('$')) return false;
      if (seen.has(gate)) return true;
      seen.add(gate);
      if (!SIGNALS.has(gate.kind)) return gate.outputs.every(isClockOf);
      const made = at === 0 ? register(gate, id) : null;
      if (made) registers.set(gate, made);
      return made !== null;
    });
  if (!edge.outputs.every(isClockOf)) return module;
  const isOfEdge = (net: number | null) =>
    net === clock || (net !== null && seen.has(drivers.get(net) ?? edge));
  for (const { inputs, kind } of registers.values())
    if (kind.endsWith('adff') && inputs.slice(2, 4).some(isOfEdge)) return module;

  let next = 1 + Math.max(...nets.keys(), ...module.gates.map(({ id }) => id));
  const made = (width: number, gate: Pick<Gate, 'kind' | 'parameters' | 'inputs' | 'place'>): Gate => ({
    ...{ id: next, name: [], isKept: false, outputs: [{ id: next++, width }] },
    ...gate,
  });
  // What the edge enables is the next value.
  const on = made(1, { kind: '$const_UB32', parameters: [1], inputs: [], place: edge.place });
  const added = [on];
  const enabled = (gate: Gate) =>
    gate.inputs.map((net, at) =>
      net === clock && !isClock(gate, net, at) ? (on.outputs[0]?.id ?? null) : net,
    );
  const gates = module.gates.map((gate): Gate => {
    const found = registers.get(gate);
    if (!found) return { ...gate, inputs: enabled(gate) };
    const one = made(gate.outputs[0]?.width ?? 0, { ...found, parameters: [], place: gate.place });
    added.push(one);
    return { ...gate, inputs: [one.outputs[0]?.id ?? null, ...gate.inputs.slice(1)] };
  });
  return { ...module, gates: [...gates, ...added] };
}
