import { toolchainError } from '../../../errors/toolchain.ts';
import type { BuildRequest, ToolContext } from '../../build-request.ts';
import { errorsOf } from '../../diagnostics/findings.ts';
import { someOf } from '../../diagnostics/text.ts';
import { familyOf } from '../../families/index.ts';
import type { PreparedDesign } from '../../intake/prepared-design.ts';
import { once } from '../../once.ts';
import type { Frontend, FrontendHost } from '../frontend.ts';
import { translateExcluding } from './excluded-vhdl.ts';
import { findGhdl, type ReadEntities, readVhdl, vhdlRefusal } from './ghdl.ts';
import type { Ghdl } from './ghdl-run.ts';
import { neededVhdl } from './needed-vhdl.ts';
import { translateForVerilog } from './two-languages.ts';

/** Creates the front end for VHDL, with the installed GHDL. */
export function createVhdl(host: FrontendHost): Frontend {
  const ghdl = once(() => findGhdl(host.clock, host.paths));
  return {
    name: 'vhdl',
    languages: ['vhdl'],
    program: async () => ({ tool: 'ghdl', versionOf: 'ghdl', found: await ghdl() }),
    refusal: async () => vhdlRefusal(await ghdl(), await host.sandbox(), host.vhdlWithoutSandbox()),

    async translate(request, source, context) {
      const { top } = request.options;
      const { source: needed, unneeded } =
        top === undefined ? { source, unneeded: [] } : neededVhdl(source, top);
      if (unneeded.length > 0)
        context.log('scan', `note: ${top} does not need ${someOf(unneeded)}: not read`);
      const { verilog } = needed;
      const ofVhdl = (own = context) => readUnits(request, needed, ghdl, host, own);
      const made = verilog
        ? await translateForVerilog(needed, verilog, top, context, ofVhdl)
        : await ofVhdl();
      if (made === null) return { request, source: needed };
      if (top === undefined || verilog?.modules.has(top.toLowerCase())) return { request, source: made };
      // VHDL ignores case; the modules of its netlist are in lower case.
      const options = { ...request.options, top: top.toLowerCase() };
      return { request: { ...request, options }, source: made };
    },
  };
}

/**
 * Translates the VHDL of a design.
 * @returns null when no tool may read it: the scan reports or excludes it
 */
async function readUnits(
  { board, options }: BuildRequest,
  source: PreparedDesign,
  find: () => Promise<Ghdl | null>,
  host: FrontendHost,
  context: ToolContext,
): Promise<PreparedDesign | null> {
  const refused = errorsOf(source.diagnostics).length > 0;
  if (refused && source.units.length < 2) return null;
  const [ghdl, sandbox] = [await find(), await host.sandbox()];
  const refusal = vhdlRefusal(ghdl, sandbox, host.vhdlWithoutSandbox());
  if (refusal !== null && refused) return null;
  if (refusal !== null || ghdl === null) throw refusal ?? toolchainError('tool_missing');
  const confined = sandbox.kind === 'missing' ? null : sandbox;
  if (sandbox.kind === 'missing')
    context.log('scan', `note: GHDL runs without a sandbox (${sandbox.reason}), as the operator allows`);
  const capacity = familyOf(board).memoryCapacity(board);
  const done: ReadEntities = new Map();
  return translateExcluding(source, context, host.clock, (rest, own) =>
    readVhdl({ ghdl, sandbox: confined, clock: host.clock }, rest, { top: options.top, capacity, done }, own),
  );
}
