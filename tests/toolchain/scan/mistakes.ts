import { expect } from 'vitest';
import { plainYosys, scanText } from '../support.ts';

/** The first error that is found in a source. */
export async function errorIn(text: string, filename = 'design.v', engine = plainYosys) {
  const { diagnostics } = await scanText(text, filename, {}, engine);
  return diagnostics.find(({ severity }) => severity === 'error');
}

/** The head of a module, in line 1. */
export const head = 'module m(input clk, input [3:0] a, output reg [3:0] b, output c);\n';
/** A module with statements of a process, which begin in line 3. */
export const process = (text: string) => `${head}  always @(posedge clk) begin\n${text}\n  end\nendmodule\n`;

/** What is wrong, a source, the line of the mistake and what is said of it. */
export type Case = [what: string, source: string, line: number, said: string];

/** What is said first of a source. */
export async function expectSaid([, source, line, said]: Case, filename = 'design.v', engine = plainYosys) {
  expect(await errorIn(source, filename, engine)).toMatchObject({
    code: 'yosys_error',
    file: filename,
    line,
    message: said,
  });
}
