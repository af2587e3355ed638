import { describe, expect, test } from 'vitest';
import { scanDesignSources } from '../../../../../../server/toolchain/frontends/scan.ts';
import { prepareDesign } from '../../../../../../server/toolchain/intake/design.ts';
import { everyNth } from '../../../../../support/soak.ts';
import { packed } from '../../../../../support/toolchain/build/projects.ts';
import { requestOf } from '../../../../../support/toolchain/build/support.ts';
import { provesDesign } from '../../../../../support/toolchain/frontends/same-circuit.ts';
import { slave } from '../../../../../support/toolchain/slave-source.ts';
import { plainYosys, scanText } from '../../../../../support/toolchain/support.ts';

const quiet = { log() {}, progress() {} };

/** Scans a project of a module `slave` as for a build. */
async function scanned(files: Record<string, string>) {
  const request = requestOf(await packed(files), 'some.zip');
  const { design } = await prepareDesign(request);
  return { design, ...(await scanDesignSources(design, request, plainYosys, quiet)) };
}

/**
 * Proves that a project of one module `slave` gives the words `words` at its first addresses, as it is read for a build.
 * @param byYosys as it is read by Yosys's own reader, too
 */
async function gives(
  files: Record<string, string>,
  words: readonly number[],
  byYosys = false,
): Promise<void> {
  const { design, source, outcome, diagnostics } = await scanned(files);
  expect(diagnostics).toEqual([]);
  expect(outcome).toMatchObject({ kind: 'matched' });
  const bits = Math.ceil(Math.log2(words.length));
  const cases = words.map((word, at) => `wb_adr[${bits - 1}:0] == ${at} ? ${word} : `).join('');
  const meant = slave(`assign wb_dat_r = ${cases}0;`).replace('slave', 'meant');
  for (const one of byYosys ? [source, design] : [source]) await provesDesign(one, ['slave', 'meant'], meant);
}

/** The statements before a memory of four words is read from a file, the call of it, the file, and the words. */
const FILLED: [before: string, range: string, file: string, words: number[]][] = [
  ['for (i = 0; i < 4; i = i + 1) words[i] = i + 3;', ', 0, 1', '11\n22\n', [0x11, 0x22, 5, 6]],
  ['words[0] = 9; words[2] = 7; words[3] = 7;', ', 0, 1', '11\n22\n', [0x11, 0x22, 7, 7]],
  ['', '', '11\n22\n33\n44\n', [0x11, 0x22, 0x33, 0x44]],
  ['words[0] = 0;', ', 1', '11\n22\n33\n', [0, 0x11, 0x22, 0x33]],
  ['words[0] = 0; words[1] = 0;', ', 3, 2', '11\n22\n', [0, 0, 0x22, 0x11]],
  ['words[1] = 0; words[3] = 8;', ', 0, 3', '@2 11\n@0\n22\n', [0x22, 0, 0x11, 8]],
];

test('a file fills a memory after what was assigned before, also next to a `let`', () =>
  gives(
    {
      'design.sv': `${slave(`let same(x) = x; wire [7:0] q [0:7]; assign wb_dat_r = wb_adr[4:0] < ${4 * FILLED.length} ? same(q[wb_adr[4:2]]) : 0;
${FILLED.map((_, at) => `filled_${at} f${at}(wb_adr[1:0], q[${at}]);`).join('\n')}`)}${FILLED.map(
        ([before, range], at) => `module filled_${at}(input [1:0] a, output [7:0] q);
  reg [7:0] words [0:3]; integer i; assign q = words[a];
  initial begin ${before} $readmemh("${at}.hex", words${range}); end
endmodule\n`,
      ).join('')}`,
      ...Object.fromEntries(FILLED.map(([, , file], at) => [`${at}.hex`, file])),
    },
    FILLED.flatMap(([, , , words]) => words),
  ));

/** Files of other lengths than a memory or its range, and the severity of what is said about each. */
const OTHER_LENGTHS: [file: string, range: string, declared: string, severity: 'error' | 'warning' | null][] =
  [
    ['11\n', '', '[0:3]', null],
    ['11\n', ', 0, 1', '[0:3]', 'warning'],
    ['11 22 33\n', ', 0, 3', '[0:3]', 'warning'],
    ['11\n22\n33\n44\n55\n', '', '[0:3]', 'error'],
    ['11\n22\n33\n44\n55\n', '', '[3:0]', 'error'],
    ['11\n22\n33\n44\n55\n', ', 0, 3', '[0:3]', 'error'],
    ['11\n22\n33\n', ', 0, 1', '[0:3]', 'error'],
    ['11 // one\n22 /* two */\n33\n', ', 3, 2', '[0:3]', 'error'],
    ['11\n22\n33\n44\n', ', 1', '[0:3]', 'error'],
    ['11\n22\n33\n44\n55\n', '', '[2:5]', 'error'],
    ['@2 11\n22\n33\n', '', '[0:3]', 'error'],
  ];

