import type { Clock } from '../../clock.ts';
import type { Language } from '../../contract/designs/uploads.ts';
import type { Diagnostic } from '../../contract/diagnostics.ts';
import { BenchError } from '../../errors/bench-error.ts';
import type { BuildRequest, ToolContext } from '../build-request.ts';
import { errorsOf } from '../diagnostics/findings.ts';
import type { ConfiguredPaths } from '../engines/executables.ts';
import type { FoundSandbox } from '../engines/sandbox/bubblewrap.ts';
import type { PreparedDesign } from '../intake/prepared-design.ts';

/** What front ends may use of the computer. */
export interface FrontendHost {
  clock: Clock;
  /** Programs of the settings. */
  paths: ConfiguredPaths;
  /** The sandbox of this computer; it is searched once. */
  sandbox(): Promise<FoundSandbox>;
  /** Whether the operator allows GHDL without a sandbox. */
  vhdlWithoutSandbox(): boolean;
}

/** A request with its design in a form that slang or Yosys reads. */
export interface Translated {
  request: BuildRequest;
  source: PreparedDesign;
}

/** A program that a front end runs; `found` is null when this computer does not have it. */
interface FoundProgram {
  tool: string;
  /** Key of the version in build reports. */
  versionOf: string;
  found: { path: string; version: string } | null;
}

/** Reads designs of some languages. A new front end is a folder, and an entry in index.ts. */
export interface Frontend {
  readonly name: string;
  readonly languages: readonly Language[];
  /** The program that it runs; null when the embedded tools suffice. */
  program(): Promise<FoundProgram | null>;
  /** Why it cannot read designs on this computer; null when it can. */
  refusal(): Promise<BenchError | null>;
  /**
   * Translates a design into a form that slang or Yosys reads.
   * @throws the error of `refusal`; design_invalid and build_too_large with diagnostics; build_aborted
   */
  translate(request: BuildRequest, source: PreparedDesign, context: ToolContext): Promise<Translated>;
}

/** Error codes of a translation that are about the design. */
const OF_DESIGN: readonly string[] = ['design_invalid', 'build_too_large'];

/**
 * Turns the refusal of a translation into the diagnostics of a scan.
 * @throws the error when it is not about the design, or has no diagnostics
 */
export function findingsOf(error: unknown): Diagnostic[] {
  if (!(error instanceof BenchError) || !OF_DESIGN.includes(error.code)) throw error;
  if (errorsOf(error.diagnostics).length === 0) throw error;
  return [...error.diagnostics];
}
