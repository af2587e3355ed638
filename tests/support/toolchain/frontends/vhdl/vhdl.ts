import { systemClock } from '../../../../../server/clock.ts';
import type { ToolContext } from '../../../../../server/toolchain/build-request.ts';
import { findGhdl, readVhdl } from '../../../../../server/toolchain/frontends/vhdl/ghdl.ts';
import type { PreparedDesign } from '../../../../../server/toolchain/intake/prepared-design.ts';
import { prepareSource } from '../../../../../server/toolchain/intake/source.ts';
import { plainYosys } from '../../support.ts';

const silent: ToolContext = { log: () => {}, progress: () => {} };

/** One source in VHDL, read by the bench's own front end, outside of a sandbox. */
export async function readVhdlText(
  text: string,
  top?: string,
  context: ToolContext = silent,
): Promise<PreparedDesign> {
  const ghdl = await findGhdl(systemClock);
  if (!ghdl) throw new Error('GHDL is not installed');
  const source = prepareSource(Buffer.from(text), 'design.vhd');
  return readVhdl({ ghdl, sandbox: null, clock: systemClock }, source, { top, capacity: null }, context);
}

/**
 * A design as Verilog for a simulator, after these passes of Yosys.
 * @param passes behind `hierarchy`
 */
export async function verilogOf(
  { files, netlists = [] }: PreparedDesign,
  passes: readonly string[] = ['proc', 'pmuxtree'],
): Promise<string> {
  const made = await plainYosys.run({
    tool: 'yosys',
    args: [
      '-q',
      '-p',
      [
        ...netlists.map((path) => `read_rtlil ${path}`),
        'hierarchy -auto-top',
        ...passes,
        'write_verilog -noattr -norename simulated.v',
      ].join('; '),
    ],
    files: { ...files },
    outputs: ['simulated.v'],
    deadline: 60,
    onLine: () => {},
  });
  return Buffer.from(made.files['simulated.v'] ?? []).toString();
}
