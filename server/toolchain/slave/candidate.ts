import type { MatchedDesign, Port } from '../../contract/designs/uploads.ts';
import type { BoardFile } from './board-file.ts';

/** How a design uses the two lowest bits of its address, followed through the elaborated netlist. */
export interface AddressUse {
  /** A bit above the two lowest is used at all. */
  highBits: boolean;
  /** The two lowest bits choose a word of a memory. */
  index: boolean;
  /** Constants that the address is compared with and that are multiples of four, as bits. */
  multiples: string[];
  /** The same that are no multiples of four. */
  others: string[];
  /** The two lowest bits go somewhere that says nothing. */
  unclear: boolean;
  /** They lead into an instance of a module that was not read as it is there: with other parameters, or one of an array. */
  unresolved: boolean;
}

/** A module as the matcher sees it: what elaboration says about it. */
export interface CandidateModule {
  name: string;
  /** Where it is declared, as far as that is known. */
  declared?: Pick<MatchedDesign, 'file' | 'line'>;
  ports: Port[];
  /** Parameter → default value as a number, where it is one. */
  parameters?: Record<string, number>;
  /** Names of the modules that it instantiates. */
  instantiates?: string[];
  /** Input → how often it is a rising or falling edge that registers of this module wait for. */
  edges?: Record<string, { rise: number; fall: number }>;
  addressUse?(port: string): AddressUse | null;
}

export interface MatchOptions {
  top?: string | undefined;
  addressing?: 'byte' | 'word' | undefined;
  ties?: Record<string, 0 | 1> | undefined;
  pins?: Record<string, number | string> | undefined;
  /** A .pcf beside the design; what `pins` says goes before it. */
  boardFile?: BoardFile | undefined;
}
