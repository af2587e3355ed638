import type { Diagnostic } from '../../../../contract/diagnostics.ts';
import { fileAndLine } from '../../../diagnostics/place.ts';
import { tokenFrom, typesByName, type VhdlSource, vhdlSource } from '../../../languages/vhdl/vhdl-places.ts';
import { type VhdlUnit, vhdlUnits } from '../../../languages/vhdl/vhdl-units.ts';
import { constantOf } from './constants.ts';
import type { Gate, NetlistModule } from './netlist.ts';

const CONCAT = /^\$concat(?:2|3|4|n)$/;
const MULTIPLEXER = /^\$(?:mux[24]|pmux)$/;
/** Inputs of registers for the value of a reset, with the reset, and for the initial value. */
const REGISTERS: Readonly<Record<string, readonly (readonly [value: number, choice: number | null])[]>> = {
  $adff: [[3, 2]],
  $idff: [[2, null]],
  $iadff: [
    [3, 2],
    [4, null],
  ],
};
const DATA = 1;
/** Gates that pass on one of their inputs. */
const PASSING = /^\$(?:i?a?dff|mux[24]|pmux)$/;
/** Limit of gates behind each other. */
const DEEPEST = 16;
const WORD = 32;
const VECTORS = /^(?:unresolved_)?(?:std_u?logic_vector|unsigned|signed|bit_vector)$/;

/** A constant that a choice gives to a part of a signal, by its bits from the highest. */
interface Part {
  choice: string;
  gate: Gate;
  constant: Gate;
  bits: string;
}

/** The netlist, and warnings of constants that may be wrong. */
interface Corrected {
  modules: NetlistModule[];
  diagnostics: Diagnostic[];
}

/**
 * Puts bits of constants back in order. Where one statement assigns a constant to a whole vector, and others assign parts
 * of it, GHDL cuts the constant into these parts, and counts them from its left end in place of its right one (GHDL 2.0).
 * Several assignments to parts keep their order: GHDL joins their constants first.
 * @param texts of the sources, by the path that GHDL reads
 */
export function withBitsInOrder(
  modules: readonly NetlistModule[],
  texts: ReadonlyMap<string, string>,
): Corrected {
  const diagnostics: Diagnostic[] = [];
  let types: ReadonlyMap<string, string | null> | null = null;
  const sources = new Map([...texts].map(([path, text]) => [path, new PlacedSource(text)]));
  const anyConstantParts = [...sources.values()].some(({ source }) => assignsConstantParts(source));
  const corrected = modules.map((module) => {
    const changed = new Map<Gate, Gate>();
    const entity = module.self && tokenOf(module.self, sources)?.text;
    /** Whether a concatenation is that of an operator: alone these have a place of their own. */
    const isOperator = (gate: Gate): boolean => {
      const token = tokenOf(gate, sources);
      const isOwn = token?.unit === null || token?.unit === entity;
      return gate.kind === '$concat2' && token?.text === '&' && isOwn;
    };
    const nets = new Nets(module);
    const runs = module.gates
      .filter((gate) => CONCAT.test(gate.kind) && !isOperator(gate))
      .flatMap((concat) => runsOf(concat, nets).map((run) => ({ concat, run, width: widthOf(run) })));
    // A variable is joined anew after each assignment. The widest run has all parts of a constant, the last one its target.
    const seen = new Set<Gate>();
    for (const { run } of runs.sort((a, b) => b.width - a.width)) {
      const constants = new Set(run.map(({ constant }) => constant));
      if ([...constants].some((one) => seen.has(one))) continue;
      for (const one of constants) seen.add(one);
      types ??= typesOf([...sources.values()].map(({ source }) => source));
      const name = runs
        .filter((other) => other.run.some(({ constant }) => constants.has(constant)))
        .reduce<string | null>((found, { concat }) => found ?? nets.targetOf(concat), null);
      const type = name === null ? types.get('') : types.get(name);
      if (type === 'vector') for (const [gate, bits] of inOrder(run)) changed.set(gate, withBits(gate, bits));
      const isMixed = type === 'vector' && anyConstantParts;
      if (type === null || type === undefined || isMixed)
        diagnostics.push({
          severity: 'warning',
          code: 'ghdl_warning',
          message:
            'GHDL may exchange bits of a constant that this statement assigns, because others assign parts of the same signal: assign these parts here as well',
          ...fileAndLine(run[0]?.gate.place ?? {}),
        });
    }
    return { ...module, gates: module.gates.map((gate) => changed.get(gate) ?? gate) };
  });
  return { modules: corrected, diagnostics };
}

