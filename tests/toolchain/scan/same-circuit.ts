import { designOfSource, type PreparedDesign } from '../../../server/toolchain/scan/prepared-design.ts';
import { readCommands } from '../../../server/toolchain/scan/scan.ts';
import { readBySlang } from '../../../server/toolchain/scan/slang.ts';
import { prepareSource } from '../../../server/toolchain/scan/source.ts';
import { plainYosys } from '../support.ts';

const quiet = { log() {}, progress() {} };

/** What Yosys is given of a text, which it reads as it is or slang reads for it, for one of its modules. */
async function readable(text: string, top: string) {
  const source = designOfSource(prepareSource(Buffer.from(text), `${top}.sv`));
  const script = [...readCommands(source), `hierarchy -top ${top}`].join('; ');
  const read = plainYosys.run({
    ...{ tool: 'yosys', args: ['-q', '-p', script], files: { ...source.files } },
    ...{ outputs: [], deadline: 60, onLine() {} },
  });
  if (await read.then(() => true).catch(() => false)) return source;
  const { design, diagnostics } = await readBySlang(source, { top }, plainYosys, quiet);
  if (!design) throw new Error(diagnostics.map(({ line, message }) => `${line}: ${message}`).join('\n'));
  return design;
}

/**
 * Proves with Yosys that a module of a design, as it is read for a build, does the same as that of a text in plain Verilog, for all values
 * of their inputs and from the registers' values at the start; a difference fails it.
 */
export async function provesDesign(
  made: Pick<PreparedDesign, 'units' | 'files' | 'language'>,
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

/** Proves the same of the module `made` of a text in SystemVerilog and of `meant` in plain Verilog. */
export const provesSame = async (text: string, plain: string): Promise<void> =>
  provesDesign(await readable(text, 'made'), ['made', 'meant'], plain);
