import type { MatchedDesign, Port } from '../../contract/designs/uploads.ts';
import type { BoardFile } from './board-file.ts';

/** Use of the two lowest address bits in the elaborated netlist. */
export interface AddressUse {
  /** Any bit above the two lowest is used. */
  highBits: boolean;
  /** The two lowest bits are part of a memory's index. */
  index: boolean;
  /** Constants that the address is compared with, as bits: multiples of four. */
  multiples: string[];
  /** The same: other numbers. */
  others: string[];
  /** The two lowest bits have a use that tells nothing. */
  unclear: boolean;
}

/** A module after elaboration, as the matcher sees it. */
export interface CandidateModule {
  name: string;
  /** Place of the declaration, where it is known. */
  declared?: Pick<MatchedDesign, 'file' | 'line'>;
  ports: Port[];
  /** Numeric default by parameter. */
  parameters?: Record<string, number>;
  /** Names of the instantiated modules. */
  instantiates?: string[];
  /**
   * By input: number of registers that use its rising or falling edge, how many of them as an asynchronous reset, and how
   * many are constant after their clock while it is low, or high.
   */
  registerInputs?: Record<string, { rise: number; fall: number; resets: number; low: number; high: number }>;
  addressUse?(port: string): AddressUse;
}

/** Options of the matcher, from the form fields of a submit. */
export interface MatchOptions {
  top?: string | undefined;
  addressing?: 'byte' | 'word' | undefined;
  ties?: Record<string, 0 | 1> | undefined;
  pins?: Record<string, number | string> | undefined;
  /** The .pcf of the design. Entries of `pins` take precedence. */
  boardFile?: BoardFile | undefined;
}
