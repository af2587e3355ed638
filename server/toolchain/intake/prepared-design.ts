import type { Language } from '../../contract/designs/uploads.ts';
import type { Diagnostic } from '../../contract/diagnostics.ts';
import type { Place } from '../diagnostics/place.ts';
import type { ToolFiles } from '../tool-engine.ts';

/** A source of a project that was left out, and what is wrong with it. */
export interface ExcludedSource {
  path: string;
  text: string;
  error: Diagnostic;
  /** All that was found wrong, and in what; absent where it is VHDL. */
  found?: { source: PreparedDesign; diagnostics: readonly Diagnostic[] };
  /** It was not tried: it stands with others that cannot be read in a folder of tests, and nothing needs it. */
  unread?: true;
  /** Modules of it that are in others as well. */
  shared?: readonly string[];
}

/** What a project in VHDL has beside it in Verilog. */
export interface VerilogPart {
  /** As those of a design; their texts are among its files. */
  units: readonly string[];
  /** Modules in lower case, each with its source as it was uploaded. */
  modules: ReadonlyMap<string, string>;
  /** Errors here mean that they must not be given to a tool. */
  diagnostics: readonly Diagnostic[];
  /** Where nothing of the VHDL could be read: why, and the entities in it, in lower case, each with its source as it was uploaded. */
  unread?: { reason: string; entities: ReadonlyMap<string, string> };
}

/** An entity that could not be translated by itself, such as one with a generic that has no value. */
export interface Unbuilt {
  entity: string;
  /** Its declaration and its architectures. */
  text: string;
  error: Diagnostic;
}

/** The sources of a design made fit for the tools. */
export interface PreparedDesign {
  language: Language;
  /** Everything of the design that a tool is given, by the path at which it finds it. */
  files: Readonly<ToolFiles>;
  /** Of these, what is read as a source of its own, in this order. */
  units: readonly string[];
  /** Of the files, what is a design in Yosys's own form (`.il`, `.json`): what another front end read. It is read as it is. */
  netlists?: readonly string[];
  /** Names of the sources that were uploaded, as findings name them. */
  uploaded: readonly string[];
  /** What was changed or assumed, one sentence each, for the job's log. */
  notes: readonly string[];
  /** Errors here mean that the files must not be given to a tool; warnings are those of a front end. */
  diagnostics: readonly Diagnostic[];
  /** Sources in VHDL that the translation had to do without, and what was found wrong in all of them together. */
  leftOut?: { left: readonly ExcludedSource[]; refused: readonly Diagnostic[] };
  /** Of a project in two families of languages, what is Verilog: it is read beside the translation of the others. */
  verilog?: VerilogPart;
  /** Entities in VHDL that nothing contains, and that could not be translated by themselves. */
  unbuilt?: readonly Unbuilt[];
  /** A .pcf beside the sources. */
  constraints?: { path: string; text: string };
}

/** A place in the file that was uploaded: places in the Verilog that was made of it mean nothing to its author. */
export const inUpload = ({ file: named, line, column }: Place, { uploaded }: PreparedDesign): Place => {
  if (named !== undefined && uploaded.includes(named))
    return {
      file: named,
      ...(line !== undefined && { line }),
      ...(column !== undefined && { column }),
    };
  const [file, ...others] = uploaded;
  return file === undefined || others.length > 0 ? {} : { file };
};
