import { expect, test } from 'vitest';
import { withoutChecks } from '../../../../server/toolchain/scan/rewrites/checks.ts';
import { scanText } from '../../support.ts';

const module = (body: string) => `module m(input clk, input rst, input [3:0] a, output reg [3:0] b);
${body}
endmodule
`;

/** The body of a module without its checks, in one line. */
const left = (body: string): string => {
  const text = withoutChecks(module(body));
  expect(text.split('\n')).toHaveLength(module(body).split('\n').length);
  return text
    .replace(/^module.*\n/, '')
    .replace(/endmodule\n$/, '')
    .replace(/\s+/g, ' ')
    .trim();
};

test.each<[what: string, body: string, rest: string]>([
  ['an assertion', 'assert property (@(posedge clk) a |-> b);', ''],
  ['one with a label and an action', 'wire c;\nlbl: assert property (p) else $error("no", a);', 'wire c;'],
  [
    'one with a block for each action',
    'assert #0 (a) begin end else begin $fatal(1); end wire c;',
    'wire c;',
  ],
  ['one where something has to stand', 'if (W) assert property (p);', 'if (W) ;'],
  ['one at the begin of a simulation', 'initial assert (W > 1) else $fatal(1, "no");', 'initial ;'],
  [
    'one in a process, with an else that is not its own',
    'always @(posedge clk) if (a) assert (b) else $error("x"); else b <= 1;',
    'always @(posedge clk) if (a) ; else b <= 1;',
  ],
  [
    'one in a branch of a case',
    'always @* case (a) A: assert (b); default: begin l: assume (b); b = 0; end endcase',
    'always @* case (a) A: ; default: begin ; b = 0; end endcase',
  ],
  [
    'what is declared for assertions',
    'property p(x); x ##1 a; endproperty : p\nsequence s; a; endsequence\ndefault clocking c @(posedge clk); endclocking\ndefault disable iff (rst);\ncovergroup g; endgroup wire c;',
    'wire c;',
  ],
  [
    'reports and ends of a simulation in a process',
    'always @(posedge clk) begin : x if (a) $stop; else if (rst) $finish(2); $display("x"); $fatal(1, "a;b"); end',
    'always @(posedge clk) begin : x if (a) ; else if (rst) ; $display("x"); ; end',
  ],
  ['what is done at the end of a simulation', 'final begin $display("x"); end wire c;', 'wire c;'],
  ['the same in a task', 'task t; begin $error("no"); end endtask', 'task t; begin ; end endtask'],
  [
    'in a macro',
    '`define CHECK(n, p) n: assert property (p) \\\n  else $error("x")\n`CHECK(x, a)',
    '`define CHECK(n, p) \\ `CHECK(x, a)',
  ],
])('%s is left out', (_, body, rest) => {
  expect(left(body)).toBe(rest);
});

test.each([
  ['what a module checks of its parameters', 'generate if (W > 4) $fatal(1, "too wide"); endgenerate'],
  [
    "names of the design's own",
    'reg cover; task assert(input x); begin b = x; end endtask always @* assert(a);',
  ],
  ['signals with such names', 'wire [3:0] sequence; assign b = sequence;'],
  ['an end of a simulation', 'initial begin a = 1; $finish; end'],
  ['what has no end', 'assert property (a ##1 b'],
])('%s stays', (_, body) => {
  expect(withoutChecks(module(body))).toBe(module(body));
});

test('a design with assertions is read, in either edition', async () => {
  const body = `  property known; @(posedge clk) disable iff (rst) !$isunknown(a); endproperty
  a_known: assert property (known) else $error("unknown");
  always @(posedge clk) begin
    assert (a != 3) else begin $error("three"); end
    if (a == 4) $stop;
    b <= a;
  end`;
  for (const name of ['design.v', 'design.sv']) {
    const { modules, diagnostics } = await scanText(module(body), name);
    expect(diagnostics.filter(({ code }) => code === 'yosys_error')).toEqual([]);
    expect(modules.map(({ name: found }) => found)).toEqual(['m']);
  }
});
