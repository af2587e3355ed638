import type { Diagnostic } from '../../../../contract/diagnostics.ts';
import type { Place } from '../../../diagnostics/place.ts';
import { constantOf } from './constants.ts';
import type { GenerateRanges } from './names.ts';
import { ModuleNames, plainWord } from './names.ts';
import type { Gate, NetlistModule } from './netlist.ts';

/** A value in RTLIL. */
export interface Signal {
  /** A wire or constant; all of it may be sliced. */
  text: string;
  /** Bits. */
  width: number;
  /** Bits of a constant, the most significant first; else null. */
  bits: string | null;
}

/** The clock of a register. */
export interface Clock {
  edge: 'posedge' | 'negedge';
  signal: Signal;
  /** The same for all registers with this edge of this clock. */
  id: number;
}

const EDGES: Readonly<Record<string, Clock['edge']>> = { $posedge: 'posedge', $negedge: 'negedge' };

/** Gates whose output is a named signal of the source. */
const NAMED = new Set(['$signal', '$isignal']);

const INOUT = new Set(['$inout', '$iinout']);

/** Gates whose first output is the memory itself, not a value. */
const OF_MEMORY = new Set(['$memory', '$memory_init', '$mem_rd', '$mem_rd_sync', '$mem_wr_sync']);

/** A constant; at least one bit, because Yosys has no empty values. */
export const constant = (bits: string): Signal => ({
  text: `${bits.length || 1}'${bits || '0'}`,
  width: bits.length || 1,
  bits: bits || '0',
});

/** Concatenates signals, the most significant first. */
export const joined = (signals: readonly Signal[]): Signal => {
  const some = signals.filter(({ width }) => width > 0);
  const [only] = some;
  if (only && some.length === 1) return only;
  if (some.length === 0) return constant('');
  const bits = some.every((one) => one.bits !== null) ? some.map((one) => one.bits).join('') : null;
  if (bits !== null) return constant(bits);
  return {
    text: `{ ${some.map(({ text }) => text).join(' ')} }`,
    width: some.reduce((sum, { width }) => sum + width, 0),
    bits: null,
  };
};

/** Slices a signal, from `low` on. */
export function sliced({ text, width, bits }: Signal, low: number, count: number): Signal {
  if (low === 0 && count === width) return { text, width, bits };
  if (bits !== null) return constant(bits.slice(width - low - count, width - low));
  return { text: `${text} [${low + count - 1}:${low}]`, width: count, bits: null };
}

/** Quotes a text. */
export const quoted = (text: string): string =>
  `"${text.replace(/["\\]/g, (one) => `\\${one}`).replace(/[^\x20-\uffff]/g, ' ')}"`;

/** The attribute `src` of a place. */
const placed = ({ file, line, column = 1 }: Place, indent: string): string[] =>
  file === undefined || line === undefined
    ? []
    : [`${indent}attribute \\src ${quoted(`${file}:${line}.${column}-${line}.${column}`)}`];

/** Writes one module of a netlist as RTLIL, Yosys's text form. */
export class ModuleWriter {
  readonly diagnostics: Diagnostic[] = [];
  readonly names: ModuleNames;
  /** Driving gate by net. */
  readonly drivers = new Map<number, Gate>();
  /** Reading gates by net. */
  readonly readers = new Map<number, Gate[]>();
  readonly #module: NetlistModule;
  readonly #signals = new Map<number, Signal>();
  /** Port by the net that drives an inout. */
  readonly #pads = new Map<number, string>();
  readonly #wires: string[] = [];
  readonly #body: string[] = [];
  #temporary = 0;

  /**
   * @param module with its final name
   * @param lowBounds of its ports
   */
  constructor(module: NetlistModule, ranges: GenerateRanges, lowBounds: ReadonlyMap<string, number>) {
    this.#module = module;
    const ports = [...module.inputs, ...module.outputs].map(({ name }) => plainWord(name));
    this.names = new ModuleNames(
      ranges,
      ports,
      module.gates.map(({ name }) => name),
    );
    for (const gate of module.gates) {
      for (const { id } of gate.outputs) this.drivers.set(id, gate);
      for (const input of gate.inputs)
        if (input !== null) this.readers.set(input, [...(this.readers.get(input) ?? []), gate]);
      if (INOUT.has(gate.kind)) this.#pads.set(gate.outputs[1]?.id ?? 0, '');
    }
    this.#declarePorts(lowBounds);
    for (const gate of module.gates) this.#declareOutputs(gate);
  }

