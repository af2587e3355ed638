import type { Place } from '../../../diagnostics/place.ts';

/** A value in GHDL's netlist: the output of a gate, or an input port of its module. */
export interface Net {
  id: number;
  /** Bits; 0 for a value such as a number of the range 0 to 0. */
  width: number;
}

/** A step of a name: a word of the source, or a number that GHDL adds. */
export type NameStep = { kind: 'word'; text: string } | { kind: 'number'; value: number };

/** Type of an operand, as far as the source shows it. */
export type OperandType = 'number' | 'signed' | 'vector' | null;

/** A gate, or an instance of another module. */
export interface Gate {
  id: number;
  name: readonly NameStep[];
  /** `$and` for a gate of GHDL, `\half` for an instance of the module `half`. */
  kind: string;
  /** Numeric parameters of a gate, in order; empty for an instance. */
  parameters: readonly number[];
  /** Driving net of each input; null when undriven. */
  inputs: readonly (number | null)[];
  outputs: readonly Net[];
  place: Place;
  /** Operator or function in the source, where withSourceWords looks for it. */
  word?: string;
  /** Whole numbers that are operands of a comparison or quotient in the source; null for another operand. */
  numbers?: readonly [bigint | null, bigint | null];
  /** The source uses Synopsys's packages. */
  isSynopsys?: boolean;
  /** Operand types of a sum, difference or comparison; null where unknown. */
  operands?: readonly [OperandType, OperandType];
  /** It has the attribute `keep`. */
  isKept: boolean;
}

/** A port of a module. */
export interface NetlistPort {
  name: string;
  direction: 'input' | 'output';
  width: number;
}

/** A module of GHDL: an entity with values for its generics, or a component without an entity. */
export interface NetlistModule {
  name: string;
  /** Generics of a component without an entity, with their types. */
  generics: readonly { name: string; type: string }[];
  inputs: readonly NetlistPort[];
  outputs: readonly NetlistPort[];
  /** Its ports from inside: the outputs are the input ports. Null for a component without an entity. */
  self: Gate | null;
  gates: readonly Gate[];
}
