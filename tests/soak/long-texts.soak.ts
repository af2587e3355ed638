import { expect, test } from 'vitest';
import { prepareDesign } from '../../server/toolchain/intake/design.ts';
import { packProject, projectOfFiles } from '../../server/toolchain/intake/project.ts';
import { vhdlEntities, vhdlPartsOnly } from '../../server/toolchain/languages/vhdl/vhdl.ts';

/** Characters of each: a file may have eight times as many. */
const LENGTH = 120_000;

const textsOf = (length: number): Record<string, string> => {
  const much = (text: string) => text.repeat(Math.ceil(length / text.length));
  return {
    'empty lines': much('\n'),
    spaces: much(' '),
    'a comment of slashes': `/*${much('/ ')}*/`,
    'heads of modules without an end': much('module a\n'),
    'modules without an end': much('module a;\n'),
    'packages that take from each other': much(
      'package p; localparam a = q::b; endpackage package q; localparam b = 1; endpackage\n',
    ),
    packages: much('package p;\n'),
    imports: `import a::*;\n${much('import b::c;\n')}`,
    'brackets that stay open': much('# ( '),
    'remarks for a case': much('/* synthesis full_case */ case '),
    testbenches: much('initial $finish;\n'),
    assertions: much('a: assert property (b) else $error; '),
    'assertions without an end': much('assert (a) else if (b) '),
    'processes without an end': much('always begin assert '),
    'properties without an end': much('property p; '),
    'subprograms without an end': `file f : t;\n${much('function f is ')}`,
    'instances of subprograms': `file f : t;\n${much('function f is new ')}`,
    'functions that return': much('function f(input a); if (a) return 1; return 0; endfunction\n'),
    'a function that returns early': `function f(input a); ${much('if (a) return 1; ')} endfunction\n`,
    'functions without an end': much('function f; return '),
    structures: much('struct { '),
    'structures within each other':
      much('struct { logic a; ').slice(0, length / 2) + much('} b; ').slice(0, length / 4),
    'arrays of instances': much('sub u[2] (a); '),
    'arrays of instances without an end': `sub u[2] (a); ${much('sub u[')}`,
    'values out of a list': `assign a = ${much('b inside {1, [2:3]} && ')}`,
    'values out of a list without an end': `assign a = ${much('b[c inside {')}`,
    interfaces: much('interface i(input a); endinterface module m; i x(b); endmodule\n'),
    'instances of an interface': `interface i(input a); endinterface module m; ${much('i x(b); ')}`,
    'instances of an interface without an end': `interface i(input a); endinterface module m; ${much('i x(b ')}`,
    conditions: much('`ifdef FORMAL\n'),
    macros: much('`define a b\n'),
    parameters: `module q #(parameter int A = 1${much(', int B = 2')}) (input a); endmodule\n`,
    libraries: much('library q;\n'),
    'clauses of use': much('use q.z.all;\n'),
    'heads of entities': much('entity a is\n'),
    generics: `entity g is generic (${much('a : integer;\n')}b : integer); end;\n`,
  };
};

/** All work on a source before a tool has it. Returns milliseconds of the processor. */
async function prepared(text: string): Promise<number> {
  const before = process.cpuUsage();
  for (const extension of ['sv', 'vhd']) {
    const files = [
      { path: `a.${extension}`, contents: Buffer.from(text) },
      { path: `b.${extension}`, contents: Buffer.from('module b(input a); endmodule\n') },
    ];
    const source = packProject(await projectOfFiles(files, 2 ** 20));
    const { design } = await prepareDesign({ source, filename: 'a.zip' });
    expect(design.units.length).toBeGreaterThan(0);
    const alone = { source: Buffer.from(text), filename: `a.${extension}` };
    await prepareDesign(alone).catch(({ code }) => {
      expect(code).toBe('design_empty');
    });
  }
  vhdlEntities(text);
  vhdlPartsOnly(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

test.each(Object.keys(textsOf(1)))(
  'what is done with a source grows as it does, however much it has of one thing: %s',
  async (name) => {
    const [quarter, whole] = [LENGTH / 4, LENGTH].map((length) => textsOf(length)[name] ?? '');
    const little = await prepared(quarter ?? '');
    // By four, quadratic ones by sixteen; very short times may vary.
    expect(await prepared(whole ?? '')).toBeLessThan(Math.max(1200, 9 * little));
  },
);
