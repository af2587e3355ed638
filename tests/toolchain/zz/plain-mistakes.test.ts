import { describe, expect, test } from 'vitest';
import { scanText, withoutSlang } from '../support.ts';
import { type Case, errorIn, expectSaid, head, process } from './mistakes.ts';

const BRACES = '`{` and `}` put bits together in Verilog';
const BLOCK = `syntax error: ${BRACES}: statements that belong together stand between \`begin\` and \`end\``;

describe('what is left out before a range', () => {
  const sub = 'module sub(input [2:0] x, output y); assign y = x[0]; endmodule\n';

  test.each<Case>([
    [
      'as what a port is connected to',
      `${sub}${head}  sub s (.x([2:0]), .y(c));\nendmodule\n`,
      3,
      'syntax error: a name is missing before `[2:0]`: write the signal that these bits are of, as in `data[2:0]`',
    ],
    [
      'in an expression',
      process('    b <= a + [1:0];'),
      3,
      'syntax error: a name is missing before `[1:0]`: write the signal that these bits are of, as in `data[1:0]`',
    ],
  ])('%s', async (...one) => expectSaid(one));
});

test('a statement that ends behind its operator is told to lack a value', async () => {
  const body = '    if (a) begin\n      b <= 1;\n    end else begin\n      b <=\n    end';
  await expectSaid([
    'a value',
    process(body),
    6,
    'syntax error: a value or a name is probably missing at the end of line 6, behind `<=`, and a `;` behind it',
  ]);
});

test('what waits for an event within a block is told what to do', async () => {
  expect(await errorIn(process('    b <= 1;\n    @(posedge a[0]) b <= 2;'))).toMatchObject({
    line: 4,
    message:
      'syntax error: only a simulation can wait for an event within a block: put what comes behind the event into an `always @(…)` of its own, with a register that says how far it has come',
  });
});

describe('brackets of another kind', () => {
  test.each<Case>([
    [
      'statements of an if',
      process("    if (a) {\n      b <= a;\n    } else {\n      b <= {a[0], 3'd0};\n    }"),
      3,
      BLOCK,
    ],
    [
      'all of a process',
      `${head}  always @(posedge clk) {\n    if (a) { b <= 1; }\n    b <= a;\n  }\nendmodule\n`,
      2,
      BLOCK,
    ],
    [
      'a branch of a case',
      process('    case (a)\n      0: { b <= 1; }\n      default: b <= 0;\n    endcase'),
      4,
      BLOCK,
    ],
    [
      'a case',
      process('    case (a) {\n      0: b <= 1;\n      1: { b <= 2; }\n    }'),
      3,
      `syntax error: ${BRACES}: a \`case\` has no bracket in front of its branches, and ends with \`endcase\``,
    ],
    [
      'a function',
      `${head}  function f(input x) {\n    f = x;\n  }\nendmodule\n`,
      2,
      `syntax error: ${BRACES}: a function begins behind the \`;\` of its inputs, and ends with \`endfunction\``,
    ],
    [
      'a module',
      'module m(input a, output b) {\n  assign b = a;\n}\n',
      1,
      `syntax error: ${BRACES}: a module begins behind the \`;\` of its ports, and ends with \`endmodule\``,
    ],
    [
      'a range',
      'module m(input (3:0) a, output b);\n  assign b = a[0];\nendmodule\n',
      1,
      'syntax error: a range has to stand in `[ ]`, as in `[7:0]`, not in `( )`',
    ],
    [
      'an index that is assigned to',
      process('    b(2) <= 1;'),
      3,
      'syntax error: an index has to stand in `[ ]`, as in `b[0]`: with `( )` `b` is taken for a task that is called',
    ],
    [
      'an index in braces',
      process('    b <= a{2};'),
      3,
      'syntax error: an index has to stand in `[ ]`, as in `a[0]`, not in `{ }`',
    ],
    [
      'an index that is read',
      `${head}  assign c = a(2);\nendmodule\n`,
      2,
      '`a` is no function that can be called here; if it is a vector or an array, its index has to stand in `[ ]`, not in `( )`',
    ],
    [
      'what is repeated',
      process('    b <= 4{a[0]};'),
      3,
      'syntax error: what is repeated stands in braces with its number, as in `{4{a}}`',
    ],
    [
      'several signals that are not closed',
      process('    {b, c <= 2;'),
      3,
      'syntax error: a `}` is probably missing in line 3, before `<`: the `{` of line 3 is not closed',
    ],
  ])('%s', async (...one) => expectSaid(one));

  test('braces that put bits together are not blamed', async () => {
    const source = process('    if (a) {b[0], b[1]} <= 2\n    else {b[0], b[1]} <= 1;');
    expect((await errorIn(source))?.message).toBe(
      'syntax error: a `;` is probably missing at the end of line 3, before `else`',
    );
  });
});

const IF = 'syntax error: the condition of an `if` has to stand in brackets, as in `if (a == 1)`';

