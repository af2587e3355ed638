import { readWithSlang } from '../../../../server/toolchain/frontends/verilog/slang.ts';
import { readCommands } from '../../../../server/toolchain/frontends/yosys-form.ts';
import type { PreparedDesign } from '../../../../server/toolchain/intake/prepared-design.ts';
import { prepareSource } from '../../../../server/toolchain/intake/source.ts';
import { plainYosys } from '../support.ts';

const quiet = { log() {}, progress() {} };

/**
 * Proves with Yosys that a module of a design, as it is read for a build, does the same as that of a text in plain Verilog, which
 * Yosys's own reader reads, for all values of their inputs and from the registers' values at the start; a difference fails it.
 */
export async function provesDesign(
  made: Pick<PreparedDesign, 'units' | 'netlists' | 'files'>,
  [madeTop, meantTop]: readonly [made: string, meant: string],
  plain: string,
): Promise<void> {
  const keep = (top: string, name: string) =>
    `hierarchy -top ${top}; proc; memory; flatten; opt -full; rename ${top} ${name}; design -stash ${name}`;
  const take = (name: string) => `design -copy-from ${name} -as ${name} ${name}`;
  await plainYosys.run({
    tool: 'yosys',
    args: [
      '-q',
      '-p',
      [
        ...readCommands(made),
        keep(madeTop, 'one'),
        'read_verilog -sv meant.sv',
        keep(meantTop, 'other'),
        take('one'),
        take('other'),
        'miter -equiv -flatten -make_outputs other one both',
        'hierarchy -top both',
        'sat -verify -seq 1 -tempinduct -set-init-zero -prove trigger 0 both',
      ].join('; '),
    ],
    files: { ...made.files, 'meant.sv': plain },
    outputs: [],
    deadline: 60,
    onLine: () => {},
  });
}

/** Proves that the module `made` of a SystemVerilog text equals `meant` in plain Verilog. */
export async function provesSame(text: string, plain: string): Promise<void> {
  const source = prepareSource(Buffer.from(text), 'made.sv');
  const { read, diagnostics } = await readWithSlang(source, { tops: ['made'] }, plainYosys, quiet);
  if (!read) throw new Error(diagnostics.map(({ line, message }) => `${line}: ${message}`).join('\n'));
  await provesDesign(read.design, ['made', 'meant'], plain);
}