  #declarePorts(lowBounds: ReadonlyMap<string, number>): void {
    const { self, inputs, outputs } = this.#module;
    const place = self?.place ?? {};
    let number = 0;
    const declare = (name: string, direction: string, width: number): Signal => {
      const text = `\\${plainWord(name)}`;
      const low = lowBounds.get(name.toLowerCase());
      const range = `width ${width || 1}${low === undefined ? '' : ` offset ${low}`}`;
      this.#wires.push(...placed(place, '  '), `  wire ${range} ${direction} ${++number} ${text}`);
      return { text, width, bits: null };
    };
    for (const [at, { name, width }] of inputs.entries()) {
      const net = self?.outputs[at];
      const wire = declare(name, 'input', net?.width ?? width);
      if (net) this.#signals.set(net.id, wire);
    }
    for (const [at, { name, width }] of outputs.entries()) {
      const driver = self?.inputs[at] ?? null;
      const isInout = driver !== null && this.#pads.has(driver);
      declare(name, isInout ? 'inout' : 'output', width);
      if (isInout) this.#pads.set(driver, name);
    }
  }

  #declareOutputs(gate: Gate): void {
    if (INOUT.has(gate.kind)) {
      const [value, pad] = gate.outputs;
      const port = `\\${plainWord(this.#pads.get(pad?.id ?? 0) ?? '')}`;
      if (value) this.#signals.set(value.id, { text: port, width: value.width, bits: null });
      return;
    }
    for (const { id, width } of gate.outputs.slice(OF_MEMORY.has(gate.kind) ? 1 : 0)) {
      const bits = constantOf(gate, width);
      if (bits !== null) this.#signals.set(id, { ...constant(bits), width });
      else if (!(gate.kind in EDGES)) {
        const named = NAMED.has(gate.kind);
        const text = named ? `\\${this.names.unique(gate.name)}` : `$n${id}`;
        this.#signals.set(id, { text, width, bits: null });
        if (width > 0) this.#wire(text, width, gate, named ? this.#attributes(gate) : []);
      }
    }
  }

  #attributes({ isKept }: Gate): string[] {
    return isKept ? ['  attribute \\keep 1'] : [];
  }

  #wire(
    text: string,
    width: number,
    { place }: Pick<Gate, 'place'>,
    attributes: readonly string[] = [],
  ): void {
    this.#wires.push(...placed(place, '  '), ...attributes, `  wire width ${width} ${text}`);
  }

  /** The value at an input of a gate; `x` bits when it is undriven. @param width of an undriven input, bits */
  input(gate: Gate, at: number, width = 1): Signal {
    const net = gate.inputs[at] ?? null;
    return net === null ? constant('x'.repeat(width)) : this.net(net);
  }

  /** A net as an operand; 0 for a net without bits. */
  net(id: number): Signal {
    const signal = this.#signals.get(id);
    if (signal === undefined) return constant('x');
    return signal.width === 0 ? constant('') : signal;
  }

  /** The clock at an input of a gate; null, with a diagnostic, when it is no edge. */
  clock(gate: Gate, at: number): Clock | null {
    const edge = this.drivers.get(gate.inputs[at] ?? -1);
    const way = edge && EDGES[edge.kind];
    const source = edge?.inputs[0] ?? null;
    if (!way || source === null) {
      this.refuse(gate, 'the clock of a register here is not the edge of a signal: write `rising_edge(clk)`');
      return null;
    }
    return { edge: way, signal: this.net(source), id: source * 2 + (way === 'posedge' ? 1 : 0) };
  }

  /** Bits of a constant net, through slices and concatenations; null for any other net. */
  constantBits(net: number | null): string | null {
    const gate = net === null ? undefined : this.drivers.get(net);
    const width = gate?.outputs.find(({ id }) => id === net)?.width ?? 0;
    if (gate === undefined) return null;
    const own = constantOf(gate, width);
    if (own !== null) return own;
    const inputs = () => gate.inputs.map((input) => this.constantBits(input));
    switch (gate.kind) {
      case '$extract': {
        const bits = this.constantBits(gate.inputs[0] ?? null);
        const low = gate.parameters[0] ?? 0;
        return bits === null ? null : bits.slice(bits.length - low - width, bits.length - low);
      }
      case '$concat2':
      case '$concat3':
      case '$concat4':
      case '$concatn': {
        const all = inputs();
        return all.includes(null) ? null : all.join('');
      }
      case '$uextend':
        return inputs()[0]?.padStart(width, '0') ?? null;
      case '$sextend': {
        const [bits] = inputs();
        return bits?.padStart(width, bits[0]) ?? null;
      }
      case '$utrunc':
      case '$strunc':
        return inputs()[0]?.slice(-width) ?? null;
      // Only where nothing drives the signal.
      case '$isignal':
        return gate.inputs[0] === null ? this.constantBits(gate.inputs[1] ?? null) : null;
      default:
        return null;
    }
  }

  /** The output of a gate. */
  output({ outputs }: Gate, at = 0): Signal {
    return this.#signals.get(outputs[at]?.id ?? -1) ?? constant('');
  }

  /** Whether a net drives an output of the module. */
  isOutput(id: number): boolean {
    return this.#module.self?.inputs.includes(id) ?? false;
  }

  /** A new unnamed wire. */
  temporary(width: number, gate: Gate): Signal {
    const text = `$t${++this.#temporary}`;
    this.#wire(text, width, gate);
    return { text, width, bits: null };
  }

  /** Connects a wire to a value, which is zero-extended or cut to fit. */
  connect(target: Signal, value: Signal): void {
    if (target.width === 0) return;
    const missing = target.width - value.width;
    const fitted =
      missing > 0
        ? joined([constant('0'.repeat(missing)), value])
        : missing < 0
          ? sliced(value, 0, target.width)
          : value;
    this.#body.push(`  connect ${target.text} ${fitted.text}`);
  }

  /** Sets the initial value of a register's wire. */
  initial(target: Signal, bits: string): void {
    if (/^x*$/.test(bits)) return;
    const at = this.#wires.indexOf(`  wire width ${target.width} ${target.text}`);
    this.#wires.splice(at, 0, `  attribute \\init ${constant(bits).text}`);
  }

  /** Adds a cell. */
  cell(
    gate: Gate,
    type: string,
    name: string,
    parameters: Readonly<Record<string, string | number>>,
    pins: Readonly<Record<string, Signal>>,
  ): void {
    this.#body.push(
      ...placed(gate.place, '  '),
      `  cell ${type} ${name}`,
      ...Object.entries(parameters).map(([key, value]) => `    parameter \\${key} ${value}`),
      ...Object.entries(pins).map(([pin, { text }]) => `    connect \\${pin} ${text}`),
      '  end',
    );
  }

  /** Adds a cell of Yosys with one output, under a generated name. */
  operation(
    gate: Gate,
    type: string,
    parameters: Readonly<Record<string, string | number>>,
    pins: Readonly<Record<string, Signal>>,
  ): void {
    this.cell(gate, type, `${type}$${gate.id}_${this.#body.length}`, parameters, pins);
  }

  /** Adds a cell that calculates with one operand, or with two. @param signed of each operand; absent: unsigned */
  calculate(
    gate: Gate,
    type: string,
    [a, b]: readonly [Signal, Signal?],
    y: Signal,
    ...signed: readonly boolean[]
  ): Signal {
    const operands = { A: a, ...(b && { B: b }) };
    const pins = { ...operands, Y: y };
    this.operation(
      gate,
      type,
      {
        ...Object.fromEntries(Object.keys(operands).map((pin, at) => [`${pin}_SIGNED`, signed[at] ? 1 : 0])),
        ...Object.fromEntries(Object.entries(pins).map(([pin, { width }]) => [`${pin}_WIDTH`, width])),
      },
      pins,
    );
    return y;
  }

  /** Adds a multiplexer of two values. */
  choose(gate: Gate, when: Signal, [no, yes]: readonly [Signal, Signal], into?: Signal): Signal {
    const chosen = into ?? this.temporary(no.width, gate);
    this.operation(gate, '$mux', { WIDTH: chosen.width }, { A: no, B: yes, S: when, Y: chosen });
    return chosen;
  }

  /** Adds lines as they are: a process or a memory. */
  raw(gate: Gate, lines: readonly string[]): void {
    this.#body.push(...placed(gate.place, '  '), ...lines.map((line) => `  ${line}`));
  }

  /** Declares a memory. */
  memory(gate: Gate, name: string, width: number, size: number): void {
    this.#wires.push(...placed(gate.place, '  '), `  memory width ${width} size ${size} \\${name}`);
  }

  /** Reports a gate that cannot be built. */
  refuse({ place }: Gate, message: string): void {
    this.diagnostics.push({ severity: 'error', code: 'ghdl_error', message, ...place });
  }

  /** Warns of a gate. */
  warn({ place }: Gate, message: string): void {
    this.diagnostics.push({ severity: 'warning', code: 'ghdl_warning', message, ...place });
  }

  /** The module's text, after all gates are written. */
  text(): string {
    const { self, outputs, name } = this.#module;
    for (const [at, port] of outputs.entries()) {
      const driver = self?.inputs[at] ?? null;
      const pad = driver === null ? undefined : this.#pads.get(driver);
      const from = pad === undefined ? driver : (this.drivers.get(driver ?? -1)?.inputs[0] ?? null);
      const target = { text: `\\${plainWord(port.name)}`, width: port.width || 1, bits: null };
      if (from !== null) this.connect(target, this.net(from));
      else if (port.width === 0) this.connect(target, constant(''));
    }
    return [
      ...placed(self?.place ?? {}, ''),
      `module \\${plainWord(name)}`,
      ...this.#wires,
      ...this.#body,
      'end',
      '',
    ].join('\n');
  }
}
