import { describe, expect, test } from 'vitest';
import { scanDesignSources } from '../../../../../../server/toolchain/frontends/scan.ts';
import { readWithYosys } from '../../../../../../server/toolchain/frontends/yosys-form.ts';
import { prepareDesign } from '../../../../../../server/toolchain/intake/design.ts';
import { everyNth } from '../../../../../support/soak.ts';
import { packed } from '../../../../../support/toolchain/build/projects.ts';
import { requestOf } from '../../../../../support/toolchain/build/support.ts';
import { provesDesign } from '../../../../../support/toolchain/frontends/same-circuit.ts';
import { slave } from '../../../../../support/toolchain/slave-source.ts';
import { plainYosys, scanText } from '../../../../../support/toolchain/support.ts';

const quiet = { log() {}, progress() {} };

/**
 * Proves that a project of one module `slave` gives the words `words` at its first addresses, as it is read for a build.
 * @param byYosys as it is read by Yosys's own reader, too
 */
async function gives(
  files: Record<string, string>,
  words: readonly number[],
  byYosys = false,
): Promise<void> {
  const request = requestOf(await packed(files), 'some.zip');
  const { design } = await prepareDesign(request);
  const scan = await scanDesignSources(design, request, plainYosys, quiet);
  expect(scan.outcome).toMatchObject({ kind: 'matched' });
  const cases = words.map((word, at) => `wb_adr[1:0] == ${at} ? ${word} : `).join('');
  const meant = slave(`assign wb_dat_r = ${cases}0;`).replace('slave', 'meant');
  for (const source of byYosys ? [scan.source, design] : [scan.source])
    await provesDesign(source, ['slave', 'meant'], meant);
}

const WORDS = '11\n22\n';
const MEMORY = 'reg [7:0] words [0:3]; integer i; assign wb_dat_r = words[wb_adr[1:0]];';

test('bits of vectors that are signed by a name are unsigned', () =>
  gives(
    {
      'design.sv': `typedef logic signed [7:0] sample_t;
${slave(
  'localparam sample_t K = -1; sample_t x; assign x = -3; wire [31:0] y; bits b(x, y); wire [31:0] bit0 = x[0], low = K[3:0] + 1, all = x >>> 1; assign wb_dat_r = wb_adr[1:0] == 0 ? bit0 : wb_adr[1:0] == 1 ? low : wb_adr[1:0] == 2 ? y : all;',
)}
module bits #(parameter type T = logic signed [7:0])(input T x, output logic [31:0] y); assign y = x[2 +: 4]; endmodule
`,
    },
    [1, 16, 15, 0xffff_fffe],
  ));

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

describe('memories have the values that the language specifies', () => {
  test('a loop before the file that a memory is read from', () =>
    gives(
      {
        'design.v': slave(
          `${MEMORY} initial begin for (i = 0; i < 4; i = i + 1) words[i] = i + 3; $readmemh("words.hex", words, 0, 1); end`,
        ),
        'words.hex': WORDS,
      },
      [0x11, 0x22, 5, 6],
    ));

  test('an assignment before the file that a memory is read from', () =>
    gives(
      {
        'design.v': slave(
          `${MEMORY} initial begin words[0] = 9; words[2] = 7; words[3] = 7; $readmemh("words.hex", words, 0, 1); end`,
        ),
        'words.hex': WORDS,
      },
      [0x11, 0x22, 7, 7],
    ));

  test.each(['\f', '\v'])('white space %j', async (space) => {
    const { outcome } = await scanText(slave(`${space}\nassign wb_dat_r = 0;`));
    expect(outcome).toMatchObject({ kind: 'matched' });
  });

  test('a `let` next to a memory that is read from a file', () =>
    gives(
      {
        'design.sv': slave(
          `logic [7:0] words [0:3]; initial $readmemh("words.hex", words); let plus(x, y) = x + y; assign wb_dat_r = plus(words[wb_adr[1:0]], 8'd1);`,
        ),
        'words.hex': '11\n22\n33\n44\n',
      },
      [0x12, 0x23, 0x34, 0x45],
    ));
});

/** A project with a module that fills a memory of four words, two of which have values before. */
const filled = (file: string, range = '', declared = '[0:3]', task = '$readmemh') => ({
  'design.v': slave(
    `reg [7:0] words ${declared}; assign wb_dat_r = words[wb_adr[1:0]];\ninitial begin words[2] = 7; words[3] = 8;\n${task}("words.hex", words${range}); end`,
  ),
  'words.hex': file,
});
const warnings = async (files: Record<string, string>) => {
  const request = requestOf(await packed(files), 'some.zip');
  const { design } = await prepareDesign(request);
  return (await scanDesignSources(design, request, plainYosys, quiet)).diagnostics;
};

