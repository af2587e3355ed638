import type { Diagnostic } from '../../contract/diagnostics.ts';
import { assertNever, BenchError } from '../../errors/bench-error.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import { errorsOf } from '../diagnostics/findings.ts';
import { FLOWS } from '../flows/index.ts';
import type { InstalledTools } from '../installed-tools.ts';
import { someOf } from '../match/explain.ts';
import type { PreparedDesign } from '../scan/prepared-design.ts';
import type { BuildRequest, ToolContext, ToolEngine } from '../toolchain.ts';
import { amaranthToVerilog } from './amaranth.ts';
import { type ReadEntities, readVhdl, vhdlRefusal } from './ghdl.ts';
import { translateLeavingOut } from './ghdl-left-out.ts';
import { neededVhdl } from './needed-vhdl.ts';
import { besideVerilog } from './two-languages.ts';

/** A request with its design in a form that Yosys reads, whatever it was written in. */
export interface Translated {
  request: BuildRequest;
  source: PreparedDesign;
}

/**
 * Makes a design that Yosys reads of one in VHDL or Python.
 * @throws tool_missing when GHDL, Amaranth or the sandbox of the latter is not there; vhdl_unconfined; design_invalid
 */
export async function translate(
  request: BuildRequest,
  source: PreparedDesign,
  tools: InstalledTools,
  engine: ToolEngine,
  context: ToolContext,
): Promise<Translated> {
  const { top } = request.options;
  switch (source.language) {
    case 'verilog':
    case 'systemverilog':
      return { request, source };
    case 'amaranth':
      if (isRefused(source)) return { request, source };
      return {
        request,
        source: await amaranthToVerilog(
          { python: await tools.amaranth(), sandbox: await tools.sandbox(), clock: tools.clock },
          source,
          top,
          engine,
          context,
        ),
      };
    case 'vhdl': {
      const { source: needed, unneeded } =
        top === undefined ? { source, unneeded: [] } : neededVhdl(source, top);
      if (unneeded.length > 0)
        context.log('scan', `note: ${top} needs nothing of ${someOf(unneeded)}: not read`);
      const { verilog } = needed;
      const ofVhdl = (own = context) => fromVhdl(request, needed, tools, own);
      const made = verilog ? await besideVerilog(needed, verilog, top, context, ofVhdl) : await ofVhdl();
      if (made === null) return { request, source: needed };
      if (top === undefined || verilog?.modules.has(top.toLowerCase())) return { request, source: made };
      // VHDL has no case; the modules that come of it are in lower case.
      const options = { ...request.options, top: top.toLowerCase() };
      return { request: { ...request, options }, source: made };
    }
    default:
      return assertNever(source.language);
  }
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

/** What must not be given to a tool goes to the scan as it is, which reports it, or leaves it out. */
const isRefused = ({ diagnostics }: PreparedDesign): boolean => errorsOf(diagnostics).length > 0;

/**
 * Reads what a design has in VHDL.
 * @returns null where it must not be given to a tool
 */
async function fromVhdl(
  { board, options }: BuildRequest,
  source: PreparedDesign,
  tools: InstalledTools,
  context: ToolContext,
): Promise<PreparedDesign | null> {
  const refused = isRefused(source);
  if (refused && source.units.length < 2) return null;
  const ghdl = await tools.ghdl();
  const sandbox = await tools.sandbox();
  const refusal = vhdlRefusal(ghdl, sandbox, tools.vhdlWithoutSandbox());
  if (refusal !== null && refused) return null;
  if (refusal !== null || ghdl === null) throw refusal ?? toolchainError('tool_missing');
  const confined = sandbox.kind === 'missing' ? null : sandbox;
  if (sandbox.kind === 'missing')
    context.log('scan', `note: GHDL runs without a sandbox (${sandbox.reason}), as the operator allows`);
  const capacity = FLOWS[board.fpga.family].memoryCapacity(board);
  const host = { ghdl, sandbox: confined, clock: tools.clock };
  const done: ReadEntities = new Map();
  return translateLeavingOut(source, context, tools.clock, (rest, own) =>
    readVhdl(host, rest, { top: options.top, capacity, done }, own),
  );
}
