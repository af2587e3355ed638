import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boundsOf, ModuleComputations } from '../../../server/toolchain/scan/constant/computations.ts';
import type { Given } from '../../../server/toolchain/scan/constant/made.ts';
import { type ModuleText, modulesOf } from '../../../server/toolchain/scan/constant/modules.ts';
import { numberOf } from '../../../server/toolchain/scan/constant/value.ts';
import { plainYosys } from '../support.ts';

const SOAK = process.env['WISHBENCH_SOAK'] === '1';

/** The value of P in every module that is made below `top`, as Yosys makes them: `leaf 5`. */
async function byYosys(text: string): Promise<string[]> {
  const { files } = await plainYosys.run({
    tool: 'yosys',
    args: ['-q', '-p', 'read_verilog d.v; hierarchy -top top; write_rtlil o.il'],
    files: { 'd.v': text },
    outputs: ['o.il'],
    deadline: 30,
    onLine() {},
  });
  const rtlil = new TextDecoder().decode(files['o.il']);
  const made = [...rtlil.matchAll(/^module (\S+)$([\s\S]*?)^end$/gm)].map(([, name = '', body = '']) => {
    const [, plain = name] = /^\$paramod(?:\$\w+)?\\([^\\]+)/.exec(name) ?? [];
    const [, width = '1'] = /^ {2}wire (?:width (\d+) )?\\own$/m.exec(body) ?? [];
    return `${plain.replace(/^\\/, '')} ${width}`;
  });
  return [...new Set(made)];
}

/** The same as they are followed here. */
function followed(text: string): string[] {
  const modules = new Map(modulesOf(text, 'd.v').map((module) => [module.name, module]));
  const found = new Set<string>();
  const visit = (module: ModuleText, given: Given) => {
    const scope = { given, instance: null };
    const computations = new ModuleComputations(module, boundsOf(1 << 16, 1 << 16), () => false, scope);
    const own = given.get('P');
    found.add(`${module.name} ${own ? numberOf(own) : 1}`);
    for (const made of computations.made(modules)) visit(made.module, made.given);
  };
  const top = modules.get('top');
  if (top) visit(top, new Map());
  return [...found];
}

const value = fc.integer({ min: 2, max: 40 });
/**
 * Where a defparam may stand, and where it leads from there. One that leads through several modules is not compared: Yosys
 * loses it where it has made a module between with these parameters before.
 */
const PATHS = {
  top: ['a.P', 'b.P', '[7:0] a.P', '\\b .P'],
  middle: ['c.P', 'd.P', '[31:0] d.P', '\\c .P'],
  inner: ['e.P', '\\f.0 .P', '[3:0] \\f.0 .P'],
};
const defparams = (paths: readonly string[]) =>
  fc
    .array(fc.tuple(fc.constantFrom(...paths), value), { maxLength: 3 })
    .map((all) => all.map(([path, to]) => `  defparam ${path} = ${to};\n`).join(''));
const given = fc.option(value, { nil: null, freq: 2 }).map((to) => (to === null ? '' : ` #(.P(${to}))`));

const designs = fc
  .record({
    top: defparams(PATHS.top),
    middle: defparams(PATHS.middle),
    inner: defparams(PATHS.inner),
    of: fc.tuple(given, given, given, given, given, given),
  })
  .map(({ top, middle, inner, of: [a, b, c, d, e, f] }) => {
    const head = (name: string) => `module ${name} #(parameter P = 1) ();\n  wire [P-1:0] own;\n`;
    return `${head('leaf')}endmodule
${head('inner')}  leaf${e} e();\n  leaf${f} \\f.0 ();\n${inner}endmodule
${head('middle')}  inner${c} c();\n  inner${d} d();\n${middle}endmodule
${head('top')}  middle${a} a();\n  middle${b} b();\n${top}endmodule\n`;
  });

test('instances and defparams make of modules what Yosys makes of them', async () => {
  await fc.assert(
    fc.asyncProperty(designs, async (text) => {
      const [here, there] = [followed(text), await byYosys(text)];
      expect([text, here.sort()]).toEqual([text, there.sort()]);
    }),
    { numRuns: SOAK ? 2000 : 40 },
  );
}, 600_000);