describe('a file fills as many words as fit', () => {
  test.each(
    everyNth(2, [
      ['in all of a memory', '11\n22\n33\n44\n', '', [0x11, 0x22, 0x33, 0x44]],
      ['in a range', '11\n22\n', ', 0, 1', [0x11, 0x22, 7, 8]],
      ['from an address on', '11\n22\n33\n', ', 1', [0, 0x11, 0x22, 0x33]],
      ['from its last address on', '11\n22\n', ', 3, 2', [0, 0, 0x22, 0x11]],
      ['with addresses', '@2 11\n@0\n22\n', ', 0, 3', [0x22, 0, 0x11, 8]],
    ]),
  )('%s', async (_, file, range, words) => {
    const files = filled(file, range);
    files['design.v'] = files['design.v'].replace('begin', 'begin words[0] = 0; words[1] = 0;');
    expect(await warnings(files)).toEqual([]);
    await gives(files, words);
  });

  test.each([
    ['11\n', '', []],
    ['11\n', ', 0, 1', ['warning']],
    ['11 22 33\n', ', 0, 3', ['warning']],
  ])('fewer are no error: %j into the range %j', async (file, range, expected) => {
    expect((await warnings(filled(file, range))).map(({ severity }) => severity)).toEqual(expected);
  });

  test.each(
    everyNth(2, [
      ['11\n22\n33\n44\n55\n', '', '[0:3]'],
      ['11\n22\n33\n44\n55\n', '', '[3:0]'],
      ['11\n22\n33\n44\n55\n', ', 0, 3', '[0:3]'],
      ['11\n22\n33\n', ', 0, 1', '[0:3]'],
      ['11 // one\n22 /* two */\n33\n', ', 3, 2', '[0:3]'],
      ['11\n22\n33\n44\n', ', 1', '[0:3]'],
      ['11\n22\n33\n44\n55\n', '', '[2:5]'],
      ['@2 11\n22\n33\n', '', '[0:3]'],
    ]),
  )('more are an error: %j into the range %j of %s', async (file, range, declared) => {
    const [first] = await warnings(filled(file, range, declared));
    expect(first).toMatchObject({
      severity: 'error',
      file: 'design.v',
      line: 5,
      message: expect.stringContaining('the file has more words than fit'),
    });
  });
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
    expect((await warnings(files))[0]).toMatchObject({ severity: 'error', file: 'lib/one.vh', line: 2 });
  });

  test.each([
    ['`include "one.vh"', '`include "one.vh"', {}],
    ['reg [7:0] m [0:3]; initial $readmemb("one.hex", m);', '$readmemb of "one.hex"', { line: 3 }],
  ])('Yosys’s own reader also reports missing files: %s', async (body, message, line) => {
    const request = requestOf(await packed({ 'top.v': slave(body), 'other.v': '' }), 'some.zip');
    const { design } = await prepareDesign(request);
    const { read, diagnostics } = await readWithYosys(design, { deadline: 10 }, plainYosys, quiet);
    expect(read).toBeNull();
    expect(diagnostics[0]).toMatchObject({
      code: 'design_file_reference',
      message: expect.stringContaining(message),
      ...line,
    });
  });

  test('rejects an ambiguous name of several files', async () => {
    const files = {
      'top.v': slave('`include "one.vh"\nassign wb_dat_r = 0;'),
      'a/one.vh': '\n',
      'b/one.vh': '\n\n',
    };
    expect((await warnings(files))[0]).toMatchObject({
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

const NIBBLE = 'wire [3:0] n = wb_dat_w[3:0];';
const SUB = 'module sub(input [7:0] a, output [7:0] y); assign y = a; endmodule\n';

test.each(['$signed(n)', '$signed({n})'])('a signed operand at a port keeps its sign: %s', async (value) => {
  const { outcome, source } = await scanText(
    slave(`${NIBBLE} sub u(.a(${value}), .y(wb_dat_r[7:0])); assign wb_dat_r[31:8] = 0;`, SUB),
  );
  expect(outcome).toMatchObject({ kind: 'matched' });
  const meant = slave("assign wb_dat_r = {24'b0, {4{wb_dat_w[3]}}, wb_dat_w[3:0]};").replace(
    'slave',
    'meant',
  );
  await provesDesign(source, ['slave', 'meant'], meant);
});

const INNER = `module inner(input a); reg [7:0] st = 0; always @(posedge a) st <= st + 1; endmodule
module other(input [7:0] a, output [31:0] q); assign q = {24'd0, ~a}; endmodule
`;

test.each(
  everyNth(3, [
    ['a signal', 'inner u(.a(wb_we)); assign wb_dat_r = u.st;', 'st'],
    ['a bit of one', 'inner u(.a(wb_we)); assign wb_dat_r = u.st[3];', 'st[3]'],
    ['a part of one', 'inner u(.a(wb_we)); assign wb_dat_r = u.st[3:0];', 'st[3:0]'],
    ['one in a process', 'inner u(.a(wb_we)); reg [7:0] q; always @* q = u.st; assign wb_dat_r = q;', 'st'],
    [
      'one in a condition',
      'inner u(.a(wb_we)); assign wb_dat_r = u.st == 3 ? u.st : ~u.st;',
      'st == 3 ? st : ~st',
    ],
    ['one at a port', 'inner u(.a(wb_we)); other v(.a(u.st), .q(wb_dat_r));', "{24'd0, ~st}"],
    ['one by the name of the module', 'inner u(.a(wb_we)); assign wb_dat_r = slave.u.st;', 'st'],
    [
      'one of a block',
      'generate if (1) begin : g inner u(.a(wb_we)); end endgenerate assign wb_dat_r = g.u.st;',
      'st',
    ],
  ]),
)('%s of another module keeps its value', async (_, body, value) => {
  const { outcome, source } = await scanText(slave(body, INNER));
  expect(outcome).toMatchObject({ kind: 'matched' });
  const meant = `reg [7:0] st = 0; always @(posedge wb_we) st <= st + 1; assign wb_dat_r = ${value};`;
  await provesDesign(source, ['slave', 'meant'], slave(meant).replace('slave', 'meant'));
});