/** A source and its design units. */
class PlacedSource {
  readonly source: VhdlSource;
  readonly #units: readonly VhdlUnit[];

  constructor(text: string) {
    this.source = vhdlSource(text);
    this.#units = vhdlUnits(text);
  }

  /** The token at a place, and the entity around it; null in a package. */
  at(line: number, column: number): { text: string; unit: string | null } {
    const { text = '', start = Number.POSITIVE_INFINITY } =
      this.source.tokens[tokenFrom(this.source, line, column)] ?? {};
    const unit = this.#units.find((one) => start >= one.start && start < one.end);
    return { text, unit: /^(?:entity|architecture)$/.test(unit?.kind ?? '') ? (unit?.name ?? null) : null };
  }
}

/**
 * What is at a gate's place. GHDL uses gates again that it dropped, and one that gets no place has that of the dropped one:
 * it may be in another entity, or at something else.
 */
function tokenOf({ place: { file, line, column } }: Gate, sources: ReadonlyMap<string, PlacedSource>) {
  return line === undefined ? undefined : sources.get(file ?? '')?.at(line, column ?? 1);
}

/** Drivers and readers of a module's nets. */
class Nets {
  readonly #drivers = new Map<number, Gate>();
  readonly #readers = new Map<number, { gate: Gate; input: number }[]>();
  readonly #module: NetlistModule;

  constructor(module: NetlistModule) {
    this.#module = module;
    for (const gate of module.gates) for (const { id } of gate.outputs) this.#drivers.set(id, gate);
    for (const gate of module.self ? [...module.gates, module.self] : module.gates)
      for (const [input, net] of gate.inputs.entries())
        if (net !== null) this.#readers.set(net, [...(this.#readers.get(net) ?? []), { gate, input }]);
  }

