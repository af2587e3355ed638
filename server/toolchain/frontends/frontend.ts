import type { Clock } from '../../clock.ts';
import type { Language } from '../../contract/designs/uploads.ts';
import type { Diagnostic } from '../../contract/diagnostics.ts';
import { BenchError } from '../../errors/bench-error.ts';
import type { BuildRequest, ToolContext } from '../build-request.ts';
import { errorsOf } from '../diagnostics/findings.ts';
import type { ConfiguredPaths } from '../engines/executables.ts';
import type { FoundSandbox } from '../engines/sandbox/bubblewrap.ts';
import type { PreparedDesign } from '../intake/prepared-design.ts';

/** What front ends run on: the computer, as they may use it. */
export interface FrontendHost {
  clock: Clock;
  /** Programs that the settings name. */
  paths: ConfiguredPaths;
  /** The sandbox of this computer, looked for once. */
  sandbox(): Promise<FoundSandbox>;
  /** Whether the operator lets GHDL run where there is no sandbox. */
  vhdlWithoutSandbox(): boolean;
}

/** A request with its design in a form that slang or Yosys reads, whatever it was written in. */
export interface Translated {
  request: BuildRequest;
  source: PreparedDesign;
}

/** A program that a front end runs, as it was found on this computer; null: it was not. */
interface FoundProgram {
  tool: string;
  /** What its version is of, as reports of builds name it. */
  versionOf: string;
  found: { path: string; version: string } | null;
}

/** What reads designs of some languages. One of a new language is a folder, entered in index.ts. */
export interface Frontend {
  readonly name: string;
  readonly languages: readonly Language[];
  /** The program that it runs; null where it needs none beside the embedded tools. */
  program(): Promise<FoundProgram | null>;
  /** Why it cannot read a design here; null where it can. */
  refusal(): Promise<BenchError | null>;
  /**
   * Brings a design into a form that slang or Yosys reads.
   * @throws what `refusal` says; design_invalid, build_too_large with what is wrong with the design; build_aborted
   */
  translate(request: BuildRequest, source: PreparedDesign, context: ToolContext): Promise<Translated>;
}

/** Refusals of a translation that are about the design. */
const OF_DESIGN: readonly string[] = ['design_invalid', 'build_too_large'];

/**
 * What a translation was refused for, as the findings of a scan: those of Verilog are no refusal, either.
 * @throws the error, where it is about something else or says nothing of the design
 */
export function findingsOf(error: unknown): Diagnostic[] {
  if (!(error instanceof BenchError) || !OF_DESIGN.includes(error.code)) throw error;
  if (errorsOf(error.diagnostics).length === 0) throw error;
  return [...error.diagnostics];
}
