import { INPUT_WIDTH, OUTPUT_WIDTH } from '../../expressions/expression.ts';
import type { VerilogCircuit } from './verilog-circuits.ts';

/** Words in the input of `circuitsTogether`. */
export const WORDS = 6;

/** Where the ports of a circuit are in the input: the word, the bit in it, and the width. */
const PORTS: Readonly<Record<string, readonly [word: number, bit: number, width: number]>> = {
  ...{ a: [0, 0, 32], b: [1, 0, 32], c: [2, 0, 8], d: [3, 0, 8] },
  ...{ en: [4, 0, 1], we: [4, 1, 1], n: [5, 0, 4], m: [5, 8, 4] },
};

/**
 * One slave with all circuits, because most of a run is reading the library of cells. Output k is that of circuit k.
 */
export function circuitsTogether(circuits: readonly VerilogCircuit[]): string {
  const modules = circuits.map((circuit, k) => {
    const { before, body } = typeof circuit === 'string' ? { before: '', body: circuit } : circuit;
    return `${before}
module circuit${k}(input clk, rst, en, we, input [31:0] a, b, input [7:0] c, d, input [3:0] n, m, output [31:0] y);
${body}
endmodule
`;
  });
  const inputs = Object.entries(PORTS).map(
    ([port, [word, bit, width]]) => `.${port}(in[${word * INPUT_WIDTH + bit} +: ${width}])`,
  );
  return `${modules.join('')}
module slave(input clk, input rst, input wb_cyc, input wb_stb, input wb_we, input [3:0] wb_adr, input [31:0] wb_dat_w,
  output [31:0] wb_dat_r, output wb_ack, input [${WORDS * INPUT_WIDTH - 1}:0] in,
  ${circuits.map((_, k) => `output [${OUTPUT_WIDTH - 1}:0] y${k}`).join(', ')});
  assign wb_ack = wb_stb;
  assign wb_dat_r = wb_adr;
${circuits.map((_, k) => `  circuit${k} u${k}(.clk(clk), .rst(rst), ${inputs.join(', ')}, .y(y${k}[31:0]));\n  assign y${k}[${OUTPUT_WIDTH - 1}:32] = 0;`).join('\n')}
endmodule
`;
}