describe('heads of statements and modules', () => {
  test.each<Case>([
    ['an if with a begin', process('    if a == 1 begin\n      b <= 1;\n    end'), 3, IF],
    ['an if of Python', process('    if a:\n      b <= 1;'), 3, IF],
    ['an else if', process('    if (a) b <= 1;\n    else if b\n      b <= 2;'), 4, IF],
    [
      'a case',
      process('    case a\n      0: b <= 1;\n    endcase'),
      3,
      'syntax error: what a `case` looks at has to stand in brackets, as in `case (state)`',
    ],
    [
      'events',
      `${head}  always @posedge clk b <= a;\nendmodule\n`,
      2,
      'syntax error: the events behind `@` have to stand in brackets, as in `@(posedge clk)`',
    ],
    [
      'no @',
      `${head}  always (posedge clk) b <= a;\nendmodule\n`,
      2,
      'syntax error: an `@` is missing behind `always` in line 2: write `always @(…)`',
    ],
    [
      'a for with commas',
      `${head}  integer i;\n  always @(posedge clk)\n    for (i = 0, i < 4, i = i + 1) b[i] <= a[i];\nendmodule\n`,
      4,
      'syntax error: the three parts of the `for` in line 4 are parted by `;`, not by `,`',
    ],
    [
      'a for with one comma',
      `${head}  integer i;\n  always @(posedge clk)\n    for (i = 0; i < 4, i = i + 1) b[i] <= a[i];\nendmodule\n`,
      4,
      'syntax error: the three parts of the `for` in line 4 are parted by `;`, not by `,`',
    ],
    [
      'a for of two parts',
      `${head}  integer i;\n  always @(posedge clk)\n    for (i = 0; i < 4) b[i] <= a[i];\nendmodule\n`,
      4,
      'syntax error: the `for` in line 4 has two parts, and needs three, as in `for (i = 0; i < 8; i = i + 1)`',
    ],
    [
      'a for with a semicolon at its end',
      `${head}  integer i;\n  always @(posedge clk)\n    for (i = 0; i < 4; i = i + 1;) b[i] <= a[i];\nendmodule\n`,
      4,
      'syntax error: the last `;` in the brackets of the `for` in line 4 is one too many',
    ],
    [
      'ports without a bracket',
      'module m\n  input clk,\n  output b\n);\n  assign b = clk;\nendmodule\n',
      1,
      'syntax error: a `(` is missing behind `module m`: its ports have to stand in brackets, with a `,` between them and `);` behind the last one',
    ],
    [
      'ports in braces',
      'module m {\n  input clk,\n  output b\n};\n  assign b = clk;\nendmodule\n',
      1,
      'syntax error: the ports of `module m` have to stand in `( )`, not in `{ }`',
    ],
    [
      'ports with semicolons',
      'module m (input clk; input a; output b;);\n  assign b = clk;\nendmodule\n',
      1,
      'syntax error: within the brackets of `module` the ports are parted by `,`, not by `;`, and none stands behind the last one',
    ],
    [
      'a module without a name',
      '// a gate\nmodule\n(input a, output b);\n  assign b = a;\nendmodule\n',
      2,
      'syntax error: this module has no name: write one behind `module`, as in `module top (`',
    ],
    [
      'a module with a name of two words',
      'module my slave (input a, output b);\n  assign b = a;\nendmodule\n',
      1,
      'syntax error: the name of a module is one word: write `my_slave`, for example, in place of `my slave`',
    ],
    [
      'an assign with the arrow of registers',
      `${head}  assign c <= a;\nendmodule\n`,
      2,
      'syntax error: behind `assign` a value is given with `=`; `<=` is for registers, in an `always` block',
    ],
    [
      'a semicolon behind an if',
      process('    if (a == 3);\n      b <= 1;\n    else\n      b <= 0;'),
      3,
      'syntax error: the `;` behind the condition of the `if` in line 3 ends it, so that nothing belongs to it: take the `;` out',
    ],
    [
      'a semicolon behind an always',
      `${head}  always @(posedge clk);\n  begin\n    b <= a;\n  end\nendmodule\n`,
      2,
      'syntax error: the `;` behind the head of the `always` in line 2 ends it, so that nothing belongs to it: take the `;` out',
    ],
    [
      'two statements before an else',
      process('    if (a == 3)\n      b <= 1;\n      b <= 2;\n    else\n      b <= 0;'),
      6,
      'syntax error: the `else` in line 6 has no `if`: the one in line 3 ends with the first statement behind it; put `begin` and `end` around those that belong to it',
    ],
    [
      'a case within a case, as in C',
      process('    case (a)\n      case 0: b <= 1;\n      default: b <= 0;\n    endcase'),
      4,
      'syntax error: a branch of a `case` begins with its value alone, as in `3: a <= b;`, without the word `case`',
    ],
    [
      'an instance without a name',
      `module n(input x, output y); assign y = x; endmodule\n${head}  n (.x(a[0]), .y(c));\nendmodule\n`,
      3,
      'syntax error: this instance of `n` has no name: write one between `n` and `(`, as in `n u0 (`',
    ],
    [
      'an instance in a process',
      `module n(input x, output y); assign y = x; endmodule\n${process('    n u(.x(a[0]), .y(c));')}`,
      4,
      'syntax error: an instance of a module, as `n u` is, stands outside of `always` and `initial` blocks and of functions',
    ],
  ])('%s', async (...one) => expectSaid(one));
});

