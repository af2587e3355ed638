import { OUTPUT_WIDTH } from './expression.ts';
import { bitsOf } from './systemverilog-expressions.ts';
import { SystemVerilogStatements } from './systemverilog-statements.ts';

/** Random modules, with their instances. */
export class SystemVerilogModules extends SystemVerilogStatements {
  /** A module with parameters, and instances of it. */
  protected generic() {
    const { choices } = this;
    const [type, other] = [this.types.any(), this.types.any()];
    const before = this.reads;
    this.reads = [
      { text: 'x', type: bitsOf(4, undefined) },
      { text: 'K', type: bitsOf(8) },
      { text: 't', type: bitsOf(4) },
    ];
    const bits = this.bits;
    this.bits = (width) => `unsigned'(${width}'(x >> ${choices.below(4)}))`;
    const u = this.expression(3);
    const y = [this.expression(3), this.expression(2), this.expression(2)];
    this.bits = bits;
    this.reads = before;
    const sign = choices.of(['', ' signed']);
    const module = `module child import types::*; #(parameter int W = 5, parameter logic signed [7:0] K = -3, parameter type T = ${type.name}, localparam int V = W + 2)
  (input logic clk, input logic${sign} [W-1:0] x, input T t, output logic${choices.of(['', ' signed'])} [V-1:0] y, output T u);
  logic [W-1:0] bits;
  for (genvar g = 0; g < W; g++) begin : each
    if (g % 2 == ${choices.below(2)}) assign bits[g] = x[W-1-g];
    else begin : odd assign bits[g] = x[g] ^ 1'(t); end
  end
  wire [79:0] wide = ${u};
  assign u = wide[$bits(T)-1:0];
  if (W > 6) always_ff @(posedge clk) y <= ${y[0]} ^ bits;
  else if (K < 0) assign y = ${y[1]} + signed'(bits);
  else always_comb begin y = bits; if (x[0]) y = V'(${y[2]}); end
  initial if (W > 6) y = 0;
endmodule`;
    const instances = () => {
      const made = choices.some(4, () => {
        const [name, W, K] = [this.name('u'), 2 + choices.below(9), choices.below(20) - 10];
        const t = choices.of([type, other]);
        const [y, u] = [`y_${name}`, `u_${name}`];
        const width = 1 + choices.below(14);
        // Without the brackets Verilator gives an operator the sign of the port.
        const lines = [
          `logic${choices.of(['', ' signed'])} [${width - 1}:0] ${y}; ${t.name} ${u};`,
          `child #(.W(${W}), .K(${K})${t === type ? '' : `, .T(${t.name})`}) ${name}(.clk, .x({${W}'(${this.expression(1)})}), .t(${this.cast(t, this.expression(1))}), .y(${y}), .u(${u}));`,
        ];
        return { lines, shown: [y, this.shown({ text: u, type: t })] };
      });
      const name = this.name('u');
      const array = {
        lines: [
          `logic [27:0] y_${name}; logic [${4 * type.width - 1}:0] u_${name};`,
          `child ${name}[3:0](.clk, .x({${this.bits(5)}, ${this.bits(5)}, ${this.bits(5)}, ${this.bits(5)}}), .t(${this.cast(type, this.expression(1))}), .y(y_${name}), .u(u_${name}));`,
        ],
        shown: [`y_${name}`, `${OUTPUT_WIDTH}'(u_${name})`],
      };
      return {
        lines: [...made, array].flatMap((one) => one.lines),
        shown: [...made, array].flatMap((one) => one.shown),
      };
    };
    return { module, instances };
  }

  /** Two modules with an interface between them, and a memory. */
  protected shared() {
    const { choices } = this;
    const type = this.types.any();
    const depth = choices.of([3, 4, 6, 8]);
    const address = depth > 4 ? 3 : 2;
    const module = `interface bus #(parameter int A = 3) (input logic clk);
  import types::*;
  ${type.name} data, back; logic [A-1:0] address; logic write;
  modport master(output data, address, write, input back);
  modport slave(input data, address, write, clk, output back);
endinterface
module sender import types::*; (bus.master b, input ${type.name} data, input logic [${address - 1}:0] address, input logic write, output ${type.name} back);
  assign b.data = data; assign b.address = address; assign b.write = write; assign back = b.back;
endmodule
module memory import types::*; (bus.slave b);
  ${type.name} words [${choices.of([`${depth}`, `0:${depth - 1}`])}];
  initial for (int i = 0; i < ${depth}; i++) words[i] = ${this.cast(type, `i * ${1 + choices.below(1000)}`)};
  always_ff @(posedge b.clk) if (b.write) words[b.address % ${depth}] <= b.data;
  ${choices.of([`assign b.back = words[b.address % ${depth}];`, `initial b.back = ${this.cast(type, '0')};\n  always_ff @(posedge b.clk) b.back <= words[b.address % ${depth}];`])}
endmodule`;
    const instances = () => {
      const back = { text: this.name('k'), type };
      return {
        lines: [
          `${type.name} ${back.text};`,
          `bus #(.A(${address})) link(.clk);`,
          `sender s(.b(link), .data(${this.cast(type, this.expression(2))}), .address(${this.bits(address)}), .write(${this.bits(1)}), .back(${back.text}));`,
          'memory m(.b(link.slave));',
        ],
        shown: [this.shown(back)],
      };
    };
    return { module, instances };
  }
}
