import type { Place } from '../../../diagnostics/place.ts';

/** A value in a netlist of GHDL: the output of a gate, or an input port of its module. */
export interface Net {
  id: number;
  /** Bits; 0 for a value that has none, such as a number of the range 0 to 0. */
  width: number;
}

/** A step of a name of GHDL: what its author wrote, or a number that GHDL gave. */
export type NameStep = { kind: 'word'; text: string } | { kind: 'number'; value: number };

/** What an operand is in the source, as far as its words say. */
export type OperandType = 'number' | 'signed' | 'vector' | null;

/** A gate, or an instance of another module. */
export interface Gate {
  id: number;
  name: readonly NameStep[];
  /** `$and` for a gate of GHDL, `\half` for an instance of the module `half`. */
  kind: string;
  /** Numbers that a gate is made with, in their order; an instance has its values elsewhere. */
  parameters: readonly number[];
  /** The net that drives each input, null where nothing does. */
  inputs: readonly (number | null)[];
  outputs: readonly Net[];
  place: Place;
  /** The operator or function that it is of, as the source has it, where that was asked for. */
  word?: string;
  /** The whole numbers that a comparison or a quotient has as its operands in the source; null for another operand. */
  numbers?: readonly [bigint | null, bigint | null];
  /** Numbers there are those of the packages of Synopsys. */
  isSynopsys?: boolean;
  /** What the operands of a difference are in the source; null where that is not known. */
  operands?: readonly [OperandType, OperandType];
  /** The attribute `keep` is on it. */
  isKept: boolean;
}

/** A port of a module. */
export interface NetlistPort {
  name: string;
  direction: 'input' | 'output';
  width: number;
}

/** A module as GHDL made it of an entity with the values of its generics, or of a component without an entity. */
export interface NetlistModule {
  name: string;
  /** Names of the generics of a component without an entity, each with its type as GHDL names it. */
  generics: readonly { name: string; type: string }[];
  inputs: readonly NetlistPort[];
  outputs: readonly NetlistPort[];
  /** Its own ports from within: outputs of it are the input ports; null for a component without an entity. */
  self: Gate | null;
  gates: readonly Gate[];
}