describe('what stands outside of modules', () => {
  test.each<Case>([
    [
      'a fragment',
      'reg a;\nalways @(posedge clk) a <= 1;\n',
      1,
      'syntax error: `reg` stands outside of any module: a `module` is missing above, or this is a part that another file includes',
    ],
    [
      'behind an end',
      `${head}endmodule\n  always @(posedge clk) b <= 1;\nendmodule\n`,
      3,
      'syntax error: `always` stands outside of any module: the `endmodule` above is one too many, or a `module` is missing',
    ],
    [
      'behind a module with a slip',
      `${head.replace('module', 'modul')}  assign c = 1;\nendmodule\n`,
      1,
      'syntax error: `modul` is probably meant to be `module`',
    ],
  ])('%s', async (...one) => expectSaid(one));

  test('an interface alone is told to be one', async () => {
    const source =
      'interface wb_if;\n  logic stb, ack;\n  modport slave (input stb, output ack);\nendinterface\n';
    expect(await errorIn(source, 'wb_if.sv')).toMatchObject({
      code: 'design_no_slave',
      message:
        'module wb_if: it is an interface, which a module has as a port; send it along with that module',
    });
  });

  test('an acknowledge output that a condition leaves out is named', async () => {
    const source =
      'module m(input clk,\n`ifdef BUS\n  input wb_cyc, wb_stb, output wb_ack,\n`endif\n  output reg b);\n  always @(posedge clk) b <= ~b;\nendmodule\n';
    expect(await errorIn(source)).toMatchObject({
      code: 'design_no_slave',
      line: 3,
      module: 'm',
      message:
        'module m: its output wb_ack is left out by `ifdef BUS, and that name is not defined there; define it at the top of the file',
    });
    expect((await errorIn(`\`define BUS\n${source}`))?.message).not.toContain('left out');
    // What is there to prove a design is no part of what was meant, nor is any where the bus is plainly another one.
    expect((await errorIn(source.replace('BUS', 'FORMAL')))?.message).not.toContain('left out');
    const axi = source.replace('output reg b', 'input s_awvalid, output s_awready, output reg b');
    expect((await errorIn(axi))?.message).toContain('its bus is AXI4-Lite');
  });
});

describe('parameters of kinds that Yosys does not read, where there is no slang', () => {
  test.each<Case>([
    [
      'a text',
      'module m #(\n  parameter int N = 8,\n  parameter string PARITY = "NONE"\n) (input clk);\nendmodule\n',
      3,
      'syntax error: `parameter string` is not read by Yosys: leave `string` out, for a parameter may have text',
    ],
    [
      'types within the module',
      'module m (input clk);\n  localparam type data_t = logic [7:0], bit_t = logic;\nendmodule\n',
      2,
      'syntax error: `localparam type` is read where it stands alone with a type that needs no other parameter, and no instance sets it: give a width as a parameter, and use `logic [W-1:0]`',
    ],
  ])('%s', async (...given) => {
    await expectSaid(given, 'design.sv', withoutSlang);
  });
});

describe('statements of simulations', () => {
  const SIMULATION = 'is for simulation only: put it between `ifndef SYNTHESIS and `endif, or take it out';

  test.each<Case>([
    ['force', process('    force b = 1;'), 3, `syntax error: \`force\` ${SIMULATION}`],
    [
      'force of a signal inside, behind a directive',
      process('`ifdef WAVES\n    b <= 1;\n`endif\n    force i.debug = 1;'),
      6,
      `syntax error: \`force\` ${SIMULATION}`,
    ],
    [
      'release behind a condition',
      process('    if (a) release b;'),
      3,
      `syntax error: \`release\` ${SIMULATION}`,
    ],
    ['fork', process('    fork b <= 1; join'), 3, `syntax error: \`fork\` ${SIMULATION}`],
    [
      'wait',
      process('    wait (a);\n    b <= 1;'),
      3,
      '`wait` is for simulation only: let a register remember what is waited for, with an `if` at each clock',
    ],
  ])('%s', async (...given) => {
    await expectSaid(given);
  });

  test.each(['$random', '$time', '$urandom'])('%s has no value, and that is said', async (name) => {
    const { diagnostics } = await scanText(process(`    b <= ${name};`), 'design.v');
    expect(diagnostics.map(({ message }) => message)).toContain(
      `${name} is for simulation only, and has no value in a circuit: take it out`,
    );
  });
});
