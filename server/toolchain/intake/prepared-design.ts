import type { Language } from '../../contract/designs/uploads.ts';
import type { Diagnostic } from '../../contract/diagnostics.ts';
import type { Place } from '../diagnostics/place.ts';
import type { ToolFiles } from '../tool-engine.ts';

/** A source of a project that is excluded, with its error. */
export interface ExcludedSource {
  path: string;
  text: string;
  error: Diagnostic;
  /** Its modules that other sources also have. */
  shared?: readonly string[];
}

/** The Verilog of a project in two languages. */
export interface VerilogPart {
  /** Units as in PreparedDesign; their texts are in its files. */
  units: readonly string[];
  /** Source by module, in lower case; the source has its uploaded name. */
  modules: ReadonlyMap<string, string>;
  /** With errors here no tool may read the units. */
  diagnostics: readonly Diagnostic[];
  /** Present when no VHDL could be read: the reason, and the source by entity, in lower case. */
  unread?: { reason: string; entities: ReadonlyMap<string, string> };
}

/** An entity that could not be translated by itself, for example with a generic without a value. */
export interface Unbuilt {
  entity: string;
  /** Its declaration and its architectures. */
  text: string;
  error: Diagnostic;
}

/** The prepared sources of a design. */
export interface PreparedDesign {
  language: Language;
  /** All files for the tools, by path. */
  files: Readonly<ToolFiles>;
  /** Paths of the files that are read as sources, in order. */
  units: readonly string[];
  /** Paths of the files in Yosys's form (`.il`, `.json`), from another front end. */
  netlists?: readonly string[];
  /** Uploaded names of the sources, as diagnostics use them. */
  uploaded: readonly string[];
  /** Changes and assumptions for the job's log, one sentence each. */
  notes: readonly string[];
  /** With errors here no tool may read the files; warnings come from a front end. */
  diagnostics: readonly Diagnostic[];
  /** VHDL sources that the translation excluded, and the diagnostics of all sources together. */
  excluded?: { sources: readonly ExcludedSource[]; refused: readonly Diagnostic[] };
  /** The Verilog of a project in two languages; it is read together with the translation. */
  verilog?: VerilogPart;
  /** Entities that no other one contains, and that could not be translated by themselves. */
  unbuilt?: readonly Unbuilt[];
  /** A .pcf of the upload. */
  constraints?: { path: string; text: string };
}

/** A place in the upload. Places in translated Verilog mean nothing to the author. */
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
