import type { Clock } from '../../../clock.ts';
import type { Finding } from '../../../contract/boards/boards.ts';
import { findSandbox } from './bubblewrap.ts';

/**
 * Checks whether designs that run as programs (VHDL and Python) can be confined on this computer. Never throws.
 * @param vhdlWithoutSandbox the operator's setting; undefined when the settings are not at hand
 */
export async function checkSandbox(
  clock: Clock,
  vhdlWithoutSandbox?: boolean,
  find: typeof findSandbox = findSandbox,
  platform: NodeJS.Platform = process.platform,
): Promise<Finding> {
  const about = { id: 'sandbox', title: 'Sandbox for designs in VHDL and Python' };
  const sandbox = await find(clock);
  if (sandbox.kind !== 'missing')
    return { ...about, status: 'ok', message: `${sandbox.version} (${sandbox.path}).` };
  const install =
    platform === 'linux'
      ? 'Install bubblewrap and util-linux (Debian: apt install bubblewrap). Designs in Verilog need none.'
      : 'Only Linux has one. Designs in Verilog need none.';
  if (vhdlWithoutSandbox)
    return {
      ...about,
      status: 'warning',
      message: `There is no sandbox: ${sandbox.reason}. GHDL runs without one, because the settings allow it: only a source check protects the files of this computer from designs.`,
      remedy: `${install} Or turn off toolchain.vhdl_without_sandbox.`,
    };
  return {
    ...about,
    status: 'skipped',
    message: `There is no sandbox: ${sandbox.reason}. Designs in VHDL and Python are refused${vhdlWithoutSandbox === undefined ? ', those in VHDL unless toolchain.vhdl_without_sandbox is set' : ''}. ${install}`,
  };
}