test('a file with fewer words than fit is no error, one with more is', async () => {
  // The memory of row k is in line k + 1.
  const modules = OTHER_LENGTHS.map(
    ([, range, declared], at) =>
      `module other_${at}(input [2:0] a, output [7:0] q); reg [7:0] words ${declared}; assign q = words[a]; initial begin words[2] = 7; words[3] = 8; $readmemh("${at}.hex", words${range}); end endmodule\n`,
  );
  const instances = OTHER_LENGTHS.map((_, at) => `other_${at} u${at}(wb_adr[2:0], q[${at}]);`);
  const { diagnostics } = await scanned({
    'design.sv': `${modules.join('')}${slave(`wire [7:0] q [${modules.length}]; assign wb_dat_r = q[wb_adr[6:3]];\n${instances.join('\n')}`)}`,
    ...Object.fromEntries(OTHER_LENGTHS.map(([file], at) => [`${at}.hex`, file])),
  });
  const said = OTHER_LENGTHS.map((_, at) => {
    const [found] = diagnostics.filter(({ file, line }) => file === 'design.sv' && line === at + 1);
    if (found?.severity === 'error') expect(found.message).toContain('the file has more words than fit');
    return found?.severity ?? null;
  });
  expect(said).toEqual(OTHER_LENGTHS.map(([, , , severity]) => severity));
});

test.each(['\f', '\v'])('white space %j', async (space) => {
  const { outcome } = await scanText(slave(`${space}\nassign wb_dat_r = 0;`));
  expect(outcome).toMatchObject({ kind: 'matched' });
});

test('operations without a cast for an enum are reported, and no other values', async () => {
  const right = [
    'wire [7:0] wide = a + b, plus = +a, shifted = (a << 2) + b, given = a, equal = a == b;',
    "assign state = state_t'(4'(a) + b);",
    'always @(posedge clk) begin state_next <= a; state_next <= state + 1; end',
  ];
  const wrong = ['assign sum = a + b;', 'always_comb inverse = f ? sum : ~b;', 'assign negative = (-a);'];
  const lines = [
    'typedef enum logic [3:0] { IDLE, BUSY } state_t; wire [1:0] a = wb_adr, b = ~wb_adr; wire f = 1;',
    ...['state_t state, state_next, sum, inverse, negative;', ...right, ...wrong],
  ];
  const text = slave(`assign wb_dat_r = {state, sum, inverse, negative};\n${lines.join('\n')}`);
  const { diagnostics } = await scanText(text, 'design.sv');
  expect(diagnostics.filter(({ message }) => /expands/.test(message))).toEqual([]);
  const reported = diagnostics.filter(({ message }) => message.startsWith('slang computes'));
  expect(reported.map(({ line = 0 }) => text.split('\n')[line - 1])).toEqual(wrong);
  expect(reported[0]).toMatchObject({ severity: 'warning', message: expect.stringContaining('2 bits') });
});

