import { expect, test } from 'vitest';
import { plainYosys, scanText, withoutSlang } from '../support.ts';
import { slave } from './slave.ts';

const errorsOf = async (text: string, engine = plainYosys) =>
  (await scanText(text, 'design.sv', {}, engine)).diagnostics.filter(({ severity }) => severity === 'error');

const INTERFACE = `interface bus; logic [7:0] d; logic v; modport from(output d, v); endinterface
module part(bus.from o, input [7:0] x); assign o.d = x; assign o.v = |x; endmodule
`;
const SUB = 'module sub(input a, output b); wire s = ~a; assign b = s; endmodule\n';
const FED = 'interface bus; logic [7:0] d; logic v; assign v = |d; endinterface\n';
const PORTED = 'interface bus(input logic [7:0] d); logic v; endinterface\n';

test.each<[what: string, text: string, line: number, said: string]>([
  [
    'a signal of an instance',
    slave('  sub u(.a(wb_we));\n  assign wb_dat_r = u.s;', SUB),
    5,
    '`u.s` reaches into the instance u, which only a simulation can: give sub an output for s, and connect it',
  ],
  [
    'a member of the value of a function, of a width that is no number',
    slave(
      '  localparam W = 8;\n  typedef struct packed { logic [W-1:0] a; } t;\n  function automatic t f(input [7:0] x); f.a = x; endfunction\n  assign wb_dat_r = f(wb_dat_w);',
    ),
    5,
    'Yosys makes a wire of `f.a`, a member of what the function gives back: declare a variable of its type in f, and give it to f at the end',
  ],
  [
    'a member that a structure does not have',
    slave(
      '  typedef struct packed { logic running; logic [3:0] beats; } config_t;\n  config_t cfg;\n  assign cfg = wb_dat_w[4:0];\n  assign wb_dat_r = cfg.runing;',
    ),
    6,
    'the structure cfg has no member `runing`, but running, beats; perhaps `running` is meant',
  ],
  [
    'a signal of an instance in a loop',
    slave(
      '  generate for (genvar i = 0; i < 2; i++) begin : g sub u(.a(wb_adr[i])); end endgenerate\n  assign wb_dat_r = g[1].u.s;',
      SUB,
    ),
    5,
    '`g[1].u.s` reaches into the instance g[1].u, which only a simulation can: give sub an output for s, and connect it',
  ],
  [
    'a part of an array of interfaces at a port',
    slave('  bus b[2]();\n  part p(.o(b[0]), .x(wb_dat_w[7:0]));\n  assign wb_dat_r = b[0].d;', INTERFACE),
    5,
    'in slave, b is an array of the interface bus, and Yosys connects no part of one to a module: declare each of them with a name of its own, as in `bus b_0(), b_1();`',
  ],
  [
    'what an interface gives a value to',
    slave('  bus b();\n  assign b.d = wb_dat_w;\n  assign wb_dat_r = b.v;', FED),
    6,
    'in slave, `b.v` gets its value within the interface bus, and Yosys takes nothing but the signals of one: give it its value in the module that has the instance of bus',
  ],
  [
    'a port of an interface of which there is an array',
    slave('  bus b[2](wb_dat_w[15:0]);\n  assign wb_dat_r = b[0].d;', PORTED),
    5,
    'in slave, `b.d` is a port of the interface bus, which Yosys leaves without a value: declare d as a signal in bus, and assign it beside the instance',
  ],
])('%s is refused where there is no slang', async (_, text, line, said) => {
  expect(await errorsOf(text, withoutSlang)).toMatchObject([{ file: 'design.sv', line, message: said }]);
});

test.each([
  [
    'signals of an interface',
    slave('  bus b();\n  part p(.o(b), .x(wb_dat_w[7:0]));\n  assign wb_dat_r = b.d;', INTERFACE),
  ],
  [
    'signals of an array of interfaces',
    slave('  bus b[2]();\n  assign b[1].d = wb_dat_w;\n  assign wb_dat_r = b[1].d;', INTERFACE),
  ],
  [
    'members of structures',
    slave('  struct packed { logic [3:0] a, b; } s;\n  assign s.a = wb_dat_w;\n  assign wb_dat_r = s.a;'),
  ],
  [
    'signals of a block',
    slave('  generate if (1) begin : g wire [3:0] x = wb_dat_w; end endgenerate\n  assign wb_dat_r = g.x;'),
  ],
  [
    'what is only shown',
    slave(
      '  sub u(.a(wb_we));\n  always @(posedge wb_clk) $display("%b", u.s);\n  assign wb_dat_r = 0;',
      SUB,
    ),
  ],
  [
    'what another module reaches into',
    slave(
      '  assign wb_dat_r = 0;',
      `${SUB}module other(output q); sub u(.a(1)); assign q = u.s; endmodule\n`,
    ),
  ],
])('%s are not', async (_, text) => {
  expect(await errorsOf(text)).toEqual([]);
});

test('no signal of an interface is taken for one that is declared nowhere', async () => {
  const text = slave('  bus b();\n  assign wb_dat_r = b.d;\n  assign b.d = wb_dat_w, b.w = 1;', INTERFACE);
  const { diagnostics } = await scanText(text, 'design.sv');
  expect(diagnostics.map(({ net }) => net)).toEqual(['b.w']);
});

test('a port that is an array of interfaces is told', async () => {
  const text = `${INTERFACE}module m(\n  input a,\n  bus.from o[2]\n); endmodule\n`;
  expect((await errorsOf(text, withoutSlang))[0]).toMatchObject({
    line: 5,
    message:
      'syntax error: a port that is an array of interfaces is not read by Yosys: make a port of each of them',
  });
});
