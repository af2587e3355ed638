import { assertNever } from '../../errors/bench-error.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import { errorsOf } from '../diagnostics/findings.ts';
import type { InstalledTools } from '../installed-tools.ts';
import type { PreparedSource } from '../scan/source.ts';
import type { BuildRequest, ToolContext, ToolEngine } from '../toolchain.ts';
import { amaranthToVerilog } from './amaranth.ts';
import { vhdlToVerilog } from './ghdl.ts';

/** A request with its source in Verilog, whatever it was written in. */
export interface Translated {
  request: BuildRequest;
  source: PreparedSource;
}

/**
 * Makes Verilog of a design in VHDL or Python.
 * @throws tool_missing when GHDL, Amaranth or the sandbox is not there; design_invalid
 */
export async function translate(
  request: BuildRequest,
  source: PreparedSource,
  tools: InstalledTools,
  engine: ToolEngine,
  context: ToolContext,
): Promise<Translated> {
  // What must not be given to a tool goes to the scan as it is, which reports it.
  if (errorsOf(source.diagnostics).length > 0) return { request, source };
  const { top } = request.options;
  switch (source.language) {
    case 'verilog':
    case 'systemverilog':
      return { request, source };
    case 'amaranth':
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
      const ghdl = await tools.ghdl();
      if (ghdl === null)
        throw toolchainError('tool_missing', {
          message: 'A design in VHDL needs GHDL, which is not installed.',
          remedy:
            'Install GHDL (package ghdl) so that it is on the PATH of the service, or submit the design in Verilog.',
        });
      const sandbox = await tools.sandbox();
      const confined = sandbox.kind === 'missing' ? null : sandbox;
      const host = { ghdl, sandbox: confined, clock: tools.clock };
      const verilog = await vhdlToVerilog(host, source, top, context);
      if (top === undefined) return { request, source: verilog };
      // VHDL has no case; the modules that came out of it are in lower case.
      const options = { ...request.options, top: top.toLowerCase() };
      return { request: { ...request, options }, source: verilog };
    }
    default:
      return assertNever(source.language);
  }
}
