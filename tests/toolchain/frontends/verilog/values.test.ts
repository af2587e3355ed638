import { describe, expect, test } from 'vitest';
import { prepareDesign } from '../../../../server/toolchain/scan/design.ts';
import { scanDesignSources } from '../../../../server/toolchain/scan/scan.ts';
import { packed } from '../../pipeline/projects.ts';
import { requestOf } from '../../pipeline/support.ts';
import { slave } from '../../scan/slave.ts';
import { plainYosys, scanText } from '../../support.ts';
import { provesDesign } from '../same-circuit.ts';

const quiet = { log() {}, progress() {} };

/** Proves that a project of one module `slave` gives the words `words` at its first addresses, as it is read for a build. */
async function gives(files: Record<string, string>, words: readonly number[]): Promise<void> {
  const request = requestOf(await packed(files), 'some.zip');
  const { design } = await prepareDesign(request);
  const scan = await scanDesignSources(design, request, plainYosys, quiet);
  expect(scan.outcome).toMatchObject({ kind: 'matched' });
  const cases = words.map((word, at) => `wb_adr[1:0] == ${at} ? ${word} : `).join('');
  await provesDesign(
    scan.source,
    ['slave', 'meant'],
    slave(`assign wb_dat_r = ${cases}0;`).replace('slave', 'meant'),
  );
}

const WORDS = '11\n22\n';
const MEMORY = 'reg [7:0] words [0:3]; integer i; assign wb_dat_r = words[wb_adr[1:0]];';

describe('the values of memories are what the language says', () => {
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

  test('a `let` beside a memory that is read from a file', () =>
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

test.each([
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
])('%s of another module has its value', async (_, body, value) => {
  const { outcome, source } = await scanText(slave(body, INNER));
  expect(outcome).toMatchObject({ kind: 'matched' });
  const meant = `reg [7:0] st = 0; always @(posedge wb_we) st <= st + 1; assign wb_dat_r = ${value};`;
  await provesDesign(source, ['slave', 'meant'], slave(meant).replace('slave', 'meant'));
});
