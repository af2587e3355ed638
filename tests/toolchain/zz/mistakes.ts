import { appendFileSync } from 'node:fs';
import { plainYosys, scanText } from '../support.ts';
export async function errorIn(text: string, filename = 'design.v', _e: unknown = null) {
  await expectSaid([ '?', text, 0, '?' ], filename);
  return { message: '' } as any;
}
export const head = 'module m(input clk, input [3:0] a, output reg [3:0] b, output c);\n';
export const process = (text: string) => `${head}  always @(posedge clk) begin\n${text}\n  end\nendmodule\n`;
export type Case = [what: string, source: string, line: number, said: string];
export async function expectSaid([what, source, line, said]: Case, filename = 'design.v', _e: unknown = null) {
  let r: any;
  try { const s = await scanText(source, filename, {}, plainYosys); r = { kind: s.outcome.kind, matched: s.matched?.module, diagnostics: s.diagnostics, log: s.log }; } catch (e: any) { r = { threw: e.message, code: e.code }; }
  appendFileSync('/tmp/t1-cases.jsonl', JSON.stringify({ what, filename, source, line, said, ...r }) + '\n');
}
