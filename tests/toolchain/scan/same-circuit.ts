import { writtenForTools } from '../../../server/toolchain/scan/rewrites/for-tools.ts';
import { plainYosys } from '../support.ts';

/**
 * Proves with Yosys that the module `made` of a text, as the tools are given it, does the same as the module `meant` of one in
 * plain Verilog, for all values of their inputs; a difference fails it.
 */
export async function provesSame(text: string, plain: string): Promise<void> {
  const [written = ''] = writtenForTools([text], 'systemverilog', []);
  const read = (file: string, top: string) =>
    `read_verilog -sv ${file}; hierarchy -top ${top}; proc; memory; flatten; opt -full; design -stash ${top}`;
  const take = (top: string) => `design -copy-from ${top} -as ${top} ${top}`;
  await plainYosys.run({
    tool: 'yosys',
    args: [
      '-q',
      '-p',
      [
        read('made.sv', 'made'),
        read('meant.sv', 'meant'),
        take('made'),
        take('meant'),
        'miter -equiv -flatten -make_outputs meant made both',
        'hierarchy -top both',
        'sat -verify -prove trigger 0 both',
      ].join('; '),
    ],
    files: { 'made.sv': written, 'meant.sv': plain },
    outputs: [],
    deadline: 60,
    onLine: () => {},
  });
}