describe('file references resolve to the intended file', () => {
  const memory = (name: string, file: string) =>
    `module ${name} (input [1:0] a, output [7:0] q);\n  reg [7:0] words [0:3]; initial $readmemh(${file}, words);\n  assign q = words[a];\nendmodule\n`;
  const TWO = '11\n22\n33\n44\n';
  const ONE = '1\n2\n3\n4\n';
  const top = (file = '"rom.hex"') => ({
    'top.v': slave(
      'wire [7:0] p, q; one u (wb_adr[1:0], p); two v (wb_adr[1:0], q); assign wb_dat_r = p + q;',
    ),
    'one/one.v': memory('one', file),
    'two/two.v': memory('two', '"rom.hex"'),
  });
  const SUMS = [0x12, 0x24, 0x36, 0x48];

  test.each(
    everyNth(3, [
      ['next to each', { ...top(), 'one/rom.hex': ONE, 'two/rom.hex': TWO }],
      ['next to one, and at the top for the other', { ...top(), 'rom.hex': ONE, 'two/rom.hex': TWO }],
      [
        'by a path out of its folder',
        { ...top('"../data/rom.hex"'), 'data/rom.hex': ONE, 'two/rom.hex': TWO },
      ],
      [
        'by a path out of the project',
        { ...top('"../../../data/rom.hex"'), 'x/data/rom.hex': ONE, 'two/rom.hex': TWO },
      ],
      ['by a computed name', { ...top('{"data/", "rom.hex"}'), 'data/rom.hex': ONE, 'two/rom.hex': TWO }],
      ['by a name with a blank', { ...top('"my rom.hex"'), 'one/my rom.hex': ONE, 'two/rom.hex': TWO }],
      [
        'by a parameter',
        {
          ...top('NAME'),
          'one/one.v': memory('one #(parameter NAME = "one.hex")', 'NAME'),
          'data/one.hex': ONE,
          'two/rom.hex': TWO,
        },
      ],
    ]),
  )('memory contents: %s', (_, files) => gives(files, SUMS, true));

  const sum = (first: string) => ({
    'top.v': slave('wire [7:0] p, q; one u (p); two v (q); assign wb_dat_r = p + q;'),
    'one/one.v': `${first}\nmodule one (output [7:0] q); assign q = \`ONE; endmodule\n`,
    'two/two.v': '`include "defs.vh"\nmodule two (output [7:0] q); assign q = `NUMBER; endmodule\n',
    'two/defs.vh': '`define NUMBER 2\n',
  });
  // A file whose neighbour has the same name as another one.
  const HEADER = {
    'lib/inc/one.vh': '`include "defs.vh"\n`define ONE `NUMBER\n',
    'lib/inc/defs.vh': '`undef NUMBER\n`define NUMBER 1\n',
  };

  test.each(
    everyNth(3, [
      ['from the top', { ...sum('`include "lib/inc/one.vh"'), ...HEADER }],
      ['by its only name', { ...sum('`include "one.vh"'), ...HEADER }],
      ['in angle brackets', { ...sum('`include <one.vh>'), ...HEADER }],
      ['in angle brackets from the top', { ...sum('`include <lib/inc/one.vh>'), ...HEADER }],
      ['by a path out of its folder', { ...sum('`include "../lib/inc/one.vh"'), ...HEADER }],
      ['by a path out of the project', { ...sum('`include "../../../inc/one.vh"'), ...HEADER }],
      [
        'at the top, by a wrong relative path',
        { ...sum('`include "../x/one.vh"'), 'one.vh': '`define ONE 1\n' },
      ],
      [
        'with memory contents as its name',
        { ...sum('`include "one.txt"'), 'data/one.txt': '`define ONE 1\n' },
      ],
      ['by a name with a blank', { ...sum('`include "one 1.vh"'), 'one/one 1.vh': '`define ONE 1\n' }],
    ]),
  )('headers: %s', (_, files) =>
    gives(
      {
        ...files,
        'two/two.v': files['two/two.v']
          .replace('"defs', '"../two/defs')
          .replace('`inc', '`undef NUMBER\n`inc'),
      },
      [3, 3, 3, 3],
      !files['one/one.v'].includes('<'), // which Yosys knows nothing of
    ),
  );

  test('an error in a header has its line there, whichever rule found the header', async () => {
    const files = {
      'top.v': slave('`include "one.vh"\nassign wb_dat_r = 0;'),
      'lib/one.vh': '\nwire = 1;\n',
    };
    expect((await scanned(files)).diagnostics[0]).toMatchObject({
      severity: 'error',
      file: 'lib/one.vh',
      line: 2,
    });
  });

  test('rejects an ambiguous name of several files', async () => {
    const files = {
      'top.v': slave('`include "one.vh"\nassign wb_dat_r = 0;'),
      'a/one.vh': '\n',
      'b/one.vh': '\n\n',
    };
    expect((await scanned(files)).diagnostics[0]).toMatchObject({
      code: 'design_file_reference',
      file: 'top.v',
      line: 3,
    });
  });

  test.each(everyNth(3, ['a/rom.hex/b.hex', 'rom.hex/b.hex', 'one/one.vh/b.hex']))(
    'a folder is not a file: %s',
    (path) => gives({ ...top(), 'one/rom.hex': ONE, 'two/rom.hex': TWO, [path]: TWO }, SUMS),
  );
});
