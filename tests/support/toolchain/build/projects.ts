import { afterAll, beforeAll, expect } from 'vitest';
import type { BenchError } from '../../../../server/errors/bench-error.ts';
import { packProject, projectOfFiles } from '../../../../server/toolchain/intake/project.ts';
import { freshToolchain, record, requestOf, synthesised } from './support.ts';

/** The bench of the running test file. */
export let bench: ReturnType<typeof freshToolchain>;
/** To be called in a file of tests: they share one toolchain, which ends with them. */
export function withProjects(): void {
  beforeAll(() => {
    bench = freshToolchain();
  });
  afterAll(() => bench.dispose());
}

export const packed = async (files: Record<string, string>): Promise<Uint8Array> => {
  const sent = Object.entries(files).map(([path, text]) => ({ path, contents: Buffer.from(text) }));
  return packProject(await projectOfFiles(sent, 2 ** 20));
};

/** Scans a project; `log` is what its job would say. */
export async function scan(files: Record<string, string>, top?: string) {
  const context = record();
  const request = requestOf(await packed(files), 'some.zip', top === undefined ? {} : { top });
  const found = await bench.toolchain.scan(request, context);
  return { ...found, log: context.text() };
}

export async function build(source: Uint8Array, toolchain = bench.toolchain) {
  const context = record();
  const result = await toolchain.build(requestOf(source, 'some.zip'), context).then(
    (built) => ({ built, error: null }),
    (error: BenchError) => ({ built: null, error }),
  );
  return { ...result, log: context.text() };
}

/** Asserts that a build takes the module `top` of a project through synthesis. */
export async function isSynthesised(files: Record<string, string>): Promise<void> {
  const context = await synthesised(bench.toolchain, requestOf(await packed(files), 'some.zip'));
  expect(context.text()).toContain('Wishbone slave: module top');
}

/** A slave around statements of its own. */
export const SLAVE = (body: string) => `module top (input clk, rst, wb_cyc, wb_stb, wb_we, input [1:0] wb_adr,
  input [31:0] wb_dat_w, output [31:0] wb_dat_r, output wb_ack);
  assign wb_ack = wb_cyc & wb_stb;
${body}
endmodule
`;