  driver(net: number | null): Gate | null {
    return net === null ? null : (this.#drivers.get(net) ?? null);
  }

  /** The constant behind a net that nothing else reads, except slices of it. */
  ownConstant(net: number | null): { gate: Gate; bits: string } | null {
    const gate = this.driver(net);
    const bits = gate && constantOf(gate, gate.outputs[0]?.width ?? 0);
    if (!gate || !bits || net === null) return null;
    const readers = this.#readers.get(net)?.filter(({ gate: { kind } }) => kind !== '$extract');
    return readers?.length === 1 ? { gate, bits } : null;
  }

  /** The signal or port that a value becomes, also behind choices and in a register; null where none is found. */
  targetOf(gate: Gate, depth = 0): string | null {
    for (const { gate: reader, input } of this.#readers.get(gate.outputs[0]?.id ?? -1) ?? []) {
      if (reader === this.#module.self) return this.#module.outputs[input]?.name.toLowerCase() ?? null;
      if (/^\$i?(?:signal|output)$/.test(reader.kind)) {
        const [step] = reader.name.filter(({ kind }) => kind === 'word').slice(-1);
        return step?.kind === 'word' ? step.text.toLowerCase() : null;
      }
      const passesOn = CONCAT.test(reader.kind) || (PASSING.test(reader.kind) && input >= DATA);
      const target = passesOn && depth < DEEPEST ? this.targetOf(reader, depth + 1) : null;
      if (target !== null) return target;
    }
    return null;
  }
}

/** Neighbouring parts of a concatenation that one choice gives constants of several parts, and not only equal bits. */
function runsOf(concat: Gate, nets: Nets): Part[][] {
  const parts = concat.inputs.map((net) => partsAt(nets.driver(net), nets));
  const found: Part[][] = [];
  for (const choice of new Set(parts.flat().map((part) => part.choice))) {
    let run: Part[] = [];
    for (const here of [...parts, []]) {
      const part = here.filter((one) => one.choice === choice);
      if (part.length === 1 && part[0]) run.push(part[0]);
      else {
        if (run.length > 1 && new Set(run.map(({ bits }) => bits).join('')).size > 1) found.push(run);
        run = [];
      }
    }
  }
  return found;
}

/** Constants that choices give to a part, also behind other choices. */
function partsAt(gate: Gate | null, nets: Nets, depth = 0): Part[] {
  if (!gate || depth > DEEPEST) return [];
  const register = REGISTERS[gate.kind];
  if (register)
    return register.flatMap(([input, choice]): Part[] => {
      const constant = nets.ownConstant(gate.inputs[input] ?? null);
      const of = choice === null ? 'init' : `${gate.inputs[choice]} 2`;
      return constant ? [{ choice: of, gate, constant: constant.gate, bits: constant.bits }] : [];
    });
  if (!MULTIPLEXER.test(gate.kind)) return [];
  return gate.inputs.slice(1).flatMap((net, at): Part[] => {
    const constant = nets.ownConstant(net);
    const choice = `${gate.inputs[0]} ${at + 1}`;
    return constant
      ? [{ choice, gate, constant: constant.gate, bits: constant.bits }]
      : partsAt(nets.driver(net), nets, depth + 1);
  });
}

const widthOf = (run: readonly Part[]): number => run.reduce((sum, { bits }) => sum + bits.length, 0);

/** The right bits of each constant of a run. */
function inOrder(run: readonly Part[]): Map<Gate, string> {
  const whole = run
    .toReversed()
    .map(({ bits }) => bits)
    .join('');
  let at = 0;
  return new Map(
    run.map(({ constant, bits }) => {
      at += bits.length;
      return [constant, whole.slice(at - bits.length, at)];
    }),
  );
}

/** The constant with other bits. */
function withBits(gate: Gate, bits: string): Gate {
  const words = (of: (bit: string) => boolean) =>
    Array.from({ length: Math.ceil(bits.length / WORD) }, (_, at) => {
      const end = bits.length - at * WORD;
      const word = [...bits.slice(Math.max(0, end - WORD), end)].map((bit) => (of(bit) ? '1' : '0')).join('');
      return Number.parseInt(word, 2);
    });
  const [values, unknown] = [
    words((bit) => bit === '1' || bit === 'x'),
    words((bit) => bit === 'x' || bit === 'z'),
  ];
  return {
    ...gate,
    kind: '$const_log',
    parameters: values.flatMap((value, at) => [value, unknown[at] ?? 0]),
  };
}

/**
 * Whether a statement assigns a constant to a part: `v(3) := '0';`. The netlist shows this constant as it shows a part of one
 * for the whole vector.
 */
const assignsConstantParts = ({ tokens }: VhdlSource): boolean => {
  const text = (at: number) => tokens[at]?.text ?? '';
  let depth = 0;
  /** By open bracket: whether the name before it is the type of a declaration. */
  const isType: boolean[] = [];
  return tokens.some((_, at) => {
    if (text(at) === '(') isType[depth++] = /^(?::|in|out|inout|buffer)$/.test(text(at - 2));
    if (text(at) !== ')') return false;
    depth = Math.max(0, depth - 1);
    if (isType[depth] || !/^[<:]$/.test(text(at + 1)) || text(at + 2) !== '=') return false;
    const literal = /^[box]$/i.test(text(at + 3)) ? text(at + 4) : text(at + 3);
    return /^(?:"|'.'$)/.test(literal);
  });
};

/**
 * Whether a name is always a vector, or always anything else; null for one that is both. The empty name is a vector where no
 * source declares a type with parts.
 */
function typesOf(sources: readonly VhdlSource[]): Map<string, string | null> {
  const types = typesByName<VhdlSource, string>(sources, (type) => (VECTORS.test(type) ? 'vector' : 'other'));
  const isPlain = !sources.some(({ tokens }) =>
    tokens.some(({ text }) => text === 'record' || text === 'array'),
  );
  types.set('', isPlain ? 'vector' : null);
  return types;
}
